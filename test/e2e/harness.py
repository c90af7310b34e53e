"""What the end-to-end tests share: processes, descriptors, deadlines, logs and a TAP runner.

The tests are black boxes: they start the programs named by the environment variables
STRETTO_PROXY, STRETTO_DEMO and STRETTO and look at bytes, statuses and files only.
STRETTO_TOOL_WRAPPER is a command prefix for the proxy and stretto, such as valgrind with its
options; STRETTO_TEST_SLOW multiplies every deadline (and what memory a proxy may take), for builds
and machines that are slow; the longest messages are then that much shorter.
"""

import os
import pty
import re
import select
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import termios
import threading
import time
import traceback
import tty
import unittest

import log_model

HERE = os.path.dirname(os.path.abspath(__file__))
PROXY = os.environ.get('STRETTO_PROXY', 'stretto-proxy')
DEMO = os.environ.get('STRETTO_DEMO', 'stretto-mcp-demo')
STRETTO = os.environ.get('STRETTO', 'stretto')
# What a wrapper such as valgrind needs for itself, these tests take away.
NOT_WRAPPED = ('test_all_closed', 'test_stderr_closed', 'test_environment',
               'test_header_cannot_be_written')
WRAPPER = shlex.split(os.environ.get('STRETTO_TOOL_WRAPPER', ''))
SLOW = float(os.environ.get('STRETTO_TEST_SLOW', '1'))
DEADLINE = 30.0 * SLOW
MEMORY_BOUND = int(32 * 1024 * 1024 * max(1.0, SLOW))
NOBODY = 65534

SESSION = rb'[0-9]{8}T[0-9]{6}\.[0-9]{3}Z-[1-9][0-9]*'
PYTHON = [sys.executable, '-I', '-S', '-B']

# What every scripted server can use. Its notes are files beside the script, by which it tells the
# test what it saw and is told to go on.
PRELUDE = r'''
import errno, os, signal, stat, sys, time

FOLDER = os.path.dirname(os.path.abspath(__file__))


def put(data, fd=1):
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view):]


def get_all():
    data = bytearray()
    while True:
        part = os.read(0, 1 << 16)
        if not part:
            return bytes(data)
        data += part


def get_line():
    line = bytearray()
    while not line.endswith(b'\n'):
        byte = os.read(0, 1)
        if not byte:
            break
        line += byte
    return bytes(line)


def note(name, data=b'x'):
    fd = os.open(os.path.join(FOLDER, name), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.write(fd, data)
    os.close(fd)


def wait_for(name, limit=300):
    end = time.monotonic() + limit
    while not os.path.exists(os.path.join(FOLDER, name)):
        if time.monotonic() > end:
            os._exit(99)
        time.sleep(0.005)


def trap(*signals):
    for number in signals:
        signal.signal(number, lambda got, frame: note('signals', b'%d\n' % got))

'''


# The leaders of all groups that run, for a test program that is told to end itself.
RUNNING = set()


