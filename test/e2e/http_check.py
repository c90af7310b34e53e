#!/usr/bin/env python3
"""The proxy with a real server over Streamable HTTP: the reference server of the MCP project.

Starts @modelcontextprotocol/server-everything in its streamableHttp mode on a free port and drives
it through `stretto-proxy --upstream`: once with lines written here (chapter 03 §10 H of the
specification), once with the client of the official TypeScript SDK, whose session is compared with
the same session without the proxy (http_check.mjs).

To be run by hand as it is: test/e2e/http_check.py. The programs are those of STRETTO_PROXY and
STRETTO_DEMO, else those in build/; the server is that of STRETTO_PEERS (a directory with
node_modules), else the one that tools/check installed into the user's cache; it runs on
STRETTO_NODE, else on `node`. The output is TAP; without Node.js or the server all is skipped.
"""

import json
import os
import shutil
import socket
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BUILT = os.path.join(os.path.dirname(os.path.dirname(HERE)), 'build', 'src', 'cmd')
for variable, program in (('STRETTO_PROXY', 'stretto-proxy'), ('STRETTO_DEMO', 'stretto-mcp-demo')):
    if os.access(os.path.join(BUILT, program), os.X_OK):
        os.environ.setdefault(variable, os.path.join(BUILT, program))

import harness
from harness import Case, DEADLINE, PROXY, SLOW, recording

CACHE = os.environ.get('XDG_CACHE_HOME') or os.path.join(os.path.expanduser('~'), '.cache')
PEERS = os.environ.get('STRETTO_PEERS') or os.path.join(CACHE, 'stretto-proxy', 'peers')
NODE = os.environ.get('STRETTO_NODE') or shutil.which('node')
EVERYTHING = os.path.join(PEERS, 'node_modules', '@modelcontextprotocol', 'server-everything',
                          'dist', 'index.js')
STEPS = 4


def free_port():
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        return probe.getsockname()[1]


class ReferenceServer(Case):
    """A session with server-everything over HTTP."""

    def start_server(self):
        """The running server and its URL. Another program may take the port: then once more."""
        for _ in range(5):
            port = free_port()
            server = self.start([NODE, EVERYTHING, 'streamableHttp'], stdin='null',
                                env=self.environment(PORT=str(port)))
            server.stderr.wait(lambda data, ended: b'listening on port' in data or ended)
            if b'listening on port' in server.err():
                return server, 'http://127.0.0.1:%d/mcp' % port
        self.fail('the server does not start: %r' % server.err())

    def tell(self, proxy, message):
        """Sends a message as the host."""
        line = json.dumps({'jsonrpc': '2.0', **message}).encode() + b'\n'
        self.sent.append(line)
        proxy.send(line)

    def messages(self, proxy):
        """What the host got so far."""
        return [json.loads(line) for line in proxy.out().split(b'\n')[:-1]]

    def wait_message(self, proxy, is_wanted, what):
        """Waits for a message of the server; its place among all of them."""
        def place():
            got = self.messages(proxy)
            return next((i for i, m in enumerate(got) if is_wanted(m)), None)
        self.until(lambda: place() is not None,
                   lambda: 'the %s; the host got %s' % (what, harness.brief(proxy.out())))
        return place()

    def wait_answer(self, proxy, request_id):
        """Waits for an answer with a result; its place and the result."""
        at = self.wait_message(proxy, lambda m: 'method' not in m and m.get('id') == request_id,
                               'answer to %d' % request_id)
        answer = self.messages(proxy)[at]
        self.assertIn('result', answer)
        return at, answer['result']

    def test_a_session_of_the_reference_server(self):
        server, url = self.start_server()
        proxy = self.proxy('--record', self.path('L'), '--domain', 'everything',
                           '--upstream', url)
        self.sent = []
        self.tell(proxy, {'id': 1, 'method': 'initialize', 'params': {
            'protocolVersion': '2025-06-18', 'capabilities': {},
            'clientInfo': {'name': 'http-check', 'version': '1.0.0'}}})
        _, result = self.wait_answer(proxy, 1)
        self.assertEqual(result['serverInfo']['name'], 'mcp-servers/everything')
        self.tell(proxy, {'method': 'notifications/initialized'})
        # What the server says by itself before its stream is open is lost.
        self.assertTrue(server.stdout.wait(
            lambda data, ended: b'Establishing new SSE stream' in data or ended))

        self.tell(proxy, {'id': 2, 'method': 'logging/setLevel', 'params': {'level': 'debug'}})
        self.wait_answer(proxy, 2)
        self.tell(proxy, {'id': 3, 'method': 'tools/list'})
        _, result = self.wait_answer(proxy, 3)
        self.assertIn('echo', [tool['name'] for tool in result['tools']])
        self.tell(proxy, {'id': 4, 'method': 'tools/call', 'params': {
            'name': 'toggle-simulated-logging', 'arguments': {}}})
        self.wait_message(proxy, lambda m: m.get('method') == 'notifications/message',
                          "log message on the server's own stream")

        self.tell(proxy, {'id': 5, 'method': 'tools/call', 'params': {
            'name': 'trigger-long-running-operation',
            'arguments': {'duration': 1, 'steps': STEPS}, '_meta': {'progressToken': 'p'}}})
        at, _ = self.wait_answer(proxy, 5)
        progress = [m['params'] for m in self.messages(proxy)[:at]
                    if m.get('method') == 'notifications/progress']
        self.assertEqual([p['progress'] for p in progress][:2], [1, 2])
        self.assertEqual({p['progressToken'] for p in progress}, {'p'})

        proxy.finish(0, err=recording(self.path('L')))
        self.assertIn(b'Received session termination request', server.stdout.bytes())
        log = self.log()
        self.assertEqual(json.loads(log.header)['server_command'], [url])
        log.check(client=self.sent, server=proxy.out().splitlines(keepends=True))

    def test_the_official_client_sees_the_same_with_and_without_the_proxy(self):
        _, url = self.start_server()
        env = self.environment(STRETTO_PROXY=os.path.abspath(shutil.which(PROXY)),
                               STRETTO_PEERS=PEERS, STRETTO_TEST_SLOW=str(SLOW))
        client = self.start([NODE, os.path.join(HERE, 'http_check.mjs'), url], stdin='null',
                            env=env)
        try:
            code = client.popen.wait(DEADLINE * 6)
        except subprocess.TimeoutExpired:
            code = 'still running'
        failed = [line for line in client.out().decode().splitlines()
                  if not line.startswith('ok ')]
        if code != 0 or len(failed) != 1:
            self.fail('the client: %s\n%s\n%s' %
                      (code, '\n'.join(failed), client.err().decode('utf-8', 'replace')))


if __name__ == '__main__':
    if not NODE:
        print('1..0 # SKIP there is no Node.js (STRETTO_NODE is not set, nor is there a node)')
        sys.exit(0)
    if not os.path.exists(EVERYTHING):
        print('1..0 # SKIP there is no %s (tools/check installs it)' % EVERYTHING)
        sys.exit(0)
    harness.main()
