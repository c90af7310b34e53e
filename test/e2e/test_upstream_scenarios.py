#!/usr/bin/env python3
"""The scenarios of chapter 03 §10, A to G, most of them with stretto-mcp-demo."""

import json
import re
import time

import harness
import http_server
import log_model
from harness import rows
from http_server import (ANYTHING, CUT, ENDED, INITIALIZED, NOT_JSON, SAYS_CUT, SAYS_ENDING,
                         SAYS_UNREACHED, UNREACHED, initialize, notification, refused, request)

HELLO = {'jsonrpc': '2.0', 'method': 'notifications/message',
         'params': {'data': "hello from the server's own stream", 'level': 'info'}}
CALLING = {'jsonrpc': '2.0', 'method': 'notifications/message',
           'params': {'data': 'calling lookup', 'level': 'info'}}


def lookup(id, **arguments):
    return request(id, name='lookup', arguments=arguments)


class Demo(http_server.UpstreamCase):
    def demo(self, *args):
        """Starts the demo server; its port."""
        demo = self.start([harness.DEMO, '--http', '127.0.0.1:0', *args])
        demo.stdout.wait(lambda data, ended: b'\n' in data or ended)
        match = re.fullmatch(rb'http://127\.0\.0\.1:([0-9]+)/mcp\n', demo.out())
        self.assertTrue(match, 'the URL: %r, %r' % (demo.out(), demo.err()))
        return int(match[1])

    def url(self, port, query=''):
        return 'http://127.0.0.1:%d/mcp%s' % (port, query)

    def start_session(self, session):
        session.send(initialize(id=1), INITIALIZED)
        session.answer(1)

    def test_a(self):
        port = self.demo()
        session = self.session(self.url(port, '?token=s3cret'), '--domain', 'echo')
        session.secrets.append(b's3cret')
        session.send(initialize(id=1), INITIALIZED, request(2, 'tools/list'), lookup(3, text='hi'),
                     request(4, 'ping'))
        for id in (1, 2, 3, 4):
            session.answer(id)
        session.line(HELLO)
        ended = session.end()
        messages = [json.loads(line) for line in ended.lines]
        self.assertEqual(len(messages), 6)
        by_id = {m['id']: m for m in messages if 'id' in m}
        self.assertEqual(by_id[1]['result']['protocolVersion'], '2025-06-18')
        self.assertEqual([t['name'] for t in by_id[2]['result']['tools']], ['lookup', 'update'])
        self.assertEqual(by_id[3]['result']['content'], [{'type': 'text', 'text': '{"text":"hi"}'}])
        self.assertEqual(by_id[4]['result'], {})
        self.assertLess(messages.index(CALLING), messages.index(by_id[3]))
        self.assertEqual((len(ended.entries('client')), len(ended.entries('server'))), (5, 6))
        header = json.loads(session.header)
        self.assertEqual(header['domain'], 'echo')
        self.assertEqual(header['server_command'], [self.url(port, '?token=<redacted>')])

    def test_b(self):
        """Nothing listens."""
        session = self.session(self.url(self.dead_port()))
        session.send(initialize(id=1)).fails(1, UNREACHED)
        session.end(err=[SAYS_UNREACHED])

    def test_c_with_the_header(self):
        port = self.demo('--require-auth', 'Bearer t0ken-value')
        session = self.session(self.url(port), headers=['Authorization=V'],
                               env={'V': 'Bearer t0ken-value'})
        session.secrets.append(b't0ken')
        self.start_session(session)
        session.send(lookup(2, text='x')).answer(2)
        session.line(HELLO)
        session.end()

    @rows(('none', {'headers': []}), ('another', {'headers': ['Authorization=V'],
                                                  'env': {'V': 'Bearer t0ken-valu'}}))
    def test_c_without_the_header(self, kw):
        port = self.demo('--require-auth', 'Bearer t0ken-value')
        session = self.session(self.url(port), **kw)
        session.secrets.append(b't0ken')
        session.send(initialize(id=1)).fails(1, refused(401), {'status': 401})
        session.end(err=[refused(401)])

    def test_c_not_set(self):
        process = self.proxy('--upstream', self.url(self.demo()), '--upstream-header',
                             'Authorization=V_NOT_SET')
        process.finish(125, b'', re.compile(b'stretto-proxy: [^\n]*V_NOT_SET[^\n]*\n'))

    def test_e(self):
        """Two calls of a second are answered within about 1.5 s, and a quick one first."""
        session = self.session(self.url(self.demo()))
        self.start_session(session)
        start = time.monotonic()
        session.send(lookup('slow 1', delay_ms=1000), lookup('slow 2', delay_ms=1000),
                     lookup('quick', text='x'))
        session.answer('quick')
        self.assertFalse(any(b'"slow' in line for line in session.lines()))
        session.answer('slow 1')
        session.answer('slow 2')
        self.assertLess(time.monotonic() - start, 1.5 * max(1, harness.SLOW))
        session.end()

    def test_f(self):
        """A call in flight at the end is answered; then comes the DELETE."""
        port = self.demo()
        session = self.session(self.url(port))
        self.start_session(session)
        session.send(lookup(2, delay_ms=1000))
        session.process.close_stdin()
        ended = session.end()
        self.assertEqual(json.loads(ended.lines[-1])['id'], 2)

    def test_f_scripted(self):
        server = self.serve()

        def slow(x):
            x.wait_for('go')
            x.result()

        server.on('tools/call', slow)
        session = self.session(server)
        session.open()
        session.send(lookup(2))
        session.process.close_stdin()
        server.wait_got('tools/call')
        server.release('go')
        session.result(2)
        session.end()
        self.assertEqual(server.got()[-1].method, 'DELETE')

    def test_retail(self):
        """The other world, all of it in one go, and the demo still has its session rules."""
        session = self.session(self.url(self.demo('--world', 'retail')))
        session.send(initialize(id=1), INITIALIZED, *[
            request(i, name='get_order_details', arguments={'order_id': '#W%da' % i})
            for i in range(2, 40)])
        ended = session.end()
        self.assertEqual(len([line for line in ended.lines if b'"result"' in line]), 39)

    def test_same_as_over_stdio(self):
        """The answers are those of the demo behind pipes, line by line."""
        lines = [initialize(id=1), INITIALIZED, request(2, 'tools/list'), lookup(3, text='é"\\\n'),
                 request(4, 'nonsense'), request('five', 'ping'), lookup(6, fail=True)]
        data = b''.join(http_server.compact(line) + b'\n' for line in lines)
        direct = self.run_proxy('--', harness.DEMO, input=data)
        session = self.session(self.url(self.demo())).send(*lines)
        ended = session.end()
        answers = [line for line in ended.lines if http_server.answered_ids(line)]
        self.assertEqual(sorted(answers), sorted(log_model.split_lines(direct.out)))


