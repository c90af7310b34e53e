#!/usr/bin/env python3
"""Event streams through the proxy: chapter 03 §§6 and 8, chapter 06 §2."""

import random
import threading
import time

import harness
import http_server
from harness import rows
from http_server import ANYTHING, CUT, PING, SAYS_CUT, initialize, notification, request

SAYS_GONE = "the server's own stream is gone; trying every 30 s"

# Rows of §8: the stream, and what it holds, each text as the line it becomes.
TABLE = (
    ('comment, fields, a blank id, an unfinished end',
     b': a comment\n\nretry\n\nevent: message\nid: 7\ndata: {"a":1}\n\ndata: {"b":\ndata: 2}\n\n'
     b'data: cut off', [b'{"a":1}', b'{"b": 2}', b'cut off']),
    ('CR LF', b'data:{"a":1}\r\n\r\n', [b'{"a":1}']),
    ('blank lines', b'data: x\n\n\n\ndata: y\n\n', [b'x', b'y']),
    ('no data', b'id: 5\ndata:\n\n', []),
    ('empty id', b'id: e1\nid\ndata: x\n\n', [b'x']),
    ('type', b'event: ping\ndata: {}\n\n', [b'{}']),
    ('lone CR', b'data: a\rdata: b\r\r', [b'a b']),
    ('space before', b' data: x\n\n', []),
    ('capital', b'Data: x\n\n', []),
    ('other field', b'foo: bar\n\n', []),
    ('colons', b'data: a:b: c\n\n', [b'a:b: c']),
    # Beyond the table, what its rules say.
    ('BOM', b'\xef\xbb\xbfdata: {"a":1}\n\n', [b'{"a":1}']),
    ('BOM later', b'data: 1\n\n\xef\xbb\xbfdata: 2\n\n', [b'1']),
    ('two BOMs', b'\xef\xbb\xbf\xef\xbb\xbfdata: 1\n\n', []),
    ('one space goes', b'data:  1\ndata:2\n\n', [b'1 2']),
    ('two spaces inside a string', b'data:"  x"\n\n', [b'"  x"']),
    ('tab is no space', b'data:\t1\n\n', [b'1']),
    ('field alone', b'data\n\n', []),
    ('field alone twice', b'data\ndata\n\n', []),
    ('UTF-8', 'data: "é☕\U0001f4a9"\n\n'.encode(), ['"é☕\U0001f4a9"'.encode()]),
    ('mixed ends', b'data: [1,\rdata: 2,\r\ndata: 3]\n\r\n', [b'[1, 2, 3]']),
    ('spaces at the end', b'data: 1 \t \n\n', [b'1']),
    ('NUL in data', b'data: a\0b\n\n', [b'a\0b']),
    ('unfinished line', b'data: 1\n\ndata: {"a":', [b'1', b'{"a":']),
    ('unfinished event', b'data: 1\n\ndata: 2\n', [b'1', b'2']),
    ('CR at the end', b'data: 1\r', [b'1']),
    ('field with a space', b'data : 1\n\n', []),
    ('colon first', b':data: 1\n\n', []),
    ('many lines', b'data: [\n' + b'data: 1,\n' * 1000 + b'data: 1]\n\n',
     [b'[ ' + b'1, ' * 1000 + b'1]']),
    ('long line', b'data: "' + b'x' * 300000 + b'"\n\n', [b'"' + b'x' * 300000 + b'"']),
)


def cuts(data, how):
    """Sizes of pieces."""
    if how == 'whole':
        return [len(data)]
    if how == 'bytes':
        return [1] * min(len(data), 3000)
    draw = random.Random(how)
    return [draw.randint(1, 7) for _ in range(min(len(data), 3000))]


