#!/usr/bin/env python3
"""Active mode without flows and judge: chapter 10 §§1 to 6 and 13 to 15, chapter 01 §2, ruling R4.

The last part is the same in front of --upstream: chapter 06 §5.
"""

import itertools
import json
import os
import re
import select
import signal

import active
import harness
import http_server
from active import (ActiveCase, NOBODY, call, commit, notification, own, refusal, refused_line,
                    request, result)
from harness import rows
from test_record import VECTORS

GUARDS = ['--guards', '--domain', 'retail']
OPTIONS = [('commit', ['--commit']), ('context', ['--context', 'C']), ('guards', GUARDS),
           ('all', ['--commit', '--context', 'C', *GUARDS])]
SIGNALS = [('TERM', signal.SIGTERM), ('INT', signal.SIGINT), ('HUP', signal.SIGHUP)]
ENDED = {'t': 't {} got no answer from the server'}


def report(id, *parts, error=True):
    return result(id, '\n\n'.join(parts), error=error)


class Start(ActiveCase):
    """§1.1 and chapter 01 §2."""

    def fails(self, *options, code=125, err, upstream=False):
        server = [] if upstream else ['--', *self.server("note('started')")]
        self.run_proxy('--record', 'sub/L', *options, *server, code=code, out=b'', err=err)
        self.assertIsNone(self.noted('started'))
        self.assertFalse(os.path.exists(self.path('sub', 'L')) and
                         os.listdir(self.path('sub', 'L')))

    @rows(('missing', None), ('a folder', 'folder'), ('empty', b''), ('no JSON', b'{'),
          ('no flow', b'{}'), ('an array', b'[]'))
    def test_a_flow_that_cannot_be_loaded(self, content):
        if content == 'folder':
            os.mkdir(self.path('f.json'))
        elif content is not None:
            self.write('f.json', content)
        self.fails('--flow', 'f.json', '--oracle', 'mock',
                   err=re.compile(rb'stretto-proxy: [^\n]*f\.json[^\n]*\n'))

    def test_the_flow_comes_before_the_guards(self):
        self.fails('--guards', '--flow', 'f.json', err=re.compile(b'stretto-proxy: [^\n]*f.json'
                                                                  b'[^\n]*\n'))

    def test_the_guards_come_before_the_headers(self):
        self.fails('--guards', '--upstream', 'http://127.0.0.1:1/', '--upstream-header', 'bad',
                   err=b'stretto-proxy: --guards needs --domain (retail or airline)\n',
                   upstream=True)

    def test_what_is_said_before_comes_first(self):
        """Files are deleted before anything is loaded, and it is said before the failure."""
        old = self.write('sub/L/20260923T212000.123Z-4242.jsonl', b'x')
        os.utime(old, (0, 0))
        self.fails('--retain-days', '7', *GUARDS[:1], err=re.compile(
            rb'stretto-proxy: deleted 1 files older than 7 days from sub/L\n'
            rb'stretto-proxy: --guards needs --domain \(retail or airline\)\n'))

    @rows(('twice', ['--guards', '--guards']), ('with a value', ['--guards=1', '--domain', 'x']),
          ('commit with a value', ['--commit=yes']), ('empty context', ['--context=']),
          ('no context', ['--context']), ('two contexts', ['--context', 'a', '--context', 'b']),
          ('guards and a wrong option', ['--guards', '--no-such']))
    def test_usage_comes_first(self, options):
        self.fails(*options, code=2, err=re.compile(b'.+', re.DOTALL))

    @rows(*OPTIONS)
    def test_a_server_that_cannot_be_started(self, options):
        self.run_proxy('--record', 'L', *options, '--', '/no/such/server', code=125, out=b'',
                       err=re.compile(harness.message('starting /no/such/server')))
        self.assertEqual(os.listdir(self.path('L')), [])

    @rows(*OPTIONS)
    def test_nothing_is_said(self, options):
        self.run_proxy(*options, '--', 'cat', input=b'{"a":1}\nlast' * (options != GUARDS),
                       err=b'' if '--guards' not in options else None)

    def test_context_and_domain_alone(self):
        """--domain without --guards is a header field and no more."""
        process = self.proxy('--record', 'L', '--domain', 'telecom', '--context', 'C', '--', 'cat')
        process.finish(0, b'', harness.recording('L'))
        self.assertEqual(json.loads(self.log().header)['domain'], 'telecom')


