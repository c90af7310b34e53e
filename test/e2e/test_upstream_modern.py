#!/usr/bin/env python3
"""Lines of the stateless revision: chapter 06 §4."""

import json
import re
import time

import harness
import http_server
from harness import rows
from http_server import (ANYTHING, CUT, INITIALIZED, SAYS_CUT, SAYS_UNREACHED, UNREACHED, compact,
                         initialize, modern, notification, refused, request)

VERSION = '2026-07-28'

# §4: a value, and how it is written.
VALUES = (
    ('plain', 'us-west1', 'us-west1'),
    ('beyond ASCII', 'Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='),
    ('padded', ' padded ', '=?base64?IHBhZGRlZCA=?='),
    ('line break', 'line1\nline2', '=?base64?bGluZTEKbGluZTI=?='),
    ('sentinel', '=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='),
    ('empty', '', ''),
    # Beyond the vectors, what the rule says.
    ('space inside', 'a b', 'a b'), ('tab inside', 'a\tb', 'a\tb'),
    ('tab first', '\ta', '=?base64?CWE=?='), ('space last', 'a ', '=?base64?YSA=?='),
    ('DEL', 'a\x7f', '=?base64?YX8=?='), ('NUL', 'a\0', '=?base64?YQA=?='),
    ('one space', ' ', '=?base64?IA==?='), ('half a sentinel', '=?base64?x', '=?base64?x'),
    ('other encoding', '=?utf-8?x?=', '=?utf-8?x?='), ('every visible character',
     ''.join(map(chr, range(0x21, 0x7f))), ''.join(map(chr, range(0x21, 0x7f)))),
)


