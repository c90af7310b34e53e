#!/usr/bin/env python3
"""Forwarding: chapter 01 §§3, 4, 9 and 10."""

import hashlib
import os
import random
import re
import resource
import select
import signal
import socket
import struct
import termios

import harness
import log_model
from harness import Case, memory, message, recording, rows

MIB = 1 << 20
ECHO_BYTES = b'a\n\n\r\nb\0c\377\nlast'
SMALL_INPUTS = [
    ('nothing', b''),
    ('the example', ECHO_BYTES),
    ('one empty line', b'\n'),
    ('empty lines', b'\n\n\n\n'),
    ('one byte, no newline', b'x'),
    ('a carriage return only', b'\r'),
    ('carriage returns', b'a\r\n\rb\r\r\n\r'),
    ('a NUL only', b'\0'),
    ('NULs', b'\0\0\n\0\n'),
    ('every byte', bytes(range(256)) * 3),
    ('bad UTF-8', b'\xff\xfe\n\xc0\xaf\n\xed\xa0\x80\n\xf4\x90\x80\x80'),
    ('other line ends', b'a\x0bb\x0cc\xc2\x85d\xe2\x80\xa8e\x1e\x1c\n'),
    ('spaces kept', b'  {"a": 1}  \n\t[ ]\t\n'),
    ('byte-order mark', b'\xef\xbb\xbf{}\n'),
    ('JSON, not touched', b'{"z":1.50,"a":1e2,"a":"\\u0041\\/"}\n'),
]
# With a recorder the rules are stricter, so that most tests are made twice.
MODES = [('plain', []), ('recording', ['--record', 'L'])]


def both_modes(*table):
    return rows(*[(row[0] + ', ' + name, args, *row[1:]) for row in table for name, args in MODES])


class Forward(Case):
    """Helpers: what a session prints with these options."""

    def err_of(self, args, *more):
        if args:
            return recording('L', *more)
        return re.compile(b''.join(more), re.DOTALL)

    def check_log(self, args, client=None, server=None):
        if args:
            self.log().check(client=client, server=server)


class Bytes(Forward):
    @both_modes(*SMALL_INPUTS)
    def test_echo(self, args, data):
        self.run_proxy(*args, '--', 'cat', input=data, out=data, err=self.err_of(args))
        lines = log_model.split_lines(data)
        self.check_log(args, lines, lines)

    @both_modes(('echo',))
    def test_byte_by_byte(self, args):
        data = ECHO_BYTES * 40
        process = self.proxy(*args, '--', 'cat')
        for i in range(len(data)):
            process.send(data[i:i + 1])
        process.finish(0, data, self.err_of(args))
        lines = log_model.split_lines(data)
        self.check_log(args, lines, lines)

    @both_modes(('echo',))
    def test_server_writes_byte_by_byte(self, args):
        data = ECHO_BYTES * 40
        server = self.server('for byte in sys.argv[1].encode("latin-1").replace(b"@", b"\\0"):\n'
                             '    put(bytes([byte]))\n',
                             data.replace(b'\0', b'@').decode('latin-1').encode('utf-8'))
        self.run_proxy(*args, '--', *server, out=data, err=self.err_of(args),
                       env=self.environment(LC_ALL='C.UTF-8'))
        self.check_log(args, [], log_model.split_lines(data))

    @both_modes(('echo',))
    def test_burst(self, args):
        data = (b'%07d\n' * 131072) % tuple(range(131072))
        self.run_proxy(*args, '--', 'cat', input=data, out=data, err=self.err_of(args))
        self.assertEqual(len(data), MIB)
        lines = log_model.split_lines(data)
        self.check_log(args, lines, lines)

    @both_modes(
        ('64 KiB', 1 << 16, b'\n'), ('64 KiB and 1', (1 << 16) + 1, b'\n'),
        ('64 KiB less 1', (1 << 16) - 1, b'\n'), ('1 MiB', MIB, b'\r\n'),
        ('5 MiB, no newline', 5 * MIB, b''), ('very long', harness.large(64 * MIB), b'\n'),
        ('very long, no newline', harness.large(64 * MIB), b''),
    )
    def test_long_line(self, args, size, end):
        data = b'first\n' + b'x' * size + end
        self.run_proxy(*args, '--', 'cat', input=data, out=data, err=self.err_of(args))
        self.check_log(args, log_model.split_lines(data), log_model.split_lines(data))

    @both_modes(
        ('0', b'', b''), ('final newline', b'a\nb\n', b'a\nb\n'), ('none', b'a\nb', b'a\nb'),
        ('only a newline', b'\n', b'\n'),
    )
    def test_server_output(self, args, text, wanted):
        path = self.write('text', text)
        self.run_proxy(*args, '--', 'cat', path, stdin='null', out=wanted, err=self.err_of(args))
        self.check_log(args, [], log_model.split_lines(wanted))

    def test_no_newline_example(self):
        self.run_proxy('--', 'sh', '-c', 'printf "no newline"', stdin='null', out=b'no newline')

    @both_modes(('echo',))
    def test_at_once(self, args):
        """Each line is answered before the next is sent: nothing waits for more."""
        process = self.proxy(*args, '--', 'cat')
        sent = b''
        for i in range(300):
            line = b'%d\n' % i
            process.send(line)
            sent += line
            process.expect(sent)
        process.finish(0, sent, self.err_of(args))

    @both_modes(('echo',))
    def test_complete_line_is_not_held_by_the_next(self, args):
        process = self.proxy(*args, '--', 'cat')
        process.send(b'whole\npart')
        self.until(lambda: process.out().startswith(b'whole\n'), 'the complete line')
        process.send(b'ial\n')
        process.expect(b'whole\npartial\n')
        process.finish(0, b'whole\npartial\n', self.err_of(args))

    def test_unfinished_line_is_held_back(self):
        """With a recorder, the server never sees the part of a line that came first."""
        server = self.server('''
while True:
    part = os.read(0, 1 << 16)
    note('reads', b'%d\\n' % len(part))
    if not part:
        break
    put(part)
''')
        r, w = self.pipe()
        process = self.proxy('--record', 'L', '--', *server, stdin=r)
        os.write(w, b'par')
        self.until(lambda: harness.waiting(r) == 0, 'the proxy to read')
        os.write(w, b'tial\n')
        process.expect(b'partial\n')
        os.write(w, b'end')
        self.until(lambda: harness.waiting(r) == 0, 'the proxy to read')
        self.drop(w)
        process.finish(0, b'partial\nend', recording('L'))
        self.assertEqual(self.noted('reads'), b'8\n3\n0\n')

    def test_unfinished_line_of_the_server_is_held_back(self):
        server = self.server('''
put(b'par')
wait_for('go')
put(b'tial\\n')
get_all()
''')
        r, w = self.pipe()
        process = self.proxy('--record', 'L', '--', *server, stdout=w)
        self.drop(w)
        self.until(lambda: process.err(), 'the start')
        self.assertEqual(select.select([r], [], [], 0.2)[0], [])
        self.release('go')
        self.assertEqual(os.read(r, 100), b'partial\n')
        process.finish(0, err=recording('L'))


