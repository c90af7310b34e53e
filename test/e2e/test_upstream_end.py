#!/usr/bin/env python3
"""The end of a session with an HTTP server: chapter 03 §9, ruling R4."""

import os
import re
import signal
import time

import harness
import http_server
from harness import rows
from http_server import (INITIALIZED, PING, SAYS_ENDING, SAYS_UNREACHED, initialize, notification,
                         refused, request)

SIGNALS = (('TERM', signal.SIGTERM), ('INT', signal.SIGINT), ('HUP', signal.SIGHUP))


def idle_stream(x):
    x.stream()
    x.event(notification('idle'))
    x.until_closed()


class Closing(http_server.UpstreamCase):
    """§9: the host closes stdin."""

    def test_order(self):
        """Lines already read are posted, answers come, then DELETE, then the end."""
        server = self.serve()
        session = self.session(server)
        session.send(initialize(), INITIALIZED, request(1), PING)
        session.send_unfinished(b'{"jsonrpc":"2.0","id":2,"method":"last"}')
        session.end()
        kinds = [r.rpc() for r in server.got() if r.rpc() != 'GET']
        self.assertEqual(sorted(kinds[2:-1]), ['last', 'notifications/ping', 'tools/call'])
        self.assertEqual(kinds[-1], 'DELETE')

    def test_delete(self):
        server = self.serve()
        session = self.session(server)
        session.open()
        session.end()
        got = server.got('DELETE')
        self.assertEqual(len(got), 1)
        self.assertEqual(got[0].target, '/mcp')
        self.assertEqual(got[0].header('Mcp-Session-Id'), 's1')
        self.assertEqual(got[0].header('MCP-Protocol-Version'), '2025-06-18')
        self.assertEqual(got[0].header('X-Secret'), http_server.SECRET)
        self.assertEqual(got[0].body, b'')

    def test_no_session_no_delete(self):
        server = self.serve()
        server.session = None
        session = self.session(server)
        session.open()
        session.call(1).result(1)
        session.end()
        self.assertEqual(server.got('DELETE'), [])

    @rows(*[(str(status), status) for status in (200, 202, 204, 400, 401, 404, 405, 500, 503)])
    def test_status_of_delete(self, status):
        server = self.serve()
        server.on('DELETE', lambda x: x.reply(status, b'' if status == 204 else b'whatever'))
        session = self.session(server)
        session.open()
        session.end()
        self.assertEqual(len(server.got('DELETE')), 1)

    @rows(('closed', lambda x: x.close()), ('reset', lambda x: x.reset()),
          ('no HTTP', lambda x: x.raw(b'nonsense\r\n\r\n') or x.close()))
    def test_delete_fails(self, handler):
        server = self.serve()
        server.on('DELETE', handler)
        session = self.session(server)
        session.open()
        session.end(err=[SAYS_ENDING])

    def test_delete_to_nobody(self):
        server = self.serve()
        session = self.session(server.url('/mcp?query-4711', user='user-name:pa55@'))
        session.secrets += [b'pa55', b'user-name']
        session.open()
        server.wait_got('GET')
        server.hang_up()
        ended = session.end(err=[SAYS_ENDING])
        self.assertNotIn(b'query-4711', ended.err)

    def test_delete_takes_too_long(self):
        """5 s in all, whether the server says nothing or dribbles."""
        def silent(x):
            x.until_closed()

        def dribble(x):
            x.raw(b'HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n')
            while not x.server.stopping:
                x.raw(b'x')
                time.sleep(0.05)

        runs = []
        for handler in (silent, dribble):
            server = self.serve()
            server.on('DELETE', handler)
            session = self.session(server)
            session.open()
            session.process.close_stdin()
            server.wait_got('DELETE')
            runs.append((session, server.got('DELETE')[0].time))
        for session, start in runs:
            session.process.wait()
            self.near(time.monotonic() - start, 5, 0.2, 1)
            session.end(err=[SAYS_ENDING])

    def test_posts_in_flight(self):
        """They are waited for, with all that they bring; DELETE comes after them."""
        server = self.serve()

        def call(x):
            x.stream()
            x.wait_for('progress')
            x.event(notification('progress'))
            x.wait_for('answer')
            x.event(x.answer())
            x.event(notification('late'))
            x.wait_for('end')
            x.end()

        server.on('tools/call', call)
        server.on('GET', idle_stream)
        session = self.session(server)
        session.open()
        session.call(1)
        server.wait_got('tools/call')
        session.process.close_stdin()
        server.release('progress')
        session.line(notification('progress'))
        server.release('answer')
        session.result(1)
        session.line(notification('late'))
        self.assertEqual(server.got('DELETE'), [])
        self.assertTrue(session.process.running())
        server.release('end')
        session.end()
        self.assertEqual([r.rpc() for r in server.got()][-1], 'DELETE')

    def test_notification_in_flight(self):
        """A POST without an answer to come is waited for too."""
        server = self.serve()

        def slow(x):
            x.wait_for('go')
            x.json(notification('done'))

        server.on('notifications/ping', slow)
        session = self.session(server)
        session.open()
        session.send(PING)
        server.wait_got('notifications/ping')
        session.process.close_stdin()
        self.quiet(server)
        self.assertEqual(server.got('DELETE'), [])
        server.release('go')
        session.line(notification('done'))
        session.end()

    def test_close_right_after_the_lines(self):
        """Everything in one write and the end at once: nothing is lost, in the right order."""
        for _ in range(10):
            server = self.serve()
            server.on('GET', idle_stream)
            session = self.session(server)
            session.send(initialize(), INITIALIZED, *[request(i) for i in range(20)])
            session.end()
            self.assertEqual([r.rpc() for r in server.got()][:2],
                             ['initialize', 'notifications/initialized'])
            self.assertEqual([r.rpc() for r in server.got() if r.rpc() != 'GET'][-1], 'DELETE')

    def test_get_stream_goes_on_meanwhile(self):
        """It brings lines and is opened again while a POST is in flight, not after."""
        server = self.serve()

        def get(x):
            x.stream()
            x.wait_for('one')
            x.event(notification('one'), 'e1', 100)
            x.end()

        def again(x):
            x.stream()
            x.event(notification('two'))
            x.until_closed()

        def call(x):
            x.wait_for('go')
            x.result()

        server.on('GET', get, again)
        server.on('tools/call', call)
        session = self.session(server)
        session.open()
        server.wait_got('GET')
        session.call(1)
        server.wait_got('tools/call')
        session.process.close_stdin()
        server.release('one')
        session.line(notification('one'))
        session.line(notification('two'))
        server.release('go')
        session.end()
        self.assertEqual(server.got('GET')[1].header('Last-Event-ID'), 'e1')

    def test_get_stream_is_not_opened_again(self):
        """Its end during the DELETE is the end of it."""
        server = self.serve()

        def get(x):
            x.stream()
            x.event(None, None, 0)
            x.wait_for('end')
            x.end()

        def delete(x):
            x.server.release('end')
            x.wait_for('delete')
            x.reply(200)

        server.on('GET', get)
        server.on('DELETE', delete)
        session = self.session(server)
        session.open()
        server.wait_got('GET')
        session.process.close_stdin()
        server.wait_got('DELETE')
        self.quiet(server)
        server.release('delete')
        session.end()
        self.assertEqual(len(server.got('GET')), 1)

    def test_idle_get_stream_does_not_delay(self):
        server = self.serve()
        server.on('GET', idle_stream)
        session = self.session(server)
        session.open()
        session.line(notification('idle'))
        start = time.monotonic()
        session.end()
        self.near(time.monotonic() - start, 0, 0, 1)

    @rows(('waiting to open it again', [], 405), ('a failing one', 500, 500))
    def test_wait_of_the_get_stream_does_not_delay(self, first, then):
        server = self.serve()

        def get(x):
            if first == 500:
                x.reply(500)
            else:
                x.stream()
                x.event(None, None, 20000)
                x.end()

        server.on('GET', get)
        session = self.session(server)
        session.open()
        server.wait_got('GET')
        start = time.monotonic()
        session.end()
        self.near(time.monotonic() - start, 0, 0, 1)

    def test_lives_on_without_a_server(self):
        """The proxy ends with its stdin, not with the endpoint."""
        server = self.serve()
        session = self.session(server)
        session.open()
        server.wait_got('GET')
        server.hang_up()
        for id in range(3):
            session.call(id).fails(id, http_server.UNREACHED)
        self.assertTrue(session.process.running())
        session.end(err=[SAYS_UNREACHED] * 3 + [SAYS_ENDING])

    def test_status_is_0_whatever_happened(self):
        server = self.serve()
        server.on('*', lambda x: x.reply(500))
        session = self.session(server)
        session.send(initialize(), request(1))
        session.end(err=[refused(500)] * 2)

    def test_host_stops_reading(self):
        """The host's end of stdout breaks: one message, and the rest is recorded."""
        server = self.serve()
        session = self.session(server)
        session.open()
        session.process.close_stdout()
        for i in range(3):
            session.call(i)
        ended = session.end(err=[re.compile('forwarding to the client: .+')])
        self.assertEqual(len(ended.entries('server')), 4)
        self.assertEqual(len(server.got('DELETE')), 1)

    def test_slow_host(self):
        """Megabytes wait until the host reads them; none is lost at the end."""
        server = self.serve()
        text = 'x' * (1 << 20)
        server.on('tools/call', lambda x: x.result({'x': text}))
        r, w = self.pipe()
        session = self.session(server, stdout=w)
        self.drop(w)
        session.send(*[request(i) for i in range(16)])
        server.wait_got('tools/call', 16)
        session.process.close_stdin()
        self.until(lambda: harness.waiting(r) > 50000, 'the way out to fill up')
        self.assertTrue(session.process.running())
        session.process.stdout = harness.Stream(os.dup(r))
        self.drop(r)
        self.assertEqual(len(session.end().lines), 16)

    def test_back_pressure(self):
        """A host that does not read stops the reading of an endless stream."""
        server = self.serve()
        sent = []

        def get(x):
            x.stream()
            for i in range(60):
                x.event({'jsonrpc': '2.0', 'method': 'n', 'params': {'i': i, 'x': 'y' * (1 << 20)}})
                sent.append(i)
            x.until_closed()

        server.on('GET', get)
        r, w = self.pipe()
        session = self.session(server, stdout=w, record=False)
        self.drop(w)
        session.send(initialize(), INITIALIZED)
        self.until(lambda: harness.waiting(r) > 50000, 'the way out to fill up')
        self.assertLess(self.until_steady(lambda: len(sent), 1), 40)
        session.process.stdout = harness.Stream(os.dup(r))
        self.drop(r)
        session.wait(lambda lines: len(lines) == 61, 'all of it')
        session.end()


