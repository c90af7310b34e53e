#!/usr/bin/env python3
"""Ends, signals and exit statuses: chapter 01 §§5 and 6, ruling R4."""

import os
import re
import resource
import select
import signal

import harness
from harness import Case, message, recording, rows

TERM, INT, HUP = signal.SIGTERM, signal.SIGINT, signal.SIGHUP
SIGNALS = [('TERM', TERM), ('INT', INT), ('HUP', HUP)]
MODES = [('plain', []), ('recording', ['--record', 'L'])]


def both_modes(*table):
    return rows(*[(row[0] + ', ' + name, args, *row[1:]) for row in table for name, args in MODES])


class Ends(Case):
    def err_of(self, args, *more):
        if args:
            return recording('L', *more)
        return re.compile(b''.join(more), re.DOTALL)

    def check_log(self, args, client=None, server=None):
        if args:
            self.log().check(client=client, server=server)


class Rows(Ends):
    """The table of §5, A to I and K."""

    @both_modes(('host closes stdin',))
    def test_a(self, args):
        server = self.server('''
data = get_all()
put(data)
wait_for('go')
os.close(0)
put(b'after the end\\nlast')
sys.exit(7)
''')
        process = self.proxy(*args, '--', *server)
        process.send(b'one\ntwo')
        process.close_stdin()
        # The server answers after the end only: it has come, with the last line before it.
        self.until(lambda: process.out().startswith(b'one\n'), 'the first line')
        self.release('go')
        process.finish(7, b'one\ntwoafter the end\nlast', self.err_of(args))
        self.check_log(args, [b'one\n', b'two'], [b'one\n', b'twoafter the end\n', b'last'])

    @both_modes(('stdin is empty',))
    def test_a_empty(self, args):
        self.run_proxy(*args, '--', 'sh', '-c', 'cat; echo end; exit 7', stdin='null',
                       out=b'end\n', code=7, err=self.err_of(args))
        self.check_log(args, [], [b'end\n'])

    @both_modes(('server closes stdout, then exits late',))
    def test_a_waits_for_the_exit(self, args):
        server = self.server('''
get_all()
put(b'x\\n')
os.close(1)
note('closed')
wait_for('go')
sys.exit(7)
''')
        process = self.proxy(*args, '--', *server)
        process.close_stdin()
        self.wait_note('closed')
        process.expect(b'x\n')
        self.assertTrue(process.running())
        self.release('go')
        process.finish(7, b'x\n', self.err_of(args))

    @both_modes(('server exits first',))
    def test_b(self, args):
        data = b''.join(b'%06d\n' % i for i in range(100000)) + b'last'
        self.write('data', data)
        process = self.proxy(*args, '--', 'sh', '-c', 'cat data; exit 9')
        self.assertEqual(process.wait(), 9)
        process.finish(9, data, self.err_of(args))
        if args:
            self.assertEqual(len(self.log().bodies('server')), 100001)

    @both_modes(('server exits first, host sent an unfinished line',))
    def test_b_unfinished_line(self, args):
        process = self.proxy(*args, '--', 'sh', '-c', 'read x; echo "$x"; exit 9')
        process.send(b'line\npart')
        self.assertEqual(process.wait(), 9)
        process.finish(9, b'line\n', self.err_of(args, b'(', message('forwarding to the server'),
                                                 b')?'))

    @both_modes(('server exits first, the host reads late',))
    def test_b_host_reads_late(self, args):
        data = b'x' * 999 + b'\n'
        r, w = self.pipe()
        server = self.server('put((b"x" * 999 + b"\\n") * 700)\nsys.exit(9)')
        process = self.proxy(*args, '--', *server, stdout=w)
        self.drop(w)
        self.until(lambda: harness.waiting(r) > 50000, 'the way out to fill up')
        self.until_steady(lambda: harness.waiting(r))
        self.assertTrue(process.running())
        stream = harness.Stream(os.dup(r))
        self.drop(r)
        process.stdout = stream
        process.finish(9, data * 700, self.err_of(args))

    @both_modes(('server is killed', ))
    def test_b_killed(self, args):
        process = self.proxy(*args, '--', 'sh', '-c', 'echo $$; exec cat')
        self.until(lambda: process.out().endswith(b'\n'), 'the process id')
        os.kill(int(process.out()), signal.SIGKILL)
        self.assertEqual(process.wait(), 137)
        process.finish(137, None, self.err_of(args))

    @both_modes(('server closes stdout but lives',))
    def test_c(self, args):
        server = self.server('''
put(b'first\\n')
os.close(1)
note('closed')
note('got', get_all())
sys.exit(5)
''')
        r, w = self.pipe()
        process = self.proxy(*args, '--', *server, stdout=w)
        self.drop(w)
        self.wait_note('closed')
        self.assertEqual(os.read(r, 100), b'first\n')
        sent = []
        for i in range(200):
            sent.append(b'%d\n' % i)
            process.send(sent[-1])
        # The proxy's own stdout stays open.
        poller = select.poll()
        poller.register(r, select.POLLIN)
        self.assertEqual(poller.poll(200), [])
        sent.append(b'last')
        process.send(b'last')
        process.finish(5, err=self.err_of(args))
        self.assertEqual(os.read(r, 100), b'')
        self.assertEqual(self.noted('got'), b''.join(sent))
        self.check_log(args, sent, [b'first\n'])

    @both_modes(('server closes stdout and exits by itself',))
    def test_c_ends_with_the_server(self, args):
        process = self.proxy(*args, '--', *self.server(
            'os.close(1); get_line(); note("line"); sys.exit(5)'))
        process.send(b'x\n')
        self.assertEqual(process.wait(), 5)
        process.finish(5, b'', self.err_of(args))
        self.check_log(args, [b'x\n'], [])

    def test_reading_end_is_closed_after_the_end(self):
        """A server that writes again after its stdout had ended gets an error."""
        server = self.server('''
reading = os.open('/proc/self/fd/1', os.O_RDONLY | os.O_NONBLOCK)
os.close(1)
writing = None
end = time.monotonic() + 300
while time.monotonic() < end:
    # The proxy has seen the end when no reader but this one is left.
    writing = os.open('/proc/self/fd/%d' % reading, os.O_WRONLY | os.O_NONBLOCK)
    os.close(writing)
    note('tried')
    if os.path.exists(os.path.join(FOLDER, 'go')):
        break
    time.sleep(0.01)
os.close(0)
path = b'/proc/self/fd/%d' % reading
writing = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
os.close(reading)
try:
    os.write(writing, b'x')
    sys.exit(1)
except BrokenPipeError:
    sys.exit(4)
''')
        process = self.proxy('--record', 'L', '--', *server)
        self.wait_note('tried')
        self.until_steady(lambda: self.n_descriptors(process.pid))
        self.release('go')
        process.finish(4, b'', recording('L'))

    def n_descriptors(self, pid):
        return len(os.listdir('/proc/%d/fd' % pid))

    @both_modes(('server closes stdin but lives',))
    def test_d(self, args):
        server = self.server('os.close(0); put(b"ready\\n"); wait_for("go"); put(b"x\\n");'
                             ' sys.exit(6)')
        process = self.proxy(*args, '--', *server)
        process.expect(b'ready\n')
        process.send(b'a\n')
        process.expect_err(b'forwarding to the server: ')
        for _ in range(100):
            process.send(b'b\n')
        process.send(b'c')
        process.close_stdin()
        self.release('go')
        process.finish(6, b'ready\nx\n', self.err_of(args, message('forwarding to the server')))
        if args:
            self.log().check(server=[b'ready\n', b'x\n'])
            self.assertEqual(self.log().bodies('client')[0], b'"raw":"a"')

    @both_modes(('server closes stdin, the host sends much',))
    def test_d_much(self, args):
        """All of it is taken and recorded while the server lives."""
        server = self.server('os.close(0); put(b"ready\\n"); wait_for("go"); sys.exit(6)')
        process = self.proxy(*args, '--', *server)
        process.expect(b'ready\n')
        lines = [b'%07d\n' % i for i in range(100000)]
        process.send(b''.join(lines))
        if args:
            self.until(lambda: os.path.getsize(self.logs()[0]) > 100000 * 30, 'the log to grow')
            self.until_steady(lambda: os.path.getsize(self.logs()[0]))
        self.release('go')
        process.finish(6, b'ready\n', self.err_of(args, message('forwarding to the server')))
        self.check_log(args, lines, [b'ready\n'])

    @both_modes(('host closes its end of stdout',))
    def test_e(self, args):
        server = self.server('''
put(b'ready\\n')
wait_for('go')
for i in range(10000):
    put(b'%07d\\n' % i)
note('wrote')
note('got', get_all())
sys.exit(8)
''')
        process = self.proxy(*args, '--', *server)
        process.expect(b'ready\n')
        process.close_stdout()
        self.release('go')
        self.wait_note('wrote')
        process.expect_err(b'forwarding to the client: ')
        process.send(b'x\n')
        process.finish(8, err=self.err_of(args, message('forwarding to the client')))
        self.assertEqual(self.noted('got'), b'x\n')
        self.check_log(args, [b'x\n'], [b'ready\n'] + [b'%07d\n' % i for i in range(10000)])

    @both_modes(('host dies', ))
    def test_g(self, args):
        server = self.server('''
put(b'ready\\n')
data = get_all()
for i in range(5000):
    put(b'%07d\\n' % i)
note('got', data)
sys.exit(8)
''')
        process = self.proxy(*args, '--', *server)
        process.expect(b'ready\n')
        process.send(b'x\ny')
        process.close_stdout()
        process.finish(8, err=self.err_of(args, message('forwarding to the client')))
        self.assertEqual(self.noted('got'), b'x\ny')
        self.check_log(args, [b'x\n', b'y'], [b'ready\n'] + [b'%07d\n' % i for i in range(5000)])

    @both_modes(('host dies, the server says nothing more',))
    def test_g_quiet(self, args):
        process = self.proxy(*args, '--', *self.server('put(b"ready\\n"); get_all(); sys.exit(8)'))
        process.expect(b'ready\n')
        process.close_stdout()
        process.finish(8, err=self.err_of(args))

    @both_modes(('server ignores the end of stdin',))
    def test_h(self, args):
        """It outlives the end by more than the 3 s that a signal would give it."""
        server = self.server('''
get_all()
time.sleep(3.6)
put(b'still here\\n')
sys.exit(11)
''')
        process = self.proxy(*args, '--', *server)
        process.send(b'x\n')
        process.close_stdin()
        process.finish(11, b'still here\n', self.err_of(args))

    DESCENDANT = '''
parent = os.getpid()
if os.fork() == 0:
    while os.getppid() == parent:
        time.sleep(0.005)
    %s
    os._exit(0)
sys.exit(3)
'''

    @both_modes(('both directions go on',))
    def test_i(self, args):
        server = self.server(self.DESCENDANT % '''
    put(b'alone\\n')
    line = get_line()
    put(b'got ' + line)
    put(b'rest ' + get_all() + b'\\n')
''')
        process = self.proxy(*args, '--', *server)
        process.expect(b'alone\n')
        self.assertTrue(process.running())
        process.send(b'hello\n')
        process.expect(b'alone\ngot hello\n')
        process.send(b'x\ny')
        process.finish(3, b'alone\ngot hello\nrest x\ny\n', self.err_of(args))
        self.check_log(args, [b'hello\n', b'x\n', b'y'],
                       [b'alone\n', b'got hello\n', b'rest x\n', b'y\n'])

    @both_modes(('the end of the pipe counts',))
    def test_i_end_of_the_pipe(self, args):
        server = self.server(self.DESCENDANT % '''
    os.close(0)
    note('alone')
    wait_for('go')
    put(b'late\\n')
''')
        process = self.proxy(*args, '--', *server)
        self.wait_note('alone')
        self.assertTrue(process.running())
        self.release('go')
        self.assertEqual(process.wait(), 3)
        process.finish(3, b'late\n', self.err_of(args))
        self.check_log(args, [], [b'late\n'])

    @both_modes(('a descendant that holds stdin only',))
    def test_i_stdin_only(self, args):
        server = self.server(self.DESCENDANT % '''
    os.close(1)
    os.close(2)
    note('alone')
    wait_for('go')
''')
        process = self.proxy(*args, '--', *server)
        self.assertEqual(process.wait(), 3)
        self.release('go')
        process.finish(3, b'', self.err_of(args))

    @both_modes(('a descendant that holds stderr only',))
    def test_i_stderr_only(self, args):
        server = self.server(self.DESCENDANT % '''
    os.close(0)
    os.close(1)
    wait_for('go')
''')
        process = self.proxy(*args, '--', *server)
        self.assertEqual(process.wait(), 3)
        self.release('go')
        process.finish(3, b'', self.err_of(args))

    @both_modes(('session',))
    def test_k(self, args):
        process = self.proxy(*args, '--', 'cat')
        process.send(b'a\n')
        process.expect(b'a\n')
        os.kill(process.pid, signal.SIGPIPE)
        process.send(b'b\n')
        process.expect(b'a\nb\n')
        process.finish(0, b'a\nb\n', self.err_of(args))

    @rows(('WINCH', signal.SIGWINCH), ('CONT', signal.SIGCONT), ('URG', signal.SIGURG),
          ('CHLD', signal.SIGCHLD))
    def test_harmless_signal(self, number):
        process = self.proxy('--', 'cat')
        process.send(b'a\n')
        process.expect(b'a\n')
        os.kill(process.pid, number)
        process.send(b'b\n')
        process.finish(0, b'a\nb\n')

    def test_stopped_and_continued(self):
        process = self.proxy('--', 'cat')
        process.send(b'a\n')
        process.expect(b'a\n')
        os.kill(process.pid, signal.SIGSTOP)
        process.send(b'b\n')
        os.kill(process.pid, signal.SIGCONT)
        process.finish(0, b'a\nb\n')


