#!/usr/bin/env python3
"""A session the server ended, with --upstream-reinit: chapter 06 §3."""

import json
import re

import harness
import http_server
from harness import rows
from http_server import (CUT, ENDED, INITIALIZED, PING, SAYS_CUT, compact, initialize,
                         notification, refused, request)

BEGUN = 'the server ended the session; a new one has begun'
CHANGED = re.compile(r'(?!the server ended the session; a new one has begun$).+')
LIST_CHANGED = b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'

RESULT = {'protocolVersion': '2025-06-18', 'capabilities': {'tools': {}},
          'serverInfo': {'name': 'scripted', 'version': '1'}}


class Forgetful(http_server.Server):
    """A server that knows its sessions: s1, s2, … `forget` ends those there are."""

    def __init__(self, **kw):
        super().__init__(**kw)
        self.alive = set()
        self.n_begun = 0
        self.result = RESULT
        self.on('initialize', self.begin)
        self.on('notifications/initialized', lambda x: self.check(x) and x.reply(202))
        self.on('notifications/ping', lambda x: self.check(x) and x.reply(202))
        self.on('tools/call', lambda x: self.check(x) and x.result({'by': x.header(
            'Mcp-Session-Id')}))

    def begin(self, x):
        self.n_begun += 1
        name = 's%d' % self.n_begun
        self.alive.add(name)
        x.result(self.result, [('Mcp-Session-Id', name)])

    def check(self, x):
        if x.header('Mcp-Session-Id') in self.alive:
            return True
        x.reply(404)
        return False

    def forget(self):
        self.alive.clear()


def own_initialize(line, n=1):
    """The kept initialize with the id of the proxy's n-th."""
    return line.strip().replace(b'"init"', b'"stretto-init-%d"' % n)


def kept_answer(n=1, result=None):
    return compact({'jsonrpc': '2.0', 'id': 'stretto-init-%d' % n, 'result': result or RESULT})


