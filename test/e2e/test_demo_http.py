#!/usr/bin/env python3
"""The demo server over Streamable HTTP: chapter 04 §6, byte by byte on plain sockets."""

import json
import re
import signal
import socket
import threading
import time

import harness
from harness import Case, rows

HELLO = (b'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/message",'
         b'"params":{"data":"hello from the server\'s own stream","level":"info"}}\n\n')
LIST = b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}'
PING = b'{"jsonrpc":"2.0","id":"p","method":"ping"}'
PONG = b'{"id":"p","jsonrpc":"2.0","result":{}}'
NOTE = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
JSON = b'application/json'
EVENTS = b'text/event-stream'


def initialize(params=b'{"protocolVersion":"2025-06-18"}'):
    return b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":' + params + b'}'


def call(name, args, id=3):
    return json.dumps({'id': id, 'method': 'tools/call',
                       'params': {'name': name, 'arguments': args}}).encode()


def calling(name):
    return (b'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/message",'
            b'"params":{"data":"calling ' + name + b'","level":"info"}}\n\n')


def event(text):
    return b'event: message\ndata: ' + text + b'\n\n'


def result(id, text, error=b'false'):
    return (b'{"id":' + id + b',"jsonrpc":"2.0","result":{"content":[{"text":' +
            json.dumps(text).encode() + b',"type":"text"}],"isError":' + error + b'}}')


class Reply:
    """A reply taken apart strictly; None as status when the connection was dropped without one."""

    def __init__(self, case, data):
        self.status = None
        self.headers = {}
        self.body = b''
        if not data:
            return
        head, blank, self.body = data.partition(b'\r\n\r\n')
        case.assertTrue(blank, 'the head has no end: %s' % harness.brief(data))
        lines = head.split(b'\r\n')
        match = re.fullmatch(rb'HTTP/1\.1 ([0-9]{3}) [A-Za-z ]+', lines[0])
        case.assertTrue(match, 'a status line: %r' % lines[0])
        self.status = int(match[1])
        for line in lines[1:]:
            name, colon, value = line.partition(b': ')
            case.assertTrue(colon and value == value.strip(), line)
            case.assertNotIn(name.lower(), self.headers)
            self.headers[name.lower()] = value
        case.assertEqual(self.headers.get(b'connection'), b'close')
        length = self.headers.get(b'content-length')
        if self.headers.get(b'content-type') == EVENTS:
            case.assertIsNone(length)
        else:
            case.assertEqual(length, b'%d' % len(self.body))


class Wire:
    """A connection to the server."""

    def __init__(self, case, port, data=b''):
        self.case = case
        self.data = b''
        self.socket = socket.create_connection(('127.0.0.1', port), harness.DEADLINE)
        case.addCleanup(self.socket.close)
        self.send(data)

    def send(self, data):
        self.socket.sendall(data)

    def end(self):
        self.socket.shutdown(socket.SHUT_WR)

    def read_until(self, tail):
        while not self.data.endswith(tail):
            part = self.socket.recv(1 << 16)
            if not part:
                self.case.fail('the end came before %r: %r' % (tail, self.data))
            self.data += part

    def is_quiet(self, seconds):
        """Whether nothing comes, not even the end."""
        self.socket.settimeout(seconds)
        try:
            part = self.socket.recv(1 << 16)
        except socket.timeout:
            return True
        finally:
            self.socket.settimeout(harness.DEADLINE)
        self.data += part
        return False

    def reply(self):
        """The whole reply, up to the end of the connection."""
        while True:
            try:
                part = self.socket.recv(1 << 16)
            except ConnectionResetError:
                part = b''
            if not part:
                return Reply(self.case, self.data)
            self.data += part