def kill_group(leader):
    try:
        os.killpg(leader, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def give_up(number, frame):
    """A test runner lost its patience: nothing is left running."""
    for leader in list(RUNNING):
        kill_group(leader)
    os._exit(128 + number)


class Stream:
    """Collects what arrives at a descriptor until its end, in a thread of its own."""

    def __init__(self, fd):
        self.fd = fd
        self.data = bytearray()
        self.ended = False
        self.changed = threading.Condition()
        self.stopped = False
        self.thread = threading.Thread(target=self.collect, daemon=True)
        self.thread.start()

    def collect(self):
        poller = select.poll()
        poller.register(self.fd, select.POLLIN)
        while not self.stopped:
            if not poller.poll(50):
                continue
            try:
                part = os.read(self.fd, 1 << 18)
            except BlockingIOError:
                continue
            except OSError:
                part = b''
            with self.changed:
                self.data += part
                self.ended = not part
                self.changed.notify_all()
            if not part:
                break

    def bytes(self):
        with self.changed:
            return bytes(self.data)

    def wait(self, condition):
        """Waits until condition(data, ended) holds; False when the deadline passes first."""
        with self.changed:
            return self.changed.wait_for(lambda: condition(self.data, self.ended), DEADLINE)

    def stop(self):
        self.stopped = True
        self.thread.join(DEADLINE)


class Process:
    """A running program with its ends of the standard streams."""

    def __init__(self, case, popen, stdin, stdout, stderr):
        self.case = case
        self.popen = popen
        self.pid = popen.pid
        self.stdin = stdin
        self.stdout = stdout
        self.stderr = stderr

    def send(self, data, gone_is_fine=False):
        write_all(self.stdin, data, gone_is_fine)

    def close_stdin(self):
        if self.stdin is not None:
            os.close(self.stdin)
            self.stdin = None

    def close_stdout(self):
        """Closes the reading end of the program's stdout, as a host that went away."""
        self.stdout.stop()
        os.close(self.stdout.fd)
        self.stdout = None

    def out(self):
        return self.stdout.bytes() if self.stdout else b''

    def err(self):
        return self.stderr.bytes() if self.stderr else b''

    def expect(self, wanted):
        """Waits until everything on stdout since the start is exactly `wanted`."""
        reached = self.stdout.wait(lambda data, ended: len(data) >= len(wanted) or ended)
        if not reached:
            self.case.fail('waited too long for %r; stdout %s, stderr %s' %
                           (brief(wanted), brief(self.out()), brief(self.err())))
        self.case.same(self.out(), wanted, 'stdout')

    def expect_err(self, part):
        if not self.stderr.wait(lambda data, ended: part in data or ended) or \
                part not in self.err():
            self.case.fail('stderr lacks %r: %s' % (part, brief(self.err())))

    def wait(self):
        """The return code, negative for a signal, once the program has ended."""
        try:
            code = self.popen.wait(DEADLINE)
        except subprocess.TimeoutExpired:
            self.case.fail('the program did not end; stdout %s, stderr %s' %
                           (brief(self.out()), brief(self.err())))
        return code

    def running(self):
        return self.popen.poll() is None

    def finish(self, code=0, out=None, err=b''):
        """Ends the input, waits for the end, and compares status, stdout and stderr.

        `out` None compares nothing; `err` may be bytes, a compiled pattern, or None.
        """
        self.close_stdin()
        got = self.wait()
        for stream in (self.stdout, self.stderr):
            if stream and not stream.wait(lambda data, ended: ended):
                self.case.fail('the program ended and something still holds its output')
        if got != code:
            self.case.fail('status %d, not %d; stdout %s, stderr %s' %
                           (got, code, brief(self.out()), brief(self.err())))
        if out is not None:
            self.case.same(self.out(), out, 'stdout')
        self.case.same_err(self.err(), err)
        return Result(got, self.out(), self.err())


class Result:
    def __init__(self, code, out, err):
        self.code = code
        self.out = out
        self.err = err


class Log:
    """A session log, taken apart strictly."""

    def __init__(self, case, path, torn=False):
        self.case = case
        self.path = path
        with open(path, 'rb') as f:
            self.text = f.read()
        lines = log_model.split_lines(self.text)
        if torn and lines and not lines[-1].endswith(b'\n'):
            lines.pop()
        case.assertTrue(lines, 'the log is empty')
        self.header = lines[0]
        self.entries = []
        last = 0
        for line in lines[1:]:
            entry = log_model.take_apart(line)
            if entry is None:
                case.fail('not an entry: %s' % brief(line))
            if entry[0] < last:
                case.fail('t_ms goes back from %d to %d' % (last, entry[0]))
            last = entry[0]
            self.entries.append(entry)

    def bodies(self, who):
        return [body for _, sender, body in self.entries if sender == who]

    def check(self, client=None, server=None):
        """Compares both sides' entries with what the model says of these lines."""
        for who, lines in (('client', client), ('server', server)):
            if lines is None:
                continue
            got = self.bodies(who)
            wanted = [log_model.body(line) for line in lines]
            for i, (a, b) in enumerate(zip(got, wanted)):
                if a != b:
                    self.case.fail('%s entry %d is %s, not %s' % (who, i, brief(a), brief(b)))
            self.case.assertEqual(len(got), len(wanted), 'number of %s entries' % who)


def rows(*table):
    """Makes one test of each row: (label, argument...)."""
    def mark(function):
        function.table = table
        return function
    return mark


class Case(unittest.TestCase):
    """A test with a folder of its own and processes that never outlive it."""

    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        for name, function in list(vars(cls).items()):
            table = getattr(function, 'table', None)
            if table is None:
                continue
            delattr(cls, name)
            for i, row in enumerate(table):
                def one(self, function=function, row=row):
                    function(self, *row[1:])
                setattr(cls, '%s [%03d %s]' % (name, i, row[0]), one)

    def setUp(self):
        self.tmp = os.path.realpath(tempfile.mkdtemp(prefix='stretto-e2e-'))
        self.processes = []
        self.fds = []
        self.n_scripts = 0

    def tearDown(self):
        for process in self.processes:
            kill_group(process.pid)
            process.popen.wait()
            RUNNING.discard(process.pid)
        for process in self.processes:
            for stream in (process.stdout, process.stderr):
                if stream:
                    stream.stop()
                    os.close(stream.fd)
            process.close_stdin()
        for fd in self.fds:
            try:
                os.close(fd)
            except OSError:
                pass
        shutil.rmtree(self.tmp, ignore_errors=True)

    # Files and scripts.

    def path(self, *names):
        return os.path.join(self.tmp, *names)

    def write(self, name, data=b'', mode=0o600):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as f:
            f.write(data)
        os.chmod(path, mode)
        return path

    def read(self, name):
        with open(self.path(name), 'rb') as f:
            return f.read()

    def server(self, source, *args):
        """The command of a scripted server: the prelude and `source`."""
        self.n_scripts += 1
        path = self.write('server-%d.py' % self.n_scripts, (PRELUDE + source).encode())
        return PYTHON + [path, *args]

    def noted(self, name):
        """What the server noted under this name so far, or None."""
        try:
            return self.read(name)
        except FileNotFoundError:
            return None

    def wait_note(self, name, wanted=None):
        if wanted is None:
            self.until(lambda: self.noted(name) is not None, 'the note %s' % name)
        else:
            self.until(lambda: self.noted(name) == wanted,
                       lambda: 'the note %s to be %r, it is %r' % (name, wanted, self.noted(name)))
        return self.noted(name)

    def release(self, name):
        self.write(name)

    # Descriptors.

    def own(self, *fds):
        self.fds.extend(fds)
        return fds

    def pipe(self):
        """(reading end, writing end), closed with the test."""
        return self.own(*os.pipe())

    def socketpair(self):
        a, b = socket.socketpair()
        return self.own(a.detach(), b.detach())

    def pty(self, raw=True):
        """(master, slave); raw, or with lines and without echo."""
        master, slave = pty.openpty()
        if raw:
            tty.setraw(slave)
        else:
            mode = termios.tcgetattr(slave)
            mode[3] &= ~termios.ECHO
            mode[1] &= ~termios.OPOST
            termios.tcsetattr(slave, termios.TCSANOW, mode)
        return self.own(master, slave)

    def open(self, path, flags):
        return self.own(os.open(path, flags, 0o600))[0]

    def drop(self, *fds):
        for fd in fds:
            os.close(fd)
            self.fds.remove(fd)

    # Processes.

    def environment(self, **changes):
        """The environment of the programs: this one, with a home of the test's own."""
        env = {name: value for name, value in os.environ.items()
               if not name.startswith('STRETTO_')}
        env['HOME'] = self.tmp
        env.setdefault('ASAN_OPTIONS', 'quarantine_size_mb=8')
        for name, value in changes.items():
            if value is None:
                env.pop(name, None)
            else:
                env[name] = value
        return env

    def start(self, argv, stdin='pipe', stdout='pipe', stderr='pipe', env=None, cwd=None,
              pass_fds=(), preexec=None, umask=-1):
        """Starts a program. A stream is 'pipe', 'null', 'closed', or a descriptor of the test."""
        ours = [None, None, None]
        theirs = [None, None, None]
        for i, kind in enumerate((stdin, stdout, stderr)):
            if kind == 'pipe':
                r, w = os.pipe()
                ours[i], theirs[i] = (w, r) if i == 0 else (r, w)
            elif kind == 'null':
                theirs[i] = os.open('/dev/null', os.O_RDWR)
            elif kind != 'closed':
                theirs[i] = os.dup(kind)
        if ours[0] is not None:
            os.set_blocking(ours[0], False)
        closed = [i for i, kind in enumerate((stdin, stdout, stderr)) if kind == 'closed']

        def prepare():
            if preexec:
                preexec()
            for fd in closed:
                os.close(fd)

        try:
            popen = subprocess.Popen(
                argv, stdin=theirs[0], stdout=theirs[1], stderr=theirs[2],
                env=self.environment() if env is None else env, cwd=cwd or self.tmp,
                pass_fds=pass_fds, preexec_fn=prepare if preexec or closed else None,
                start_new_session=True, umask=umask)
        finally:
            for fd in theirs:
                if fd is not None:
                    os.close(fd)
        process = Process(self, popen, ours[0],
                          Stream(ours[1]) if ours[1] is not None else None,
                          Stream(ours[2]) if ours[2] is not None else None)
        RUNNING.add(process.pid)
        self.processes.append(process)
        return process

    def proxy(self, *args, **kw):
        return self.start(WRAPPER + [PROXY, *args], **kw)

    def as_user(self):
        """A copy of the proxy and what to call before it, so that modes of files count.

        Root may do everything, so under root the proxy becomes nobody, who gets all files so far.
        """
        binary = self.path('proxy-of-a-user')
        shutil.copy(shutil.which(PROXY), binary)
        os.chmod(binary, 0o755)
        if os.geteuid() != 0:
            return binary, None
        for folder, names, files in os.walk(self.tmp):
            for name in (folder, *[os.path.join(folder, f) for f in (*names, *files)]):
                os.chown(name, NOBODY, NOBODY)

        def become():
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)

        return binary, become

    def run_proxy(self, *args, input=b'', code=0, out=None, err=b'', **kw):
        """Runs the proxy on an input to its end and compares."""
        process = self.proxy(*args, **kw)
        if process.stdin is not None:
            process.send(input, gone_is_fine=True)
        return process.finish(code, out, err)

    def stretto(self, *args, **kw):
        return self.start(WRAPPER + [STRETTO, *args], **{'stdin': 'null', **kw})

    def run_stretto(self, *args, code=0, out=None, err=b'', **kw):
        """Runs stretto to its end and compares."""
        return self.stretto(*args, **kw).finish(code, out, err)

    # Conditions.

    def until(self, condition, what, limit=None):
        end = time.monotonic() + (limit or DEADLINE)
        while not condition():
            if time.monotonic() > end:
                self.fail('waited too long for %s' % (what() if callable(what) else what))
            time.sleep(0.005)

    def until_steady(self, value, quiet=0.4):
        """Waits until value() has not changed for a while; the value."""
        end = time.monotonic() + DEADLINE
        last, since = value(), time.monotonic()
        while time.monotonic() - since < quiet * SLOW:
            if time.monotonic() > end:
                self.fail('waited too long for something to stand still')
            time.sleep(0.02)
            now = value()
            if now != last:
                last, since = now, time.monotonic()
        return last

    # Comparisons.

    def same(self, got, wanted, what):
        if got == wanted:
            return
        at = next((i for i, (a, b) in enumerate(zip(got, wanted)) if a != b),
                  min(len(got), len(wanted)))
        near = max(0, at - 40)
        self.fail('%s differs at byte %d of %d (wanted %d): got %r, wanted %r' %
                  (what, at, len(got), len(wanted), got[near:at + 80], wanted[near:at + 80]))

    def same_err(self, got, wanted):
        if wanted is None:
            return
        if isinstance(wanted, bytes):
            self.same(got, wanted, 'stderr')
        elif not wanted.fullmatch(got):
            self.fail('stderr is %s, not like %r' % (brief(got), wanted.pattern))

    # Logs.

    def logs(self, folder='L'):
        """Paths of the session logs in a folder."""
        folder = self.path(folder)
        return sorted(os.path.join(folder, name) for name in os.listdir(folder)
                      if name.endswith('.jsonl')
                      and not name.endswith(('.flow.jsonl', '.confirm.jsonl')))

    def log(self, folder='L', torn=False):
        """The only session log of a folder."""
        found = self.logs(folder)
        self.assertEqual(len(found), 1, 'session logs in %s' % folder)
        return Log(self, found[0], torn)