class Forwarding(ActiveCase):
    """§2, §4 and §5: what is not acted on leaves as it came."""

    PASSING = OPTIONS[:2] + [('both', ['--commit', '--context', 'C'])]

    @rows(*PASSING)
    def test_every_kind_of_line(self, options):
        session = self.session(*options)
        for _, line, _ in VECTORS:
            line = line.rstrip(b'\n') + b'\n'
            session.send(line).server(line).put(line).host(line)
        session.finish()

    def test_while_a_commit_waits(self):
        session = self.session('--commit', '--context', 'C')
        session.send(commit('c', ('t', {}))).server(own(1, 't'))
        for _, line, _ in VECTORS:
            line = line.rstrip(b'\n') + b'\n'
            session.send(line).server(line).put(line).host(line)
        session.put(result('stretto-1', 'x')).host(result('c', 't {}:\nx'))
        session.finish()

    @rows(*PASSING)
    def test_a_last_line_without_an_end(self, options):
        for line in (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}',
                     b'not json', b'\r', b'\xff\0'):
            process = self.proxy(*options, '--', 'cat')
            process.send(b'\n' + line)
            process.finish(0, b'\n' + line)

    @rows(*OPTIONS)
    def test_any_size_of_reads(self, options):
        """One byte at a time and all at once give the same."""
        lines = [active.line_of(m) for m in (
            call(1, 'a', {}), request(2, 'tools/list'), notification('x'), call('3', 'b'),
            commit(4, ('c', {})) if '--commit' not in options else request(4, 'ping'))]
        for pieces in (b''.join(lines),), [bytes([byte]) for byte in b''.join(lines)]:
            process = self.proxy(*options, '--', 'cat')
            for piece in pieces:
                process.send(piece)
            process.finish(0, b''.join(lines))

    @rows(*OPTIONS)
    def test_very_long_lines(self, options):
        session = self.session(*options)
        long = 'x' * harness.large(16 << 20)
        # The server answers the call with as much.
        session.done(call(1, 'a', {'text': long}), result(1, long))
        session.put(notification('n', text=long)).host(notification('n', text=long))
        session.send(request(2, 'ping', text=long)).server(request(2, 'ping', text=long))
        session.finish()

    def test_a_very_long_commit(self):
        session = self.session('--commit')
        long = 'x' * harness.large(16 << 20)
        session.send(commit(1, ('t', {'text': long}), ('u', {})))
        session.server(own(1, 't', {'text': long})).put(result('stretto-1', long))
        session.server(own(2, 'u')).put(result('stretto-2', ''))
        session.host(result(1, 't {"text":"%s"}:\n%s\n\nu {}:\n' % (long, long))).finish()

    # §15.3: (line, whether the host's is acted on as a call, the server's as an answer)
    @rows(('a request', b'{"jsonrpc":"2.0","id":"stretto-1","method":"tools/call"}', False),
          ('a response', b'{"jsonrpc":"2.0","id":"stretto-1","result":{}}', True),
          ('a notification', b'{"jsonrpc":"2.0","method":"notifications/initialized"}', False),
          ('an error without an id',
           b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}', False),
          ('an array', b'[{"jsonrpc":"2.0","id":"stretto-1","result":{}}]', False),
          ('result null', b'{"id":"stretto-1","result":null}', True),
          ('error null', b'{"id":"stretto-1","error":null}', True),
          ('neither', b'{"id":"stretto-1","results":{}}', False),
          ('a method that is no text', b'{"id":"stretto-1","method":null,"result":{}}', False),
          ('names in capitals', b'{"ID":"stretto-1","result":{}}', False))
    def test_what_is_an_answer(self, line, is_one):
        session = self.session('--commit')
        session.send(commit(1, ('t', {}))).server(own(1, 't'))
        session.put(line)
        if not is_one:
            session.host(line)
            session.put(result('stretto-1', ''))
        session.host(result(1, 't {}:\n')).finish()

    def test_the_hosts_answers_pass(self):
        session = self.session('--commit', '--context', 'C')
        session.send(commit(1, ('t', {}))).server(own(1, 't'))
        for line in (b'{"id":"stretto-1","result":{}}\n', b'{"id":1,"result":{}}\n',
                     b'{"id":"s1","error":{"code":1}}\n'):
            session.send(line).server(line)
        session.put(result('stretto-1', 'x')).host(result(1, 't {}:\nx')).finish()

    def test_a_second_answer_passes(self):
        session = self.session('--commit')
        session.done(call(1, 'a', {}), result(1, 'x'))
        for line in (result(1, 'again'), result('never asked', 'x')):
            session.put(line).host(line)
        session.finish()