class Kinds(Forward):
    """What stdin and stdout may be."""

    DATA = ECHO_BYTES * 5000

    def source(self, kind):
        """A descriptor to read DATA from, and what feeds it once the proxy runs."""
        if kind == 'file':
            return self.open(self.write('in', self.DATA), os.O_RDONLY), None
        if kind == 'pipe':
            return self.pipe()
        if kind == 'socket pair':
            return self.socketpair()
        if kind == 'fifo':
            os.mkfifo(self.path('fifo'))
            w = self.open(self.path('fifo'), os.O_RDWR)
            r = self.open(self.path('fifo'), os.O_RDONLY)
            return r, w
        raise ValueError(kind)

    @both_modes(*[('%s to %s' % (a, b), a, b)
                  for a in ('file', 'pipe', 'socket pair', 'fifo')
                  for b in ('file', 'pipe', 'socket pair')])
    def test_from_to(self, args, kind_in, kind_out):
        fd_in, feeder = self.source(kind_in)
        if kind_out == 'file':
            fd_out = self.open(self.path('out'), os.O_WRONLY | os.O_CREAT)
            reader = None
        else:
            reader, fd_out = self.pipe() if kind_out == 'pipe' else self.socketpair()
        process = self.proxy(*args, '--', 'cat', stdin=fd_in, stdout=fd_out)
        self.drop(fd_out)
        if reader is not None:
            process.stdout = harness.Stream(os.dup(reader))
        if feeder is not None:
            harness.write_all(feeder, self.DATA)
            self.drop(feeder)
        process.finish(0, None if reader is None else self.DATA, self.err_of(args))
        if reader is None:
            self.same(self.read('out'), self.DATA, 'the file')
        lines = log_model.split_lines(self.DATA)
        self.check_log(args, lines, lines)

    @both_modes(('no newline at the end', ECHO_BYTES), ('empty', b''), ('one byte', b'x'),
                ('3 MiB', b'0123456\n' * (3 * MIB // 8)))
    def test_file_to_file(self, args, data):
        fd_in = self.open(self.write('in', data), os.O_RDONLY)
        fd_out = self.open(self.path('out'), os.O_WRONLY | os.O_CREAT)
        self.proxy(*args, '--', 'cat', stdin=fd_in, stdout=fd_out).finish(0, err=self.err_of(args))
        self.same(self.read('out'), data, 'the file')

    def test_file_to_file_by_a_shell(self):
        self.write('in', self.DATA)
        process = self.start(['sh', '-c', '"$@" < in > out', 'sh', *harness.WRAPPER, harness.PROXY,
                              '--', 'cat'])
        process.finish(0, b'', b'')
        self.same(self.read('out'), self.DATA, 'the file')

    def test_file_is_read_from_where_it_stands(self):
        fd = self.open(self.write('in', b'skipped\nread\n'), os.O_RDONLY)
        os.lseek(fd, 8, os.SEEK_SET)
        self.run_proxy('--', 'cat', stdin=fd, out=b'read\n')
        self.assertEqual(os.lseek(fd, 0, os.SEEK_CUR), 13)

    def test_file_is_written_where_it_stands(self):
        self.write('in', b'middle\n')
        process = self.start(['sh', '-c', '{ echo before; "$@" < in; echo after; } > out', 'sh',
                              *harness.WRAPPER, harness.PROXY, '--', 'cat'])
        process.finish(0, b'', b'')
        self.same(self.read('out'), b'before\nmiddle\nafter\n', 'the file')

    def test_file_is_appended_to(self):
        self.write('out', b'before\n')
        fd = self.open(self.path('out'), os.O_WRONLY | os.O_APPEND)
        self.run_proxy('--', 'echo', 'x', stdin='null', stdout=fd)
        self.same(self.read('out'), b'before\nx\n', 'the file')

    @both_modes(('stdin', 'null', 'pipe'), ('stdout', 'pipe', 'null'), ('both', 'null', 'null'))
    def test_dev_null(self, args, stdin, stdout):
        process = self.proxy(*args, '--', 'cat', stdin=stdin, stdout=stdout)
        sent = []
        if stdin == 'pipe':
            process.send(b'x\ny')
            sent = [b'x\n', b'y']
        process.finish(0, b''.join(sent) if stdout == 'pipe' else None, self.err_of(args))
        self.check_log(args, sent, sent)

    def test_all_three_dev_null(self):
        process = self.proxy('--', 'sh', '-c', 'echo x; exit 4', stdin='null', stdout='null',
                             stderr='null')
        process.finish(4)

    @both_modes(('stdin',))
    def test_stdin_closed(self, args):
        """A missing stdin is a reading error, so the end of the input."""
        self.run_proxy(*args, '--', 'sh', '-c', 'cat; echo x; exit 6', stdin='closed', code=6,
                       out=b'x\n',
                       err=self.err_of(args, b'(', message('reading from the client'), b')?'))
        self.check_log(args, [], [b'x\n'])

    @both_modes(('stdout',))
    def test_stdout_closed(self, args):
        """A missing stdout is a writing error; the rest of the session goes on."""
        server = self.server('note("got", get_all()); put(b"x\\n" * 3); sys.exit(6)')
        process = self.proxy(*args, '--', *server, stdout='closed')
        process.send(b'a\nb\n')
        process.finish(6, err=self.err_of(args, message('forwarding to the client')))
        self.assertEqual(self.noted('got'), b'a\nb\n')
        self.check_log(args, [b'a\n', b'b\n'], [b'x\n'] * 3)

    @both_modes(('stderr',))
    def test_stderr_closed(self, args):
        """Messages go nowhere then, above all not into a file that took the descriptor's place."""
        process = self.proxy(*args, '--', 'sh', '-c', 'cat; echo lost >&2; exit 6',
                             stderr='closed')
        process.send(b'a\n')
        process.finish(6, b'a\n')
        self.check_log(args, [b'a\n'], [b'a\n'])

    @both_modes(('all',))
    def test_all_closed(self, args):
        process = self.proxy(*args, '--', 'sh', '-c', 'echo x; exit 6', stdin='closed',
                             stdout='closed', stderr='closed')
        process.finish(6)
        self.check_log(args, [], [b'x\n'])

    @both_modes(('raw terminal', True), ('terminal', False))
    def test_terminal(self, args, raw):
        master, slave = self.pty(raw)
        before = termios.tcgetattr(slave)
        process = self.proxy(*args, '--', 'cat', stdin=slave, stdout=slave)
        out = harness.Stream(os.dup(master))
        harness.write_all(master, b'a\nb\n')
        out.wait(lambda data, ended: len(data) >= 4 or ended)
        self.same(out.bytes(), b'a\nb\n', 'the terminal')
        if raw:
            self.drop(master)
            out.stop()
            os.close(out.fd)
        else:
            self.assertEqual(termios.tcgetattr(slave), before, 'mode of the terminal')
            harness.write_all(master, b'\x04')
        process.finish(0, err=self.err_of(args))
        if not raw:
            self.assertEqual(termios.tcgetattr(slave), before, 'mode of the terminal')
            out.stop()
            os.close(out.fd)
        self.check_log(args, [b'a\n', b'b\n'], [b'a\n', b'b\n'])

    @both_modes(('pipe', 'pipe'), ('terminal', 'pty'))
    def test_file_that_may_not_be_opened_anew(self, args, kind):
        """The descriptors of another user work too, and keep their flags."""
        binary, become = self.as_user()
        if kind == 'pipe':
            (r_in, w_in), (r_out, w_out) = self.pipe(), self.pipe()
        else:
            (w_in, r_in), (r_out, w_out) = self.pty(), self.pty()
        for fd in (r_in, w_out):
            os.fchmod(fd, 0)
        process = self.start([*harness.WRAPPER, binary, *args, '--', 'cat'], stdin=r_in,
                             stdout=w_out, preexec=become)
        out = harness.Stream(os.dup(r_out))
        sent = b''.join(b'%07d\n' % i for i in range(20000))
        harness.write_all(w_in, sent)
        out.wait(lambda data, ended: len(data) >= len(sent) or ended)
        self.same(out.bytes(), sent, 'stdout')
        self.assertFalse(harness.non_blocking(r_in))
        self.assertFalse(harness.non_blocking(w_out))
        self.drop(w_in)
        process.finish(0, err=self.err_of(args))
        out.stop()
        os.close(out.fd)
        self.check_log(args, log_model.split_lines(sent), log_model.split_lines(sent))

    def test_stuck_pipe_that_may_not_be_opened_anew(self):
        """A host that does not read such a pipe still delays no other direction."""
        binary, become = self.as_user()
        r, w = self.pipe()
        os.fchmod(w, 0)
        script = 'yes & while read -r line; do echo "$line" >> got; done; kill $!; exit 3'
        process = self.start([*harness.WRAPPER, binary, '--', 'sh', '-c', script], stdout=w,
                             preexec=become)
        self.drop(w)
        self.until(lambda: harness.waiting(r) > 50000, 'the way out to fill up')
        self.until_steady(lambda: harness.waiting(r))
        process.send(b'a\nb\n')
        self.wait_note('got', b'a\nb\n')
        process.close_stdin()
        drain = harness.Stream(os.dup(r))
        self.drop(r)
        process.finish(3)
        drain.stop()
        os.close(drain.fd)

    @both_modes(('tcp',))
    def test_tcp_socket(self, args):
        listener = socket.create_server(('127.0.0.1', 0))
        ours = socket.create_connection(listener.getsockname())
        theirs = listener.accept()[0]
        listener.close()
        process = self.proxy(*args, '--', 'cat', stdin=theirs.fileno(), stdout=theirs.fileno())
        theirs.close()
        out = harness.Stream(os.dup(ours.fileno()))
        ours.sendall(ECHO_BYTES)
        ours.shutdown(socket.SHUT_WR)
        process.finish(0, err=self.err_of(args))
        self.assertTrue(out.wait(lambda data, ended: ended))
        self.same(out.bytes(), ECHO_BYTES, 'the connection')
        out.stop()
        os.close(out.fd)
        ours.close()


class Server(Forward):
    """The server process: §3."""

    def test_standard_streams_are_pipes(self):
        server = self.server('put(b"%d %d\\n" % (stat.S_ISFIFO(os.fstat(0).st_mode),'
                             ' stat.S_ISFIFO(os.fstat(1).st_mode)))')
        self.run_proxy('--', *server, out=b'1 1\n')

    def test_standard_streams_are_pipes_whatever_ours_are(self):
        a, b = self.socketpair()
        server = self.server('put(b"%d %d\\n" % (stat.S_ISFIFO(os.fstat(0).st_mode),'
                             ' stat.S_ISFIFO(os.fstat(1).st_mode)))')
        process = self.proxy('--', *server, stdin='null', stdout=b)
        self.drop(b)
        process.stdout = harness.Stream(os.dup(a))
        process.finish(0, b'1 1\n')

    def test_pipes_block(self):
        server = self.server('put(b"%d %d\\n" % (os.get_blocking(0), os.get_blocking(1)))')
        self.run_proxy('--', *server, out=b'1 1\n')

    @both_modes(('sh', ['sh', '-c', 'cat < /dev/stdin > /dev/stdout']),
                ('by number', ['sh', '-c', 'cat < /proc/self/fd/0 > /proc/self/fd/1']),
                ('tee', ['tee', '/dev/stdout']))
    def test_opens_by_name(self, args, command):
        wanted = b'x\nx\n' if command[0] == 'tee' else b'x\n'
        self.run_proxy(*args, '--', *command, input=b'x\n', out=wanted, err=self.err_of(args))

    DESCRIPTORS = '''
numbers = [int(name) for name in os.listdir('/proc/self/fd')]
for number in sorted(numbers):
    try:
        put(b'%d %s\\n' % (number, os.readlink(b'/proc/self/fd/%d' % number)))
    except FileNotFoundError:
        pass
get_all()
'''

    def check_descriptors(self, out):
        """0, 1 and 2 and no other; what stdout and stdin are is told by their number."""
        found = dict(line.split(b' ', 1) for line in out.rstrip(b'\n').split(b'\n'))
        self.assertEqual(sorted(found, key=int), [b'0', b'1', b'2'], found)
        self.assertEqual(len(set(found.values())), 3, found)

    @both_modes(('session',))
    def test_no_other_descriptor(self, args):
        result = self.run_proxy(*args, '--', *self.server(self.DESCRIPTORS), err=self.err_of(args))
        self.check_descriptors(result.out)

    @both_modes(('low', [3, 4, 5, 6, 7, 8, 9]), ('ten', [10, 11, 12, 13]), ('high', [700]),
                ('mixed', [3, 20, 63, 64, 65, 255, 256, 257, 700]))
    def test_descriptors_leaked_into_the_proxy(self, args, numbers):
        process = self.start_leaking(args, numbers)
        self.check_descriptors(process.finish(0, err=self.err_of(args)).out)

    def start_leaking(self, args, numbers, limit=0):
        """Starts the proxy with these descriptors open, and then a limit of their number."""
        launcher = self.write('launch.py', b'''
import fcntl, os, resource, sys
numbers = [int(x) for x in sys.argv[1].split(',')]
limit = int(sys.argv[2])
source = fcntl.fcntl(os.open('/dev/zero', os.O_RDONLY), fcntl.F_DUPFD, 800)
for number in numbers:
    os.dup2(source, number, inheritable=True)
os.set_inheritable(source, False)
if limit:
    resource.setrlimit(resource.RLIMIT_NOFILE,
                       (limit, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
os.execvp(sys.argv[3], sys.argv[3:])
''')
        return self.start([*harness.PYTHON, launcher, ','.join(map(str, numbers)), str(limit),
                           *harness.WRAPPER, harness.PROXY, *args, '--',
                           *self.server(self.DESCRIPTORS)])

    @both_modes(('above the limit', [3, 700]))
    def test_descriptors_above_the_limit_of_files(self, args, numbers):
        """A limit lowered after the descriptor was made does not hide it."""
        process = self.start_leaking(args, numbers, 256)
        self.check_descriptors(process.finish(0, err=self.err_of(args)).out)

    @both_modes(('session',))
    def test_environment(self, args):
        env = self.environment(EMPTY='', LINES='a\nb', SPACED=' x ', ODD='é=;"\'$(x)')
        env = {os.fsencode(name): os.fsencode(value) for name, value in env.items()}
        env[b'BYTES'] = b'\xff\xfe'
        env[b'ODD.NAME'] = b'1'
        result = self.run_proxy(*args, '--', 'cat', '/proc/self/environ', env=env,
                                err=self.err_of(args))
        got = result.out.split(b'\0')[:-1]
        wanted = [name + b'=' + value for name, value in env.items()]
        if harness.WRAPPER:
            self.assertEqual(set(wanted) - set(got), set())
        else:
            self.assertEqual(sorted(got), sorted(wanted))

    def test_empty_environment(self):
        result = self.run_proxy('--', '/bin/cat', '/proc/self/environ', env={})
        if not harness.WRAPPER:
            self.assertEqual(result.out, b'')

    def test_folder_group_session_and_umask(self):
        os.mkdir(self.path('folder'))
        server = self.server('put(b"%s %d %d %o\\n" % (os.getcwdb(), os.getpgrp(), os.getsid(0),'
                             ' os.umask(0)))')
        process = self.proxy('--', *server, cwd=self.path('folder'), umask=0o027)
        process.finish(0, b'%s %d %d 27\n' % (os.fsencode(self.path('folder')), process.pid,
                                              process.pid))

    def test_umask_with_a_log(self):
        server = self.server('put(b"%o\\n" % os.umask(0))')
        self.run_proxy('--record', 'L', '--', *server, umask=0o027, out=b'27\n',
                       err=recording('L'))

    def test_parent_is_the_proxy(self):
        process = self.proxy('--', *self.server('put(b"%d\\n" % os.getppid())'))
        process.finish(0, b'%d\n' % process.pid)

    def test_stderr_is_the_same_descriptor(self):
        fd = self.open(self.path('err'), os.O_WRONLY | os.O_CREAT)
        process = self.proxy('--', 'sh', '-c', 'readlink /proc/self/fd/2; echo seen >&2',
                             stderr=fd)
        process.finish(0, os.fsencode(self.path('err')) + b'\n')
        self.assertEqual(self.read('err'), b'seen\n')

    def test_server_writes_to_stderr(self):
        self.run_proxy('--record', 'L', '--', 'sh', '-c', 'cat; echo from the server >&2',
                       err=recording('L', b'from the server\n'))

    def masks(self, out):
        return {line.split(b':')[0]: int(line.split()[1], 16) for line in out.split(b'\n')
                if line.startswith((b'SigIgn', b'SigBlk', b'SigPnd', b'ShdPnd'))}

    SIGNALS = [(signal.Signals(n).name if n < signal.SIGRTMIN else 'real-time %d' % n, n)
               for n in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD, signal.SIGTERM,
                         signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1,
                         signal.SIGTTOU, signal.SIGTTIN, signal.SIGTSTP, signal.SIGALRM,
                         signal.SIGRTMIN + 3, signal.SIGRTMAX)]

    def check_clean(self, args, prepare):
        result = self.run_proxy(*args, '--', 'cat', '/proc/self/status', preexec=prepare,
                                err=self.err_of(args))
        masks = self.masks(result.out)
        self.assertEqual(masks[b'SigIgn'], 0, 'ignored: %x' % masks[b'SigIgn'])
        self.assertEqual(masks[b'SigBlk'], 0, 'blocked: %x' % masks[b'SigBlk'])

    @both_modes(('nothing', ))
    def test_signals_clean(self, args):
        self.check_clean(args, None)

    @rows(*SIGNALS)
    def test_signal_ignored_by_the_proxy(self, number):
        self.check_clean([], lambda: signal.signal(number, signal.SIG_IGN))

    @rows(*SIGNALS)
    def test_signal_blocked_in_the_proxy(self, number):
        self.check_clean([], lambda: signal.pthread_sigmask(signal.SIG_BLOCK, [number]))

    @both_modes(('all',))
    def test_all_signals_ignored_and_blocked(self, args):
        numbers = [number for _, number in self.SIGNALS]

        def prepare():
            for number in numbers:
                signal.signal(number, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, numbers)

        self.check_clean(args, prepare)


class Blocking(Forward):
    """O_NONBLOCK belongs to files that other processes share: §9."""

    KINDS = ['pipe', 'socket pair', 'terminal']

    def pair(self, kind):
        """(our end, their end)."""
        if kind == 'pipe':
            return self.pipe()
        if kind == 'socket pair':
            return self.socketpair()
        return self.pty()

    def streams(self, kind):
        """Ends of the three streams: {number: (ours, theirs)}."""
        r, w = self.pair(kind)
        stdin = (w, r) if kind == 'pipe' else (r, w)
        return {0: stdin, 1: self.pair(kind), 2: self.pair(kind)}

    def check_blocking(self, streams, when, numbers=(0, 1, 2)):
        for number in numbers:
            self.assertFalse(harness.non_blocking(streams[number][1]),
                             'descriptor %d is left non-blocking %s' % (number, when))

    def read_some(self, fd, wanted):
        data = b''
        while len(data) < len(wanted):
            self.assertTrue(select.select([fd], [], [], harness.DEADLINE)[0],
                            'nothing arrived after %r' % data)
            data += os.read(fd, 100)
        self.assertEqual(data, wanted)

    def session(self, args, kind, server, numbers_during):
        streams = self.streams(kind)
        process = self.proxy(*args, '--', *server, stdin=streams[0][1], stdout=streams[1][1],
                             stderr=streams[2][1])
        for i in range(20):
            os.write(streams[0][0], b'%02d\n' % i)
            self.read_some(streams[1][0], b'%02d\n' % i)
            self.check_blocking(streams, 'while the server runs', numbers_during)
        return process, streams

    @rows(*[('%s, %s' % (kind, name), args, kind) for kind in KINDS for name, args in MODES])
    def test_stderr_during(self, args, kind):
        process, _ = self.session(args, kind, ['cat'], (2,))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

    @rows(*[('%s, %s' % (kind, name), args, kind) for kind in KINDS for name, args in MODES])
    def test_stdin_and_stdout_during(self, args, kind):
        process, _ = self.session(args, kind, ['cat'], (0, 1))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

    @rows(*[('%s, %s' % (kind, how), kind, how) for kind in KINDS
            for how in ('exit', 'TERM', 'KILL of the server')])
    def test_after(self, kind, how):
        process, streams = self.session([], kind, ['sh', '-c', 'echo $$ > pid; exec cat'], ())
        pid = int(self.read('pid'))
        if how == 'TERM':
            os.kill(process.pid, signal.SIGTERM)
            self.assertEqual(process.wait(), -signal.SIGTERM)
        else:
            os.kill(pid, signal.SIGKILL)
            self.assertEqual(process.wait(), 137)
        self.check_blocking(streams, 'after the end')

    @rows(*[(kind, kind) for kind in KINDS])
    def test_after_a_start_failure(self, kind):
        streams = self.streams(kind)
        process = self.proxy('--', '/no/such', stdin=streams[0][1], stdout=streams[1][1],
                             stderr=streams[2][1])
        self.assertEqual(process.wait(), 125)
        self.check_blocking(streams, 'after the end')

    @rows(*[('%s, %s' % (kind, name), args, kind) for kind in ('pipe', 'socket pair', 'terminal')
            for name, args in MODES])
    def test_same_file_for_all(self, args, kind):
        """stdin, stdout and stderr are one terminal or socket; stdout and stderr one pipe."""
        ours, theirs = self.pair(kind)
        if kind == 'pipe':
            stdin, feeder = self.pipe()
        else:
            stdin, feeder = theirs, ours
        process = self.proxy(*args, '--', 'sh', '-c', 'exec cat', stdin=stdin, stdout=theirs,
                             stderr=theirs)
        seen = b''
        for i in range(20):
            os.write(feeder, b'%02d\n' % i)
            while not seen.endswith(b'%02d\n' % i):
                self.assertTrue(select.select([ours], [], [], harness.DEADLINE)[0], seen)
                seen += os.read(ours, 1000)
            self.assertFalse(harness.non_blocking(theirs), 'stderr does not block any more')
        os.kill(process.pid, signal.SIGTERM)
        process.wait()
        self.assertFalse(harness.non_blocking(theirs), 'left non-blocking')

    @rows(*[('%s, %s' % (kind, name), args, kind) for kind in ('pipe', 'socket pair')
            for name, args in MODES])
    def test_much_stderr_beside_stdout(self, args, kind):
        """2>&1 with a slow reader: the server's writes to stderr must neither fail nor get lost."""
        server = self.server('''
letters = b'abcdefghijklmnopqrstuvwxyz' * 38 + b'|'
for i in range(2000):
    try:
        if os.write(2, letters) != len(letters):
            note('short')
    except OSError as e:
        note('failed', str(e).encode())
        sys.exit(9)
    if i % 4 == 0:
        put(b'%07d\\n' % i)
''')
        r, w = self.pipe() if kind == 'pipe' else self.socketpair()
        process = self.proxy(*args, '--', *server, stdin='null', stdout=w, stderr=w)
        self.drop(w)
        self.until(lambda: harness.waiting(r) > 50000 or not process.running(),
                   'the way out to fill up')
        data = bytearray()
        while True:
            self.assertTrue(select.select([r], [], [], harness.DEADLINE)[0], 'nothing more comes')
            part = os.read(r, 3000)
            if not part:
                break
            data += part
        self.assertEqual(process.wait(), 0, self.noted('failed'))
        self.assertIsNone(self.noted('failed'))
        self.assertIsNone(self.noted('short'))
        if args:
            end = data.index(b'.jsonl\n') + 7
            self.assertRegex(bytes(data[:end]), rb'\Astretto-proxy: recording to L/[^\n]+\n\Z')
            del data[:end]
        self.same(bytes(data.translate(None, b'0123456789\n')),
                  (b'abcdefghijklmnopqrstuvwxyz' * 38 + b'|') * 2000, 'stderr')
        self.same(bytes(data.translate(None, b'abcdefghijklmnopqrstuvwxyz|')),
                  b''.join(b'%07d\n' % i for i in range(0, 2000, 4)), 'stdout')


class BackPressure(Forward):
    """A receiver that does not read: §4."""

    # The size of a line and how much of it is sent in all.
    LONG = (MIB, 200 * MIB)
    SHORT = (2, 12 * MIB)
    MIDDLE = (100, 60 * 1000000)
    SHAPES = [('long lines', *LONG), ('very short lines', *SHORT), ('lines of 100 bytes', *MIDDLE)]

    WRITER = '''
size, total = int(sys.argv[1]), int(sys.argv[2])
line = b'x' * (size - 1) + b'\\n'
put(b'ready\\n')
get_line()
block = line * max(1, (1 << 16) // size)
fd = os.open(os.path.join(FOLDER, 'progress'), os.O_WRONLY | os.O_CREAT, 0o600)
done = 0
view = memoryview(block)
while done < total:
    at = done % len(block)
    done += os.write(1, view[at:at + total - done])
    os.pwrite(fd, b'%15d' % done, 0)
get_all()
'''

    READER = '''
import hashlib
put(b'ready\\n')
wait_for('go')
total = 0
digest = hashlib.sha256()
while True:
    part = os.read(0, 1 << 18)
    if not part:
        break
    total += len(part)
    digest.update(part)
put(b'%d %s\\n' % (total, digest.hexdigest().encode()))
'''

    def progress(self):
        return int(self.noted('progress') or 0)

    def check_memory(self, process, base, args):
        """What is held back is bounded. A log is behind by as much as the disk is slow, so with
        one it is what the proxy holds when the log has caught up."""
        if args:
            self.until(lambda: memory(process.pid, 'VmRSS') - base < harness.MEMORY_BOUND,
                       'the proxy to hold little')
            return
        grown = memory(process.pid) - base
        self.assertLess(grown, harness.MEMORY_BOUND,
                        'the proxy grew by %d KiB' % (grown // 1024))

    @both_modes(*SHAPES)
    def test_host_does_not_read(self, args, size, total):
        r, w = self.pipe()
        process = self.proxy(*args, '--', *self.server(self.WRITER, str(size), str(total)),
                             stdout=w)
        self.drop(w)
        self.assertEqual(os.read(r, 100), b'ready\n')
        base = memory(process.pid)
        process.send(b'go\n')
        self.until(lambda: self.progress() > 0, 'the server to write')
        self.assertLess(self.until_steady(self.progress), total, 'the server was not held back')
        self.check_memory(process, base, args)
        # Now the host reads, and nothing is lost.
        wanted = hashlib.sha256()
        got = hashlib.sha256()
        n_got = 0
        while n_got < total:
            self.assertTrue(select.select([r], [], [], harness.DEADLINE)[0], 'nothing more comes')
            part = os.read(r, 1 << 18)
            if not part:
                break
            n_got += len(part)
            got.update(part)
        line = b'x' * (size - 1) + b'\n'
        block = line * max(1, MIB // size)
        for at in range(0, total, len(block)):
            wanted.update(block[:total - at])
        self.assertEqual((n_got, got.hexdigest()), (total, wanted.hexdigest()))
        if not args:
            self.check_memory(process, base, args)
        process.finish(0, err=self.err_of(args))
        if args:
            size_of_log = os.path.getsize(self.logs()[0])
            self.assertGreater(size_of_log, total)

    @both_modes(*SHAPES)
    def test_server_does_not_read(self, args, size, total):
        process = self.proxy(*args, '--', *self.server(self.READER))
        process.expect(b'ready\n')
        base = memory(process.pid)
        line = b'x' * (size - 1) + b'\n'
        block = memoryview(line * max(1, MIB // size))
        sent = 0
        digest = hashlib.sha256()
        poller = select.poll()
        poller.register(process.stdin, select.POLLOUT)
        while sent < total and poller.poll(600 * harness.SLOW):
            at = sent % len(block)
            part = block[at:at + min(total - sent, 1 << 16)]
            n = os.write(process.stdin, part)
            digest.update(part[:n])
            sent += n
        self.assertLess(sent, total, 'the host was not held back')
        self.check_memory(process, base, args)
        self.release('go')
        while sent < total:
            self.assertTrue(poller.poll(harness.DEADLINE * 1000), 'the proxy takes no more')
            at = sent % len(block)
            part = block[at:at + min(total - sent, 1 << 16)]
            n = os.write(process.stdin, part)
            digest.update(part[:n])
            sent += n
        process.finish(0, b'ready\n%d %s\n' % (total, digest.hexdigest().encode()),
                       self.err_of(args))

    @both_modes(('short lines', 2), ('long lines', MIB))
    def test_stuck_host_does_not_delay_the_server(self, args, size):
        """The host does not read; its own lines still arrive at the server."""
        server = self.server('''
import threading
def flood():
    line = b'x' * (int(sys.argv[1]) - 1) + b'\\n'
    block = line * max(1, (1 << 16) // len(line))
    while True:
        put(block)
        note('count')
threading.Thread(target=flood, daemon=True).start()
while True:
    line = get_line()
    if not line:
        os._exit(0)
    note('got', line)
''', str(size))
        r, w = self.pipe()
        process = self.proxy(*args, '--', *server, stdout=w)
        self.drop(w)
        self.until(lambda: self.noted('count'), 'the server to write')
        self.until_steady(lambda: len(self.noted('count')))
        sent = b''
        for i in range(50):
            process.send(b'%d\n' % i)
            sent += b'%d\n' % i
            self.wait_note('got', sent)
        os.close(process.stdin)
        process.stdin = None
        drain = harness.Stream(os.dup(r))
        self.drop(r)
        process.finish(0, err=self.err_of(args))
        drain.stop()
        os.close(drain.fd)

    @both_modes(('short lines', 2), ('long lines', MIB))
    def test_stuck_server_does_not_delay_the_host(self, args, size):
        """The server does not read; its own lines still arrive at the host."""
        server = self.server('''
put(b'ready\\n')
wait_for('talk')
for i in range(50):
    put(b'%d\\n' % i)
    wait_for('seen-%d' % i)
get_all()
''')
        process = self.proxy(*args, '--', *server)
        process.expect(b'ready\n')
        block = memoryview((b'x' * (size - 1) + b'\n') * max(1, MIB // size))
        poller = select.poll()
        poller.register(process.stdin, select.POLLOUT)
        total = 0
        while poller.poll(600 * harness.SLOW):
            at = total % len(block)
            total += os.write(process.stdin, block[at:at + (1 << 16)])
            self.assertLess(total, 200 * MIB, 'the host was not held back')
        self.release('talk')
        wanted = b'ready\n'
        for i in range(50):
            wanted += b'%d\n' % i
            process.expect(wanted)
            self.release('seen-%d' % i)
        # The last line may be an unfinished one, which the end completes.
        process.finish(0, wanted, self.err_of(args))


class Failures(Forward):
    """Writing and reading errors: §4.6 and §4.7."""

    @both_modes(('server',))
    def test_server_closed_its_stdin(self, args):
        server = self.server('''
os.close(0)
put(b'ready\\n')
wait_for('go')
put(b'done\\n')
sys.exit(3)
''')
        process = self.proxy(*args, '--', *server)
        process.expect(b'ready\n')
        for i in range(2000):
            process.send(b'%d %s\n' % (i, b'x' * 200))
        process.expect_err(b'forwarding to the server: ')
        self.release('go')
        process.finish(3, b'ready\ndone\n',
                       self.err_of(args, message('forwarding to the server')))
        if args:
            self.log().check(client=[b'%d %s\n' % (i, b'x' * 200) for i in range(2000)],
                             server=[b'ready\n', b'done\n'])

    @both_modes(('client',))
    def test_host_closed_its_end(self, args):
        server = self.server('''
put(b'ready\\n')
wait_for('go')
for i in range(3000):
    put(b'%d %s\\n' % (i, b'x' * 200))
note('all')
note('got', get_all())
sys.exit(3)
''')
        process = self.proxy(*args, '--', *server)
        process.expect(b'ready\n')
        process.close_stdout()
        self.release('go')
        self.wait_note('all')
        process.send(b'still\nthere')
        process.finish(3, err=self.err_of(args, message('forwarding to the client')))
        self.assertEqual(self.noted('got'), b'still\nthere')
        if args:
            self.log().check(client=[b'still\n', b'there'], server=[b'ready\n'] + [
                b'%d %s\n' % (i, b'x' * 200) for i in range(3000)])

    @both_modes(('/dev/full', '/dev/full', os.O_WRONLY),
                ('read only', '/dev/zero', os.O_RDONLY))
    def test_stdout_takes_nothing(self, args, path, flags):
        fd = self.open(path, flags)
        server = self.server('put(b"a\\nb\\nc\\n"); note("got", get_all()); sys.exit(3)')
        process = self.proxy(*args, '--', *server, stdout=fd)
        process.send(b'x\n')
        process.finish(3, err=self.err_of(args, message('forwarding to the client')))
        self.assertEqual(self.noted('got'), b'x\n')
        self.check_log(args, [b'x\n'], [b'a\n', b'b\n', b'c\n'])

    def test_stdout_reaches_the_limit_of_a_file(self):
        """SIGXFSZ does not kill the proxy."""
        fd = self.open(self.path('out'), os.O_WRONLY | os.O_CREAT)
        server = self.server('for i in range(1000): put(b"%07d\\n" % i)\nget_all(); sys.exit(3)')
        process = self.proxy('--', *server, stdout=fd, preexec=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (4000, 4000)))
        process.finish(3, err=re.compile(message('forwarding to the client')))
        wanted = b''.join(b'%07d\n' % i for i in range(1000))
        got = self.read('out')
        self.assertLessEqual(len(got), 4000)
        self.same(got, wanted[:len(got)], 'the file')

    @both_modes(('a folder', '/', os.O_RDONLY), ('write only', '/dev/null', os.O_WRONLY),
                ('process memory', '/proc/self/mem', os.O_RDONLY))
    def test_stdin_cannot_be_read(self, args, path, flags):
        fd = self.open(path, flags)
        self.run_proxy(*args, '--', 'sh', '-c', 'cat; echo end; exit 3', stdin=fd, code=3,
                       out=b'end\n', err=self.err_of(args, message('reading from the client')))
        self.check_log(args, [], [b'end\n'])

    def test_connection_of_the_host_is_reset(self):
        """A reading error discards the unfinished line and ends the input."""
        listener = socket.create_server(('127.0.0.1', 0))
        ours = socket.create_connection(listener.getsockname())
        theirs = listener.accept()[0]
        listener.close()
        server = self.server('''
line = get_line()
put(line)
put(b'rest ' + get_all() + b'\\n')
sys.exit(3)
''')
        process = self.proxy('--record', 'L', '--', *server, stdin=theirs.fileno())
        ours.sendall(b'whole\npart')
        process.expect(b'whole\n')
        self.until(lambda: harness.waiting(theirs.fileno()) == 0, 'the proxy to read')
        theirs.close()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        ours.close()
        process.finish(3, b'whole\nrest \n', recording('L', message('reading from the client')))
        self.log().check(client=[b'whole\n'], server=[b'whole\n', b'rest \n'])


class Property(Forward):
    """Random streams, cut at random places, come out as they went in."""

    ALPHABET = [b'\n', b'\n', b'\r\n', b'\r', b'\0', b'{}', b'[1,2]', b'{"a":1}', b' ',
                b'"\\u0000"', b'"x"', b'\xff', b'\xc3\xa9', b'\xe2\x82', b'\xf0\x9f\x92\xa9',
                b'\xed\xa0\x80',
                b'null', b'true\n', b'-1.5e3\n', b'1e999\n', b'"\\ud83d"\n',
                b'{"a":{"b":[null]}}\n',
                b'[' * 126 + b']' * 126 + b'\n', b'[' * 127 + b']' * 127 + b'\n', b'\t', b'"\t"\n',
                b'abc', b'x' * 70000, b'\x1f\x7f', b'\xef\xbb\xbf', b'{"k":1,"k":2}\n', b'01\n',
                b'{"jsonrpc":"2.0","id":7,"method":"ping"}\n', b'nul', b',', b':', b'"', b'\\']

    def stream(self, rng):
        return b''.join(rng.choice(self.ALPHABET) for _ in range(rng.randrange(400)))

    def pieces(self, rng, data):
        at = 0
        while at < len(data):
            size = rng.choice([1, 2, 3, 7, 100, 4096, 65536, 200000])
            yield data[at:at + size]
            at += size

    @rows(*[('seed %d, %s' % (seed, name), seed, args) for seed in range(12)
            for name, args in MODES])
    def test_echo(self, seed, args):
        rng = random.Random(seed)
        data = self.stream(rng)
        process = self.proxy(*args, '--', 'cat')
        for piece in self.pieces(rng, data):
            process.send(piece)
        process.finish(0, data, self.err_of(args))
        lines = log_model.split_lines(data)
        self.check_log(args, lines, lines)

    @rows(*[('seed %d, %s' % (seed, name), seed, args) for seed in range(100, 106)
            for name, args in MODES])
    def test_both_ways(self, seed, args):
        """Streams that have nothing to do with each other, at the same time."""
        rng = random.Random(seed)
        to_server, to_host = self.stream(rng), self.stream(rng)
        self.write('to-host', to_host)
        server = self.server('''
import random, threading
rng = random.Random(int(sys.argv[1]))
def read():
    note('got', get_all())
reader = threading.Thread(target=read)
reader.start()
with open(os.path.join(FOLDER, 'to-host'), 'rb') as f:
    data = f.read()
at = 0
while at < len(data):
    size = rng.choice([1, 2, 3, 7, 100, 4096, 65536, 200000])
    put(data[at:at + size])
    at += size
reader.join()
''', str(seed))
        process = self.proxy(*args, '--', *server)
        for piece in self.pieces(rng, to_server):
            process.send(piece)
        process.finish(0, to_host, self.err_of(args))
        self.same(self.noted('got') or b'', to_server, 'what the server got')
        self.check_log(args, log_model.split_lines(to_server), log_model.split_lines(to_host))


class Examples(Forward):
    """The table of §10."""

    def test_bye(self):
        process = self.proxy('--', 'sh', '-c', 'echo bye; exit 3')
        self.assertEqual(process.wait(), 3)
        process.finish(3, b'bye\n')

    @rows(
        ('killed', "kill -9 $$", b'', 137),
        ('stdout closed', 'exec >&-; cat >/dev/null; exit 5', b'', 5),
        ('no newline', 'printf "no newline"', b'no newline', 0),
    )
    def test_with_dev_null(self, script, out, code):
        self.run_proxy('--', 'sh', '-c', script, stdin='null', out=out, code=code)

    def test_stdin_closed_by_the_server(self):
        self.run_proxy('--', 'sh', '-c', 'exec <&-; sleep 1; echo done', input=b'x', out=b'done\n',
                       err=re.compile(b'(%s)?' % message('forwarding to the server')))


if __name__ == '__main__':
    harness.main()