def recording(folder, *more):
    """A pattern: the line that says where the log is, and then these."""
    return re.compile(b'stretto-proxy: recording to ' + re.escape(os.fsencode(folder)) + b'/' +
                      SESSION + rb'\.jsonl\n' + b''.join(more), re.DOTALL)


def message(start):
    """A pattern of one line of the proxy's own that starts so and goes on with a cause."""
    return b'stretto-proxy: ' + re.escape(os.fsencode(start)) + b': [^\n]+\n'


def large(size):
    """The size of a message that is very long, for how fast the programs are."""
    return int(size / max(1.0, SLOW))


def write_all(fd, data, gone_is_fine=False):
    """Writes everything to a descriptor that need not block, within the deadline."""
    os.set_blocking(fd, False)
    view = memoryview(data)
    poller = select.poll()
    poller.register(fd, select.POLLOUT)
    end = time.monotonic() + DEADLINE
    while view:
        try:
            view = view[os.write(fd, view[:1 << 20]):]
            end = time.monotonic() + DEADLINE
        except BlockingIOError:
            poller.poll(200)
            if time.monotonic() > end:
                raise AssertionError('%d bytes were not taken in time' % len(view)) from None
        except (BrokenPipeError, ConnectionResetError):
            if gone_is_fine:
                return
            raise