class HttpCase(Case):
    def serve(self, *args, addr='127.0.0.1:0'):
        """Starts the server; its port."""
        self.demo = self.start([harness.DEMO, '--http', addr, *args])
        self.demo.stdout.wait(lambda data, ended: b'\n' in data or ended)
        match = re.fullmatch(rb'http://127\.0\.0\.1:([1-9][0-9]*)/mcp\n', self.demo.out())
        self.assertTrue(match, 'the URL: %r, %r' % (self.demo.out(), self.demo.err()))
        self.port = int(match[1])
        return self.port

    def setUp(self):
        super().setUp()
        self.demo = None

    def tearDown(self):
        try:
            if self.demo:
                self.assertTrue(self.demo.running(), 'it ended: %r' % self.demo.err())
                self.same(self.demo.err(), b'', 'stderr')
                self.assertEqual(self.demo.out().count(b'\n'), 1)
        finally:
            super().tearDown()

    def wire(self, data=b''):
        return Wire(self, self.port, data)

    def send(self, method, headers=(), body=None, path='/mcp'):
        """Sends a request; its connection. A dict or list of pairs gives the headers."""
        lines = ['%s %s HTTP/1.1' % (method, path), 'Host: x']
        lines += ['%s: %s' % pair for pair in (dict(headers) or {}).items()]
        if body is not None:
            lines.append('Content-Length: %d' % len(body))
        head = '\r\n'.join(lines) + '\r\n\r\n'
        return self.wire(head.encode('latin-1') + (body or b''))

    def ask(self, method, headers=(), body=None, path='/mcp'):
        return self.send(method, headers, body, path).reply()

    def open(self, number=1, version='2025-06-18'):
        """Begins a session; the headers of its requests."""
        reply = self.ask('POST', body=initialize(b'{"protocolVersion":"%s"}' % version.encode()))
        self.assertEqual(reply.status, 200)
        self.assertEqual(reply.headers[b'mcp-session-id'], b'demo-session-%d' % number)
        return {'Mcp-Session-Id': 'demo-session-%d' % number, 'MCP-Protocol-Version': version}

    def check(self, reply, status, body=b'', content_type=None):
        self.assertEqual((reply.status, reply.body), (status, body))
        self.assertEqual(reply.headers.get(b'content-type'), content_type)


class Start(HttpCase):
    def test_url_is_printed_and_stdin_is_not_read(self):
        self.serve()
        self.demo.send(PING + b'\n', gone_is_fine=True)
        self.demo.close_stdin()
        self.open()
        self.assertEqual(self.demo.out(), b'http://127.0.0.1:%d/mcp\n' % self.port)

    def test_the_last_address_counts(self):
        self.serve('--http', '127.0.0.1:0', addr='nothing')
        self.open()

    def test_a_name_can_be_given(self):
        process = self.start([harness.DEMO, '--http', 'localhost:0'])
        process.stdout.wait(lambda data, ended: b'\n' in data or ended)
        self.assertRegex(process.out(), rb'\Ahttp://(127\.0\.0\.1|\[::1\]):[1-9][0-9]*/mcp\n\Z')

    def test_ipv6_is_printed_in_brackets(self):
        try:
            with socket.socket(socket.AF_INET6) as probe:
                probe.bind(('::1', 0))
        except OSError:
            self.skipTest('no IPv6 here')
        process = self.start([harness.DEMO, '--http', '[::1]:0'])
        process.stdout.wait(lambda data, ended: b'\n' in data or ended)
        match = re.fullmatch(rb'http://\[::1\]:([1-9][0-9]*)/mcp\n', process.out())
        self.assertTrue(match, process.out())
        with socket.create_connection(('::1', int(match[1])), harness.DEADLINE) as s:
            s.sendall(b'GET / HTTP/1.1\r\n\r\n')
            self.assertTrue(s.recv(1 << 16).startswith(b'HTTP/1.1 404 '))

    @rows(('no port', '127.0.0.1'), ('empty', ''), ('a colon', ':'), ('no host', ':0'),
          ('empty port', '127.0.0.1:'), ('a word', '127.0.0.1:http'), ('negative', '127.0.0.1:-1'),
          ('too high', '127.0.0.1:65536'), ('far too high', '127.0.0.1:4294967296'),
          ('space', '127.0.0.1: 0'), ('not here', '192.0.2.1:0'), ('no name', 'no such name:0'))
    def test_cannot_be_bound(self, addr):
        process = self.start([harness.DEMO, '--http', addr])
        process.finish(1, b'', re.compile(rb"stretto-mcp-demo: listening at '[^\n]*': [^\n]+\n"))

    def test_a_port_that_is_taken(self):
        with socket.socket() as other:
            other.bind(('127.0.0.1', 0))
            other.listen()
            process = self.start([harness.DEMO, '--http', '127.0.0.1:%d' % other.getsockname()[1]])
            process.finish(1, b'', re.compile(rb"stretto-mcp-demo: listening at [^\n]+\n"))

    def test_value_is_needed(self):
        self.start([harness.DEMO, '--http']).finish(2, b'', None)

    @rows(('SIGTERM', signal.SIGTERM), ('SIGINT', signal.SIGINT), ('SIGHUP', signal.SIGHUP))
    def test_a_signal_ends_it(self, number):
        self.serve()
        demo, self.demo = self.demo, None
        demo.popen.send_signal(number)
        self.assertEqual(demo.wait(), -number)


