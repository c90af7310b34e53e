#!/usr/bin/env python3
"""Requests to an HTTP server and their answers: chapter 03 §§1 to 5 and 7, chapter 06 §1."""

import base64
import json
import os
import re
import resource
import select

import harness
import http_server
from harness import rows
from http_server import (ANYTHING, CUT, EMPTY, ENDED, INITIALIZED, LARGE, NOT_JSON, PHRASES, PING,
                         SAYS_CUT, SAYS_UNREACHED, UNREACHED, compact, initialize, notification,
                         refused, request)


class Url(http_server.UpstreamCase):
    """§1."""

    def test_nothing_is_sent_at_start(self):
        server = self.serve()
        session = self.session(server)
        session.end()
        self.assertEqual(server.n_connections, 0)

    def test_nothing_is_looked_up_at_start(self):
        for url in ('http://no-such-host.invalid/mcp', 'https://no-such-host.invalid/', '', 'x'):
            self.session(url).end()

    def test_blank_lines_cause_nothing(self):
        server = self.serve()
        self.session(server).send(b'', b' \t\r', b'\x0c').end()
        self.assertEqual(server.n_connections, 0)

    @rows(('no scheme', 'example.com/mcp'), ('file', 'file:///etc/hostname'), ('empty', ''),
          ('ftp', 'ftp://127.0.0.1/x'), ('path', '/mcp'), ('no host', 'http://'),
          ('no host but a path', 'http:///mcp'), ('one slash', 'http:/127.0.0.1/mcp'),
          ('port too large', 'http://127.0.0.1:99999/'), ('port 0', 'http://127.0.0.1:0/'),
          ('port no number', 'http://127.0.0.1:8x/'), ('open bracket', 'http://[::1/mcp'),
          ('space', 'http://127.0.0.1:1/a b'), ('mailto', 'mailto:a@b'), ('ws', 'ws://127.0.0.1/'),
          ('host and port', '127.0.0.1:80'), ('name', 'localhost'))
    def test_unusable(self, url):
        session = self.session(url)
        session.send(request(1), PING).fails(1, UNREACHED)
        session.call('again').fails('again', UNREACHED)
        session.end(err=[SAYS_UNREACHED] * 3)

    @rows(('path and query', '/mcp?token=s3cret&x=%20y', '/mcp?token=s3cret&x=%20y'),
          ('fragment', '/mcp?a=1#frag', '/mcp?a=1'), ('fragment alone', '/mcp#frag', '/mcp'),
          ('no path', '', '/'), ('no path but a query', '?a=b', '/?a=b'),
          ('empty query', '/mcp?', '/mcp?'), ('escapes', '/%7Ea%2fb/%C3%A9', '/%7Ea%2fb/%C3%A9'),
          ('two slashes', '//a//b', '//a//b'), ('question in query', '/a?b?c=/d', '/a?b?c=/d'),
          ('colon and at', '/a:b@c', '/a:b@c'), ('semicolon', '/a;b=1,2', '/a;b=1,2'))
    def test_target(self, tail, target):
        server = self.serve()
        session = self.session(server.url(tail))
        session.open()
        server.wait_got('GET')
        session.call(1).result(1)
        session.end()
        self.assertEqual({r.rpc() for r in server.got()},
                         {'initialize', 'notifications/initialized', 'GET', 'tools/call',
                          'DELETE'})
        for got in server.got():
            self.assertEqual(got.target, target)
            self.assertEqual(got.version, 'HTTP/1.1')
            self.assertEqual(got.header('Host'), '127.0.0.1:%d' % server.port)

    @rows(('upper case', lambda u: u.replace('http', 'HTTP')),
          ('name', lambda u: u.replace('127.0.0.1', 'localhost')))
    def test_usable(self, change):
        server = self.serve()
        session = self.session(change(server.url()))
        session.call(1).result(1)
        session.end()

    def test_ipv6(self):
        import socket
        try:
            server = self.serve(family=socket.AF_INET6, host='::1')
        except OSError:
            self.skipTest('no IPv6 here')
        session = self.session(server)
        session.call(1).result(1)
        session.end()
        self.assertEqual(server.got()[0].header('Host'), '[::1]:%d' % server.port)

    @rows(('user and password', 'user:pa55word', b'user:pa55word'), ('user', 'user', b'user:'),
          ('empty password', 'user:', b'user:'), ('escapes', 'us%65r:p%3Ass%40', b'user:p:ss@'),
          ('colons', 'user:a:b', b'user:a:b'),
          ('beyond ASCII', 'us%C3%A9r:x', 'us\u00e9r:x'.encode()))
    def test_user(self, user, plain):
        server = self.serve()
        session = self.session(server.url(user=user + '@'))
        session.secrets += [user.encode() + b'@', plain, base64.b64encode(plain)]
        session.open()
        server.wait_got('GET')
        session.end()
        self.assertEqual(len(server.got()), 4)
        for got in server.got():
            self.assertEqual(got.header('Authorization'),
                             'Basic ' + base64.b64encode(plain).decode())
        self.assertEqual(json.loads(session.header)['server_command'], [server.url()])

    def test_authorization_header_wins(self):
        server = self.serve()
        session = self.session(server.url(user='user:pa55word@'), headers=['authorization=HUSH'])
        session.open()
        server.wait_got('GET')
        session.end()
        for got in server.got():
            self.assertEqual(got.all('Authorization'), [http_server.SECRET])

    def test_log_shows_it_redacted(self):
        server = self.serve()
        session = self.session(server.url('/mcp?token=abc&region=eu#x', user='me:pa55@'))
        session.secrets += [b'token=abc', b'pa55']
        session.call(1).result(1)
        session.end()
        self.assertEqual(json.loads(session.header)['server_command'],
                         [server.url('/mcp?token=<redacted>&region=eu#x')])