class Load(ActiveCase):
    """Many calls, and one side that does not read."""

    @rows(*OPTIONS)
    def test_many_calls_answered_backwards(self, options):
        session = self.session(*options)
        ids = list(itertools.chain(range(1000), (str(i) for i in range(1000))))
        session.send(*[call(id, 't', {}) for id in ids])
        session.server(*[call(id, 't', {}) for id in ids])
        answers = [result(id, 'x') for id in reversed(ids)]
        session.put(*answers).host(*answers)
        session.finish()

    def test_many_commits_at_the_same_time(self):
        n = 500
        session = self.session('--commit', *GUARDS)
        session.send(*[commit(i, ('t', {'i': i}), ('u', {'i': i})) for i in range(n)])
        session.server(*[own(i + 1, 't', {'i': i}) for i in range(n)])
        for i in reversed(range(n)):
            session.put(result('stretto-%d' % (i + 1), 'T'))
        session.server(*[own(2 * n - i, 'u', {'i': i}) for i in reversed(range(n))])
        session.put(*[result('stretto-%d' % (2 * n - i), 'U') for i in range(n)])
        session.host(*[result(i, 't {"i":%d}:\nT\n\nu {"i":%d}:\nU' % (i, i)) for i in range(n)])
        session.finish()

    def silent(self):
        """A server that reads nothing until it is told to; it notes how much came."""
        return self.server('''
note('ready')
wait_for('go')
n = 0
while True:
    part = os.read(0, 1 << 18)
    if not part:
        break
    n += len(part)
note('n', b'%d' % n)
''')

    def fill(self, fd, data):
        """Writes the data again and again until nothing more is taken for a while; how much."""
        os.set_blocking(fd, False)
        poller = select.poll()
        poller.register(fd, select.POLLOUT)
        n = 0
        view = memoryview(data)
        while poller.poll(1000 * harness.SLOW):
            try:
                done = os.write(fd, view)
            except BlockingIOError:
                continue
            n += done
            view = view[done:] or memoryview(data)
            self.assertLess(n, 256 << 20, 'no end of what is taken')
        # The rest of the line that was begun.
        return n, bytes(view) if len(view) < len(data) else b''

    @rows(*OPTIONS)
    def test_a_server_that_does_not_read(self, options):
        process = self.proxy(*options, '--', *self.silent())
        self.wait_note('ready')
        line = active.line_of(call(1, 'get_x', {'text': 'y' * 4000}))
        n, rest = self.fill(process.stdin, line)
        self.assertLess(n, harness.MEMORY_BOUND)
        self.assertLess(harness.memory(process.pid), 4 * harness.MEMORY_BOUND)
        self.release('go')
        process.send(rest)
        process.finish(err=None)
        self.assertEqual(int(self.noted('n')), n + len(rest))

    @rows(*OPTIONS)
    def test_a_host_that_does_not_read(self, options):
        r, w = self.pipe()
        session = self.session(*options, record=None, stdout=w)
        self.drop(w)
        line = active.line_of(notification('n', text='y' * 4000))
        n, rest = self.fill(session.peer, line)
        self.assertLess(n, harness.MEMORY_BOUND)
        # The other direction goes on.
        session.send(request(1, 'ping')).server(request(1, 'ping'))
        stream = harness.Stream(os.dup(r))
        self.drop(r)
        session.process.stdout = stream
        harness.write_all(session.peer, rest)
        stream.wait(lambda data, ended: len(data) >= n + len(rest))
        self.same(stream.bytes(), line * ((n + len(rest)) // len(line)), 'what the host got')
        session.finish()

    @rows(('refused calls', GUARDS, call('i', 'cancel_pending_order', {'reason': 'y' * 4000})),
          ('not JSON', GUARDS, b'{'),
          ('a name twice', GUARDS, b'{"id":"%s","method":"a","method":"b"}' % (b'i' * 4000)),
          ('commits of nothing', ['--commit'], call('i' * 4000, 'stretto_commit', {})))
    def test_a_host_that_never_reads_what_it_asks_for(self, options, message):
        """Answers of the proxy's own making count as much as the server's."""
        r, w = self.pipe()
        process = self.proxy(*options, '--', 'cat', stdout=w, stderr='null')
        self.drop(w)
        line = active.line_of(message)
        n, rest = self.fill(process.stdin, line * max(1, 4096 // len(line)))
        self.assertLess(n, harness.MEMORY_BOUND)
        self.assertLess(harness.memory(process.pid), 4 * harness.MEMORY_BOUND)
        stream = harness.Stream(os.dup(r))
        self.drop(r)
        process.stdout = stream
        process.send(rest)
        process.finish(0, None, None)
        self.assertEqual(stream.bytes().count(b'\n'), (n + len(rest)) // len(line))


class Ends(ActiveCase):
    """§13.2 to §13.4 and ruling R4."""

    def test_lines_after_the_servers_output_ended_are_dropped(self):
        server = self.server('''
put(b'first\\n')
os.close(1)
note('closed')
note('got', get_all())
note('end')
wait_for('go')
sys.exit(5)
''')
        process = self.proxy('--record', 'L', '--commit', '--', *server)
        process.expect(b'first\n')
        # The server's input is closed although the host's is open.
        self.wait_note('end')
        self.assertEqual(self.noted('got'), b'')
        process.send(active.line_of(call(1, 'a', {})) + active.line_of(commit(2, ('t', {}))),
                     gone_is_fine=True)
        self.release('go')
        self.assertEqual(process.wait(), 5)
        process.finish(5, b'first\n', harness.recording('L'))
        self.assertEqual(self.log().senders(), ['server'])

    def test_calls_without_an_answer_get_none(self):
        session = self.session('--commit', *GUARDS)
        session.send(call(1, 'a', {})).server(call(1, 'a', {}))
        session.hang_up()
        session.ended()

    def test_a_last_line_of_the_server_without_an_end(self):
        session = self.session('--commit')
        session.send(commit(1, ('t', {}))).server(own(1, 't'))
        line = active.line_of(result('stretto-1', 'x'))
        session.made.append(line)
        harness.write_all(session.peer, line[:-1])
        session.hang_up()
        session.host(result(1, 't {}:\nx'))
        session.ended()

    def test_the_status_is_the_servers(self):
        self.run_proxy('--commit', *GUARDS, '--', 'sh', '-c', 'cat >/dev/null; exit 7', code=7,
                       out=b'')

    def test_the_servers_input_breaks(self):
        """One line on stderr; later lines of the host are recorded and dropped."""
        server = self.server('''
os.close(0)
note('closed')
wait_for('go')
put(b'late\\n')
''')
        process = self.proxy('--record', 'L', '--context', 'C', '--', *server)
        self.wait_note('closed')
        lines = [active.line_of(call(i, 'a', {})) for i in range(3)]
        process.send(lines[0])
        process.expect_err(b'forwarding to the server: ')
        process.send(lines[1] + lines[2])
        self.until(lambda: self.log().senders() == ['client'] * 3, 'the entries')
        self.release('go')
        process.finish(0, b'late\n',
                       harness.recording('L', harness.message('forwarding to the server')))
        log = self.log()
        log.same('client', lines)
        self.assertEqual(log.senders(), ['client'] * 3 + ['server'])

    def test_the_hosts_output_breaks(self):
        """One line on stderr; the session goes on, commits too."""
        session = self.session('--commit', *GUARDS)
        session.process.close_stdout()
        session.host_lines = None
        session.put(notification('n')).put(notification('n'))
        session.process.expect_err(b'stretto-proxy: forwarding to the client: ')
        session.send(commit(1, ('t', {}))).server(own(1, 't')).put(result('stretto-1', 'x'))
        session.send(call(2, 'cancel_pending_order', {}), request(3, 'ping'))
        session.server(request(3, 'ping'))
        # The commit's report is made before the host's next line is read.
        log = session.finish(err=None)
        self.assertEqual(len(log.bodies('proxy')), 3)
        self.assertEqual(session.process.err().count(b'forwarding to the client'), 1)

    @rows(*SIGNALS)
    def test_a_signal_while_commits_wait(self, number):
        """A commit answers with what it has; the proxy ends by the signal."""
        session = self.session('--commit')
        session.send(commit(1, ('a', {}), ('b', {}), ('c', {})), commit(2, ('t', {})))
        session.server(own(1, 'a'), own(2, 't')).put(result('stretto-1', 'A'))
        session.server(own(3, 'b'))
        os.kill(session.pid, number)
        got = [session.host_value(), session.host_value()]
        self.assertEqual(sorted(got, key=lambda one: one['id']), [
            report(1, 'a {}:\nA', 'b {} got no answer from the server', 'c {} was not run'),
            report(2, ENDED['t'])])
        # The relay has the signal, too, and ends by it.
        self.assertTrue(session.inward.wait(lambda data, ended: ended))
        session.hang_up()
        log = session.ended(-number)
        self.assertEqual(log.senders(), ['client', 'proxy', 'client', 'proxy', 'server', 'proxy',
                                         'proxy', 'proxy'])

    def test_a_signal_and_a_server_that_takes_its_time(self):
        """What it still writes goes on to the host, an answer that a commit gave up on too."""
        server = self.server('''
trap(signal.SIGTERM)
get_line()
note('asked')
rest = get_all()
wait_for('signals')
note('rest', rest)
put(b'{"jsonrpc":"2.0","method":"bye"}\\n')
sys.exit(3)
''')
        process = self.proxy('--record', 'L', '--commit', '--', *server)
        process.send(active.line_of(commit(1, ('t', {}))))
        self.wait_note('asked')
        os.kill(process.pid, signal.SIGTERM)
        process.expect(active.line_of(report(1, ENDED['t'])) +
                       b'{"jsonrpc":"2.0","method":"bye"}\n')
        process.finish(-signal.SIGTERM, None, harness.recording('L'))
        self.assertEqual(self.noted('signals'), b'%d\n' % signal.SIGTERM)
        self.assertEqual(self.noted('rest'), b'')
        self.assertEqual(self.log().senders(), ['client', 'proxy', 'proxy', 'server'])

    def test_a_signal_that_was_ignored_stays_ignored(self):
        session = self.session('--commit', preexec=lambda: signal.signal(signal.SIGHUP,
                                                                         signal.SIG_IGN))
        session.send(commit(1, ('t', {}))).server(own(1, 't'))
        os.kill(session.pid, signal.SIGHUP)
        session.fence().put(result('stretto-1', 'x')).host(result(1, 't {}:\nx'))
        session.finish()

    def test_the_log_of_everything_at_once(self):
        """Each entry is there, in an order that each side can have seen."""
        session = self.session('--commit', '--context', 'C', *GUARDS)
        for i in range(30):
            self.say(active.said('user', 'message %d' % i))
            session.send(call('a%d' % i, 'x', {}), call('r%d' % i, 'cancel_pending_order', {}),
                         commit('c%d' % i, ('y', {'i': i})))
            session.server(call('a%d' % i, 'x', {}), own(i + 1, 'y', {'i': i}))
            session.host_value()
            session.put(result('stretto-%d' % (i + 1), 'Y'), result('a%d' % i, 'X'))
            session.host(result('c%d' % i, 'y {"i":%d}:\nY' % i), result('a%d' % i, 'X'))
        log = session.finish(err=[b'refused [^\n]*'] * 30)
        self.assertEqual(log.senders(), [
            'context', 'client', 'client', 'proxy', 'client', 'proxy', 'server', 'proxy',
            'server'] * 30)

    @rows(*OPTIONS)
    def test_a_log_that_cannot_be_written(self, options):
        """Recording stops, the session does not."""
        import resource

        def small():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        process = self.proxy('--record', 'L', *options, '--', 'cat', preexec=small)
        line = active.line_of(call(1, 'x', {'text': 'y' * 3000}))
        process.send(line * 5)
        process.expect(line * 5)
        process.finish(0, line * 5, re.compile(
            rb'stretto-proxy: recording to [^\n]*\nstretto-proxy: recording stopped: writing '
            rb'[^\n]*\n'))


class Upstream(http_server.UpstreamCase):
    """The same over HTTP."""

    def texts(self, session, id):
        value = session.answer(id)['result']
        return value['isError'], value['content'][0]['text']

    def test_a_commit(self):
        server = self.serve()
        server.on('tools/call', lambda x: x.json(result(x.message['id'], 'A')),
                  lambda x: x.json(result(x.message['id'], 'B', error=True)))
        session = self.session(server, '--commit')
        session.open()
        session.send(commit(5, ('t', {'x': 1}), ('u',), ('v', {})))
        self.assertEqual(self.texts(session, 5),
                         (True, 't {"x":1}:\nA\n\nu {} (error):\nB\n\nv {} was not run'))
        made = [own(1, 't', {'x': 1}), own(2, 'u')]
        self.assertEqual([r.body + b'\n' for r in server.got('tools/call')],
                         [active.line_of(one) for one in made])
        self.assertEqual([r.header('Mcp-Session-Id') for r in server.got('tools/call')],
                         ['s1'] * 2)
        report_line = session.answer_line(5)
        session.end(own=[active.line_of(one) for one in made] + [report_line],
                    kept=[http_server.compact(result('stretto-1', 'A')),
                          http_server.compact(result('stretto-2', 'B', error=True))])

    def test_an_event_stream_answers_a_commit(self):
        server = self.serve()
        progress = notification('notifications/progress', n=1)

        def stream(x):
            x.stream()
            x.event(progress)
            x.event(result(x.message['id'], 'A'))
            x.end()

        server.on('tools/call', stream)
        session = self.session(server, '--commit')
        session.send(commit(5, ('t', {})))
        self.assertEqual(self.texts(session, 5), (False, 't {}:\nA'))
        session.line(http_server.compact(progress))
        session.end(own=[active.line_of(own(1, 't')), session.answer_line(5)],
                    kept=[http_server.compact(result('stretto-1', 'A'))])

    def test_a_server_that_cannot_be_reached(self):
        """The error that the proxy makes up is the server's answer to the commit."""
        url = 'http://127.0.0.1:%d/' % self.dead_port()
        session = self.session(url, '--commit')
        session.send(commit(5, ('t', {}), ('u', {})))
        text = 'stretto-proxy: ' + http_server.UNREACHED
        self.assertEqual(self.texts(session, 5),
                         (True, 't {} (error):\n%s\n\nu {} was not run' % text))
        session.process.close_stdin()
        self.assertEqual(session.process.wait(), 0)

    def test_listing(self):
        server = self.serve()
        server.on('tools/list', lambda x: x.result({'tools': [{'name': 'lookup'}]}))
        session = self.session(server, '--commit')
        session.call(1, 'tools/list')
        tools = session.answer(1)['result']['tools']
        self.assertEqual([one['name'] for one in tools], ['lookup', 'stretto_commit'])
        line = session.answer_line(1)
        session.end(own=[line], kept=[http_server.compact(
            {'jsonrpc': '2.0', 'id': 1, 'result': {'tools': [{'name': 'lookup'}]}})])

    def test_guards(self):
        server = self.serve()
        server.on('tools/call', lambda x: x.json(result(x.message['id'], 'x')))
        session = self.session(server, *GUARDS)
        session.send(call(1, 'cancel_pending_order', {'reason': 'no longer needed'}))
        reasons = NOBODY
        line = session.answer_line(1)
        self.assertEqual(json.loads(line), refusal(1, 'cancel_pending_order', reasons))
        session.send(call(2, 'get_x', {}))
        self.assertEqual(self.texts(session, 2), (False, 'x'))
        self.assertEqual([r.message['id'] for r in server.got()], [2])
        session.end(own=[line], err=[re.compile(
            refused_line('cancel_pending_order', reasons).decode())])

    def test_a_batch_is_taken_apart(self):
        server = self.serve()
        session = self.session(server, *GUARDS, record=False)
        bad = active.line_of(call(1, 'cancel_pending_order', {}))[:-1]
        good = b'{ "id":2,"method":"tools/call","params":{"name":"get_x"} }'
        session.send(b'[' + bad + b',' + good + b']')
        session.result(2)
        self.assertTrue(session.answer(1)['result']['isError'])
        session.send(b'[{"id":3,"method":"ping"}]')
        session.answer(3)
        self.assertEqual(sorted(r.body for r in server.got()),
                         sorted([good, b'[{"id":3,"method":"ping"}]']))
        session.process.finish(0, None, re.compile(rb'stretto-proxy: refused [^\n]*\n'))

    def test_what_cannot_be_read_is_not_posted(self):
        server = self.serve()
        session = self.session(server, *GUARDS, record=False)
        session.process.send(b'not json\n\n \t\n{"id":1,"method":"a","method":"b"}\n')
        session.wait(lambda lines: len(lines) == 2, 'two errors')
        self.assertEqual([(json.loads(line)['id'], json.loads(line)['error']['code'])
                          for line in session.lines()], [(None, -32700), (1, -32600)])
        self.assertEqual(server.got(), [])
        session.process.finish(0, None, re.compile(rb'(stretto-proxy: [^\n]*\n){2}'))

    def test_the_host_closes_its_end_during_a_commit(self):
        server = self.serve()

        def slow(x):
            x.wait_for('go')
            x.json(result(x.message['id'], 'A'))

        server.on('tools/call', slow)
        session = self.session(server, '--commit', '--context', 'C')
        session.send(commit(1, ('t', {}), ('u', {})))
        server.wait_got('tools/call')
        self.write('C', active.said('user', 'the last word'))
        session.process.close_stdin()
        # The conversation is read once more when the end of the host's lines has been seen.
        log = os.path.join(session.record, os.listdir(session.record)[0])
        self.until(lambda: b'the last word' in self.read(log), 'the context entry')
        server.release('go')
        self.assertEqual(self.texts(session, 1),
                         (True, 't {}:\nA\n\nu {} got no answer from the server'))
        self.assertEqual(session.process.wait(), 0)
        self.assertEqual(len(server.got('tools/call')), 1)

    @rows(*SIGNALS)
    def test_a_signal_during_a_commit(self, number):
        server = self.serve()
        server.on('tools/call', lambda x: x.wait_for('never'))
        session = self.session(server, '--commit', record=False)
        session.open()
        session.send(commit(1, ('t', {})))
        server.wait_got('tools/call')
        os.kill(session.pid, number)
        self.assertEqual(self.texts(session, 1), (True, ENDED['t']))
        self.assertEqual(session.process.wait(), -number)
        server.wait_got('DELETE')
        server.release('never')

    def test_context(self):
        server = self.serve()
        self.write('C', active.said('user', 'Hi'))
        session = self.session(server, '--context', 'C')
        session.call(1).result(1)
        session.process.close_stdin()
        self.assertEqual(session.process.wait(), 0)
        name = os.path.join(session.record, os.listdir(session.record)[0])
        self.assertEqual(active.Log(self, name).senders(), ['context', 'client', 'server'])

    # Chapter 06 §5.

    META = {'io.modelcontextprotocol/clientCapabilities': {}, 'x/y': [1]}

    def modern(self, message, **meta):
        params = dict(message['params'])
        return http_server.modern(message['id'], message['method'], params,
                                  meta={**self.META, **meta})

    def test_a_modern_refusal(self):
        server = self.serve()
        session = self.session(server, *GUARDS, record=False)
        session.send(self.modern(call(1, 'cancel_pending_order', {'reason': 'no longer needed'})))
        wanted = refusal(1, 'cancel_pending_order', NOBODY)
        wanted['result']['resultType'] = 'complete'
        self.assertEqual(session.answer(1), wanted)
        session.process.finish(0, None, re.compile(rb'stretto-proxy: refused [^\n]*\n'))
        self.assertEqual(server.got(), [])

    def test_a_modern_commit(self):
        """The proxy's own requests carry the call's _meta less the progress token."""
        server = self.serve()
        server.on('tools/call', lambda x: x.json(result(x.message['id'], 'A')))
        session = self.session(server, '--commit', record=False)
        ask = self.modern(commit(1, ('t', {'x': 1})), progressToken=7)
        session.send(ask)
        self.assertEqual(session.answer(1)['result'], {
            'content': [{'text': 't {"x":1}:\nA', 'type': 'text'}], 'isError': False,
            'resultType': 'complete'})
        got = server.got('tools/call')[0]
        meta = dict(ask['params']['_meta'])
        del meta['progressToken']
        self.assertEqual(got.message, own(1, 't', {'x': 1}, _meta=meta))
        self.assertEqual((got.header('Mcp-Method'), got.header('Mcp-Name'),
                          got.header('MCP-Protocol-Version')), ('tools/call', 't', '2026-07-28'))
        session.process.finish(0, None, b'')

    def test_input_required_ends_a_commit(self):
        server = self.serve()
        server.on('tools/call', lambda x: x.json({'jsonrpc': '2.0', 'id': x.message['id'],
                                                  'result': {'resultType': 'input_required',
                                                             'inputRequests': {}}}))
        session = self.session(server, '--commit', record=False)
        session.send(self.modern(commit(1, ('t', {}), ('u', {}))))
        self.assertEqual(self.texts(session, 1), (True, 't {} (error):\n\n\nu {} was not run'))
        self.assertEqual(len(server.got('tools/call')), 1)
        session.process.finish(0, None, b'')


if __name__ == '__main__':
    harness.main()