class Before(HttpCase):
    """What comes before the method: path and authorization."""

    @rows(('root', '/'), ('longer', '/mcp/'), ('prefix', '/mc'), ('case', '/MCP'), ('empty', '?x'),
          ('encoded', '/%6dcp'), ('host only', 'http://h'), ('other host', 'http://h/x?/mcp'))
    def test_other_paths(self, path):
        self.serve('--require-auth', 'x')
        for method in 'POST', 'GET', 'DELETE', 'PUT':
            self.check(self.ask(method, body=initialize(), path=path), 404)

    @rows(('plain', '/mcp'), ('query', '/mcp?token=s3cret'), ('empty query', '/mcp?'),
          ('more', '/mcp?a=/b?c'), ('whole URL', 'http://h:1/mcp?x'))
    def test_paths_that_are_served(self, path):
        self.serve()
        self.assertEqual(self.ask('POST', body=initialize(), path=path).status, 200)

    @rows(('missing', None), ('empty', ''), ('other', 'Bearer x'), ('longer', 'Bearer t0ken-value '
          'x'), ('shorter', 'Bearer t0ken-valu'), ('case', 'bearer t0ken-value'))
    def test_wrong_authorization(self, value):
        self.serve('--require-auth', 'Bearer t0ken-value')
        headers = {} if value is None else {'Authorization': value}
        for method in 'POST', 'GET', 'DELETE', 'PUT':
            self.check(self.ask(method, headers, initialize()), 401)

    @rows(('plain', 'Authorization', 'Bearer t0ken-value'),
          ('space around', 'authorization', '  Bearer t0ken-value\t '))
    def test_right_authorization(self, name, value):
        self.serve('--require-auth', 'Bearer t0ken-value')
        self.assertEqual(self.ask('POST', {name: value}, initialize()).status, 200)
        self.assertEqual(self.ask('PUT', {name: value}).status, 405)

    def test_an_empty_authorization_has_to_be_there(self):
        self.serve('--require-auth', '')
        self.assertEqual(self.ask('DELETE').status, 401)
        self.assertEqual(self.ask('DELETE', {'Authorization': ''}).status, 200)

    @rows(*((name, name) for name in ('PUT', 'HEAD', 'OPTIONS', 'PATCH', 'post', 'get', 'FOO')))
    def test_other_methods(self, method):
        self.serve()
        reply = self.ask(method)
        self.check(reply, 405)
        self.assertEqual(reply.headers[b'allow'], b'GET, POST, DELETE')


class Initialize(HttpCase):
    def test_answer(self):
        self.serve()
        reply = self.ask('POST', body=initialize())
        self.assertEqual(reply.status, 200)
        self.assertEqual(reply.headers[b'content-type'], JSON)
        self.assertEqual(reply.headers[b'mcp-session-id'], b'demo-session-1')
        stdio = self.start([harness.DEMO])
        stdio.send(initialize() + b'\n')
        self.assertEqual(stdio.finish().out, reply.body + b'\n')

    def test_ids_count_up_also_after_a_delete(self):
        self.serve()
        first = self.open(1)
        self.open(2)
        self.assertEqual(self.ask('DELETE', first).status, 200)
        self.open(3)

    def test_in_a_session_it_starts_another(self):
        self.serve()
        headers = self.open()
        reply = self.ask('POST', headers, initialize())
        self.assertEqual(reply.headers[b'mcp-session-id'], b'demo-session-2')
        self.check(self.ask('POST', headers, PING), 200, PONG, JSON)

    @rows(('no id', b'{"method":"initialize"}'), ('null', b'{"id":null,"method":"initialize"}'),
          ('escaped', b'{"method":"initi\\u0061lize","params":{}}'))
    def test_without_id(self, body):
        self.serve()
        self.check(self.ask('POST', body=body), 400)
        self.check(self.ask('POST', self.open(1), body), 400)

    @rows(('echoed', b'{"protocolVersion":"1.x"}', '1.x'), ('absent', b'{}', '2025-06-18'),
          ('empty', b'{"protocolVersion":""}', ''), ('a number', b'{"protocolVersion":7}',
                                                     '2025-06-18'),
          ('null', b'{"protocolVersion":null}', '2025-06-18'),
          ('escaped', b'{"protocolVersion":"\\u0041 b"}', 'A b'),
          ('UTF-8', b'{"protocolVersion":"\xc3\xa9"}', '\xc3\xa9'))
    def test_version_of_the_session(self, params, version):
        self.serve()
        self.assertEqual(self.ask('POST', body=initialize(params)).status, 200)
        headers = {'Mcp-Session-Id': 'demo-session-1', 'MCP-Protocol-Version': version}
        self.check(self.ask('POST', headers, PING), 200, PONG, JSON)
        headers['MCP-Protocol-Version'] = version + 'x'
        self.check(self.ask('POST', headers, PING), 400)