class Signals(Ends):
    """Row J and ruling R4."""

    @rows(*[('%s, %s' % (name, mode), args, number)
            for name, number in SIGNALS for mode, args in MODES])
    def test_passed_on(self, args, number):
        """The server gets the same signal, once; what it still writes comes through."""
        server = self.server('''
trap(1, 2, 15)
put(b'ready\\n')
rest = get_all()
wait_for('signals')
put(b'bye ' + rest + b'\\nlast')
sys.exit(0)
''')
        process = self.proxy(*args, '--', *server)
        process.expect(b'ready\n')
        os.kill(process.pid, number)
        # The host keeps its end open: the end that the server sees is the proxy's doing.
        self.assertEqual(process.wait(), -number)
        process.finish(-number, b'ready\nbye \nlast', self.err_of(args))
        self.assertEqual(self.noted('signals'), b'%d\n' % number)
        self.check_log(args, [], [b'ready\n', b'bye \n', b'last'])

    @rows(*SIGNALS)
    def test_server_dies_of_it(self, number):
        process = self.proxy('--', 'sh', '-c', 'echo ready; exec cat')
        process.expect(b'ready\n')
        os.kill(process.pid, number)
        self.assertEqual(process.wait(), -number)
        process.finish(-number, b'ready\n')

    @rows(*SIGNALS)
    def test_servers_status_does_not_count(self, number):
        server = self.server('trap(1, 2, 15); put(b"ready\\n"); get_all(); sys.exit(3)')
        process = self.proxy('--', *server)
        process.expect(b'ready\n')
        os.kill(process.pid, number)
        self.assertEqual(process.wait(), -number)

    @both_modes(('session',))
    def test_server_that_ignores_everything_is_killed(self, args):
        server = self.server('''
for number in (1, 2, 15):
    signal.signal(number, signal.SIG_IGN)
note('pid', b'%d' % os.getpid())
put(b'ready\\n')
while True:
    time.sleep(1)
''')
        process = self.proxy(*args, '--', *server)
        process.expect(b'ready\n')
        os.kill(process.pid, TERM)
        self.assertEqual(process.wait(), -TERM)
        pid = int(self.noted('pid'))
        self.until(lambda: not harness.alive(pid), 'the server to be dead')
        process.finish(-TERM, b'ready\n', self.err_of(args))

    @both_modes(('session',))
    def test_server_has_time(self, args):
        """A server that takes a second and a half to end is not killed before."""
        server = self.server('''
trap(1, 2, 15)
put(b'ready\\n')
get_all()
time.sleep(1.5)
put(b'bye\\n')
''')
        process = self.proxy(*args, '--', *server)
        process.expect(b'ready\n')
        os.kill(process.pid, TERM)
        self.assertEqual(process.wait(), -TERM)
        process.finish(-TERM, b'ready\nbye\n', self.err_of(args))
        self.check_log(args, [], [b'ready\n', b'bye\n'])

    @both_modes(('session',))
    def test_flood_until_it_is_killed(self, args):
        """Nobody reads what the server writes: the proxy ends all the same."""
        server = self.server('''
for number in (1, 2, 15):
    signal.signal(number, signal.SIG_IGN)
note('pid', b'%d' % os.getpid())
put(b'ready\\n')
while True:
    put(b'x' * 999 + b'\\n')
''')
        r, w = self.pipe()
        process = self.proxy(*args, '--', *server, stdout=w)
        self.drop(w)
        self.until(lambda: harness.waiting(r) > 50000, 'the way out to fill up')
        os.kill(process.pid, TERM)
        self.assertEqual(process.wait(), -TERM)
        pid = int(self.noted('pid'))
        self.until(lambda: not harness.alive(pid), 'the server to be dead')
        process.finish(-TERM, err=self.err_of(args))

    @both_modes(('another', INT), ('the same', TERM), ('a hangup', HUP))
    def test_second_signal(self, args, second):
        """It ends the proxy at once, before the server would be killed."""
        server = self.server('''
def on(number, frame):
    note('signals', b'%d\\n' % number)
for number in (1, 2, 15):
    signal.signal(number, on)
note('pid', b'%d' % os.getpid())
put(b'ready\\n')
while True:
    time.sleep(1)
''')
        process = self.proxy(*args, '--', *server)
        process.expect(b'ready\n')
        os.kill(process.pid, TERM)
        self.wait_note('signals', b'15\n')
        os.kill(process.pid, second)
        self.assertEqual(process.wait(), -second)
        self.assertTrue(harness.alive(int(self.noted('pid'))), 'the server was killed first')

    @rows(*SIGNALS)
    def test_ignored_at_start_stays_ignored(self, number):
        server = self.server('''
trap(1, 2, 15)
while True:
    line = get_line()
    if not line:
        break
    put(line)
sys.exit(5)
''')
        process = self.proxy('--', *server,
                             preexec=lambda: signal.signal(number, signal.SIG_IGN))
        process.send(b'a\n')
        process.expect(b'a\n')
        os.kill(process.pid, number)
        process.send(b'b\n')
        process.expect(b'a\nb\n')
        self.assertIsNone(self.noted('signals'))
        process.finish(5, b'a\nb\n')

    def test_one_ignored_another_not(self):
        process = self.proxy('--', 'cat', preexec=lambda: signal.signal(HUP, signal.SIG_IGN))
        process.send(b'a\n')
        process.expect(b'a\n')
        os.kill(process.pid, HUP)
        process.send(b'b\n')
        process.expect(b'a\nb\n')
        os.kill(process.pid, TERM)
        self.assertEqual(process.wait(), -TERM)

    def test_quit_keeps_its_default(self):
        process = self.proxy('--', 'sh', '-c', 'trap "" QUIT; echo ready; exec cat',
                             preexec=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
        process.expect(b'ready\n')
        os.kill(process.pid, signal.SIGQUIT)
        self.assertEqual(process.wait(), -signal.SIGQUIT)

    @rows(('INT is the terminal\'s to send', INT, None), ('TERM', TERM, b'15\n'),
          ('HUP', HUP, b'1\n'))
    def test_terminal_on_stdin(self, number, wanted):
        master, slave = self.pty()
        server = self.server('''
trap(1, 2, 15)
put(b'ready\\n')
rest = get_all()
# A signal sent before the pipe was closed has been delivered by now, one sent after it soon is.
time.sleep(0.5)
put(b'end\\n')
''')
        process = self.proxy('--', *server, stdin=slave)
        process.expect(b'ready\n')
        os.kill(process.pid, number)
        self.assertEqual(process.wait(), -number)
        process.finish(-number, b'ready\nend\n')
        self.assertEqual(self.noted('signals'), wanted)
        self.drop(master)

    def test_interrupt_typed_at_the_terminal(self):
        """Ctrl-C reaches the whole group; the server gets it once."""
        launcher = self.write('launch.py', b'''
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
''')
        master, slave = self.pty(raw=False)
        server = self.server('trap(1, 2, 15); put(b"ready\\n"); get_all(); time.sleep(0.5);'
                             ' put(b"end\\n")')
        process = self.start([*harness.PYTHON, launcher, *harness.WRAPPER, harness.PROXY, '--',
                              *server], stdin=slave)
        process.expect(b'ready\n')
        os.write(master, b'\x03')
        self.assertEqual(process.wait(), -INT)
        process.finish(-INT, b'ready\nend\n')
        self.assertEqual(self.noted('signals'), b'2\n')

    @both_modes(('session',))
    def test_descendant_holds_stdout(self, args):
        """The server is gone, what it left holds its stdout: 3 s at most."""
        server = self.server('''
if os.fork() == 0:
    for number in (1, 2, 15):
        signal.signal(number, signal.SIG_IGN)
    note('pid', b'%d' % os.getpid())
    put(b'ready\\n')
    while True:
        time.sleep(1)
get_all()
''')
        process = self.proxy(*args, '--', *server, stderr='null')
        process.expect(b'ready\n')
        os.kill(process.pid, TERM)
        self.assertEqual(process.wait(), -TERM)
        self.assertTrue(harness.alive(int(self.noted('pid'))))
        self.assertEqual(process.out(), b'ready\n')

    @both_modes(('session',))
    def test_descendant_still_writes(self, args):
        server = self.server('''
parent = os.getpid()
if os.fork() == 0:
    for number in (1, 2, 15):
        signal.signal(number, signal.SIG_IGN)
    put(b'ready\\n')
    while os.getppid() == parent:
        time.sleep(0.005)
    time.sleep(0.5)
    put(b'late\\n')
    os._exit(0)
get_all()
''')
        process = self.proxy(*args, '--', *server)
        process.expect(b'ready\n')
        os.kill(process.pid, TERM)
        self.assertEqual(process.wait(), -TERM)
        process.finish(-TERM, b'ready\nlate\n', self.err_of(args))
        self.check_log(args, [], [b'ready\n', b'late\n'])

    def test_log_is_drained(self):
        lines = [b'%d %s\n' % (i, b'y' * 100) for i in range(20000)]
        server = self.server('''
trap(1, 2, 15)
put(b'ready\\n')
get_all()
wait_for('signals')
for i in range(20000):
    put(b'%d %s\\n' % (i, b'y' * 100))
''')
        process = self.proxy('--record', 'L', '--', *server)
        process.expect(b'ready\n')
        os.kill(process.pid, TERM)
        self.assertEqual(process.wait(), -TERM)
        process.finish(-TERM, b'ready\n' + b''.join(lines), recording('L'))
        self.log().check(client=[], server=[b'ready\n'] + lines)

    @both_modes(('session',))
    def test_line_already_read_is_still_written(self, args):
        server = self.server('''
for number in (1, 2, 15):
    signal.signal(number, signal.SIG_IGN)
put(b'ready\\n')
put(b'got ' + get_all() + b'.\\n')
''')
        r, w = self.pipe()
        process = self.proxy(*args, '--', *server, stdin=r)
        process.expect(b'ready\n')
        for i in range(50):
            os.write(w, b'%d\n' % i)
        self.until(lambda: harness.waiting(r) == 0, 'the proxy to read')
        os.kill(process.pid, TERM)
        self.assertEqual(process.wait(), -TERM)
        sent = [b'%d\n' % i for i in range(50)]
        process.finish(-TERM, b'ready\ngot ' + b''.join(sent) + b'.\n', self.err_of(args))
        self.check_log(args, client=sent)

    @both_modes(('session',))
    def test_host_is_no_longer_read(self, args):
        server = self.server('''
trap(1, 2, 15)
put(b'ready\\n')
rest = get_all()
note('end')
wait_for('go')
put(b'got ' + rest + b'\\n')
''')
        r, w = self.pipe()
        process = self.proxy(*args, '--', *server, stdin=r)
        process.expect(b'ready\n')
        os.kill(process.pid, TERM)
        self.wait_note('end')
        os.write(w, b'too late\n')
        self.release('go')
        self.assertEqual(process.wait(), -TERM)
        process.finish(-TERM, b'ready\ngot \n', self.err_of(args))
        self.assertEqual(harness.waiting(r), len(b'too late\n'))
        self.check_log(args, [], [b'ready\n', b'got \n'])

    def test_after_the_host_closed_stdin(self):
        server = self.server('trap(1, 2, 15); get_all(); put(b"end\\n"); wait_for("signals");'
                             ' put(b"bye\\n")')
        process = self.proxy('--', *server)
        process.close_stdin()
        process.expect(b'end\n')
        os.kill(process.pid, TERM)
        self.assertEqual(process.wait(), -TERM)
        process.finish(-TERM, b'end\nbye\n')
        self.assertEqual(self.noted('signals'), b'15\n')

    def test_host_is_gone(self):
        """Signals still work when nobody reads stdout."""
        server = self.server('trap(1, 2, 15); put(b"ready\\n"); get_all(); put(b"end\\n" * 1000)')
        process = self.proxy('--record', 'L', '--', *server)
        process.expect(b'ready\n')
        process.close_stdout()
        os.kill(process.pid, HUP)
        self.assertEqual(process.wait(), -HUP)
        self.log().check(client=[], server=[b'ready\n'] + [b'end\n'] * 1000)

    def test_files_on_stdin_and_stdout(self):
        fd_in = self.open(self.write('in', b'a\nb\n'), os.O_RDONLY)
        fd_out = self.open(self.path('out'), os.O_WRONLY | os.O_CREAT)
        server = self.server('trap(1, 2, 15); put(get_all()); note("read"); wait_for("signals");'
                             ' put(b"bye\\n")')
        process = self.proxy('--', *server, stdin=fd_in, stdout=fd_out)
        self.wait_note('read')
        os.kill(process.pid, TERM)
        self.assertEqual(process.wait(), -TERM)
        self.assertEqual(self.read('out'), b'a\nb\nbye\n')


class Status(Ends):
    """§6."""

    @rows(*[(str(code), code) for code in (0, 1, 2, 3, 42, 124, 125, 126, 127, 128, 129, 137, 254,
                                           255)])
    def test_exit_code(self, code):
        self.run_proxy('--', 'sh', '-c', 'exit %d' % code, stdin='null', code=code, out=b'')

    def test_every_exit_code(self):
        for code in range(0, 256, 17 if harness.WRAPPER else 1):
            with self.subTest(code=code):
                self.run_proxy('--', 'sh', '-c', 'exit %d' % code, stdin='null', code=code)

    @rows(*[(str(int(number)), number) for number in (
        signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGABRT, signal.SIGFPE,
        signal.SIGKILL, signal.SIGUSR1, signal.SIGSEGV, signal.SIGPIPE, signal.SIGALRM,
        signal.SIGTERM, signal.SIGXFSZ, signal.SIGSYS, signal.SIGRTMIN, signal.SIGRTMIN + 5,
        signal.SIGRTMAX)])
    def test_killed_by_signal(self, number):
        server = self.server('signal.signal(int(sys.argv[1]), signal.SIG_DFL)\n'
                             'os.kill(os.getpid(), int(sys.argv[1]))\ntime.sleep(60)\n'
                             if number != signal.SIGKILL else 'os.kill(os.getpid(), 9)',
                             str(int(number)))
        self.run_proxy('--', *server, stdin='null', code=128 + number, out=b'',
                       preexec=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))

    def test_server_dies_of_a_broken_pipe(self):
        """SIGPIPE is default again in the server."""
        self.run_proxy('--', 'sh', '-c', 'kill -PIPE $$; echo survived', stdin='null', code=141,
                       out=b'')

    def test_status_while_children_are_not_waited_for(self):
        """SIGCHLD ignored or blocked in the proxy does not hide the server's status."""
        def ignore():
            signal.signal(signal.SIGCHLD, signal.SIG_IGN)

        def block():
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])

        for prepare in (ignore, block):
            with self.subTest(prepare=prepare.__name__):
                self.run_proxy('--', 'sh', '-c', 'echo x; exit 12', stdin='null', code=12,
                               out=b'x\n', preexec=prepare)

    def test_other_children(self):
        """A child that the proxy was born with, as its starter became it, changes nothing."""
        process = self.start(['sh', '-c', 'sh -c "exit 33" & exec "$@"', 'sh', *harness.WRAPPER,
                              harness.PROXY, '--', 'sh', '-c', 'read x; exit 12'])
        process.send(b'x\n')
        process.finish(12, b'')


if __name__ == '__main__':
    harness.main()