class Scripted(http_server.UpstreamCase):
    def test_d(self):
        """A misbehaving server."""
        one = {'jsonrpc': '2.0', 'method': 'notifications/message', 'params': {'data': 'one'}}
        server = self.serve()

        def stream(x):
            if x.header('Last-Event-ID') is not None:
                x.reply(405)
                return
            x.stream(chunked=False)
            x.event(one, 'e1')
            x.event(b'not JSON either', 'e2')
            x.end()

        server.on('gone', lambda x: x.json({'jsonrpc': '2.0', 'id': 9, 'result': {}}, 404))
        server.on('cut', lambda x: x.raw(
            x.head(200, [('Content-Type', 'application/json'), ('Content-Length', 100)]) +
            b'0123456789') or x.close())
        server.on('text', lambda x: x.json(b'not JSON'))
        server.on('GET', stream)
        server.on('DELETE', lambda x: x.close())
        session = self.session(server)
        session.send(initialize(id=1), INITIALIZED, b'', INITIALIZED, request(2, 'gone'),
                     request(3, 'cut'), request(4, 'text'))
        session.answer(1)
        session.fails(2, ENDED, {'status': 404})
        session.fails(3, CUT)
        session.fails(4, NOT_JSON)
        session.line(one)
        server.wait_got('GET', 2)
        ended = session.end(err=[ENDED, SAYS_CUT, SAYS_ENDING, ANYTHING, ANYTHING],
                            kept=[b'not JSON', b'not JSON either'])
        self.assertEqual(len(ended.lines), 5)
        self.assertEqual([r.header('Last-Event-ID') for r in server.got('GET')], [None, 'e2'])
        self.assertEqual(len(server.got('notifications/initialized')), 2)
        self.assertEqual(len(server.got('raw')), 0)
        # A connection that ends so may have been a reused one, and the request comes once more.
        self.assertEqual({r.header('Mcp-Session-Id') for r in server.got('DELETE')}, {'s1'})

    def test_g(self):
        """Nothing is known at the first initialize; both headers go with everything after it."""
        server = self.serve()

        def stream(x):
            x.stream()
            x.event(notification('n'))
            x.until_closed()

        server.on('GET', stream)
        session = self.session(server)
        session.send(initialize(), INITIALIZED, request(1), b'{"method":"n"}', b'hello')
        session.result(1)
        session.line(notification('n'))
        session.end()
        first, *others = server.got()
        self.assertEqual(first.rpc(), 'initialize')
        self.assertEqual(first.all('Mcp-Session-Id') + first.all('MCP-Protocol-Version'), [])
        self.assertEqual({r.rpc() for r in others}, {'notifications/initialized', 'tools/call', 'n',
                                                     'raw', 'GET', 'DELETE'})
        for got in others:
            self.assertEqual(got.header('Mcp-Session-Id'), 's1')
            self.assertEqual(got.header('MCP-Protocol-Version'), '2025-06-18')


if __name__ == '__main__':
    harness.main()