class Post(HttpCase):
    @rows(('request', PING), ('notification', NOTE), ('call', call('lookup', {})),
          ('not JSON', b'x'), ('nothing', b''))
    def test_session_is_checked(self, body):
        self.serve()
        session = self.open()
        version = {'MCP-Protocol-Version': '2025-06-18'}
        self.check(self.ask('POST', version, body), 400)
        self.check(self.ask('POST', (), body), 400)
        for name in ('demo-session-2', 'demo-session-0', 'demo-session-', 'demo-session-01', 'x',
                     'demo-session-1x', 'Demo-session-1', '', 'demo-session-18446744073709551617'):
            self.check(self.ask('POST', {'Mcp-Session-Id': name, **version}, body), 404)
            self.check(self.ask('POST', {'Mcp-Session-Id': name}, body), 404)
        self.check(self.ask('POST', {'Mcp-Session-Id': 'demo-session-1'}, body), 400)
        for name in '2025-06-17', '', '2025-06-18x':
            self.check(self.ask('POST', {**session, 'MCP-Protocol-Version': name}, body), 400)
        self.ask('DELETE', session)
        self.check(self.ask('POST', session, body), 404)

    @rows(('notification', NOTE), ('null id', b'{"id":null,"method":"ping"}'),
          ('response', b'{"id":1,"result":{}}'), ('error', b'{"id":1,"error":{}}'),
          ('no string', b'{"id":1,"method":7}'), ('empty object', b'{}'),
          ('a call without id', b'{"method":"tools/call","params":{"name":"lookup"}}'),
          ('nothing', b''), ('blank', b' \r\n\t'))
    def test_needs_no_answer(self, body):
        self.serve()
        self.check(self.ask('POST', self.open(), body), 202)

    @rows(('ping', PING, PONG),
          ('spread', b'{\n "id": 1.50,\r\n "method": "ping"\n}\n', b'{"id":1.5,"jsonrpc":"2.0",'
           b'"result":{}}'),
          ('unknown', b'{"id":1,"method":"x/y"}',
           b'{"error":{"code":-32601,"message":"Method not found: x/y"},"id":1,"jsonrpc":"2.0"}'),
          ('not JSON', b'this is not JSON',
           b'{"error":{"code":-32700,"message":"Parse error"},"id":null,"jsonrpc":"2.0"}'),
          ('two values', b'{}\n{}',
           b'{"error":{"code":-32700,"message":"Parse error"},"id":null,"jsonrpc":"2.0"}'),
          ('bad UTF-8', b'{"id":"\xff","method":"ping"}',
           b'{"id":"\xef\xbf\xbd","jsonrpc":"2.0","result":{}}'))
    def test_json_answers(self, body, wanted):
        self.serve()
        self.check(self.ask('POST', self.open(), body), 200, wanted, JSON)

    def test_batch_is_no_request(self):
        self.serve()
        reply = self.ask('POST', self.open(), b'[' + PING + b']')
        self.assertEqual(reply.status, 200)
        self.assertIn(b'"code":-32600,"message":"Invalid Request', reply.body)

    def test_answers_are_those_of_stdio(self):
        self.serve('--world', 'retail', '--hide', 'get_user_details')
        headers = self.open()
        stdio = self.start([harness.DEMO, '--world', 'retail', '--hide', 'get_user_details'])
        stdio.send(LIST + b'\n')
        self.assertEqual(self.ask('POST', headers, LIST).body + b'\n', stdio.finish().out)

    @rows(('hello', 'lookup', {'text': 'hello'}, b'lookup',
           result(b'3', '{"text":"hello"}')),
          ('failing', 'update', {'fail': True}, b'update',
           result(b'3', 'update failed, as asked: {"fail":true}', b'true')),
          ('unknown', 'delete', {}, b'delete',
           b'{"error":{"code":-32602,"message":"Unknown tool: delete"},"id":3,"jsonrpc":"2.0"}'),
          ('no string', 7, {}, b'',
           b'{"error":{"code":-32602,"message":"Unknown tool: "},"id":3,"jsonrpc":"2.0"}'),
          ('to escape', 'a"\n\u00e9', {}, b'a\\"\\n\xc3\xa9',
           b'{"error":{"code":-32602,"message":"Unknown tool: a\\"\\n\xc3\xa9"},"id":3,'
           b'"jsonrpc":"2.0"}'))
    def test_calls(self, name, args, shown, wanted):
        self.serve()
        reply = self.ask('POST', self.open(), call(name, args))
        self.check(reply, 200, calling(shown) + event(wanted), EVENTS)

    def test_call_without_params(self):
        self.serve()
        reply = self.ask('POST', self.open(), b'{"id":3,"method":"tools/call"}')
        self.check(reply, 200, calling(b'') + event(
            b'{"error":{"code":-32602,"message":"Unknown tool: "},"id":3,"jsonrpc":"2.0"}'),
            EVENTS)

    def test_call_in_the_shop(self):
        self.serve('--world', 'retail')
        reply = self.ask('POST', self.open(),
                         call('find_user_id_by_email', {'email': 'c7@example.com'}))
        self.check(reply, 200, calling(b'find_user_id_by_email') + event(result(b'3', 'user_7')),
                   EVENTS)

    def test_delay_comes_before_the_head(self):
        self.serve()
        headers = self.open()
        begin = time.monotonic()
        wire = self.send('POST', headers, call('lookup', {'delay_ms': 400}))
        self.assertTrue(wire.is_quiet(0.25))
        reply = wire.reply()
        self.assertGreaterEqual(time.monotonic() - begin, 0.39)
        self.check(reply, 200, calling(b'lookup') +
                   event(result(b'3', '{"delay_ms":400}')), EVENTS)

    def test_calls_wait_in_parallel(self):
        self.serve()
        headers = self.open()
        begin = time.monotonic()
        wires = [self.send('POST', headers, call('lookup', {'delay_ms': 1000}, i))
                 for i in range(20)]
        quick = self.send('POST', headers, call('lookup', {})).reply()
        self.assertLess(time.monotonic() - begin, 0.9 * harness.SLOW)
        self.assertEqual(quick.status, 200)
        for i, wire in enumerate(wires):
            self.check(wire.reply(), 200, calling(b'lookup') +
                       event(result(b'%d' % i, '{"delay_ms":1000}')), EVENTS)
        self.assertLess(time.monotonic() - begin, 1.5 * harness.SLOW)

    def test_a_delayed_call_outlives_its_session(self):
        self.serve()
        headers = self.open()
        wire = self.send('POST', headers, call('lookup', {'delay_ms': 300}))
        wire.end()
        self.ask('DELETE', headers)
        self.assertEqual(wire.reply().status, 200)

    def test_a_large_body_comes_back(self):
        self.serve()
        text = 'x' * (16 << 20)
        reply = self.ask('POST', self.open(), call('lookup', {'text': text}))
        self.assertEqual(reply.body, calling(b'lookup') +
                         event(result(b'3', '{"text":"%s"}' % text)))

    def test_a_body_in_pieces(self):
        self.serve()
        headers = self.open()
        body = call('lookup', {'text': 'é'})
        head = 'POST /mcp HTTP/1.1\r\nContent-Length: %d\r\n' % len(body)
        head += ''.join('%s: %s\r\n' % pair for pair in headers.items())
        wire = self.wire()
        wire.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in head.encode() + b'\r\n' + body:
            wire.send(bytes([byte]))
        self.assertEqual(wire.reply().body, calling(b'lookup') +
                         event(result(b'3', '{"text":"\u00e9"}').replace(b'\\u00e9', b'\xc3\xa9')))