class UpstreamHeader(http_server.UpstreamCase):
    """§2."""

    def refuse(self, header, env, *parts, hidden=(), start=b''):
        environment = self.environment(**env)
        server = self.serve()
        process = self.proxy('--upstream', server.url(), '--record', 'L', '--upstream-header',
                             header, env=environment)
        process.send(compact(request(1)) + b'\n', gone_is_fine=True)
        result = process.finish(125, b'', None)
        self.assertTrue(result.err.startswith(b'stretto-proxy: ' + start), result.err)
        self.assertEqual(result.err.count(b'\n'), 1)
        for part in parts:
            self.assertIn(part, result.err)
        for secret in hidden:
            self.assertNotIn(secret, result.err)
        self.assertFalse(os.path.exists(self.path('L')) and os.listdir(self.path('L')))
        self.assertEqual(server.n_connections, 0)

    @rows(('name only', 'Authorization'), ('empty', ''), ('space', 'A B'))
    def test_no_equals_sign(self, header):
        self.refuse(header, {}, start=b'--upstream-header takes NAME=VAR')

    @rows(('not set', 'X-Key=NOT_SET_HERE', {}, b'NOT_SET_HERE'),
          ('empty name', 'X-Key=', {}, b'X-Key'),
          ('first equals sign splits', 'X-Key=A=B', {'A': 'a', 'B': 'b'}, b'A=B'),
          ('not UTF-8', 'X-Key=BYTES', {'BYTES': os.fsdecode(b'a\xff\xfeb')}, b'BYTES'),
          ('overlong', 'X-Key=BYTES', {'BYTES': os.fsdecode(b'\xc0\xaf')}, b'BYTES'))
    def test_not_set(self, header, env, variable):
        self.refuse(header, env, variable, b'X-Key', b'not set')

    @rows(('empty', '=V'), ('space', 'X Y=V'), ('colon', 'X:=V'), ('newline', 'X\n=V'),
          ('beyond ASCII', 'Xé=V'), ('at', 'a@b=V'), ('slash', 'a/b=V'), ('parenthesis', '(a)=V'),
          ('DEL', 'a\x7f=V'))
    def test_name_is_no_token(self, header):
        self.refuse(header, {'V': 'hidden-value'}, hidden=[b'hidden-value'])

    @rows(*[(repr(c), c) for c in ('\n', '\r', '\x01', '\x1f', '\x7f', '\x0b')])
    def test_control_in_the_value(self, c):
        self.refuse('X-Key=V', {'V': 'hidden' + c + 'tail'}, hidden=[b'hidden', b'tail'])

    @rows(*[(name, name) for name in ('Host', 'Content-Length', 'Transfer-Encoding', 'Connection',
                                      'host', 'CONTENT-LENGTH', 'transfer-Encoding',
                                      'cOnnection')])
    def test_names_that_are_refused(self, name):
        self.refuse(name + '=V', {'V': 'hidden-value'}, hidden=[b'hidden-value'])

    def test_all_are_checked_before_anything(self):
        """A good one before a bad one changes nothing."""
        process = self.proxy('--upstream', 'http://127.0.0.1:1/', '--record', 'a/L',
                             '--upstream-header', 'A=HOME', '--upstream-header', 'B=NOT_SET_HERE')
        process.finish(125, b'', re.compile(b'stretto-proxy: [^\n]*NOT_SET_HERE[^\n]*\n'))
        self.assertFalse(os.path.exists(self.path('a')))

    @rows(('plain', 'v', b'v'), ('empty', '', b''), ('tab', 'a\tb', b'a\tb'),
          ('beyond ASCII', 'gr\u00fcn \u2615', 'gr\u00fcn \u2615'.encode()),
          ('equals and colons', 'a=b: c', b'a=b: c'), ('quotes', '"%s" \\', b'"%s" \\'))
    def test_value(self, value, wanted):
        server = self.serve()
        session = self.session(server, headers=['X-Key=V'], env={'V': value})
        session.call(1).result(1)
        session.end()
        got = server.got()[0]
        self.assertEqual(got.header('X-Key').encode('latin-1'), wanted)
        if not value:
            self.assertRegex(got.head, rb'\r\nX-Key: ?(\r\n|$)')

    def test_with_every_request_in_order(self):
        server = self.serve()
        env = {'A': 'one', 'B': 'two', 'C': '', 'D': 'application/x'}
        session = self.session(server, env=env, headers=[
            'X-A=A', 'x-b=B', 'X-A=B', 'X-Empty=C', 'Accept=D', 'Content-Type=D',
            'Mcp-Session-Id=A', 'MCP-Protocol-Version=B', "!#$%&'*+-.^_`|~0=A"])
        session.open()
        server.wait_got('GET')
        session.call(1).result(1)
        session.end()
        wanted = [('X-A', 'one'), ('x-b', 'two'), ('X-A', 'two'), ('X-Empty', ''),
                  ('Accept', 'application/x'), ('Content-Type', 'application/x'),
                  ('Mcp-Session-Id', 'one'), ('MCP-Protocol-Version', 'two'),
                  ("!#$%&'*+-.^_`|~0", 'one')]
        self.assertEqual(len(server.got()), 5)
        for got in server.got():
            mine = [pair for pair in got.headers if pair in wanted]
            self.assertEqual(mine, wanted)
        call = server.got('tools/call')[0]
        self.assertEqual(sorted(call.all('Accept')),
                         sorted(['application/json, text/event-stream', 'application/x']))
        self.assertEqual(sorted(call.all('Content-Type')),
                         sorted(['application/json', 'application/x']))
        self.assertEqual(sorted(call.all('Mcp-Session-Id')), ['one', 's1'])
        self.assertEqual(sorted(call.all('MCP-Protocol-Version')), ['2025-06-18', 'two'])