class Headers(http_server.UpstreamCase):
    """§4: how a modern line is POSTed."""

    FREE = {'user-agent', 'connection', 'host', 'x-secret', 'content-type', 'content-length',
            'accept'}

    def post(self, *lines):
        """The requests that these lines become, in their order."""
        server = self.serve()
        session = self.session(server)
        session.open()
        server.wait_got('GET')
        session.call('before').result('before')
        n = len(server.got())
        for i, line in enumerate(lines):
            session.send(line)
            server.wait(lambda: len(server.requests) > n + i)
        session.end()
        return server.got()[n:-1]

    def check(self, got, **wanted):
        wanted = {name.replace('_', '-'): value for name, value in wanted.items()}
        self.assertEqual(set(got.names()) - self.FREE, set(wanted))
        for name, value in wanted.items():
            self.assertEqual(got.header(name), value, name)
        self.assertEqual(got.header('Accept'), 'application/json, text/event-stream')
        self.assertEqual(got.header('Content-Type'), 'application/json')
        self.assertEqual(got.header('X-Secret'), http_server.SECRET)

    @rows(('tools/call', 'tools/call', {'name': 'a', 'uri': 'u'}, 'a'),
          ('prompts/get', 'prompts/get', {'name': 'p', 'uri': 'u'}, 'p'),
          ('resources/read', 'resources/read', {'uri': 'file:///x', 'name': 'n'}, 'file:///x'),
          ('tools/list', 'tools/list', {'name': 'a', 'uri': 'u'}, None),
          ('other method', 'x/y', {'name': 'a', 'uri': 'u'}, None),
          ('no name', 'tools/call', {'uri': 'u'}, None),
          ('name no string', 'tools/call', {'name': 5}, None),
          ('name null', 'prompts/get', {'name': None}, None),
          ('uri no string', 'resources/read', {'uri': ['u'], 'name': 'n'}, None),
          ('server/discover', 'server/discover', {}, None))
    def test_request(self, method, params, name):
        line = compact(modern(1, method, params))
        got = self.post(line)[0]
        more = {'mcp_name': name} if name is not None else {}
        self.check(got, mcp_protocol_version=VERSION, mcp_method=method, **more)
        self.assertEqual(got.body, line)

    def test_notification(self):
        """It has no method header: that is for requests."""
        got = self.post(modern(None, 'notifications/x', {'name': 'a'}))[0]
        self.check(got, mcp_protocol_version=VERSION)

    @rows(*VALUES)
    def test_encoding(self, value, wanted):
        lines = [modern(1, 'tools/call', {'name': value}),
                 modern(2, 'resources/read', {'uri': value}), modern(3, value or 'x'),
                 modern(4, 'x', version=value)]
        first, second, third, fourth = self.post(*lines)
        self.assertEqual(first.header('Mcp-Name'), wanted)
        self.assertEqual(second.header('Mcp-Name'), wanted)
        if value:
            self.assertEqual(third.header('Mcp-Method'), wanted)
        self.assertEqual(fourth.header('MCP-Protocol-Version'), wanted)

    def test_escapes(self):
        """Values are those of the JSON strings."""
        line = (b'{"id":1,"method":"tools\\/call","params":{'
                b'"n\\u0061me":"\\u0041\\/\\ud83d\\ude00",'
                b'"_m\\u0065ta":{"io.modelcontextprotocol\\/protocolVersion":"v\\u0031"}}}')
        got = self.post(line)[0]
        self.assertEqual(got.header('Mcp-Method'), 'tools/call')
        self.assertEqual(got.header('Mcp-Name'), '=?base64?QS/wn5iA?=')
        self.assertEqual(got.header('MCP-Protocol-Version'), 'v1')

    META = b'"io.modelcontextprotocol/protocolVersion"'

    @rows(('number', b'{"id":1,"method":"x","params":{"_meta":{%s:1}}}' % META),
          ('null', b'{"id":1,"method":"x","params":{"_meta":{%s:null}}}' % META),
          ('no meta', b'{"id":1,"method":"x","params":{}}'),
          ('not in params', b'{"id":1,"method":"x","_meta":{%s:"v"}}' % META),
          ('not in meta', b'{"id":1,"method":"x","params":{%s:"v"}}' % META),
          ('deeper', b'{"id":1,"method":"x","params":{"a":{"_meta":{%s:"v"}}}}' % META),
          ('other name', b'{"id":1,"method":"x","params":{"_meta":{"protocolVersion":"v"}}}'),
          ('batch', b'[{"id":1,"method":"x","params":{"_meta":{%s:"v"}}}]' % META),
          ('params an array', b'{"id":1,"method":"x","params":[{"_meta":{%s:"v"}}]}' % META))
    def test_legacy(self, line):
        """Every other line goes with the session and its version, and without the new headers."""
        got = self.post(line)[0]
        self.check(got, mcp_session_id='s1', mcp_protocol_version='2025-06-18')

    def test_no_session(self):
        """No GET stream and no DELETE come of modern lines, whatever the server sends."""
        server = self.serve()
        server.on('*', lambda x: x.result(headers=[('Mcp-Session-Id', 'unwanted')])
                  if 'id' in x.message else x.reply(202, b'', [('Mcp-Session-Id', 'unwanted')]))
        session = self.session(server)
        session.send(modern(1, 'server/discover')).result(1)
        session.send(modern(2, 'initialize')).result(2)
        session.send(modern(None, 'notifications/initialized'))
        session.send(modern(3, 'tools/call')).result(3)
        self.quiet(server, 1)
        session.end()
        self.assertEqual({r.method for r in server.got()}, {'POST'})
        for got in server.got():
            self.assertEqual(got.all('Mcp-Session-Id'), [])
            self.assertEqual(got.header('MCP-Protocol-Version'), VERSION)

    def test_after_no_other_line(self):
        """It waits for no initialize in flight; legacy lines still do."""
        server = self.serve()

        def slow(x):
            x.wait_for('go')
            http_server.default(x)

        server.on('initialize', slow)
        session = self.session(server)
        session.send(initialize(), modern(1, 'tools/call'))
        session.result(1)
        server.release('go')
        session.answer('init')
        session.end()

    def test_modern_behind_a_waiting_line(self):
        server = self.serve()

        def slow(x):
            x.wait_for('go')
            http_server.default(x)

        server.on('initialize', slow)
        session = self.session(server)
        session.send(initialize(), INITIALIZED, request('legacy'), modern('modern', 'tools/call'))
        session.result('modern')
        self.assertEqual(server.got('notifications/initialized'), [])
        server.release('go')
        session.result('legacy')
        session.end()

    def test_both_in_one_run(self):
        """A probe, refused, and then a session as before."""
        server = self.serve()
        error = {'code': -32022, 'message': 'unsupported', 'data': {'supported': ['2025-06-18']}}
        server.on('server/discover', lambda x: x.json(
            {'jsonrpc': '2.0', 'id': x.message['id'], 'error': error}, 400))
        session = self.session(server)
        session.send(modern(0, 'server/discover'))
        self.assertEqual(session.answer(0)['error'], error)
        session.open()
        session.call(1).result(1)
        server.wait_got('GET')
        session.end(maybe=[refused(400)])
        self.assertEqual(server.got('initialize')[0].all('MCP-Protocol-Version'), [])
        self.assertEqual(server.got('tools/call')[0].header('Mcp-Session-Id'), 's1')
        self.assertEqual(server.got('DELETE')[0].header('MCP-Protocol-Version'), '2025-06-18')

    def test_concurrent(self):
        n = 50
        server = self.serve()

        def call(x):
            x.wait_for(x.message['id'])
            x.result()

        server.on('tools/call', call)
        session = self.session(server)
        session.send(*[modern(i, 'tools/call') for i in range(n)])
        server.wait_got('tools/call', n)
        for i in reversed(range(n)):
            server.release(i)
            session.result(i)
        session.end()