class Get(HttpCase):
    @rows(('no session', {}), ('unknown', {'Mcp-Session-Id': 'demo-session-2'}),
          ('empty', {'Mcp-Session-Id': ''}))
    def test_without_a_live_session(self, headers):
        self.serve()
        self.open()
        self.check(self.ask('GET', headers), 404)

    @rows(('without a version', ()), ('another version', {'MCP-Protocol-Version': 'x'}))
    def test_streams_end_with_their_session(self, more):
        self.serve()
        session = {'Mcp-Session-Id': 'demo-session-1', **dict(more)}
        self.open(1)
        other = self.open(2)
        wires = [self.send('GET', session) for _ in range(5)]
        others = self.send('GET', other)
        for wire in wires + [others]:
            wire.read_until(HELLO)
        self.assertTrue(wires[0].is_quiet(0.3))

        ends = []
        threads = [threading.Thread(target=lambda w=w: ends.append((w.reply(), time.monotonic())))
                   for w in wires]
        for thread in threads:
            thread.start()
        begin = time.monotonic()
        self.assertEqual(self.ask('DELETE', session).status, 200)
        for thread in threads:
            thread.join(harness.DEADLINE)
        self.assertEqual(len(ends), 5)
        for reply, end in ends:
            self.check(reply, 200, HELLO, EVENTS)
            self.assertLess(end - begin, 0.1 * harness.SLOW)
        self.check(self.ask('GET', session), 404)
        self.assertTrue(others.is_quiet(0.2))
        self.ask('DELETE', other)
        self.check(others.reply(), 200, HELLO, EVENTS)

    def test_a_stream_disturbs_nothing(self):
        self.serve()
        headers = self.open()
        stream = self.send('GET', headers)
        stream.read_until(HELLO)
        self.check(self.ask('POST', headers, PING), 200, PONG, JSON)
        self.assertTrue(stream.is_quiet(0.1))

    def test_clients_that_go_away(self):
        self.serve()
        headers = self.open()
        for _ in range(20):
            self.send('GET', headers).socket.close()
            self.send('POST', headers, call('lookup', {'delay_ms': 50})).socket.close()
            wire = self.wire(b'POST /mcp HTTP/1.1\r\nContent-Length: 100\r\n\r\nabc')
            wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b'\1\0\0\0\0\0\0\0')
            wire.socket.close()
        reply = self.ask('POST', headers, call('lookup', {'delay_ms': 100}))
        self.assertEqual(reply.status, 200)  # all the calls are answered by now
        self.assertEqual(self.ask('DELETE', headers).status, 200)
        self.open(2)