class EveryRequest(http_server.UpstreamCase):
    """§3: the table and the points after it; scenario G."""

    ALWAYS = {'host', 'x-secret'}
    FREE = {'user-agent', 'connection'}

    def check_headers(self, got, **wanted):
        wanted = {name.replace('_', '-'): value for name, value in wanted.items()}
        names = set(got.names()) - self.FREE
        self.assertEqual(names, self.ALWAYS | set(wanted), got)
        for name, value in wanted.items():
            self.assertEqual(got.header(name), value, (got, name))
        self.assertEqual(got.header('x-secret'), http_server.SECRET)

    def test_table(self):
        server = self.serve()

        def stream(x):
            x.stream()
            x.event(notification('one'), id='e1')
            x.end()

        server.on('GET', stream, http_server.default)
        session = self.session(server)
        session.open()
        server.wait_got('GET', 2)
        session.call(7).result(7)
        session.end()

        def post(got, **more):
            self.check_headers(got, content_type='application/json',
                               accept='application/json, text/event-stream',
                               content_length=str(len(got.body)), **more)

        known = {'mcp_session_id': 's1', 'mcp_protocol_version': '2025-06-18'}
        post(server.got('initialize')[0])
        post(server.got('notifications/initialized')[0], **known)
        post(server.got('tools/call')[0], **known)
        first, second = server.got('GET')
        self.check_headers(first, accept='text/event-stream', **known)
        self.check_headers(second, accept='text/event-stream', last_event_id='e1', **known)
        self.assertEqual(len(server.got('DELETE')), 1)
        got = server.got('DELETE')[0]
        self.assertEqual({name: value for name, value in known.items()
                          if got.header(name.replace('_', '-')) != value}, {})
        self.assertEqual(set(got.names()) - self.FREE - {'content-length', 'accept'},
                         self.ALWAYS | {'mcp-session-id', 'mcp-protocol-version'})
        for got in server.got('GET') + server.got('DELETE'):
            self.assertEqual(got.body, b'')

    def test_without_session_and_version(self):
        server = self.serve()
        server.on('initialize', lambda x: x.result({}))
        session = self.session(server)
        session.open()
        server.wait_got('GET')
        session.call(1).result(1)
        session.end()
        self.assertEqual(len(server.got()), 4)
        for got in server.got():
            self.assertEqual(got.all('Mcp-Session-Id') + got.all('MCP-Protocol-Version'), [])

    def test_large_body(self):
        """It is sent at once, without asking for leave."""
        server = self.serve()
        session = self.session(server)
        session.call(1, text='x' * (3 << 20)).result(1)
        session.end()
        got = server.got()[0]
        self.assertEqual(got.body + b'\n', session.sent[0])
        self.assertEqual(got.all('Expect') + got.all('Accept-Encoding'), [])

    def test_connections_are_reused(self):
        server = self.serve()
        session = self.session(server)
        for i in range(20):
            session.call(i).result(i)
        session.end()
        self.assertLess(server.n_connections, 5)

    def test_no_cookies(self):
        server = self.serve()
        server.on('tools/call', lambda x: x.result(headers=[('Set-Cookie', 'a=b; Path=/')]))
        session = self.session(server)
        for i in range(3):
            session.call(i).result(i)
        session.end()
        for got in server.got():
            self.assertEqual(got.all('Cookie'), [])

    @rows(('head of 200 KiB', 200 * 1024, False), ('head over 256 KiB', 257 * 1024, True),
          ('head of 4 MiB', 4 << 20, True))
    def test_head_limit(self, size, is_error):
        server = self.serve()

        def many(x):
            x.json(x.answer(), headers=[('X-%d' % i, 'v' * 1000) for i in range(size // 1010)])

        def one(x):
            x.json(x.answer(), headers=[('X-Long', 'v' * (size - 200))])

        server.on('many', many)
        server.on('one', one)
        session = self.session(server)
        for method in ('many', 'one'):
            session.call(method, method)
            if is_error:
                session.fails(method, LARGE)
            else:
                session.result(method)
        session.call(3).result(3)
        session.end(maybe=[ANYTHING] if is_error else [])

    @rows(('100', 100, False), ('101', 101, True), ('1000', 1000, True))
    def test_interim_answers(self, n, is_error):
        server = self.serve()

        def interim(x):
            for i in range(n):
                x.raw(b'HTTP/1.1 %d Wait\r\nX: y\r\n\r\n' % (100 if i % 2 else 103))
            x.result()

        server.on('tools/call', interim)
        session = self.session(server)
        session.call(1)
        if is_error:
            session.fails(1, LARGE)
        else:
            session.result(1)
        session.end(maybe=[ANYTHING] if is_error else [])


class Redirects(http_server.UpstreamCase):
    """§3: redirects."""

    @rows(*[(str(status), status) for status in (301, 302, 303, 307, 308)])
    def test_post(self, status):
        server = self.serve()

        def move(x):
            if x.request.target == '/mcp':
                x.reply(status, b'moved', [('Location', '/other?x=1#frag')])
            else:
                x.json({'jsonrpc': '2.0', 'id': 1, 'result': {}})

        server.on('*', move)
        session = self.session(server)
        session.call(1).result(1, {})
        session.end()
        first, second = server.got()
        self.assertEqual(second.target, '/other?x=1')
        self.assertEqual(second.header('X-Secret'), http_server.SECRET)
        if status in (307, 308):
            self.assertEqual((second.method, second.body), ('POST', first.body))
            self.assertEqual(second.header('Content-Type'), 'application/json')
        else:
            self.assertEqual((second.method, second.body), ('GET', b''))

    @rows(*[(str(status), status) for status in (301, 302, 303, 307, 308)])
    def test_get_and_delete(self, status):
        server = self.serve()

        def move(x):
            if x.request.target == '/mcp':
                x.reply(status, b'', [('Location', '/moved')])
            elif x.request.method == 'GET':
                x.reply(405)
            else:
                x.reply(200)

        server.on('GET', move)
        server.on('DELETE', move)
        session = self.session(server)
        session.open()
        server.wait_got('GET', 2)
        session.end()
        moved = [(r.method, r.target) for r in server.got()
                 if r.method != 'POST']
        last = 'GET' if status == 303 else 'DELETE'
        self.assertEqual(moved, [('GET', '/mcp'), ('GET', '/moved'), ('DELETE', '/mcp'),
                                 (last, '/moved')])
        for got in server.got()[2:]:
            self.assertEqual(got.header('Mcp-Session-Id'), 's1')

    @rows(('absolute path', '/a/b', '/a/b'), ('relative', 'c', '/x/c'), ('up', '../d?e', '/d?e'),
          ('dots', './f/../g', '/x/g'), ('query', '?h=1', '/x/y?h=1'),
          ('absolute', '{origin}/i', '/i'), ('no scheme', '//127.0.0.1:{port}/j', '/j'),
          ('host in capitals', 'HTTP://127.0.0.1:{port}/k', '/k'),
          ('user', 'http://other:pa55@127.0.0.1:{port}/l', '/l'),
          ('no path', 'http://127.0.0.1:{port}', '/'))
    def test_location(self, location, target):
        server = self.serve()

        def move(x):
            if x.request.target == '/x/y':
                x.reply(307, b'', [('Location', location.format(
                    origin='http://127.0.0.1:%d' % server.port, port=server.port))])
            else:
                x.result()

        server.on('tools/call', move)
        session = self.session(server.url('/x/y'))
        session.call(1).result(1)
        session.end()
        got = server.got()[1]
        self.assertEqual(got.target, target)
        self.assertEqual(got.all('Authorization'), [])

    @rows(('other port', 'http://127.0.0.1:{other}/mcp', 307),
          ('other host', 'http://localhost:{port}/mcp', 308),
          ('other scheme', 'ftp://127.0.0.1:{port}/mcp', 302),
          ('file', 'file:///etc/hostname', 307), ('unusable', 'http://[::1/', 307),
          ('no location', None, 301), ('empty port', 'http://127.0.0.1/mcp', 303))
    def test_elsewhere(self, location, status):
        server, other = self.serve(), self.serve()
        more = [] if location is None else [
            ('Location', location.format(port=server.port, other=other.port))]
        server.on('tools/call', lambda x: x.reply(status, b'moved', more))
        session = self.session(server)
        session.call(1).fails(1, refused(status), {'status': status})
        session.end(err=[refused(status)])
        self.assertEqual(len(server.got()), 1)
        self.assertEqual(other.n_connections, 0)

    @rows(('300', 300), ('304', 304), ('305', 305), ('306', 306), ('309', 309))
    def test_no_redirect(self, status):
        server = self.serve()
        server.on('tools/call', lambda x: x.reply(status, b'', [('Location', '/other')]))
        session = self.session(server)
        session.call(1)
        error = session.answer(1)['error']
        self.assertTrue(error['message'].startswith(
            'stretto-proxy: the server answered HTTP %d' % status))
        self.assertEqual(error['data'], {'status': status})
        session.end(err=[re.compile('the server answered HTTP %d.*' % status)])
        self.assertEqual(len(server.got()), 1)

    @rows(('10', 10, False), ('11', 11, True), ('for ever', 1000, True))
    def test_how_many(self, n, is_refused):
        server = self.serve()

        def move(x):
            at = int(x.request.target[1:])
            if at < n:
                x.reply(307, b'', [('Location', '/%d' % (at + 1))])
            else:
                x.result()

        server.on('tools/call', move)
        session = self.session(server.url('/0'))
        session.call(1)
        if is_refused:
            session.fails(1, refused(307), {'status': 307})
            session.end(err=[refused(307)])
        else:
            session.result(1)
            session.end()
        self.assertEqual(len(server.got()), 11)

    def test_session_id_of_the_final_answer_only(self):
        server = self.serve()

        def move(x):
            if x.request.target == '/mcp':
                x.reply(307, b'', [('Location', '/2'), ('Mcp-Session-Id', 'wrong')])
            else:
                x.result({'protocolVersion': '2025-06-18'})

        server.on('initialize', move)
        session = self.session(server)
        session.send(initialize()).answer('init')
        session.call(1).result(1)
        session.end()
        self.assertEqual(server.got('tools/call')[0].all('Mcp-Session-Id'), [])
        self.assertEqual(server.got('DELETE'), [])


class Posts(http_server.UpstreamCase):
    """§4."""

    @rows(('LF', b'{"a":1}\n', b'{"a":1}'), ('CR LF', b'{"a":1}\r\n', b'{"a":1}'),
          ('spaces at the end', b'{"a":1} \t\x0c\r\r\n', b'{"a":1}'),
          ('spaces at the beginning', b' \t\x0c\r{"a":1}\n', b' \t\x0c\r{"a":1}'),
          ('vertical tab', b'{"a":1}\x0b\n', b'{"a":1}\x0b'),
          ('NUL', b'a\0b\0\n', b'a\0b\0'), ('not JSON', b'hello\n', b'hello'),
          ('not UTF-8', b'\xff\xfe\n', b'\xff\xfe'),
          ('no-break space', b'a\xc2\xa0\n', b'a\xc2\xa0'),
          ('spelling', b'{ "z" : 1.50 , "a":1e2,"\\u0041":"\\/" }\n',
           b'{ "z" : 1.50 , "a":1e2,"\\u0041":"\\/" }'))
    def test_body(self, line, body):
        server = self.serve()
        session = self.session(server)
        session.send(b'\n', b' \t \r\n', line, b'\x0c\n')
        session.end()
        self.assertEqual([r.body for r in server.got()], [body])

    def test_last_line_without_lf(self):
        server = self.serve()
        session = self.session(server)
        session.send_unfinished(compact(request(1)) + b' ')
        session.end()
        self.assertEqual([r.body for r in server.got()], [compact(request(1))])

    def test_pieces_of_lines(self):
        server = self.serve()
        session = self.session(server)
        line = compact(request(1))
        session.sent.append(line + b'\n')
        for i in range(len(line)):
            session.process.send(line[i:i + 1])
        session.process.send(b'\n')
        session.result(1)
        session.end()

    def strict(self, server):
        """A server that notes what arrives before its time."""
        seen = []

        def open(x):
            x.wait_for('initialize')
            seen.append('initialized')
            http_server.default(x)

        def initialized(x):
            if seen != ['initialized']:
                x.server.failures.append('initialized too early')
            x.wait_for('initialized')
            seen.append('open')
            x.reply(202)

        def call(x):
            if seen != ['initialized', 'open'] or x.header('Mcp-Session-Id') != 's1':
                x.server.failures.append('%r too early: %r' % (x.request, seen))
            x.result()

        server.on('initialize', open)
        server.on('notifications/initialized', initialized)
        server.on('tools/call', call)

    def test_beginning_in_one_go(self):
        """A strict server gets initialize, the notification and calls in that order."""
        server = self.serve()
        self.strict(server)
        session = self.session(server)
        session.send(initialize(), INITIALIZED, request(1), request(2))
        server.wait_got('initialize')
        self.assertEqual(len(self.quiet(server)), 1)
        server.release('initialize')
        server.wait_got('notifications/initialized')
        self.assertEqual(len(self.quiet(server)), 2)
        server.release('initialized')
        session.result(1)
        session.result(2)
        session.end()
        self.assertEqual(len(server.got('GET')), 1)

    def test_many_beginnings_in_one_go(self):
        for _ in range(10):
            server = self.serve()
            server.release('initialize')
            server.release('initialized')
            self.strict(server)
            session = self.session(server)
            session.send(initialize(), INITIALIZED, request(1), request(2))
            session.end()

    def test_initialize_answered_in_a_stream_that_stays_open(self):
        server = self.serve()

        def open(x):
            x.stream([('Mcp-Session-Id', 's1')])
            x.event(notification('before'))
            x.wait_for('answer')
            x.event(x.answer({'protocolVersion': '2025-06-18'}))
            x.wait_for('end')
            x.event(notification('after'))
            x.end()

        server.on('initialize', open)
        session = self.session(server)
        session.send(initialize(), INITIALIZED, request(1))
        session.line(notification('before'))
        self.assertEqual(len(self.quiet(server)), 1)
        server.release('answer')
        session.result(1)
        server.release('end')
        session.line(notification('after'))
        session.end()
        for got in server.got()[1:]:
            self.assertEqual(got.header('Mcp-Session-Id'), 's1')
            self.assertEqual(got.header('MCP-Protocol-Version'), '2025-06-18')

    @rows(('refused', lambda x: x.reply(500), [refused(500)]),
          ('hung up', lambda x: x.close(), [SAYS_UNREACHED]),
          ('202', lambda x: x.reply(202), []),
          ('cut off', lambda x: x.raw(x.head(200, [('Content-Length', 9)])) or x.close(),
           [SAYS_CUT]),
          ('not JSON', lambda x: x.json(b'hello'), [ANYTHING]),
          ('an error', lambda x: x.json({'jsonrpc': '2.0', 'id': 'init', 'error':
                                         {'code': -1, 'message': 'no'}}), []))
    def test_initialize_fails(self, handler, err):
        """The next line goes on all the same."""
        server = self.serve()
        server.on('initialize', handler)
        session = self.session(server)
        session.send(initialize(), INITIALIZED, request(1))
        self.assertIn('error', session.answer('init'))
        session.result(1)
        server.wait_got('GET')
        session.end(err=err, kept=[b'hello'] if err == [ANYTHING] else [])

    @rows(('refused', lambda x: x.reply(500), [refused(500)]),
          ('hung up', lambda x: x.close(), [SAYS_UNREACHED]),
          ('200 with nothing', lambda x: x.reply(200), []),
          ('200 with a message', lambda x: x.json(notification('thanks')), []))
    def test_initialized_fails(self, handler, err):
        """The GET stream is opened however the notification ended."""
        server = self.serve()
        server.on('notifications/initialized', handler)
        session = self.session(server)
        session.open()
        session.call(1).result(1)
        server.wait_got('GET')
        session.end(err=err)
        self.assertEqual([r.rpc() for r in server.got()][:2],
                         ['initialize', 'notifications/initialized'])

    def test_only_one_get_stream(self):
        server = self.serve()

        def stream(x):
            x.stream()
            x.until_closed()

        server.on('GET', stream)
        session = self.session(server)
        session.open()
        server.wait_got('GET')
        session.send(INITIALIZED, INITIALIZED)
        server.wait_got('notifications/initialized', 3)
        session.call(1).result(1)
        self.quiet(server)
        session.end()
        self.assertEqual(len(server.got('GET')), 1)

    def test_no_get_stream_without_the_notification(self):
        server = self.serve()
        session = self.session(server)
        session.send(initialize(), request(1), notification('notifications/other'))
        session.result(1)
        self.quiet(server)
        session.end()
        self.assertEqual(server.got('GET'), [])

    def test_concurrent(self):
        """All of many requests are with the server before it answers any, the last one first."""
        n = 200
        server = self.serve()

        def call(x):
            x.wait_for(x.message['id'])
            x.result()

        server.on('tools/call', call)
        session = self.session(server)
        session.send(*[request(i) for i in range(n)])
        server.wait_got('tools/call', n)
        for i in reversed(range(n)):
            server.release(i)
            session.result(i)
        session.end()

    def test_more_than_the_soft_limit_of_descriptors(self):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        if hard < 400:
            self.skipTest('the hard limit is %d' % hard)
        n = 150
        server = self.serve()

        def call(x):
            x.wait_for('go')
            x.result()

        server.on('tools/call', call)
        session = self.session(server, preexec=lambda: resource.setrlimit(
            resource.RLIMIT_NOFILE, (64, hard)))
        session.send(*[request(i) for i in range(n)])
        server.wait_got('tools/call', n)
        server.release('go')
        session.end()

    def test_bodies_that_wait(self):
        """Above 64 MiB of bodies that the server does not take, the host is not read."""
        class Slow(http_server.Server):
            def before_body(self, head, sock):
                try:
                    self.wait(lambda: 'read' in self.released, http_server.Gone)
                except http_server.Gone:
                    return False
                return True

        server = self.serve(Slow)
        session = self.session(server, record=False)
        n, size = 9, 12 << 20
        lines = [compact(request(i, text='x' * size)) + b'\n' for i in range(n)]
        data = memoryview(b''.join(lines))
        poller = select.poll()
        poller.register(session.process.stdin, select.POLLOUT)
        at = 0
        while at < len(data) and poller.poll(1000 * max(1.0, harness.SLOW)):
            at += os.write(session.process.stdin, data[at:at + (1 << 18)])
        self.assertGreater(at, 64 << 20)
        self.assertLess(at, 100 << 20)
        server.release('read')
        session.process.send(data[at:])
        session.sent += lines
        for i in range(n):
            session.result(i)
        session.end()
        self.assertEqual(sorted(len(r.body) for r in server.got()),
                         sorted(len(line) - 1 for line in lines))

    BAD_JSON = b'{"id":1,"method":"x","n":01}'

    @rows(('integer', b'{"jsonrpc":"2.0","id":7,"method":"x"}', [b'7']),
          ('string', b'{"id":"a","method":"x"}', [b'"a"']),
          ('fraction', b'{"id":1.0,"method":"x"}', [b'1.0']),
          ('exponent', b'{"id":-1E+2,"method":"x"}', [b'-1E+2']),
          ('30 digits', b'{"id":123456789012345678901234567890,"method":"x"}',
           [b'123456789012345678901234567890']),
          ('escapes', b'{"id":"a\\u0062\\/\\ud83d\\ude00","method":"x"}',
           [b'"a\\u0062\\/\\ud83d\\ude00"']),
          ('empty string', b'{"id":"","method":"x"}', [b'""']),
          ('escaped names', b'{"\\u0069d":3,"m\\u0065thod":"x"}', [b'3']),
          ('first id counts', b'{"id":1,"id":2,"method":"x"}', [b'1']),
          ('method no string', b'{"id":4,"method":5}', [b'4']),
          ('spaces', b' { "id" : 5 , "method" : "x" } ', [b'5']),
          ('id null', b'{"id":null,"method":"x"}', []),
          ('notification', b'{"jsonrpc":"2.0","method":"x"}', []),
          ('response', b'{"jsonrpc":"2.0","id":1,"result":{}}', []),
          ('error response', b'{"id":1,"error":{"code":1,"message":"m"}}', []),
          ('nested', b'{"params":{"id":1,"method":"x"}}', []),
          ('batch', b'[{"id":1,"method":"a"},{"method":"b"},{"id":"2","method":"c"},'
           b'{"id":3,"result":0},{"id":null,"method":"d"},7]', [b'1', b'"2"']),
          ('empty batch', b'[]', []), ('not JSON', b'hello', []), ('number', b'17', []),
          ('not quite JSON', BAD_JSON, []))
    def test_who_gets_an_error(self, line, ids):
        """The tables of §4 and §7, for a server that refuses all, is gone, or cuts off."""
        handlers = [(lambda x: x.reply(503), refused(503), {'status': 503}, [refused(503)]),
                    (lambda x: x.close(), UNREACHED, None, [SAYS_UNREACHED]),
                    (lambda x: x.raw(x.head(200, [('Content-Length', 5)]) + b'{}') or x.close(),
                     CUT, None, [SAYS_CUT])]
        for handler, text, data, err in handlers:
            server = self.serve()
            server.on('*', handler)
            session = self.session(server).send(line)
            for id in ids:
                session.fails(id, text, data)
            ended = session.end(err=err)
            found = [re.search(rb'"id":([^,{}]*)[,}]', got)[1] for got in ended.lines]
            self.assertEqual(found, ids)


class Answers(http_server.UpstreamCase):
    """§5 and chapter 06 §1: what becomes of a 2xx answer."""

    def run_one(self, handler, id=1, line=None):
        server = self.serve()
        server.on('tools/call', handler)
        session = self.session(server)
        session.send(line or request(id))
        return session

    @rows(*[('%d %s' % (status, label), status, body, kind)
            for status in (200, 201, 202, 203, 204, 299)
            for label, body, kind in (('empty', b'', None),
            ('blank', b' \r\n\t\x0c', 'application/json'))
            if not (status == 204 and body)])
    def test_no_body(self, status, body, kind):
        more = [('Content-Type', kind)] if kind else []
        session = self.run_one(lambda x: x.reply(status, body, more))
        session.fails(1, EMPTY)
        session.end()

    def test_body_of_202(self):
        """It is ignored, answer or not."""
        session = self.run_one(lambda x: x.json(x.answer(), 202))
        session.fails(1, EMPTY)
        session.end()

    @rows(('stream of 202', lambda x: x.raw(
        x.head(202, [('Content-Type', 'text/event-stream'), ('Content-Length', 13)]) +
        b'data: {"a":1}')))
    def test_202_first(self, handler):
        session = self.run_one(handler)
        session.fails(1, EMPTY)
        self.assertEqual(len(session.end().lines), 1)

    @rows(('no', None), ('JSON', 'application/json'),
          ('with a charset', 'application/json; charset=utf-8'),
          ('plain text', 'text/plain'), ('in capitals', 'Application/JSON'), ('nonsense', ';;;'),
          ('almost', 'xtext/event-stream'), ('text', 'text/event'))
    def test_content_type(self, kind):
        more = [('Content-Type', kind)] if kind else []
        session = self.run_one(lambda x: x.reply(200, compact(x.answer()), more))
        session.result(1)
        session.end()

    @rows(('plain', 'text/event-stream'), ('with a charset', 'text/event-stream; charset=utf-8'),
          ('in capitals', 'Text/EVENT-Stream'), ('longer', 'text/event-streams'))
    def test_event_stream(self, kind):
        def handler(x):
            x.stream(kind=kind)
            x.event(x.answer())
            x.end()

        session = self.run_one(handler)
        session.result(1)
        session.end()

    @rows(('as it is', b'{"id":1,"result":{}}', b'{"id":1,"result":{}}'),
          ('spelling', b'{"result":{"b":1.50,"a":1e2,"c":"\\u00e9\\/","a":2},"id":1}',
           b'{"result":{"b":1.50,"a":1e2,"c":"\\u00e9\\/","a":2},"id":1}'),
          ('space around', b' \t\r\n\x0c{"id":1,"result":{}}\x0c\n\r\t ', b'{"id":1,"result":{}}'),
          ('breaks', b'{\n "id":\r\n1,\r"result":\n\n{}\n}\n', b'{  "id":  1, "result":  {} }'),
          ('tab inside', b'{\t"id":1,\t"result":{}}', b'{\t"id":1,\t"result":{}}'),
          ('array', b'[{"id":1,"result":{}},{"method":"n"}]',
           b'[{"id":1,"result":{}},{"method":"n"}]'),
          ('array with breaks', b'[\n{"id":1,"result":{}}\n]', b'[ {"id":1,"result":{}} ]'),
          ('error', b'{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x"}}',
           b'{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x"}}'),
          ('neither', b'{"id":1}', b'{"id":1}'),
          ('lone surrogate', b'{"id":1,"result":"\\ud83d"}', b'{"id":1,"result":"\\ud83d"}'),
          ('infinite', b'{"id":1,"result":1e999}', b'{"id":1,"result":1e999}'),
          ('deep', b'{"id":1,"result":%s}' % (b'[' * 200 + b']' * 200),
           b'{"id":1,"result":%s}' % (b'[' * 200 + b']' * 200)),
          ('first id', b'{"id":1,"id":2,"result":{}}', b'{"id":1,"id":2,"result":{}}'),
          ('beyond ASCII', '{"id":1,"result":"é☕\U0001f4a9"}'.encode(),
           '{"id":1,"result":"é☕\U0001f4a9"}'.encode()))
    def test_handing_on(self, body, line):
        for how in ('length', 'chunks', 'end', 'bytes'):
            def handler(x):
                if how == 'length':
                    x.json(body)
                elif how == 'chunks':
                    x.raw(x.head(200, [('Transfer-Encoding', 'chunked')]))
                    x.chunked = True
                    for i in range(0, len(body), 3):
                        x.piece(body[i:i + 3])
                    x.end()
                elif how == 'end':
                    x.raw(x.head(200, [('Connection', 'close')]) + body)
                    x.close()
                else:
                    x.piecewise(x.head(200, [('Content-Length', len(body))]) + body, [1] * 4096)

            session = self.run_one(handler)
            session.answer(1)
            self.assertEqual(session.end().lines, [line + b'\n'])

    @rows(('text', b'not JSON'), ('HTML', b'<html>\n</html>'), ('number', b'{"a":01}'),
          ('two', b'{"id":1,"result":{}}{}'), ('not UTF-8', b'{"id":1,"result":"\xff"}'),
          ('BOM', b'\xef\xbb\xbf{"id":1,"result":{}}'),
          ('event', b'data: {"id":1,"result":{}}\n\n'), ('control', b'{"id":1,"result":"\x01"}'))
    def test_not_json(self, body):
        session = self.run_one(lambda x: x.json(body))
        session.fails(1, NOT_JSON)
        session.end(err=[ANYTHING], kept=[body.replace(b'\n', b' ').strip()])

    def test_not_json_to_a_notification(self):
        server = self.serve()
        server.on('notifications/ping', lambda x: x.json(b'hello'))
        session = self.session(server).send(PING)
        session.end(err=[ANYTHING], kept=[b'hello'])

    @rows(('notification', b'{"jsonrpc":"2.0","method":"n"}'),
          ('other id', b'{"jsonrpc":"2.0","id":2,"result":{}}'),
          ('string id', b'{"jsonrpc":"2.0","id":"1","result":{}}'),
          ('other text', b'{"jsonrpc":"2.0","id":1.0,"result":{}}'),
          ('id null', b'{"jsonrpc":"2.0","id":null,"result":{}}'),
          ('its id but a method', b'{"jsonrpc":"2.0","id":1,"method":"ping"}'),
          ('second id', b'{"id":2,"id":1,"result":{}}'),
          ('array', b'[{"jsonrpc":"2.0","id":2,"result":{}}]'), ('empty array', b'[]'),
          ('number', b'1'), ('string', b'"1"'), ('null', b'null'),
          ('deeper', b'{"result":{"id":1,"result":{}}}'))
    def test_body_that_does_not_answer(self, body):
        session = self.run_one(lambda x: x.json(body))
        session.fails(1, EMPTY)
        self.assertEqual(session.end().lines[0], body + b'\n')

    @rows(('same', b'"a/b"', b'"a/b"', True), ('escaped slash', b'"a\\/b"', b'"a/b"', True),
          ('escaped in the answer', b'"a/b"', b'"a\\/b"', True),
          ('code', b'"\\u00e9"', '"é"'.encode(), True),
          ('pair', b'"\\ud83d\\ude00"', '"\U0001f600"'.encode(), True),
          ('capitals', b'"a"', b'"A"', False),
          ('composed', '"é"'.encode(), '"e\u0301"'.encode(), False),
          ('number as text', b'1', b'1', True), ('1 and 1.0', b'1', b'1.0', False),
          ('1e2 and 100', b'1e2', b'100', False), ('-0 and 0', b'-0', b'0', False),
          ('30 digits', b'123456789012345678901234567890', b'123456789012345678901234567890', True),
          ('30 digits, almost', b'123456789012345678901234567890',
           b'123456789012345678901234567891', False),
          ('beyond a double', b'9007199254740993', b'9007199254740992', False),
          ('string and number', b'"1"', b'1', False))
    def test_equal_ids(self, asked, given, are_equal):
        for how in ('body', 'stream'):
            def handler(x):
                answer = b'{"id":' + given + b',"result":{}}'
                if how == 'body':
                    x.json(answer)
                else:
                    x.stream()
                    x.event(answer)
                    x.end()

            session = self.run_one(handler, line=b'{"id":' + asked + b',"method":"tools/call"}')
            if are_equal:
                ended = session.end()
                self.assertEqual(ended.lines, [b'{"id":' + given + b',"result":{}}\n'])
            else:
                session.fails(asked, EMPTY if how == 'body' else CUT)
                session.end(err=[] if how == 'body' else [SAYS_CUT])

    @rows(('short of its length', lambda x: x.raw(
        x.head(200, [('Content-Length', 100)]) + b'{"id":1,"r') or x.close()),
          ('whole but short', lambda x: x.raw(
              x.head(200, [('Content-Length', 100)]) + b'{"id":1,"result":{}}') or x.close()),
          ('no body at all', lambda x: x.raw(x.head(200, [('Content-Length', 1)])) or x.close()),
          ('unfinished chunk', lambda x: x.raw(
              x.head(200, [('Transfer-Encoding', 'chunked')]) + b'ff\r\n{"id":1,"result":{}}')
           or x.close()),
          ('no last chunk', lambda x: x.raw(
              x.head(200, [('Transfer-Encoding', 'chunked')]) +
              b'14\r\n{"id":1,"result":{}}\r\n') or x.close()),
          ('bad chunk', lambda x: x.raw(
              x.head(200, [('Transfer-Encoding', 'chunked')]) + b'zz\r\nhello\r\n') or x.close()),
          ('reset', lambda x: x.raw(
              x.head(200, [('Content-Length', 100)]) + b'{"id":1') or x.reset()))
    def test_cut_off(self, handler):
        """The body is discarded; the next request goes on."""
        session = self.run_one(handler)
        session.fails(1, CUT)
        session.call(2, 'other').result(2)
        self.assertEqual(len(session.end(err=[SAYS_CUT]).lines), 2)

    @rows(('in order', lambda x: x.end()), ('closed', lambda x: x.close()),
          ('reset', lambda x: x.reset()))
    def test_stream_without_the_answer(self, finish):
        def handler(x):
            x.stream()
            x.event(notification('one'))
            x.event({'jsonrpc': '2.0', 'id': 1, 'method': 'ping'})
            x.event({'jsonrpc': '2.0', 'id': 2, 'result': {}})
            x.wait_for('end')
            finish(x)

        session = self.run_one(handler)
        session.line({'jsonrpc': '2.0', 'id': 2, 'result': {}})
        self.servers[0].release('end')
        session.fails(1, CUT)
        ended = session.end(err=[SAYS_CUT])
        self.assertEqual([json.loads(line).get('method') for line in ended.lines],
                         ['one', 'ping', None, None])

    @rows(('in order', lambda x: x.end()), ('closed', lambda x: x.close()),
          ('reset', lambda x: x.reset()))
    def test_stream_after_the_answer(self, finish):
        """However it ends after the answer, nothing is missing."""
        def handler(x):
            x.stream()
            x.event(x.answer())
            x.event(notification('late'))
            x.wait_for('end')
            finish(x)

        session = self.run_one(handler)
        session.result(1)
        session.line(notification('late'))
        self.servers[0].release('end')
        self.assertEqual(len(session.end(maybe=[SAYS_CUT]).lines), 2)

    def test_events_arrive_at_once(self):
        """Each event is handed on before the server sends the next."""
        def handler(x):
            x.stream()
            for i in range(5):
                x.event(notification('progress', n=i))
                x.wait_for(i)
            x.event(x.answer())
            x.end()

        session = self.run_one(handler)
        for i in range(5):
            session.line(notification('progress', n=i))
            self.servers[0].release(i)
        session.result(1)
        session.end()

    def test_server_asks_within_a_call(self):
        """The host's answer reaches a server that waits for it in the middle of a stream."""
        def handler(x):
            x.stream()
            x.event({'jsonrpc': '2.0', 'id': 1, 'method': 'sampling/createMessage'})
            x.server.wait_got('response')
            x.event(x.answer())
            x.end()

        session = self.run_one(handler)
        session.line({'jsonrpc': '2.0', 'id': 1, 'method': 'sampling/createMessage'})
        session.send({'jsonrpc': '2.0', 'id': 1, 'result': {}})
        session.result(1)
        session.end()

    def test_event_that_is_not_json(self):
        """It is kept from the host, recorded, and noted once a stream."""
        def handler(x):
            x.stream()
            x.event(b'hello')
            x.event(b'{"a":\n01}')
            x.event(x.answer())
            x.event(b'\xff')
            x.end()

        session = self.run_one(handler)
        session.result(1)
        ended = session.end(err=[ANYTHING], kept=[b'hello', b'{"a": 01}', b'\xff'])
        self.assertEqual(len(ended.lines), 1)

    def test_answers_are_not_interleaved(self):
        """Large answers that come at the same time stay whole lines."""
        n = 8

        def handler(x):
            i = x.message['id']
            x.stream()
            x.server.wait(lambda: len(x.server.requests) == n, http_server.Gone)
            for j in range(5):
                x.event({'method': 'n', 'params': {'i': i, 'j': j, 'x': str(i) * 300000}})
            x.event(x.answer({'x': str(i) * 300000}))
            x.end()

        server = self.serve()
        server.on('tools/call', handler)
        session = self.session(server)
        session.send(*[request(i) for i in range(n)])
        for i in range(n):
            session.result(i, {'x': str(i) * 300000})
        seen = {i: [] for i in range(n)}
        for line in session.end().lines:
            message = json.loads(line)
            if 'method' in message:
                params = message['params']
                self.assertEqual(params['x'], str(params['i']) * 300000)
                seen[params['i']].append(params['j'])
            else:
                seen[message['id']].append('end')
        self.assertEqual(set(map(tuple, seen.values())), {(0, 1, 2, 3, 4, 'end')})

    def test_batch(self):
        server = self.serve()
        batch = [request(1), notification('n'), request('two')]
        session = self.session(server).send(batch)
        ended = session.end()
        self.assertEqual(len(ended.lines), 1)
        self.assertEqual([r.body for r in server.got()], [compact(batch)])

    @rows(('body', 'body', EMPTY, []), ('stream', 'stream', CUT, [SAYS_CUT]))
    def test_batch_answered_in_part(self, how, text, err):
        """Those without an answer get an error each, in order."""
        server = self.serve()

        def handler(x):
            answer = {'jsonrpc': '2.0', 'id': 'b', 'result': {}}
            if how == 'body':
                x.json([answer])
            else:
                x.stream()
                x.event(answer)
                x.end()

        server.on('batch', handler)
        session = self.session(server).send([request('a'), request('b'), request('c')])
        session.fails('a', text)
        session.fails('c', text)
        ended = session.end(err=err)
        self.assertEqual([http_server.answered_ids(line) for line in ended.lines],
                         [['b'], ['a'], ['c']])

    def test_batch_streamed(self):
        server = self.serve()

        def handler(x):
            x.stream()
            for one in reversed(x.message):
                x.event({'jsonrpc': '2.0', 'id': one['id'], 'result': {}})
            x.end()

        server.on('batch', handler)
        session = self.session(server).send([request(1), request(2)])
        self.assertEqual(len(session.end().lines), 2)

    def test_second_answer(self):
        """What a server sends after its answer is its own doing, but no error follows."""
        session = self.run_one(lambda x: x.json([x.answer(), notification('n')]))
        self.assertEqual(len(session.end().lines), 1)

    def test_http_1_0(self):
        session = self.run_one(lambda x: x.raw(
            b'HTTP/1.0 200 OK\r\n\r\n' + compact(x.answer())) or x.close())
        session.result(1)
        session.end()


class SessionAndVersion(http_server.UpstreamCase):
    """§5: points 2 and the protocol version."""

    def after(self, handler, err=(), lines=1, **kw):
        """The headers of a call after an initialize answered so."""
        server = self.serve()
        server.on('initialize', handler)
        session = self.session(server)
        session.send(initialize()).answer('init')
        session.call(1).result(1)
        session.end(err=err, **kw)
        call = server.got('tools/call')[0]
        return server, call.header('Mcp-Session-Id'), call.header('MCP-Protocol-Version')

    @rows(('plain', 'abc', 'abc'), ('every visible character',
                                    ''.join(map(chr, range(0x21, 0x7f))),
                                    ''.join(map(chr, range(0x21, 0x7f)))),
          ('empty', '', None), ('space inside', 'a b', None), ('beyond ASCII', 'a\xe9', None),
          ('tab inside', 'a\tb', None), ('long', 'x' * 4000, 'x' * 4000))
    def test_session_id(self, value, wanted):
        server, id, _ = self.after(lambda x: x.result({}, [('mcp-session-ID', value)]))
        self.assertEqual(id, wanted)
        self.assertEqual(len(server.got('DELETE')), 1 if wanted else 0)

    @rows(('refusal', lambda x: x.reply(500, b'', [('Mcp-Session-Id', 'e1')]), [refused(500)]),
          ('202', lambda x: x.reply(202, b'', [('Mcp-Session-Id', 'e1')]), []),
          ('not JSON', lambda x: x.json(b'x', headers=[('Mcp-Session-Id', 'e1')]), [ANYTHING]),
          ('cut off', lambda x: x.raw(x.head(200, [('Content-Length', 9),
                                                   ('Mcp-Session-Id', 'e1')])) or x.close(),
           [SAYS_CUT]))
    def test_session_id_of_a_failure(self, handler, err):
        server, id, version = self.after(handler, err, kept=[b'x'] if err == [ANYTHING] else [])
        self.assertEqual((id, version), ('e1', None))
        self.assertEqual(server.got('DELETE')[0].header('Mcp-Session-Id'), 'e1')

    def test_only_initialize_gives_one(self):
        server = self.serve()
        server.session = None
        server.on('tools/call', lambda x: x.result(headers=[('Mcp-Session-Id', 'no')]))
        session = self.session(server)
        session.send(initialize()).answer('init')
        session.call(1).result(1)
        session.call(2).result(2)
        session.end()
        self.assertEqual(server.got('tools/call')[1].all('Mcp-Session-Id'), [])
        self.assertEqual(server.got('DELETE'), [])

    def test_later_initialize_replaces(self):
        server = self.serve()

        def first(x):
            x.result({'protocolVersion': '2025-03-26'}, [('Mcp-Session-Id', 'one')])

        def second(x):
            x.result({'protocolVersion': '2025-06-18'}, [('Mcp-Session-Id', 'two')])

        server.on('initialize', first, second, lambda x: x.result({}))
        session = self.session(server)
        for i in range(3):
            session.send(initialize(id='i%d' % i)).answer('i%d' % i)
            session.call(i).result(i)
        session.end()
        got = [(r.header('Mcp-Session-Id'), r.header('MCP-Protocol-Version'))
               for r in server.got('initialize')]
        self.assertEqual(got, [(None, None), ('one', '2025-03-26'), ('two', '2025-06-18')])
        got = [(r.header('Mcp-Session-Id'), r.header('MCP-Protocol-Version'))
               for r in server.got('tools/call')]
        self.assertEqual(got, [('one', '2025-03-26')] + [('two', '2025-06-18')] * 2)
        self.assertEqual(server.got('DELETE')[0].header('Mcp-Session-Id'), 'two')

    @rows(('given', {'protocolVersion': '2025-03-26'}, '2025-03-26'),
          ('any text', {'protocolVersion': 'v!~"\\'}, 'v!~"\\'),
          ('empty', {'protocolVersion': ''}, None),
          ('number', {'protocolVersion': 1}, None), ('space', {'protocolVersion': 'a b'}, None),
          ('beyond ASCII', {'protocolVersion': 'é'}, None), ('none', {}, None),
          ('control', {'protocolVersion': 'a\n'}, None), ('no object', [], None),
          ('text', 'protocolVersion', None), ('deeper', {'x': {'protocolVersion': 'y'}}, None))
    def test_version(self, result, wanted):
        for how in ('body', 'stream'):
            def handler(x):
                if how == 'body':
                    x.result(result)
                else:
                    x.stream()
                    x.event(x.answer(result))
                    x.end()

            self.assertEqual(self.after(handler)[2], wanted)

    def test_escaped_version(self):
        def handler(x):
            x.json(b'{"id":"init","result":{"protocolVersion":"2025\\u002d06-18"}}')
        self.assertEqual(self.after(handler)[2], '2025-06-18')

    def test_version_of_an_array(self):
        """A line that is an array gives none."""
        def handler(x):
            x.json([x.answer({'protocolVersion': '2025-06-18'})])
        self.assertIsNone(self.after(handler)[2])

    def test_version_of_another_answer(self):
        server = self.serve()
        server.on('tools/call', lambda x: x.result({'protocolVersion': '1999-01-01'}))
        session = self.session(server)
        session.open()
        for i in range(2):
            session.call(i).answer(i)
        session.end()
        for got in server.got('tools/call'):
            self.assertEqual(got.header('MCP-Protocol-Version'), '2025-06-18')


class Errors(http_server.UpstreamCase):
    """§7 and chapter 06 §1: no answer, and refusals."""

    URL_SECRETS = [b'user-name', b'pa55word', b'query-4711']

    def secret_session(self, port, host='127.0.0.1', **kw):
        session = self.session('http://user-name:pa55word@%s:%d/mcp?query-4711' % (host, port),
                               record=False, **kw)
        session.secrets += self.URL_SECRETS
        return session

    def test_nothing_listens(self):
        """Scenario B, and what else nothing is shown of."""
        session = self.secret_session(self.dead_port())
        session.send(initialize()).fails('init', UNREACHED)
        session.send(INITIALIZED).call(1).fails(1, UNREACHED)
        session.end(err=[SAYS_UNREACHED] * 3)

    def test_no_such_name(self):
        session = self.secret_session(80, 'no-such-host.invalid')
        session.call(1).fails(1, UNREACHED)
        session.end(err=[SAYS_UNREACHED])

    @rows(('closed', lambda x: x.close()), ('reset', lambda x: x.reset()),
          ('other protocol', lambda x: x.raw(b'SSH-2.0-OpenSSH_9.2\r\n') or x.close()),
          ('garbage', lambda x: x.raw(b'\x00\xff\x80' * 50) or x.close()),
          ('HTTP/2', lambda x: x.raw(b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n') or x.close()),
          ('half a head', lambda x: x.raw(b'HTTP/1.1 200 OK\r\nContent-Le') or x.close()),
          ('half a status line', lambda x: x.raw(b'HTTP/1.') or x.close()),
          ('bad header', lambda x: x.raw(b'HTTP/1.1 200 OK\r\nno colon\r\n\r\n') or x.close()),
          ('bad status', lambda x: x.raw(b'HTTP/1.1 2x0 OK\r\n\r\n') or x.close()),
          ('two lengths', lambda x: x.raw(
              b'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n12') or x.close()),
          ('bad length', lambda x: x.raw(
              b'HTTP/1.1 200 OK\r\nContent-Length: 1x\r\n\r\n1') or x.close()),
          ('length and chunks', lambda x: x.raw(
              b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n'
              b'2\r\n{}\r\n0\r\n\r\n') or x.close()),
          ('interim only', lambda x: x.raw(b'HTTP/1.1 100 Continue\r\n\r\n') or x.close()))
    def test_no_answer(self, handler):
        server = self.serve()
        server.on('broken', handler)
        session = self.secret_session(server.port)
        session.call(1, 'broken').fails(1, UNREACHED)
        session.call(2).result(2)
        session.end(err=[SAYS_UNREACHED])

    @rows(*[(str(status), status) for status in sorted(PHRASES) if status >= 400] +
          [(str(status), status) for status in (419, 499, 520, 599)])
    def test_refused(self, status):
        """The phrase is the standard's, not the server's; nothing ends."""
        server = self.serve()
        server.on('no', lambda x: x.reply(status, b'<p>sorry</p>', [('Content-Type', 'text/html')],
                                          reason='Go Away'))
        session = self.session(server)
        session.call(1, 'no')
        text = refused(status)
        if status in (413, 422):
            # These two were renamed by RFC 9110.
            text = session.answer(1)['error']['message'][len('stretto-proxy: '):]
            self.assertRegex(text, r'HTTP (413 (Content|Payload) Too Large|'
                                   r'422 Unprocessable (Content|Entity))$')
        session.fails(1, text, {'status': status})
        session.call(2).result(2)
        session.end(err=[text])

    @rows(*[('%d %s' % (status, ' and '.join(sent) or 'plain'), status, sent, wanted)
            for status, sent, wanted in (
                (401, {'WWW-Authenticate':
                       'Bearer realm="x", error="é"'.encode().decode('latin-1')},
                 {'www_authenticate': 'Bearer realm="x", error="é"'}),
                (401, {}, {}), (403, {'www-authenticate': 'Basic'}, {'www_authenticate': 'Basic'}),
                (400, {'WWW-Authenticate': 'Basic'}, {}), (500, {'WWW-Authenticate': 'Basic'}, {}),
                (503, {'Retry-After': '120'}, {'retry_after': '120'}),
                (429, {'Retry-After': 'Fri, 31 Dec 1999 23:59:59 GMT'},
                 {'retry_after': 'Fri, 31 Dec 1999 23:59:59 GMT'}),
                (401, {'WWW-Authenticate': 'Basic', 'retry-after': '007'},
                 {'www_authenticate': 'Basic', 'retry_after': '007'}),
                (404, {'Retry-After': '1'}, {'retry_after': '1'}))])
    def test_data(self, status, sent, wanted):
        server = self.serve()
        server.on('no', lambda x: x.reply(status, b'', list(sent.items())))
        session = self.session(server)
        session.call(1, 'no').fails(1, refused(status), {'status': status, **wanted})
        session.end(err=[refused(status)])

    def test_404_without_a_session(self):
        server = self.serve()
        server.session = None
        server.on('tools/call', lambda x: x.reply(404))
        session = self.session(server)
        session.send(initialize()).answer('init')
        session.call(1).fails(1, refused(404), {'status': 404})
        session.end(err=[refused(404)])

    def test_404_with_a_session(self):
        """It is over until the host starts another, which is posted with the old id."""
        server = self.serve()
        ended = []

        def call(x):
            if ended and x.header('Mcp-Session-Id') == 's1':
                x.json({'jsonrpc': '2.0', 'id': x.message.get('id'),
                        'error': {'code': -32001, 'message': 'Session not found'}}, 404,
                       [('Retry-After', '5')])
            else:
                x.result()

        server.on('tools/call', call)
        server.on('notifications/ping', lambda x: x.reply(404))
        session = self.session(server)
        session.open()
        session.call(1).result(1)
        ended.append(True)
        for id in (2, 3):
            session.call(id).fails(id, ENDED, {'status': 404, 'retry_after': '5'})
        session.send(PING)
        server.wait_got('notifications/ping')
        self.assertEqual(len(server.got('initialize')), 1)
        server.session = 's2'
        session.send(initialize(id='again')).answer('again')
        session.call(4).result(4)
        session.end(err=[ENDED] * 3)
        self.assertEqual([r.header('Mcp-Session-Id') for r in server.got('initialize')],
                         [None, 's1'])
        self.assertEqual([r.header('Mcp-Session-Id') for r in server.got('tools/call')],
                         ['s1', 's1', 's1', 's2'])
        self.assertEqual(server.got('DELETE')[0].header('Mcp-Session-Id'), 's2')

    def test_unknown_session_with_400(self):
        """A server that says 400 to a lost session refuses like any other."""
        server = self.serve()
        server.on('tools/call', lambda x: x.reply(400, b'No valid session ID provided'))
        session = self.session(server)
        session.open()
        session.call(1).fails(1, refused(400), {'status': 400})
        session.end(err=[refused(400)])

    ERROR = b'{"code":-32022,"message":"m","data":{"supported":["2025-06-18"],"n":1.50}}'

    @rows(('its id', b'{"jsonrpc":"2.0","id":1,"error":%s}',
           b'{"jsonrpc":"2.0","id":1,"error":%s}'),
          ('null', b'{"jsonrpc":"2.0","id":null,"error":%s}',
           b'{"jsonrpc":"2.0","id":1,"error":%s}'),
          ('null and space', b'\n{ "id" : null ,\n"error":%s }\n', b'{ "id" : 1 , "error":%s }'),
          ('absent', b'{"jsonrpc":"2.0","error":%s}', None),
          ('only the error', b'{"error":%s}', None))
    def test_refusal_with_an_error(self, body, line):
        """The body is handed on, with the request's id."""
        server = self.serve()
        for status in (400, 401, 404, 500):
            server.on('no', lambda x: x.json(body % self.ERROR, status, kind='text/plain'))
            session = self.session(server)
            session.call(1, 'no')
            answer = session.answer_line(1)
            if line:
                self.assertEqual(answer, line % self.ERROR + b'\n')
            self.assertIn(self.ERROR, answer)
            wanted = json.loads(body % self.ERROR)
            self.assertEqual(json.loads(answer), {**wanted, 'id': 1})
            session.end(maybe=[refused(status)])

    def test_refusal_with_an_error_and_an_odd_id(self):
        """The id is the host's text, and equal ids are by value."""
        server = self.serve()
        server.on('no', lambda x: x.json(b'{"id":null,"error":%s}' % self.ERROR, 400))
        server.on('same', lambda x: x.json(b'{"id":"a/b","error":%s}' % self.ERROR, 400))
        session = self.session(server)
        session.send(b'{"id":"\\u0061\\/b","method":"no"}')
        self.assertEqual(session.answer_line('a/b'),
                         b'{"id":"\\u0061\\/b","error":%s}\n' % self.ERROR)
        session.end(maybe=[refused(400)])
        session = self.session(server)
        session.send(b'{"id":"\\u0061\\/b","method":"same"}')
        self.assertIn(self.ERROR, session.answer_line('a/b'))
        session.end(maybe=[refused(400)])

    @rows(('other id', b'{"id":2,"error":{"code":-1,"message":"m"}}'),
          ('other text', b'{"id":1.0,"error":{"code":-1,"message":"m"}}'),
          ('string id', b'{"id":"1","error":{"code":-1,"message":"m"}}'),
          ('no code', b'{"id":1,"error":{"message":"m"}}'),
          ('code a string', b'{"id":1,"error":{"code":"-1","message":"m"}}'),
          ('code a fraction', b'{"id":1,"error":{"code":-1.5,"message":"m"}}'),
          ('no message', b'{"id":1,"error":{"code":-1}}'),
          ('message no string', b'{"id":1,"error":{"code":-1,"message":null}}'),
          ('error no object', b'{"id":1,"error":"no"}'), ('result', b'{"id":1,"result":{}}'),
          ('array', b'[{"id":1,"error":{"code":-1,"message":"m"}}]'), ('text', b'"no"'),
          ('OAuth', b'{"error":"invalid_token"}'), ('not JSON', b'{"id":1,'), ('empty', b''))
    def test_refusal_without_an_error(self, body):
        server = self.serve()
        server.on('no', lambda x: x.json(body, 400))
        session = self.session(server)
        session.call(1, 'no').fails(1, refused(400), {'status': 400})
        self.assertEqual(len(session.end(err=[refused(400)]).lines), 1)

    def test_refusal_with_an_error_cut_off(self):
        server = self.serve()
        server.on('no', lambda x: x.raw(
            x.head(400, [('Content-Length', 100)]) +
            b'{"id":1,"error":{"code":-1,"message":"m"}}') or x.close())
        session = self.session(server)
        session.call(1, 'no')
        self.assertEqual(session.answer(1)['error']['code'], -32000)
        session.end(err=[ANYTHING])

    def test_refusal_of_initialize_with_an_error(self):
        server = self.serve()
        server.on('initialize', lambda x: x.json(b'{"id":null,"error":%s}' % self.ERROR, 400))
        session = self.session(server)
        session.send(initialize(), request(2))
        self.assertEqual(session.answer('init')['error']['code'], -32022)
        session.result(2)
        session.end(maybe=[refused(400)])

    def test_error_answers_are_recorded(self):
        """As lines of the server: the check of every session, and here the order."""
        server = self.serve()
        server.on('no', lambda x: x.reply(500))
        session = self.session(server)
        session.call(1, 'no').fails(1, refused(500), {'status': 500})
        session.call(2).result(2)
        ended = session.end(err=[refused(500)])
        self.assertEqual([who for who, _ in ended.log], ['client', 'server'] * 2)

    @rows(('closed', lambda x: x.close()), ('reset', lambda x: x.reset()))
    def test_connection_closed_while_idle(self, leave):
        """A request on a reused connection that ends without a byte is sent once more."""
        server = self.serve()
        seen = []

        def call(x):
            if x.request.connection in seen:
                leave(x)
                return
            seen.append(x.request.connection)
            x.result()

        server.on('tools/call', call)
        session = self.session(server)
        for i in range(6):
            session.call(i).result(i)
        session.end()
        counts = [sum(r.message['id'] == i for r in server.got()) for i in range(6)]
        self.assertEqual(counts[0], 1)
        self.assertLessEqual(max(counts), 2)

    def test_idle_connection_closed_before_the_request(self):
        server = self.serve()

        def once(x):
            x.result()
            x.close()

        server.on('tools/call', once)
        session = self.session(server)
        for i in range(10):
            session.call(i).result(i)
        session.end()

    def test_only_once_more(self):
        server = self.serve()
        server.on('lost', lambda x: x.close())
        session = self.session(server)
        session.call(1).result(1)
        session.call(2, 'lost').fails(2, UNREACHED)
        session.end(err=[SAYS_UNREACHED])
        self.assertEqual(len(server.got('lost')), 2)
        self.assertEqual(len({r.connection for r in server.got('lost')}), 2)

    def test_not_on_a_fresh_connection(self):
        server = self.serve()
        server.on('lost', lambda x: x.close())
        session = self.session(server)
        session.call(2, 'lost').fails(2, UNREACHED)
        session.end(err=[SAYS_UNREACHED])
        self.assertEqual(len(server.got('lost')), 1)

    def test_not_after_the_first_byte(self):
        server = self.serve()
        server.on('lost', lambda x: x.raw(b'H') or x.close())
        session = self.session(server)
        session.call(1).result(1)
        session.call(2, 'lost').fails(2, UNREACHED)
        session.end(err=[SAYS_UNREACHED])
        self.assertEqual(len(server.got('lost')), 1)

    def test_server_dies(self):
        """Every request in flight is answered, and later ones too."""
        server = self.serve()

        def hold(x):
            if x.message['id'] % 2:
                x.stream()
                x.event(notification('n', id=x.message['id']))
            x.wait_for('never')

        server.on('hold', hold)
        session = self.session(server)
        session.open()
        session.send(*[request(i, 'hold') for i in range(20)])
        server.wait_got('hold', 20)
        for i in range(1, 20, 2):
            session.line(notification('n', id=i))
        server.hang_up()
        for i in range(20):
            session.fails(i, CUT if i % 2 else UNREACHED)
        session.call(20).fails(20, UNREACHED)
        session.end(err=[SAYS_CUT] * 10 + [SAYS_UNREACHED] * 11 + [http_server.SAYS_ENDING])


if __name__ == '__main__':
    harness.main()