class Failures(http_server.UpstreamCase):
    """§4 with §1: streams that end, and refusals."""

    @rows(('in order', lambda x: x.end()), ('closed', lambda x: x.close()),
          ('reset', lambda x: x.reset()))
    def test_never_resumed(self, finish):
        server = self.serve()

        def handler(x):
            x.stream()
            x.event(notification('one'), 'e1', 0)
            x.wait_for('end')
            finish(x)

        server.on('tools/call', handler)
        session = self.session(server)
        session.send(modern(1, 'tools/call'))
        session.line(notification('one'))
        server.release('end')
        session.fails(1, CUT)
        session.end(err=[SAYS_CUT])
        self.assertEqual(server.got('GET'), [])

    def test_404_is_judged_by_its_body(self):
        """Even while a session of legacy lines is known, which goes on."""
        server = self.serve()
        error = {'code': -32601, 'message': 'no such method'}
        server.on('bare', lambda x: x.reply(404))
        server.on('told', lambda x: x.json({'jsonrpc': '2.0', 'id': x.message['id'],
                                            'error': error}, 404))
        session = self.session(server, '--upstream-reinit')
        session.open()
        session.send(modern(1, 'bare')).fails(1, refused(404), {'status': 404})
        session.send(modern(2, 'told'))
        self.assertEqual(session.answer(2)['error'], error)
        session.call(3).result(3)
        session.end(err=[refused(404)], maybe=[refused(404)])
        self.assertEqual(len(server.got('initialize')), 1)

    @rows(('refused', lambda x: x.reply(503), refused(503), {'status': 503}, refused(503)),
          ('closed', lambda x: x.close(), UNREACHED, None, SAYS_UNREACHED),
          ('cut off', lambda x: x.raw(x.head(200, [('Content-Length', 9)])) or x.close(), CUT,
           None, SAYS_CUT),
          ('202', lambda x: x.reply(202), http_server.EMPTY, None, None),
          ('not JSON', lambda x: x.json(b'hello'), http_server.NOT_JSON, None, ANYTHING))
    def test_errors(self, handler, text, data, err):
        server = self.serve()
        server.on('tools/call', handler)
        session = self.session(server)
        session.send(modern(1, 'tools/call')).fails(1, text, data)
        session.end(err=[err] if err else [], kept=[b'hello'] if err is ANYTHING else [])