class Delete(HttpCase):
    def test_always_succeeds(self):
        self.serve()
        headers = self.open()
        for named in ({}, {'Mcp-Session-Id': 'x'}, headers, headers):
            self.check(self.ask('DELETE', named), 200)
        self.check(self.ask('POST', headers, PING), 404)
        self.check(self.ask('GET', headers), 404)

    def test_needs_no_version(self):
        self.serve()
        headers = self.open()
        self.check(self.ask('DELETE', {'Mcp-Session-Id': 'demo-session-1'}), 200)
        self.check(self.ask('POST', headers, PING), 404)


class Heads(HttpCase):
    """Heads that are malformed or cut off."""

    def exchange(self, data):
        wire = self.wire(data)
        wire.end()
        return wire.reply()

    @rows(('nothing', b'', 404),
          ('a blank line', b'\r\n', 404),
          ('blank lines', b'\r\n\n\r\n', 404),
          ('a method', b'GET', 404),
          ('a method and a space', b'GET ', 404),
          ('no method', b' /mcp HTTP/1.1\r\n\r\n', 404),
          ('a target cut off', b'PUT /mc', 404),
          ('no version', b'PUT /mcp', 405),
          ('no version, ended', b'PUT /mcp\r\n\r\n', 405),
          ('another version', b'PUT /mcp SPDY/9 x y z\r\n\r\n', 405),
          ('spaces', b'PUT   /mcp   HTTP/1.1\r\n\r\n', 405),
          ('LF alone', b'PUT /mcp HTTP/1.1\nHost: x\n\n', 405),
          ('blank lines before', b'\r\n\r\nPUT /mcp HTTP/1.1\r\n\r\n', 405),
          ('a path only', b'/mcp', 404),
          ('a GET cut off', b'GET /mcp HTTP/1.1\r\nMcp-Session-Id: demo-session-', 404),
          ('a POST cut off', b'POST /mcp HTTP/1.1\r\nHost', 400),
          ('no colon', b'DELETE /mcp HTTP/1.1\r\nno colon here\r\n\r\n', 200),
          ('colons only', b'DELETE /mcp HTTP/1.1\r\n:\r\n::\r\n: x\r\n\r\n', 200),
          ('folded', b'DELETE /mcp HTTP/1.1\r\nA: b\r\n c: d\r\n e\r\n\r\n', 200),
          ('NUL and bytes', b'DELETE /mcp HTTP/1.1\r\n\0\xff: \0\xfe\r\n\r\n', 200),
          ('NUL in the path', b'DELETE /mcp\0 HTTP/1.1\r\n\r\n', 404),
          ('TLS', b'\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 404),
          ('length: a word', b'POST /mcp HTTP/1.1\r\nContent-Length: x\r\n\r\n', 400),
          ('length: negative', b'POST /mcp HTTP/1.1\r\nContent-Length: -1\r\n\r\n', 400),
          ('length: empty', b'POST /mcp HTTP/1.1\r\nContent-Length:\r\n\r\n', 400),
          ('length: huge', b'POST /mcp HTTP/1.1\r\nContent-Length: 1' + b'0' * 50 + b'\r\n\r\n',
           413),
          ('length of a GET', b'GET /mcp HTTP/1.1\r\nContent-Length: 9\r\n\r\n', 404))
    def test_judged_as_far_as_it_goes(self, data, status):
        self.serve()
        self.check(self.exchange(data), status)
        self.open()

    def test_lines_without_colon_are_skipped_and_the_rest_is_read(self):
        self.serve()
        self.open()
        reply = self.exchange(
            b'POST /mcp HTTP/1.1\r\nno colon\r\n mcp-SESSION-id \t: \tdemo-session-1 \r\n\tx\r\n'
            b'MCP-PROTOCOL-VERSION:2025-06-18\r\nContent-length:%d\r\n\r\n%s' % (len(PING), PING))
        self.check(reply, 200, PONG, JSON)

    def test_a_get_cut_off_by_its_client_is_a_stream(self):
        self.serve()
        headers = self.open()
        wire = self.wire(b'GET /mcp HTTP/1.1\r\nMcp-Session-Id: demo-session-1')
        wire.end()
        wire.read_until(HELLO)
        self.assertTrue(wire.is_quiet(0.2))
        self.ask('DELETE', headers)
        self.check(wire.reply(), 200, HELLO, EVENTS)

    @rows(('short', 1), ('empty', 0))
    def test_a_body_cut_off_drops_the_connection(self, kept):
        self.serve()
        headers = self.open()
        head = 'POST /mcp HTTP/1.1\r\nContent-Length: %d\r\n' % len(initialize())
        head += ''.join('%s: %s\r\n' % pair for pair in headers.items()) + '\r\n'
        reply = self.exchange(head.encode() + initialize()[:-1] * kept)
        self.assertIsNone(reply.status)
        self.open(2)

    def test_more_than_the_body_is_ignored(self):
        self.serve()
        body = initialize()
        reply = self.exchange(b'POST /mcp HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s' %
                              (len(body), body + body))
        self.assertEqual(reply.status, 200)
        wire = self.wire(b'PUT /mcp HTTP/1.1\r\n\r\nGET /mcp HTTP/1.1\r\n\r\n')
        self.check(wire.reply(), 405)

    def test_a_reply_reaches_a_client_that_is_still_sending(self):
        self.serve()
        wire = self.wire(b'POST /other HTTP/1.1\r\nContent-Length: 8000000\r\n\r\n')
        for _ in range(8):
            wire.send(b'x' * 1000000)
        self.check(wire.reply(), 404)

    @rows(('a line', b'PUT /mcp HTTP/1.1\r\nX: '), ('nothing', b''))
    def test_a_head_without_end_is_refused(self, data):
        self.serve()
        wire = self.wire(data + b'x' * 200000)
        self.check(wire.reply(), 431)
        self.open()


if __name__ == '__main__':
    harness.main()