class Signals(http_server.UpstreamCase):
    """R4: in-flight requests are abandoned, DELETE is sent, the signal ends the proxy."""

    @rows(*SIGNALS)
    def test_idle(self, number):
        server = self.serve()
        server.on('GET', idle_stream)
        session = self.session(server)
        session.open()
        session.line(notification('idle'))
        os.kill(session.pid, number)
        session.end(code=-number, close=False)
        got = server.got('DELETE')
        self.assertEqual(len(got), 1)
        self.assertEqual(got[0].header('Mcp-Session-Id'), 's1')

    @rows(*SIGNALS)
    def test_in_flight(self, number):
        """Abandoned requests get no answer, and their connections are closed."""
        server = self.serve()
        closed = []

        def call(x):
            if x.message['id'] == 2:
                x.stream()
                x.event(notification('progress'))
            closed.append(x.until_closed())

        server.on('tools/call', call)
        session = self.session(server)
        session.open()
        session.call(1).call(2)
        server.wait_got('tools/call', 2)
        session.line(notification('progress'))
        os.kill(session.pid, number)
        session.end(code=-number, close=False, unanswered=[1, 2])
        self.assertEqual(len(server.got('DELETE')), 1)
        self.until(lambda: closed == [True, True], 'the connections to close')

    def test_log_is_whole(self):
        server = self.serve()
        session = self.session(server)
        session.open()
        for i in range(50):
            session.call(i).result(i)
        os.kill(session.pid, signal.SIGTERM)
        ended = session.end(code=-signal.SIGTERM, close=False)
        self.assertEqual(len(ended.entries('server')), 51)

    def test_before_anything(self):
        server = self.serve()
        session = self.session(server)
        session.process.expect_err(b'recording to')
        os.kill(session.pid, signal.SIGTERM)
        session.end(code=-signal.SIGTERM, close=False)
        self.assertEqual(server.n_connections, 0)

    @rows(*[(str(n), n) for n in range(5)])
    def test_then_the_end_of_stdin_at_once(self, _):
        """The signal comes first and is seen, although the end may be read first."""
        session = self.session(self.serve())
        session.process.expect_err(b'recording to')
        os.kill(session.pid, signal.SIGTERM)
        session.end(code=-signal.SIGTERM)

    def test_while_initialize_is_in_flight(self):
        """Nothing is known of a session, so nothing is deleted."""
        server = self.serve()
        server.on('initialize', lambda x: x.until_closed())
        session = self.session(server)
        session.send(initialize(), INITIALIZED)
        server.wait_got('initialize')
        os.kill(session.pid, signal.SIGTERM)
        session.end(code=-signal.SIGTERM, close=False, unanswered=['init'])
        self.assertEqual([r.rpc() for r in server.got()], ['initialize'])

    def test_while_resuming(self):
        server = self.serve()

        def post(x):
            x.stream()
            x.event(notification('one'), 'e1', 20000)
            x.end()

        server.on('tools/call', post)
        session = self.session(server)
        session.open()
        session.call(1)
        session.line(notification('one'))
        os.kill(session.pid, signal.SIGTERM)
        session.end(code=-signal.SIGTERM, close=False, unanswered=[1])
        self.assertEqual(len(server.got('DELETE')), 1)

    def test_delete_takes_too_long(self):
        """2 s at most."""
        server = self.serve()
        server.on('DELETE', lambda x: x.until_closed())
        session = self.session(server)
        session.open()
        start = time.monotonic()
        os.kill(session.pid, signal.SIGTERM)
        session.process.wait()
        self.near(time.monotonic() - start, 2, 0.1, 1)
        session.end(code=-signal.SIGTERM, close=False, maybe=[SAYS_ENDING])

    def test_while_closing(self):
        """A signal during the orderly end abandons what that end waits for."""
        server = self.serve()
        server.on('tools/call', lambda x: x.until_closed())
        session = self.session(server)
        session.open()
        session.call(1)
        server.wait_got('tools/call')
        session.process.close_stdin()
        os.kill(session.pid, signal.SIGTERM)
        session.end(code=-signal.SIGTERM, unanswered=[1])
        self.assertEqual(len(server.got('DELETE')), 1)

    def test_during_the_last_delete(self):
        """The DELETE of the orderly end is the one; 2 s are left for it."""
        server = self.serve()
        server.on('DELETE', lambda x: x.until_closed())
        session = self.session(server)
        session.open()
        session.process.close_stdin()
        server.wait_got('DELETE')
        start = time.monotonic()
        os.kill(session.pid, signal.SIGTERM)
        session.process.wait()
        self.assertLess(time.monotonic() - start, 3 * max(1, harness.SLOW))
        session.end(code=-signal.SIGTERM, maybe=[SAYS_ENDING])
        self.assertEqual(len(server.got('DELETE')), 1)

    @rows(*[('%s then %s' % (a, b), first, second) for (a, first), (b, second) in
            ((SIGNALS[0], SIGNALS[0]), (SIGNALS[1], SIGNALS[0]), (SIGNALS[0], SIGNALS[2]))])
    def test_second_signal(self, first, second):
        """It ends the proxy at once, by that signal."""
        server = self.serve()
        server.on('DELETE', lambda x: x.until_closed())
        session = self.session(server)
        session.open()
        os.kill(session.pid, first)
        server.wait_got('DELETE')
        start = time.monotonic()
        os.kill(session.pid, second)
        session.process.wait()
        self.assertLess(time.monotonic() - start, 1.5 * max(1, harness.SLOW))
        session.end(code=-second, close=False, log=False)

    @rows(*SIGNALS)
    def test_ignored_signal(self, number):
        server = self.serve()
        session = self.session(server, preexec=lambda: signal.signal(number, signal.SIG_IGN))
        session.open()
        os.kill(session.pid, number)
        session.call(1).result(1)
        session.end()

    def test_quit(self):
        """SIGQUIT keeps its default action."""
        server = self.serve()
        session = self.session(server)
        session.open()
        os.kill(session.pid, signal.SIGQUIT)
        session.end(code=-signal.SIGQUIT, close=False, log=False)
        self.assertEqual(server.got('DELETE'), [])


if __name__ == '__main__':
    harness.main()