class Reinit(http_server.UpstreamCase):
    def begin(self, **kw):
        server = self.serve(Forgetful, **kw)
        session = self.session(server, '--upstream-reinit')
        session.open()
        self.settle(server, session)
        return server, session

    def settle(self, server, session):
        """Waits until the notification has its answer, which a server that forgets would refuse."""
        session.call('settled', 'settled').result('settled')

    def by(self, session, id, name):
        session.result(id, {'by': name})

    def test_new_session(self):
        """The whole way, with its bytes, headers, notes and records."""
        server = self.serve(Forgetful)
        session = self.session(server, '--upstream-reinit')
        first = (b' {"params" : {"protocolVersion":"2025-06-18","n":1.50,"x":"\\u0041"} ,'
                 b'"id": "init","method":"initialize", "jsonrpc":"2.0"}\t')
        second = b'{"method":"notifications/initialized" ,"jsonrpc":"2.0","params":{"a":1e2}}'
        session.send(first).answer('init')
        session.send(second)
        session.call(1)
        self.by(session, 1, 's1')
        server.wait_got('GET')
        server.forget()
        line = b'{"id":2,  "method":"tools/call","params":{"x":1.0}}'
        session.send(line)
        self.by(session, 2, 's2')
        session.call(3)
        self.by(session, 3, 's2')
        server.wait_got('GET', 2)
        own = own_initialize(first.rstrip(), 1)
        ended = session.end(err=[BEGUN], own=[own, second], kept=[kept_answer()])
        self.assertEqual(len(ended.lines), 4)
        posts = [r for r in server.got() if r.method == 'POST']
        self.assertEqual([r.rpc() for r in posts],
                         ['initialize', 'notifications/initialized', 'tools/call', 'tools/call',
                          'initialize', 'notifications/initialized', 'tools/call', 'tools/call'])
        self.assertEqual(posts[4].body.strip(), own.strip())
        self.assertEqual(posts[5].body, second)
        self.assertEqual([posts[3].body, posts[6].body], [line, line])
        self.assertEqual(posts[4].all('Mcp-Session-Id') + posts[4].all('MCP-Protocol-Version'), [])
        for got in posts[5:]:
            self.assertEqual(got.header('Mcp-Session-Id'), 's2')
            self.assertEqual(got.header('MCP-Protocol-Version'), '2025-06-18')
        for got in server.got():
            self.assertEqual(got.header('X-Secret'), http_server.SECRET)
        self.assertEqual([r.header('Mcp-Session-Id') for r in server.got('DELETE')], ['s2'])

    def test_without_the_option(self):
        server = self.serve(Forgetful)
        session = self.session(server)
        session.open()
        self.settle(server, session)
        server.forget()
        for id in (1, 2):
            session.call(id).fails(id, ENDED, {'status': 404})
        session.end(err=[ENDED] * 2)
        self.assertEqual(server.n_begun, 1)

    def test_option_needs_upstream(self):
        self.run_proxy('--upstream-reinit', '--', 'cat', code=2, out=b'', err=None)

    def test_many_at_once(self):
        """One attempt, whoever met the 404; all that met it are sent again after it."""
        server, session = self.begin()
        n = 30

        def call(x):
            # All of them are refused before anything begins anew.
            if x.header('Mcp-Session-Id') == 's1':
                x.server.wait(lambda: sum(r.rpc() == 'tools/call' for r in x.server.requests) >= n,
                              http_server.Gone)
                x.reply(404)
            else:
                x.result({'by': x.header('Mcp-Session-Id')})

        server.on('tools/call', call)
        server.forget()
        session.send(*[request(i) for i in range(n)])
        for i in range(n):
            self.by(session, i, 's2')
        session.end(err=[BEGUN], own=[own_initialize(compact(initialize())), compact(INITIALIZED)],
                    kept=[kept_answer()])
        self.assertEqual(server.n_begun, 2)
        counts = [sum(r.message.get('id') == i for r in server.got('tools/call'))
                  for i in range(n)]
        self.assertEqual(counts, [2] * n)

    def test_later_lines_wait(self):
        """Nothing else is sent until the refused line can go again, and it goes first."""
        server, session = self.begin()

        def slow(x):
            x.wait_for('initialize')
            server.begin(x)

        def notified(x):
            x.wait_for('notification')
            x.reply(202)

        server.on('initialize', slow)
        server.on('notifications/initialized', notified)
        server.forget()
        session.call(1)
        server.wait_got('initialize', 2)
        session.call(2).send(PING)
        n = len(self.quiet(server))
        server.release('initialize')
        server.wait_got('notifications/initialized', 2)
        self.assertEqual([r.rpc() for r in self.quiet(server)[n:] if r.rpc() != 'GET'],
                         ['notifications/initialized'])
        server.release('notification')
        self.by(session, 1, 's2')
        self.by(session, 2, 's2')
        server.wait_got('notifications/ping')
        session.end(err=[BEGUN], own=[own_initialize(compact(initialize())), compact(INITIALIZED)],
                    kept=[kept_answer()])
        for got in server.got('notifications/ping'):
            self.assertEqual(got.header('Mcp-Session-Id'), 's2')

    def test_again_and_again(self):
        """Each time is counted and said."""
        server, session = self.begin()
        own, kept = [], []
        for n in range(1, 4):
            server.forget()
            session.call(n)
            self.by(session, n, 's%d' % (n + 1))
            own += [own_initialize(compact(initialize()), n), compact(INITIALIZED)]
            kept.append(kept_answer(n))
        session.end(err=[BEGUN] * 3, own=own, kept=kept)
        self.assertEqual([r.message['id'] for r in server.got('initialize')],
                         ['init', 'stretto-init-1', 'stretto-init-2', 'stretto-init-3'])

    def test_last_initialize_counts(self):
        server, session = self.begin()
        session.send(initialize('2025-03-26', 'other')).answer('other')
        second = compact(notification('notifications/initialized', n=2))
        session.send(second)
        session.call('settled 2', 'settled').result('settled 2')
        server.forget()
        session.call(1)
        self.by(session, 1, 's3')
        own = compact(initialize('2025-03-26', 'stretto-init-1'))
        session.end(err=[BEGUN], own=[own, second], kept=[kept_answer()])

    def test_initialize_with_an_error_is_not_kept(self):
        server, session = self.begin()
        server.on('initialize', lambda x: x.json(
            {'jsonrpc': '2.0', 'id': 'bad', 'error': {'code': -1, 'message': 'no'}}), server.begin)
        session.send(initialize('1999-01-01', 'bad')).answer('bad')
        server.forget()
        session.call(1)
        self.by(session, 1, 's2')
        session.end(err=[BEGUN], own=[own_initialize(compact(initialize())), compact(INITIALIZED)],
                    kept=[kept_answer()])

    @rows(('number', b'{"id":7,"method":"initialize","params":{}}',
           b'{"id":"stretto-init-1","method":"initialize","params":{}}', b'7'),
          ('id twice', b'{"id":7,"method":"initialize","params":{"id":7}}',
           b'{"id":"stretto-init-1","method":"initialize","params":{"id":7}}', b'7'),
          ('escaped', b'{"method":"initialize","\\u0069d" : "a\\"b" ,"params":{}}',
           b'{"method":"initialize","\\u0069d" : "stretto-init-1" ,"params":{}}', b'"a\\"b"'))
    def test_id_is_replaced(self, line, own, id):
        server = self.serve(Forgetful)
        session = self.session(server, '--upstream-reinit')
        session.send(line).answer(id)
        session.send(INITIALIZED)
        self.settle(server, session)
        server.forget()
        session.call('x')
        self.by(session, 'x', 's2')
        self.assertEqual(server.got('initialize')[1].body, own)
        session.end(err=[BEGUN], own=[own, compact(INITIALIZED)], kept=[kept_answer()])

    def test_answer_in_a_stream(self):
        """The answer to the proxy's own initialize may be a stream like any."""
        server, session = self.begin()

        def begin(x):
            server.n_begun += 1
            server.alive.add('s2')
            x.stream([('Mcp-Session-Id', 's2')])
            x.event(x.answer(RESULT))
            x.end()

        server.on('initialize', begin)
        server.forget()
        session.call(1)
        self.by(session, 1, 's2')
        session.end(err=[BEGUN], own=[own_initialize(compact(initialize())), compact(INITIALIZED)],
                    kept=[kept_answer()])

    @rows(('404', lambda x: x.reply(404)), ('500', lambda x: x.reply(500)),
          ('closed', lambda x: x.close()), ('202', lambda x: x.reply(202)),
          ('cut off', lambda x: x.raw(x.head(200, [('Content-Length', 9)])) or x.close()),
          ('error', lambda x: x.json({'jsonrpc': '2.0', 'id': x.message['id'],
                                      'error': {'code': -1, 'message': 'no'}})))
    def test_new_session_cannot_be_had(self, handler):
        """The error of the ended session; the next line starts over."""
        server, session = self.begin(keep_alive=False)
        server.on('initialize', handler, handler, server.begin)
        server.forget()
        for id in (1, 2):
            session.call(id).fails(id, ENDED, {'status': 404})
        session.call(3)
        self.by(session, 3, 's2')
        own, kept = [], []
        for n in (1, 2, 3):
            own.append(own_initialize(compact(initialize()), n))
        own.append(compact(INITIALIZED))
        if '[005 error]' in self.id():
            kept = [compact({'jsonrpc': '2.0', 'id': 'stretto-init-%d' % n,
                             'error': {'code': -1, 'message': 'no'}}) for n in (1, 2)]
        session.end(err=[BEGUN], own=own, kept=kept + [kept_answer(3)],
                    maybe=[http_server.ANYTHING])
        self.assertEqual(len(server.got('initialize')), 4)

    def test_data_when_it_cannot_be_had(self):
        """The error has what the 404 said, as without the option."""
        server, session = self.begin()
        server.on('initialize', lambda x: x.reply(500))
        server.on('tools/call', lambda x: x.reply(404, headers=[('Retry-After', '5')]))
        session.call(1).fails(1, ENDED, {'status': 404, 'retry_after': '5'})
        session.end(maybe=[http_server.ANYTHING], log=False)

    def test_waiting_lines_when_it_cannot_be_had(self):
        """They are answered too, each once."""
        server, session = self.begin()

        def bad(x):
            x.wait_for('go')
            x.reply(500)

        server.on('initialize', bad)
        server.forget()
        session.call(1)
        server.wait_got('initialize', 2)
        session.call(2).call(3)
        server.release('go')
        for id in (1, 2, 3):
            session.fails(id, ENDED, {'status': 404})
        session.end(maybe=[http_server.ANYTHING], log=False)

    def test_refused_again(self):
        """The line that gets 404 in the new session too has its error."""
        server, session = self.begin()
        server.on('tools/call', lambda x: x.reply(404))
        session.call(1).fails(1, ENDED, {'status': 404})
        self.assertEqual(len(server.got('tools/call')), 2)
        server.on('tools/call', lambda x: x.result({'by': x.header('Mcp-Session-Id')}))
        session.call(2)
        name = session.answer(2)['result']['by']
        self.assertIn(name, ('s2', 's3'))
        session.end(maybe=[http_server.ANYTHING], log=False)

    def test_notification(self):
        """Only a request starts a new session; a notification is only refused."""
        server, session = self.begin()
        server.forget()
        session.send(PING)
        server.wait_got('notifications/ping')
        session.says(ENDED)
        self.quiet(server)
        self.assertEqual(server.n_begun, 1)
        session.call(1)
        self.by(session, 1, 's2')
        session.end(err=[ENDED, BEGUN], log=False)
        self.assertEqual(len(server.got('notifications/ping')), 1)

    def test_answer_that_broke_off(self):
        """A request whose answer broke off is never sent again, even when the session is lost."""
        server, session = self.begin()
        server.on('cut', lambda x: x.raw(x.head(200, [('Content-Length', 9)])) or x.close())
        server.forget()
        session.call(1, 'cut').fails(1, CUT)
        session.end(err=[SAYS_CUT])
        self.assertEqual(len(server.got('cut')), 1)
        self.assertEqual(server.n_begun, 1)

    @rows(('400', 400), ('410', 410), ('403', 403))
    def test_other_statuses(self, status):
        server, session = self.begin()
        server.on('tools/call', lambda x: x.reply(status))
        session.call(1).fails(1, refused(status), {'status': status})
        session.end(err=[refused(status)])
        self.assertEqual(server.n_begun, 1)

    def test_404_without_a_session(self):
        server = self.serve()
        server.session = None
        server.on('tools/call', lambda x: x.reply(404))
        session = self.session(server, '--upstream-reinit')
        session.open()
        session.call(1).fails(1, refused(404), {'status': 404})
        session.end(err=[refused(404)])
        self.assertEqual(len(server.got('initialize')), 1)

    @rows(('name', {'serverInfo': {'name': 'other', 'version': '1'}}),
          ('version of the server', {'serverInfo': {'name': 'scripted', 'version': '2'}}),
          ('capabilities', {'capabilities': {'tools': {}, 'logging': {}}}),
          ('protocol', {'protocolVersion': '2025-11-25'}))
    def test_difference(self, change):
        server, session = self.begin()
        server.result = {**RESULT, **change}
        server.forget()
        session.call(1)
        self.by(session, 1, 's2')
        session.end(err=[BEGUN, CHANGED],
                    own=[own_initialize(compact(initialize())), compact(INITIALIZED)],
                    kept=[kept_answer(1, server.result)])
        version = server.result['protocolVersion']
        self.assertEqual(server.got('tools/call')[-1].header('MCP-Protocol-Version'), version)

    def test_no_difference(self):
        """Instructions and the like may differ."""
        server, session = self.begin()
        server.result = {**RESULT, 'instructions': 'new'}
        server.forget()
        session.call(1)
        self.by(session, 1, 's2')
        session.end(err=[BEGUN],
                    own=[own_initialize(compact(initialize())), compact(INITIALIZED)],
                    kept=[kept_answer(1, server.result)])

    @rows(('true', {'tools': {'listChanged': True}}, True),
          ('false', {'tools': {'listChanged': False}}, False), ('absent', {'tools': {}}, False),
          ('other', {'prompts': {'listChanged': True}}, False))
    def test_list_changed(self, capabilities, is_sent):
        server = self.serve(Forgetful)
        server.result = {**RESULT, 'capabilities': capabilities}
        session = self.session(server, '--upstream-reinit')
        session.open()
        self.settle(server, session)
        server.forget()
        session.call(1)
        self.by(session, 1, 's2')
        if is_sent:
            session.line(LIST_CHANGED)
        session.process.close_stdin()
        session.process.wait()
        lines = session.lines()
        self.assertEqual(lines.count(LIST_CHANGED + b'\n'), 1 if is_sent else 0)
        ended = session.end(err=[BEGUN], log=False)
        own = [entry for sender, entry in session.read_log() if sender == 'proxy']
        wanted = [own_initialize(compact(initialize())), compact(INITIALIZED)]
        wanted += [LIST_CHANGED] if is_sent else []
        self.assertEqual(sorted(own), sorted(b'"message":' + text for text in wanted))
        self.assertEqual(len(ended.lines), 4 if is_sent else 3)

    def test_get_stream(self):
        """It is opened again in the new session, without the old one's last id."""
        server = self.serve(Forgetful)

        def get(x):
            x.stream()
            x.event(notification('hello', session=x.header('Mcp-Session-Id')),
                    x.header('Mcp-Session-Id'))
            x.until_closed()

        server.on('GET', get)
        session = self.session(server, '--upstream-reinit')
        session.open()
        session.line(notification('hello', session='s1'))
        server.forget()
        session.call(1)
        self.by(session, 1, 's2')
        session.line(notification('hello', session='s2'))
        session.end(err=[BEGUN],
                    own=[own_initialize(compact(initialize())), compact(INITIALIZED)],
                    kept=[kept_answer()])
        gets = server.got('GET')
        self.assertEqual([r.header('Last-Event-ID') for r in gets], [None, None])

    def test_in_flight_in_the_old_session(self):
        """An answer that still comes in the old session reaches the host, once."""
        server, session = self.begin()

        def slow(x):
            x.wait_for('go')
            x.result({'by': x.header('Mcp-Session-Id')})

        server.on('slow', slow)
        session.call('old', 'slow')
        server.wait_got('slow')
        server.forget()
        session.call(1)
        self.by(session, 1, 's2')
        server.release('go')
        self.by(session, 'old', 's1')
        session.end(err=[BEGUN], own=[own_initialize(compact(initialize())), compact(INITIALIZED)],
                    kept=[kept_answer()])

    def test_late_404_of_the_old_session(self):
        """It comes when there is a new session already: the line is sent again, no other begins."""
        server, session = self.begin()

        def slow(x):
            if x.header('Mcp-Session-Id') == 's1':
                x.wait_for('go')
                x.reply(404)
            else:
                x.result({'by': x.header('Mcp-Session-Id')})

        server.on('slow', slow)
        session.call('old', 'slow')
        server.wait_got('slow')
        server.forget()
        session.call(1)
        self.by(session, 1, 's2')
        server.release('go')
        self.by(session, 'old', 's2')
        session.end(err=[BEGUN], own=[own_initialize(compact(initialize())), compact(INITIALIZED)],
                    kept=[kept_answer()])
        self.assertEqual(server.n_begun, 2)

    def test_end_meanwhile(self):
        """The host closes stdin during the attempt: its request is still answered."""
        server, session = self.begin()

        def slow(x):
            x.wait_for('go')
            server.begin(x)

        server.on('initialize', slow)
        server.forget()
        session.call(1)
        server.wait_got('initialize', 2)
        session.process.close_stdin()
        server.release('go')
        self.by(session, 1, 's2')
        session.end(err=[BEGUN], own=[own_initialize(compact(initialize())), compact(INITIALIZED)],
                    kept=[kept_answer()])
        self.assertEqual([r.header('Mcp-Session-Id') for r in server.got('DELETE')], ['s2'])

    def test_log_order(self):
        server, session = self.begin()
        server.forget()
        session.call(1)
        self.by(session, 1, 's2')
        ended = session.end(err=[BEGUN], own=[own_initialize(compact(initialize())),
                                              compact(INITIALIZED)], kept=[kept_answer()])
        self.assertEqual([who for who, _ in ended.log],
                         ['client', 'server', 'client', 'client', 'server', 'client', 'proxy',
                          'server', 'proxy', 'server'])
        self.assertEqual(json.loads(b'{' + ended.log[6][1] + b'}')['message']['id'],
                         'stretto-init-1')


if __name__ == '__main__':
    harness.main()