class Cancelling(http_server.UpstreamCase):
    """§4: notifications/cancelled, and what the end closes."""

    def hold(self, server, method='tools/call', streams=True):
        """A handler that sends one event and waits until its connection is closed."""
        server.closed = []

        def handler(x):
            if streams:
                x.stream()
                x.event(notification('began', id=x.message['id']))
            if x.until_closed():
                with server.changed:
                    server.closed.append(x.message['id'])
                    server.changed.notify_all()

        server.on(method, handler)

    def wait_closed(self, server, *ids):
        server.wait(lambda: sorted(map(str, server.closed)) == sorted(map(str, ids)),
                    what='the connections of %r to close; %r' % (ids, server.closed))

    @rows(('number', 7, b'7', True), ('string', 'a', b'"a"', True),
          ('equal by value', 'a/b', b'"a\\/\\u0062"', True),
          ('before the head', 7, b'7', False))
    def test_cancelled(self, id, spelled, streams):
        server = self.serve()
        self.hold(server, streams=streams)
        session = self.session(server)
        session.send(modern(id, 'tools/call'), modern('other', 'tools/call'))
        server.wait_got('tools/call', 2)
        if streams:
            session.line(notification('began', id=id))
        session.send(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":' +
                     spelled + b'}}')
        self.wait_closed(server, id)
        self.assertEqual(server.got('notifications/cancelled'), [])
        session.send(modern(None, 'notifications/cancelled', {'requestId': 'other'}))
        self.wait_closed(server, id, 'other')
        session.end(unanswered=[id, 'other'])
        self.assertEqual(server.got('notifications/cancelled'), [])

    def test_nothing_more_is_handed_on(self):
        """What the server still sends for it goes nowhere."""
        server = self.serve()

        def handler(x):
            x.stream()
            x.event(notification('began'))
            x.wait_for('late')
            for _ in range(100):
                x.event(notification('late'))
                time.sleep(0.001)
            x.event(x.answer())
            x.end()

        server.on('tools/call', handler)
        session = self.session(server)
        session.send(modern(1, 'tools/call'))
        session.line(notification('began'))
        session.send(notification('notifications/cancelled', requestId=1))
        session.send(modern(2, 'other')).result(2)
        server.release('late')
        session.send(modern(3, 'other')).result(3)
        ended = session.end(unanswered=[1])
        self.assertEqual(len(ended.lines), 3)

    @rows(('unknown', 9), ('other text', 1.0), ('string', '1'), ('answered', 'done'),
          ('legacy', 'legacy'), ('null', None), ('object', {}))
    def test_names_none(self, id):
        """It is POSTed, as the host sent it, and closes nothing."""
        server = self.serve()
        server.on('done', lambda x: x.result())

        def hold(x):
            x.wait_for('go')
            x.result()

        server.on('tools/call', hold)
        session = self.session(server)
        session.send(modern(1, 'tools/call'), request('legacy'), modern('done', 'done'))
        session.result('done')
        server.wait_got('tools/call', 2)
        line = compact(notification('notifications/cancelled', requestId=id))
        session.send(line)
        self.assertEqual(server.wait_got('notifications/cancelled')[0].body, line)
        server.release('go')
        session.result(1)
        session.result('legacy')
        session.end()

    def test_without_request_id(self):
        server = self.serve()
        session = self.session(server)
        session.send(notification('notifications/cancelled', reason='x'))
        server.wait_got('notifications/cancelled')
        session.end()

    def test_end_of_the_host(self):
        """Listening requests are closed at once; the others are waited for."""
        server = self.serve()
        self.hold(server, 'subscriptions/listen')

        def slow(x):
            x.wait_for('go')
            x.result()

        server.on('tools/call', slow)
        session = self.session(server)
        session.send(modern('l1', 'subscriptions/listen'), modern('l2', 'subscriptions/listen'),
                     modern(1, 'tools/call'))
        session.line(notification('began', id='l1'))
        session.line(notification('began', id='l2'))
        server.wait_got('tools/call')
        session.process.close_stdin()
        self.wait_closed(server, 'l1', 'l2')
        self.assertTrue(session.process.running())
        server.release('go')
        session.result(1)
        session.process.wait()
        answered = [id for line in session.lines() for id in http_server.answered_ids(line)]
        session.end(unanswered=[id for id in ('l1', 'l2') if id not in answered],
                    maybe=[SAYS_CUT])

    def test_only_listening(self):
        server = self.serve()
        self.hold(server, 'subscriptions/listen')
        session = self.session(server)
        session.send(modern('l', 'subscriptions/listen'))
        session.line(notification('began', id='l'))
        session.process.close_stdin()
        session.process.wait()
        answered = [id for line in session.lines() for id in http_server.answered_ids(line)]
        session.end(unanswered=[] if 'l' in answered else ['l'], maybe=[SAYS_CUT])
        self.assertEqual(server.got('DELETE'), [])


def tool(name, properties, **more):
    return {'name': name, 'inputSchema': {'type': 'object', 'properties': properties, **more}}


def marked(kind, header, **more):
    return {'type': kind, 'x-mcp-header': header, **more}