class EventStreams(http_server.UpstreamCase):
    """§8: the table, on the stream of a notification's answer, which owes nothing."""

    @rows(*TABLE)
    def test_table(self, stream, texts):
        for how, chunked in (('whole', True), ('bytes', False), (1, True)):
            self.one(stream, texts, how, chunked)

    def one(self, stream, texts, how, chunked):
        server = self.serve()

        def handler(x):
            if chunked:
                x.stream()
                at = 0
                for size in [*cuts(stream, how), len(stream)]:
                    if stream[at:at + size]:
                        x.piece(stream[at:at + size])
                    at += size
                x.end()
            else:
                x.stream(chunked=False)
                x.piecewise(stream, cuts(stream, how))
                x.close()

        server.on('notifications/ping', handler)
        session = self.session(server).send(PING)
        lines = [text + b'\n' for text in texts if http_server.is_message(text)]
        kept = [text for text in texts if text + b'\n' not in lines]
        ended = session.end(err=[ANYTHING] if kept else [], kept=kept)
        self.assertEqual(ended.lines, lines)

    @rows(('unfinished line', b'data: 1\n\ndata: 2', [b'1']),
          ('unfinished event', b'data: 1\n\ndata: 2\n', [b'1', b'2']),
          ('line without an end in an event', b'data: 1\n\ndata: [2\ndata: ]', [b'1', b'[2']),
          ('CR at the end', b'data: 1\r', [b'1']))
    def test_broken_off(self, stream, texts):
        """An unfinished line is dropped then, an unfinished event is not."""
        for leave in (http_server.Exchange.close, http_server.Exchange.reset):
            server = self.serve()

            def handler(x):
                x.stream()
                x.piece(b'data: 0\n\n' + stream)
                # A reset throws away what was not read yet, so it waits for the proxy.
                x.wait_for('leave')
                leave(x)

            server.on('notifications/ping', handler)
            session = self.session(server).send(PING)
            session.line(b'0')
            if texts[0] == b'1' and stream.startswith(b'data: 1\n\n'):
                session.line(b'1')
            server.release('leave')
            lines = [text + b'\n' for text in [b'0', *texts]
                     if http_server.is_message(text)]
            kept = [text for text in texts if text + b'\n' not in lines]
            ended = session.end(maybe=[ANYTHING], kept=kept)
            self.assertEqual(ended.lines, lines)

    @rows(*[(label, *row) for label, *row in TABLE[:6]])
    def test_table_on_the_get_stream(self, stream, texts):
        server = self.serve()

        def handler(x):
            x.stream()
            x.piece(stream)
            x.end()
            x.server.release('streamed')

        server.on('GET', handler, http_server.default)
        session = self.session(server)
        session.open()
        server.wait_got('GET', 2)
        lines = [text + b'\n' for text in texts if http_server.is_message(text)]
        kept = [text for text in texts if text + b'\n' not in lines]
        ended = session.end(err=[ANYTHING] if kept else [], kept=kept)
        self.assertEqual(ended.lines[1:], lines)


class Clock:
    """Notes when a handler's stream ended."""

    def __init__(self):
        self.at = []

    def tick(self):
        self.at.append(time.monotonic())