def waiting(fd):
    """How many bytes wait to be read from this pipe or socket."""
    import array
    import fcntl
    count = array.array('i', [0])
    fcntl.ioctl(fd, termios.FIONREAD, count)
    return count[0]


def non_blocking(fd):
    return not os.get_blocking(fd)


def memory(pid, field='VmHWM'):
    """A figure of /proc/PID/status in bytes."""
    with open('/proc/%d/status' % pid, encoding='ascii') as f:
        for line in f:
            if line.startswith(field + ':'):
                return int(line.split()[1]) * 1024
    raise AssertionError('no %s' % field)


def alive(pid):
    """Whether a process runs (a zombie does not)."""
    try:
        with open('/proc/%d/stat' % pid, 'rb') as f:
            return f.read().rpartition(b')')[2].split()[0] not in (b'Z', b'X')
    except (FileNotFoundError, ProcessLookupError):
        return False


def mode_of(path):
    return stat.S_IMODE(os.lstat(path).st_mode)


def brief(data, limit=600):
    data = bytes(data)
    if len(data) <= limit:
        return repr(data)
    return '%r … %r (%d bytes)' % (data[:limit // 2], data[-limit // 2:], len(data))


class TapResult(unittest.TestResult):
    """Prints each test as it ends, as one line of TAP."""

    def __init__(self):
        super().__init__()
        self.number = 0
        self.problems = []

    def startTest(self, test):
        super().startTest(test)
        self.problems = []

    def note(self, err):
        self.problems.append(''.join(traceback.format_exception(*err)))

    def addError(self, test, err):
        super().addError(test, err)
        self.note(err)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.note(err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.note(err)

    def stopTest(self, test):
        super().stopTest(test)
        self.number += 1
        name = '%s.%s' % (type(test).__name__, test._testMethodName)
        name = name.replace('#', '(number sign)').replace('\\', '/')
        print('%s %d - %s' % ('not ok' if self.problems else 'ok', self.number, name))
        for problem in self.problems:
            for line in problem.rstrip('\n').split('\n'):
                print('# ' + line.encode('ascii', 'backslashreplace').decode('ascii'))
        sys.stdout.flush()


def main(programs=(PROXY, DEMO)):
    """Runs the tests of the main module; arguments choose those whose name contains one.

    `programs` are those that the tests need.
    """
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, give_up)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)  # whatever nohup and the like have left
    for program in programs:
        if shutil.which(program) is None:
            print('Bail out! There is no program %s' % program)
            sys.exit(1)
    suite = unittest.defaultTestLoader.loadTestsFromModule(sys.modules['__main__'])
    tests = []

    def flatten(part):
        for item in part:
            if isinstance(item, unittest.TestSuite):
                flatten(item)
            elif type(item).__module__ == '__main__':
                tests.append(item)

    flatten(suite)
    if WRAPPER:
        tests = [test for test in tests
                 if not any(name in test.id() for name in NOT_WRAPPED)]
    if sys.argv[1:]:
        tests = [test for test in tests if any(word in test.id() for word in sys.argv[1:])]
    print('1..%d' % len(tests))
    sys.stdout.flush()
    result = TapResult()
    for test in tests:
        test.run(result)
    sys.exit(0 if result.wasSuccessful() else 1)