class Params(http_server.UpstreamCase):
    """§4.1: Mcp-Param-*."""

    NESTED = {'type': 'object', 'properties': {
        'b': {'type': 'object', 'properties': {'c': marked('string', 'Deep')}}}}

    GOOD = [tool('t', {'region': marked('string', 'Region'), 'n': marked('integer', 'Count'),
                       'flag': marked('boolean', "Flag-!#$%&'*+.^_`|~0"),
                       'plain': {'type': 'string'}, 'a': NESTED}),
            tool('u', {'region': marked('string', 'Other')})]

    def listed(self, tools, how='body', **kw):
        server = self.serve()

        def list_them(x):
            result = x.answer({'tools': tools, 'resultType': 'complete'})
            if how == 'body':
                x.json(result)
            else:
                x.stream()
                x.event(result)
                x.end()

        server.on('tools/list', list_them)
        session = self.session(server, **kw)
        session.send(modern('list', 'tools/list'))
        session.answer('list')
        return server, session

    def headers(self, got):
        return {name[len('mcp-param-'):]: value for name, value in got.headers
                if name.lower().startswith('mcp-param-')}

    def call(self, server, session, name, arguments, id=1):
        n = len(server.got('tools/call'))
        session.send(modern(id, 'tools/call', {'name': name, 'arguments': arguments}))
        session.result(id)
        return self.headers(server.got('tools/call')[n])

    @rows(('none', {}, {}), ('string', {'region': 'us-west1'}, {'Region': 'us-west1'}),
          ('integer', {'n': 42}, {'Count': '42'}), ('negative', {'n': -7}, {'Count': '-7'}),
          ('zero', {'n': 0}, {'Count': '0'}),
          ('large', {'n': 9007199254740993}, {'Count': '9007199254740993'}),
          ('true', {'flag': True}, {"Flag-!#$%&'*+.^_`|~0": 'true'}),
          ('false', {'flag': False}, {"Flag-!#$%&'*+.^_`|~0": 'false'}),
          ('null', {'region': None, 'n': 1}, {'Count': '1'}), ('plain', {'plain': 'x'}, {}),
          ('nested', {'a': {'b': {'c': 'x'}}}, {'Deep': 'x'}), ('half nested', {'a': {'b': 1}}, {}),
          ('nested null', {'a': None}, {}), ('nested array', {'a': [{'b': {'c': 'x'}}]}, {}),
          ('array', {'region': ['x']}, {}), ('object', {'region': {'x': 1}}, {}),
          ('object for an integer', {'n': {}}, {}),
          ('all', {'region': 'r', 'n': 1, 'flag': True, 'a': {'b': {'c': 'd'}}},
           {'Region': 'r', 'Count': '1', "Flag-!#$%&'*+.^_`|~0": 'true', 'Deep': 'd'}),
          ('same name elsewhere', {'x': {'region': 'r'}}, {}))
    def test_values(self, arguments, wanted):
        for how in ('body', 'stream'):
            server, session = self.listed(self.GOOD, how)
            self.assertEqual(self.call(server, session, 't', arguments), wanted)
            session.end()

    @rows(*VALUES)
    def test_encoding(self, value, wanted):
        server, session = self.listed(self.GOOD)
        self.assertEqual(self.call(server, session, 't', {'region': value}), {'Region': wanted})
        session.end()

    def test_arguments_absent_or_odd(self):
        server, session = self.listed(self.GOOD)
        for i, params in enumerate(({'name': 't'}, {'name': 't', 'arguments': None},
                                    {'name': 't', 'arguments': []},
                                    {'name': 't', 'arguments': 'region'})):
            session.send(modern(i, 'tools/call', params)).result(i)
            self.assertEqual(self.headers(server.got('tools/call')[i]), {})
        session.end()

    def test_other_tool(self):
        server, session = self.listed(self.GOOD)
        self.assertEqual(self.call(server, session, 'u', {'region': 'x', 'n': 1}), {'Other': 'x'})
        self.assertEqual(self.call(server, session, 'v', {'region': 'x'}, 2), {})
        session.end()

    def test_legacy_call(self):
        server, session = self.listed(self.GOOD)
        session.call(1, name='t', arguments={'region': 'x'}).result(1)
        self.assertEqual(self.headers(server.got('tools/call')[0]), {})
        session.end()

    def test_legacy_list(self):
        """Its tools are not remembered, and invalid ones stay in it."""
        server = self.serve()
        bad = tool('bad', {'x': marked('number', 'X')})
        server.on('tools/list', lambda x: x.result({'tools': [*self.GOOD, bad]}))
        session = self.session(server)
        session.call('list', 'tools/list').result('list', {'tools': [*self.GOOD, bad]})
        self.assertEqual(self.call(server, session, 't', {'region': 'x'}), {})
        session.end()

    def test_later_listing_replaces(self):
        server, session = self.listed(self.GOOD)
        server.on('tools/list', lambda x: x.result(
            {'tools': [tool('t', {'n': marked('integer', 'Number')})]}))
        session.send(modern('again', 'tools/list')).answer('again')
        self.assertEqual(self.call(server, session, 't', {'region': 'x', 'n': 1}), {'Number': '1'})
        self.assertEqual(self.call(server, session, 'u', {'region': 'x'}, 2), {'Other': 'x'})
        session.end()

    def test_pages(self):
        """Every page of a listing counts."""
        server = self.serve()
        pages = iter([{'tools': [self.GOOD[0]], 'nextCursor': 'c'}, {'tools': [self.GOOD[1]]}])
        server.on('tools/list', lambda x: x.result(next(pages)))
        session = self.session(server)
        session.send(modern('1', 'tools/list')).answer('1')
        session.send(modern('2', 'tools/list', {'cursor': 'c'})).answer('2')
        self.assertEqual(self.call(server, session, 't', {'region': 'x'}), {'Region': 'x'})
        self.assertEqual(self.call(server, session, 'u', {'region': 'y'}, 2), {'Other': 'y'})
        session.end()

    INVALID = (
        ('empty', {'x': marked('string', '')}), ('space', {'x': marked('string', 'A B')}),
        ('colon', {'x': marked('string', 'A:')}), ('beyond ASCII', {'x': marked('string', 'é')}),
        ('line break', {'x': marked('string', 'A\nB')}), ('number', {'x': marked('string', 5)}),
        ('null', {'x': marked('string', None)}), ('object', {'x': marked('string', {})}),
        ('equal', {'x': marked('string', 'A'), 'y': marked('string', 'A')}),
        ('equal but for case', {'x': marked('string', 'Ab'), 'y': marked('integer', 'aB')}),
        ('equal and nested', {'x': marked('string', 'A'), 'y': {
            'type': 'object', 'properties': {'z': marked('string', 'a')}}}),
        ('type number', {'x': marked('number', 'A')}),
        ('type object', {'x': marked('object', 'A')}),
        ('type array', {'x': marked('array', 'A')}), ('type null', {'x': marked('null', 'A')}),
        ('two types', {'x': marked(['string', 'null'], 'A')}),
        ('no type', {'x': {'x-mcp-header': 'A'}}),
        ('items', {'x': {'type': 'array', 'items': marked('string', 'A')}}),
        ('properties below items', {'x': {'type': 'array', 'items': {
            'type': 'object', 'properties': {'y': marked('string', 'A')}}}}),
        ('oneOf', {'x': {'oneOf': [marked('string', 'A')]}}),
        ('anyOf', {'x': {'anyOf': [{'type': 'null'}, marked('string', 'A')]}}),
        ('allOf', {'x': {'allOf': [marked('string', 'A')]}}),
        ('not', {'x': {'not': marked('string', 'A')}}),
        ('if', {'x': {'if': marked('string', 'A')}}),
        ('then', {'x': {'then': marked('string', 'A')}}),
        ('else', {'x': {'else': marked('string', 'A')}}),
        ('$defs', {'x': {'$defs': {'y': marked('string', 'A')}}}),
        ('additionalProperties', {'x': {'type': 'object',
                                        'additionalProperties': marked('string', 'A')}}),
        ('patternProperties', {'x': {'type': 'object',
                                     'patternProperties': {'a': marked('string', 'A')}}}),
    )

    @rows(*INVALID)
    def test_invalid(self, properties):
        self.cut_out(tool('bad', properties))

    @rows(('$defs', {'$defs': {'x': marked('string', 'A')}}),
          ('additionalProperties', {'additionalProperties': marked('string', 'A')}),
          ('anyOf', {'anyOf': [{'properties': {'x': marked('string', 'A')}}]}),
          ('at the root', {'x-mcp-header': 'A'}))
    def test_invalid_at_the_root(self, more):
        self.cut_out(tool('bad', {}, **more))

    def cut_out(self, bad):
        """The tool goes, with one comma; every other byte stays; one line says so."""
        good = [b' {"name" : "t0",  "inputSchema":{"type":"object"}} ',
                b'{"inputSchema":{"properties":{"r":{"type":"string","x-mcp-header":"R"}}},'
                b'"name":"t1","n":1.50}']
        head = b'{"result":{"a":1e2,"tools":['
        tail = b'],"z":"\\u0041"} ,"id":"list","jsonrpc":"2.0"}'
        bad = compact(bad)
        server = self.serve()
        session = self.session(server)
        pairs = []
        for i, (before, after, wanted) in enumerate((
                ([bad], [], b''), ([bad], good, b','.join(good)), (good, [bad], b','.join(good)),
                (good[:1], [bad, *good[1:]], b','.join(good)), ([bad, bad], good[1:], good[1]),
                ([bad, *good, bad], [], b','.join(good)))):
            sent = head + b','.join([*before, *after]) + tail.replace(b'"list"', b'%d' % i)
            server.on('tools/list', lambda x, sent=sent: x.json(sent))
            session.send(modern(i, 'tools/list'))
            host = session.answer_line(i)
            self.same(host, head + wanted + tail.replace(b'"list"', b'%d' % i) + b'\n',
                      'the line the host got')
            pairs.append((host, sent))
        self.assertEqual(self.call(server, session, 't1', {'r': 'x'}, 'c'), {'R': 'x'})
        self.assertEqual(self.call(server, session, 'bad', {'x': 'x', 'y': 'y'}, 'd'), {})
        says = re.compile(r'.*\bbad\b.+')
        session.end(err=[says] * 8, own=[host for host, _ in pairs], kept=[s for _, s in pairs])

    def test_valid_in_odd_places(self):
        """Names are only names: a property called items or properties is a property."""
        properties = {'items': marked('string', 'A'), 'properties': {
            'type': 'object', 'properties': {'oneOf': marked('integer', 'B')}},
            'x-mcp-header': marked('boolean', 'C')}
        server, session = self.listed([tool('t', properties)])
        self.assertEqual(self.call(server, session, 't', {
            'items': 'i', 'properties': {'oneOf': 1}, 'x-mcp-header': False}),
            {'A': 'i', 'B': '1', 'C': 'false'})
        session.end()

    def mismatch(self, server, tools, pages=None):
        """A server that insists on the headers of its tools, and counts its refusals."""
        server.n_refused = 0

        def call(x):
            arguments = x.message['params'].get('arguments', {})
            wanted = {name: value for name, value in arguments.items()}
            if self.headers(x.request) != {k.capitalize(): v for k, v in wanted.items()}:
                server.n_refused += 1
                x.json({'jsonrpc': '2.0', 'id': x.message['id'], 'error': {
                    'code': -32020, 'message': 'header mismatch'}}, 400)
            else:
                x.result()

        server.on('tools/call', call)
        server.on('tools/list', lambda x: x.result({'tools': tools}))

    def own_list(self, n, call, cursor=None):
        """The checks of the proxy's own listing; its bytes are free but for these."""
        self.assertEqual(call['method'], 'tools/list')
        self.assertEqual(call['id'], 'stretto-list-%d' % n)
        self.assertEqual(call['params'].get('cursor'), cursor)

    def test_refresh(self):
        """A call of a tool that is not remembered is refused: list, and send it once more."""
        server = self.serve()
        self.mismatch(server, [tool('t', {'region': marked('string', 'Region')})])
        session = self.session(server)
        meta = {'io.modelcontextprotocol/clientInfo': {'name': 'x', 'version': '1.50'}, 'k': [1]}
        line = compact(modern(1, 'tools/call', {'name': 't', 'arguments': {'region': 'eu'}},
                              meta=meta))
        session.send(line).result(1)
        session.send(modern(2, 'tools/call', {'name': 't', 'arguments': {'region': 'us'}}))
        session.result(2)
        listed = server.got('tools/list')
        self.assertEqual(len(listed), 1)
        self.own_list(1, listed[0].message)
        self.assertEqual(listed[0].message['params']['_meta'], json.loads(line)['params']['_meta'])
        self.assertEqual(listed[0].header('Mcp-Method'), 'tools/list')
        self.assertEqual(listed[0].header('MCP-Protocol-Version'), VERSION)
        self.assertEqual(listed[0].all('Mcp-Session-Id'), [])
        calls = server.got('tools/call')
        self.assertEqual([r.message['id'] for r in calls], [1, 1, 2])
        self.assertEqual([r.body for r in calls[:2]], [line, line])
        self.assertEqual([self.headers(r) for r in calls],
                         [{}, {'Region': 'eu'}, {'Region': 'us'}])
        ended = session.end(own=[listed[0].body], log=True, maybe=[refused(400)], kept=[compact({
            'jsonrpc': '2.0', 'id': 'stretto-list-1', 'result': {'tools': [
                tool('t', {'region': marked('string', 'Region')})]}})])
        self.assertEqual(len(ended.lines), 2)

    def test_refresh_all_pages(self):
        server = self.serve()
        self.mismatch(server, [])
        pages = {None: {'tools': [tool('a', {})], 'nextCursor': 'p "2"'},
                 'p "2"': {'tools': [tool('b', {})], 'nextCursor': 'p3'},
                 'p3': {'tools': [tool('t', {'region': marked('string', 'Region')})]}}
        server.on('tools/list', lambda x: x.result(pages[x.message['params'].get('cursor')]))
        session = self.session(server)
        session.send(modern(1, 'tools/call', {'name': 't', 'arguments': {'region': 'eu'}}))
        session.result(1)
        listed = server.got('tools/list')
        for n, (got, cursor) in enumerate(zip(listed, pages, strict=True), 1):
            self.own_list(n, got.message, cursor)
        session.end(own=[r.body for r in listed], maybe=[refused(400)], kept=[
            compact({'jsonrpc': '2.0', 'id': r.message['id'],
                     'result': pages[r.message['params'].get('cursor')]}) for r in listed])

    def test_refresh_does_not_help(self):
        """The second refusal of the same call is the host's answer."""
        server = self.serve()
        self.mismatch(server, [tool('t', {'region': marked('string', 'Wrong')})])
        session = self.session(server)
        session.send(modern(1, 'tools/call', {'name': 't', 'arguments': {'region': 'eu'}}))
        self.assertEqual(session.answer(1)['error']['code'], -32020)
        session.end(maybe=[refused(400)], log=False)
        self.assertEqual(len(server.got('tools/list')), 1)
        self.assertEqual(len(server.got('tools/call')), 2)

    @rows(('refused', lambda x: x.reply(500)), ('closed', lambda x: x.close()),
          ('error', lambda x: x.json({'jsonrpc': '2.0', 'id': x.message['id'],
                                      'error': {'code': -1, 'message': 'no'}})),
          ('not JSON', lambda x: x.json(b'hello')), ('202', lambda x: x.reply(202)))
    def test_refresh_fails(self, handler):
        """The call has its answer all the same."""
        server = self.serve()
        self.mismatch(server, [])
        server.on('tools/list', handler)
        session = self.session(server)
        session.send(modern(1, 'tools/call', {'name': 't', 'arguments': {'region': 'eu'}}))
        self.assertEqual(session.answer(1)['error']['code'], -32020)
        session.end(maybe=[ANYTHING], log=False)

    @rows(('other status', 422, -32020), ('other code', 400, -32602), ('200', 200, -32020))
    def test_no_refresh(self, status, code):
        server = self.serve()
        server.on('tools/call', lambda x: x.json(
            {'jsonrpc': '2.0', 'id': x.message['id'],
             'error': {'code': code, 'message': 'no'}}, status))
        session = self.session(server)
        session.send(modern(1, 'tools/call', {'name': 't', 'arguments': {'region': 'eu'}}))
        self.assertEqual(session.answer(1)['error']['code'], code)
        session.end(maybe=[ANYTHING])
        self.assertEqual(server.got('tools/list'), [])
        self.assertEqual(len(server.got('tools/call')), 1)

    def test_end_during_the_refresh(self):
        """The host closes stdin meanwhile: its call is still answered."""
        server = self.serve()
        tools = [tool('t', {'region': marked('string', 'Region')})]
        self.mismatch(server, tools)

        def slow(x):
            x.wait_for('go')
            x.result({'tools': tools})

        server.on('tools/list', slow)
        session = self.session(server)
        session.send(modern(1, 'tools/call', {'name': 't', 'arguments': {'region': 'eu'}}))
        server.wait_got('tools/list')
        session.process.close_stdin()
        server.release('go')
        session.result(1)
        session.end(maybe=[refused(400)], log=False)


if __name__ == '__main__':
    harness.main()