class Polling(http_server.UpstreamCase):
    """Chapter 06 §2: a POST's stream that ends before the answer."""

    def poller(self, server, method, rounds, finish='end', headers=()):
        """A call whose stream ends after each round: (id, retry, data) and then the answer.

        Returns the clock of the ends.
        """
        clock = Clock()
        server.last = {}

        def round_of(x, i):
            x.stream(headers)
            for id, retry, data in rounds[i]:
                x.event(data, id, retry)
            if i + 1 == len(rounds):
                x.event({'jsonrpc': '2.0', 'id': server.last[method], 'result': {'n': i}})
                x.end()
            elif finish == 'reset':
                x.wait_for('reset')
                clock.tick()
                x.reset()
            else:
                getattr(x, finish)()
                clock.tick()

        def post(x):
            server.last[method] = x.message['id']
            round_of(x, 0)

        server.on(method, post)
        gets = iter(range(1, len(rounds)))
        server.on('GET', lambda x: round_of(x, next(gets)))
        return clock

    def test_wait(self):
        """All at the same time, each with a server of its own."""
        runs = []
        for retry, wanted in ((None, 1.0), (300, 0.3), (0, 0.0), (1700, 1.7), ('0250', 0.25),
                              ('10x', 1.0), ('+10', 1.0), ('-10', 1.0), ('10.5', 1.0), ('', 1.0)):
            server = self.serve()
            clock = self.poller(server, 'slow', [[('e1', retry, None)], []])
            session = self.session(server)
            session.send(initialize()).answer('init')
            session.call(1, 'slow')
            runs.append((retry, wanted, server, clock, session))
        for retry, wanted, server, clock, session in runs:
            with self.subTest(retry=retry):
                get = server.wait_got('GET')[0]
                session.result(1, {'n': 1})
                session.end()
                self.near(get.time - clock.at[0], wanted)
                self.assertEqual(get.header('Last-Event-ID'), 'e1')
                self.assertEqual(get.header('Accept'), 'text/event-stream')
                self.assertEqual(get.header('Mcp-Session-Id'), 's1')
                self.assertEqual(get.header('MCP-Protocol-Version'), '2025-06-18')
                self.assertEqual(get.header('X-Secret'), http_server.SECRET)

    @rows(('in order', 'end'), ('closed', 'close'), ('reset', 'reset'))
    def test_however_it_ends(self, finish):
        server = self.serve()
        self.poller(server, 'slow', [[('e1', 100, notification('one'))],
                                     [('e2', None, notification('two'))]], finish)
        session = self.session(server)
        session.call(1, 'slow')
        session.line(notification('one'))
        server.release('reset')
        session.line(notification('two'))
        session.result(1, {'n': 1})
        session.end()
        self.assertEqual([r.header('Last-Event-ID') for r in server.got('GET')], ['e1'])

    def test_many_times(self):
        """The id is the last one, and retry is kept across reconnections until it changes."""
        server = self.serve()
        clock = self.poller(server, 'slow', [
            [('e1', 300, None)], [('e2', None, notification('two'))],
            [('e3', None, b'')], [], [('e4', 100, None)], []])
        session = self.session(server)
        session.call(1, 'slow')
        session.result(1, {'n': 5})
        ended = session.end()
        self.assertEqual(len(ended.lines), 2)
        gets = server.got('GET')
        self.assertEqual([r.header('Last-Event-ID') for r in gets], ['e1', 'e2', 'e3', 'e3', 'e4'])
        for end, get, wanted in zip(clock.at, gets, [0.3, 0.3, 0.3, 0.3, 0.1]):
            self.near(get.time - end, wanted)

    def test_event_cut_in_the_middle(self):
        """A half event is dropped, the id of the last whole one counts."""
        server = self.serve()

        def post(x):
            x.stream()
            x.event(notification('one'), 'e1', 50)
            x.piece(b'id: e2\ndata: {"jsonrpc":"2.0","id":1,"res')
            x.wait_for('cut')
            x.close()

        def resume(x):
            x.stream()
            x.event({'jsonrpc': '2.0', 'id': 1, 'result': {}})
            x.end()

        server.on('slow', post)
        server.on('GET', resume)
        session = self.session(server)
        session.call(1, 'slow')
        session.line(notification('one'))
        server.release('cut')
        session.result(1, {})
        session.end()
        self.assertEqual(len(server.got('GET')), 1)

    @rows(('no id', []), ('cleared', [('e1', 0, None), ('', None, None)]),
          ('cleared by an event', [('e1', 0, notification('n')), ('', None, notification('n'))]),
          ('only retry', [(None, 0, None)]))
    def test_without_an_id(self, events):
        server = self.serve()
        self.poller(server, 'slow', [events, []])
        session = self.session(server)
        session.call(1, 'slow').fails(1, CUT)
        session.end(err=[SAYS_CUT])
        self.assertEqual(server.got('GET'), [])

    def test_id_with_nul(self):
        """It is ignored."""
        server = self.serve()

        def post(x):
            x.stream()
            x.piece(b'id: e1\nretry: 0\n\nid: e\x002\ndata: 1\n\n')
            x.end()

        server.on('slow', post)
        server.on('GET', lambda x: x.stream() or x.event(
            {'jsonrpc': '2.0', 'id': 1, 'result': {}}) or x.end())
        session = self.session(server)
        session.call(1, 'slow').result(1, {})
        session.end()
        self.assertEqual(server.got('GET')[0].header('Last-Event-ID'), 'e1')

    def test_cleared_while_resuming(self):
        server = self.serve()
        self.poller(server, 'slow', [[('e1', 0, None)], [('', None, None)], []])
        session = self.session(server)
        session.call(1, 'slow').fails(1, CUT)
        session.end(err=[SAYS_CUT])
        self.assertEqual(len(server.got('GET')), 1)

    @rows(('404', 404), ('405', 405))
    def test_given_up_at_once(self, status):
        server = self.serve()
        self.poller(server, 'slow', [[('e1', 0, None)], []])
        server.on('GET', lambda x: x.reply(status))
        session = self.session(server)
        session.call(1, 'slow').fails(1, CUT)
        session.end(err=[SAYS_CUT])
        self.assertEqual(len(server.got('GET')), 1)

    def test_failures(self):
        """1, 2, 4 and 8 s between five failures, a longer retry instead; a success starts over."""
        server = self.serve(keep_alive=False)
        times = {}
        count = {}
        lock = threading.Lock()

        def post(x):
            id = x.message['id']
            x.stream()
            x.event(None, id, {'retry': 1500, 'short': 10}.get(id))
            x.end()
            with lock:
                times[id] = [time.monotonic()]

        def resume(x):
            id = x.header('Last-Event-ID')
            with lock:
                times[id].append(x.request.time)
                n = count[id] = count.get(id, 0) + 1
            if id == 'given up':
                [lambda: x.reply(500), x.close, lambda: x.json({'a': 1}),
                 lambda: x.reply(400), x.reset][n - 1]()
            elif id == 'retry' and n == 3:
                finish(x, id)
            elif id == 'short' and n == 4:
                finish(x, id)
            elif id == 'success' and n == 2:
                x.stream()
                x.end()
                with lock:
                    times[id].append(time.monotonic())
            elif id == 'success' and n == 4:
                finish(x, id)
            else:
                x.reply(503)

        def finish(x, id):
            x.stream()
            x.event({'jsonrpc': '2.0', 'id': id, 'result': {}})
            x.end()

        server.on('slow', post)
        server.on('GET', resume)
        session = self.session(server)
        for id in ('given up', 'retry', 'short', 'success'):
            session.call(id, 'slow')
        for id in ('retry', 'short', 'success'):
            session.result(id, {})
        session.fails('given up', CUT)
        session.end(err=[SAYS_CUT], maybe=[ANYTHING])

        def waits(id):
            return [b - a for a, b in zip(times[id], times[id][1:])]

        wanted = {'given up': [1, 1, 2, 4, 8], 'retry': [1.5, 1.5, 2], 'short': [0.01, 1, 2, 4],
                  # The wait after the success is between its end and the next GET.
                  'success': [1, 1, None, 1, 1]}
        for id, seconds in wanted.items():
            got = waits(id)
            self.assertEqual(len(got), len(seconds), (id, got))
            for a, b in zip(got, seconds):
                if b is not None:
                    self.near(a, b)

    def test_several_at_once(self):
        """Each is a GET of its own, beside the session's stream, which knows other ids."""
        server = self.serve()
        n = 20

        def post(x):
            x.stream()
            x.event(None, 'e%d' % x.message['id'], 100)
            x.end()

        def get(x):
            x.stream()
            last = x.header('Last-Event-ID')
            if last is None:
                x.event(notification('own'), 'own')
                x.until_closed()
                return
            # All are there at the same time.
            x.server.wait(lambda: sum(r.rpc() == 'GET' for r in x.server.requests) == n + 1,
                          http_server.Gone)
            x.event({'jsonrpc': '2.0', 'id': int(last[1:]), 'result': {'last': last}})
            x.end()

        server.on('slow', post)
        server.on('GET', get)
        session = self.session(server)
        session.open()
        session.line(notification('own'))
        session.send(*[request(i, 'slow') for i in range(n)])
        for i in range(n):
            session.result(i, {'last': 'e%d' % i})
        session.end()
        self.assertEqual(len(server.got('GET')), n + 1)

    def test_answer_to_initialize(self):
        """It may be polled for like any; the next line waits for it."""
        server = self.serve()

        def post(x):
            x.stream([('Mcp-Session-Id', 's9')])
            x.event(None, 'e1', 100)
            x.end()

        def resume(x):
            if x.header('Last-Event-ID') != 'e1':
                x.reply(405)
                return
            x.wait_for('go')
            x.stream()
            x.event({'jsonrpc': '2.0', 'id': 'init', 'result': {'protocolVersion': '2025-11-25'}})
            x.end()

        server.on('initialize', post)
        server.on('GET', resume)
        session = self.session(server)
        session.send(initialize('2025-11-25'), http_server.INITIALIZED, request(1))
        server.wait_got('GET')
        self.assertEqual(len(self.quiet(server)), 2)
        server.release('go')
        session.result(1)
        session.end()
        got = server.got('tools/call')[0]
        self.assertEqual(got.header('Mcp-Session-Id'), 's9')
        self.assertEqual(got.header('MCP-Protocol-Version'), '2025-11-25')
        self.assertEqual(server.got('GET')[0].header('Mcp-Session-Id'), 's9')

    def test_batch(self):
        """It is resumed until every request of the batch has its answer."""
        server = self.serve()

        def post(x):
            x.stream()
            x.event({'jsonrpc': '2.0', 'id': 1, 'result': {}}, 'e1', 0)
            x.end()

        def resume(x):
            x.stream()
            x.event({'jsonrpc': '2.0', 'id': 2, 'result': {}})
            x.end()

        server.on('batch', post)
        server.on('GET', resume)
        session = self.session(server).send([request(1), request(2)])
        session.result(2, {})
        session.end()

    def test_stream_of_a_notification(self):
        """It owes no answer and is not resumed."""
        server = self.serve()

        def post(x):
            x.stream()
            x.event(notification('n'), 'e1', 0)
            x.end()

        server.on('notifications/ping', post)
        session = self.session(server).send(PING)
        session.line(notification('n'))
        self.quiet(server)
        session.end()
        self.assertEqual(server.got('GET'), [])

    def test_after_the_answer(self):
        """A stream that ends after the answer is not resumed."""
        server = self.serve()

        def post(x):
            x.stream()
            x.event(x.answer(), 'e1', 0)
            x.end()

        server.on('slow', post)
        session = self.session(server)
        session.call(1, 'slow').result(1)
        self.quiet(server)
        session.end()
        self.assertEqual(server.got('GET'), [])

    @rows(('during the wait', False), ('during the GET', True))
    def test_shutdown_waits(self, is_late):
        server = self.serve()

        def post(x):
            x.stream()
            x.event(None, 'e1', 800)
            x.end()

        def resume(x):
            x.wait_for('go')
            x.stream()
            x.event({'jsonrpc': '2.0', 'id': 1, 'result': {}})
            x.end()

        server.on('slow', post)
        server.on('GET', resume)
        session = self.session(server)
        session.send(initialize()).answer('init')
        session.call(1, 'slow')
        server.wait_got('slow')
        if is_late:
            server.wait_got('GET')
        session.process.close_stdin()
        server.wait_got('GET')
        server.release('go')
        session.end()
        self.assertEqual([r.rpc() for r in server.got()],
                         ['initialize', 'slow', 'GET', 'DELETE'])

    def test_cancellation_is_posted(self):
        """The host's notice goes to the server and stops nothing here."""
        server = self.serve()

        def post(x):
            x.stream()
            x.event(None, 'e1', 100)
            x.end()

        def resume(x):
            x.server.wait_got('notifications/cancelled')
            x.stream()
            x.event({'jsonrpc': '2.0', 'id': 1, 'result': {}})
            x.end()

        server.on('slow', post)
        server.on('GET', resume)
        session = self.session(server)
        session.call(1, 'slow')
        server.wait_got('GET')
        session.send(notification('notifications/cancelled', requestId=1))
        session.result(1, {})
        session.end()

    def test_body_is_not_resumed(self):
        """A JSON body that broke off is never asked for again, even if ids are known."""
        server = self.serve()
        server.on('slow', lambda x: x.raw(x.head(200, [('Content-Length', 9)])) or x.close())
        session = self.session(server)
        session.call(1, 'slow').fails(1, CUT)
        session.end(err=[SAYS_CUT])
        self.assertEqual(server.got('GET'), [])


class OwnStream(http_server.UpstreamCase):
    """§6, as chapter 06 §2 has it: the session's GET stream."""

    def test_events(self):
        """Each is handed on when it arrives; one that is not JSON is recorded only."""
        server = self.serve()

        def get(x):
            x.stream()
            for i in range(3):
                x.event(notification('n', i=i))
                x.wait_for(i)
            x.event(b'hello')
            x.event({'jsonrpc': '2.0', 'id': 'r', 'method': 'roots/list'})
            x.until_closed()

        server.on('GET', get)
        session = self.session(server)
        session.open()
        for i in range(3):
            session.line(notification('n', i=i))
            server.release(i)
        session.line({'jsonrpc': '2.0', 'id': 'r', 'method': 'roots/list'})
        session.send({'jsonrpc': '2.0', 'id': 'r', 'result': {}})
        server.wait_got('response')
        session.end(err=[ANYTHING], kept=[b'hello'])

    def begin(self, *streams):
        """Starts a session whose GET stream has a round for each list of events (or status)."""
        server = self.serve()
        server.clock = Clock()
        rounds = iter(streams)

        def get(x):
            events = next(rounds, None)
            if events is None:
                x.reply(405)
            elif isinstance(events, int):
                x.reply(events)
                server.clock.tick()
            else:
                x.stream()
                for event in events:
                    x.event(*event)
                x.end()
                server.clock.tick()

        server.on('GET', get)
        session = self.session(server)
        session.open()
        return session, server, len(streams) + 1

    def finish(self, session, server, n):
        """The waits between the rounds and the last event ids, once there was one more."""
        gets = server.wait_got('GET', n)
        session.end(maybe=[ANYTHING])
        self.assertEqual(len(server.got('GET')), n)
        ids = [get.header('Last-Event-ID') for get in gets]
        return [get.time - end for get, end in zip(gets[1:], server.clock.at)], ids

    def test_wait(self):
        """All at the same time, each with a server of its own."""
        event = (notification('n'),)
        table = (('500 ms after an event', [[event]], [0.5]),
                 ('500 ms after each', [[event]] * 3, [0.5] * 3),
                 ('retry', [[(notification('n'), None, 200)]], [0.2]),
                 ('retry is kept', [[(notification('n'), None, 200)], [event], []], [0.2] * 3),
                 ('retry without an event', [[(None, None, 1200)]], [1.2]),
                 ('growing without events', [[], [], []], [0.5, 1, 2]),
                 ('an event starts over', [[], [], [event], [], []], [0.5, 1, 0.5, 0.5, 1]),
                 ('failures', [500, 503, 401, 502], [0.5, 1, 1.5, 2]),
                 ('a success starts over', [500, 500, [event], 500], [0.5, 1, 0.5, 0.5]))
        runs = [(label, seconds, self.begin(*streams)) for label, streams, seconds in table]
        for label, seconds, run in runs:
            with self.subTest(label):
                for a, b in zip(self.finish(*run)[0], seconds, strict=True):
                    self.near(a, b)

    @rows(('none', [[(notification('n'), None, 0)]], [None, None]),
          ('last', [[(notification('a'), 'e1', 0), (notification('b'), 'e2')]], [None, 'e2']),
          ('of a priming event', [[(None, 'e1', 0)]], [None, 'e1']),
          ('of an event without text', [[(b'', 'e1', 0)]], [None, 'e1']),
          ('kept', [[(notification('a'), 'e1', 0)], [(notification('b'),)], []],
           [None, 'e1', 'e1', 'e1']),
          ('cleared', [[(notification('a'), 'e1', 0)], [(None, '')]], [None, 'e1', None]),
          ('odd text', [[(None, 'a b:c"\\', 0)]], [None, 'a b:c"\\']))
    def test_last_event_id(self, streams, ids):
        self.assertEqual(self.finish(*self.begin(*streams))[1], ids)

    def test_ids_of_post_streams_are_not_used(self):
        server = self.serve()

        def post(x):
            x.stream()
            x.event(x.answer(), 'post-id')
            x.end()

        def get(x):
            x.stream()
            x.event(notification('n'), None, 0)
            x.server.wait_got('tools/call')
            x.wait_for('end')
            x.end()

        server.on('tools/call', post)
        server.on('GET', get, http_server.default)
        session = self.session(server)
        session.open()
        session.line(notification('n'))
        session.call(1).result(1)
        server.release('end')
        server.wait_got('GET', 2)
        session.end()
        self.assertEqual(server.got('GET')[1].all('Last-Event-ID'), [])

    def test_no_such_stream(self):
        """These statuses stop it for good, silently, at once or later."""
        pairs = []
        for status in (400, 404, 405, 406, 501):
            for is_later in (False, True):
                server = self.serve()

                def get(x, status=status):
                    x.reply(status)

                def empty(x):
                    x.stream()
                    x.event(None, None, 0)
                    x.end()

                server.on('GET', *([empty] if is_later else []), get)
                session = self.session(server)
                session.open()
                pairs.append((session, server, 2 if is_later else 1))
        for session, server, n in pairs:
            server.wait_got('GET', n)
        self.until_steady(lambda: [len(server.got()) for _, server, _ in pairs], 1.2)
        for session, server, n in pairs:
            session.call(1).result(1)
            session.end()
            self.assertEqual(len(server.got('GET')), n)

    def test_gone(self):
        """The fifth failure in a row is said once; requests go on."""
        server = self.serve(keep_alive=False)
        server.on('GET', lambda x: x.reply(500), lambda x: x.close(), lambda x: x.reset(),
                  lambda x: x.reply(403), lambda x: x.reply(503))
        session = self.session(server)
        session.open()
        session.says(SAYS_GONE)
        self.quiet(server, 2.2)
        session.call(1).result(1)
        session.end(err=[SAYS_GONE])
        gets = server.got('GET')
        self.assertEqual(len(gets), 5)
        for a, b, wanted in zip(gets, gets[1:], (0.5, 1, 1.5, 2)):
            self.near(b.time - a.time, wanted)

    def test_cut_in_the_middle(self):
        """A stream that breaks off is opened again, and what broke off is not handed on."""
        server = self.serve()

        def get(x):
            x.stream()
            x.event(notification('one'), 'e1', 100)
            x.piece(b'data: {"half":')
            x.wait_for('cut')
            x.reset()

        server.on('GET', get, http_server.default)
        session = self.session(server)
        session.open()
        session.line(notification('one'))
        server.release('cut')
        self.assertEqual(server.wait_got('GET', 2)[1].header('Last-Event-ID'), 'e1')
        self.assertEqual(len(session.end().lines), 2)

    def test_posts_go_on_beside_it(self):
        server = self.serve()

        def get(x):
            x.stream()
            x.until_closed()

        server.on('GET', get)
        session = self.session(server)
        session.open()
        server.wait_got('GET')
        for i in range(50):
            session.call(i).result(i)
        session.end()
        self.assertEqual(len(server.got('GET')), 1)

    def test_answer_on_it(self):
        """A line of this stream is a line like any other, even an answer to a request."""
        server = self.serve()

        def get(x):
            x.server.wait_got('tools/call')
            x.stream()
            x.event({'jsonrpc': '2.0', 'method': 'n'})
            x.until_closed()

        def call(x):
            x.wait_for('go')
            x.result()

        server.on('GET', get)
        server.on('tools/call', call)
        session = self.session(server)
        session.open()
        session.call(1)
        session.line({'jsonrpc': '2.0', 'method': 'n'})
        server.release('go')
        session.result(1)
        session.end()


if __name__ == '__main__':
    harness.main()
