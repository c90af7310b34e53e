"""A session in active mode: a host and a server that the test plays both, and its log.

The server that the proxy starts is a relay to a socket of the test. So a test sees each line that
reaches the server, answers when it likes, and proves that nothing came by sending a fence: a
notification that must be the next line to arrive.
"""

import collections
import json
import os
import re
import socket

import harness
import http_server
import log_model
from harness import DEADLINE
from sessions import canonical

ENTRY = re.compile(
    rb'\{"t_ms":(0|[1-9][0-9]*),"from":"(client|server|proxy|context)",("(?:message|raw)":.*)\}\n',
    re.DOTALL)

RELAY = r'''
import socket, threading

signal.signal(signal.SIGINT, signal.SIG_DFL)
peer = socket.socket(socket.AF_UNIX)
peer.connect(os.path.join(FOLDER, sys.argv[1]))


def carry(get, give, end):
    """Hands on what comes until one side ends."""
    try:
        while True:
            part = get(1 << 16)
            if not part:
                break
            give(part)
        end()
    except OSError:
        pass


def inward():
    carry(lambda n: os.read(0, n), peer.sendall, lambda: peer.shutdown(socket.SHUT_WR))


threading.Thread(target=inward, daemon=True).start()
carry(peer.recv, put, lambda: None)
os._exit(0)
'''

CHECK = 'Refused by the policy check, so %s was not run and nothing changed: %s.'
NOBODY = ('nobody has been identified by email or by name and zip code '
          '(policy check retail.authenticated)')
UNREAD = "the order's status has not been read (policy check retail.status_checked)"


def line_of(message):
    """A line: bytes as they are with their LF, or a value written compactly."""
    if not isinstance(message, bytes):
        message = canonical(message).encode()
    return message if message.endswith(b'\n') else message + b'\n'


def call(id, name, arguments=None, **more):
    params = {'name': name}
    if arguments is not None:
        params['arguments'] = arguments
    return {'jsonrpc': '2.0', 'id': id, 'method': 'tools/call', 'params': {**params, **more}}


def commit(id, *calls, **more):
    """A call of the commit tool; each call is (name, arguments), or just (name,)."""
    return call(id, 'stretto_commit', {'calls': [
        dict(zip(('name', 'arguments'), one)) for one in calls]}, **more)


def result(id, *texts, error=False):
    content = [{'type': 'text', 'text': text} for text in texts]
    return {'jsonrpc': '2.0', 'id': id, 'result': {'content': content, 'isError': error}}


def request(id, method, **params):
    return {'jsonrpc': '2.0', 'id': id, 'method': method, 'params': params}


def notification(method, **params):
    return {'jsonrpc': '2.0', 'method': method, 'params': params}


def own(n, name, arguments=None, **more):
    """The proxy's own n-th request."""
    return call('stretto-%d' % n, name, arguments or {}, **more)


def refusal(id, name, reasons):
    return result(id, CHECK % (name, reasons), error=True)


def said(role, text):
    """A line of the conversation file."""
    return (json.dumps({'role': role, 'content': text}, ensure_ascii=False) + '\n').encode()


def body(line):
    """The entry of a line from its third key on; in less time than the model's for a long one."""
    if len(line) > http_server.LONG and line.startswith(b'{"'):
        return http_server.log_body(line)
    return log_model.body(line)


class Log:
    """The log of an active session, taken apart strictly: (sender, rest of the entry) each."""

    def __init__(self, case, path):
        self.case = case
        with open(path, 'rb') as f:
            self.text = f.read()
        lines = log_model.split_lines(self.text)
        self.header = lines.pop(0)
        self.entries = []
        last = 0
        for line in lines:
            match = ENTRY.fullmatch(line)
            if not match:
                case.fail('not an entry: %s' % harness.brief(line))
            if int(match[1]) < last:
                case.fail('t_ms goes back from %d to %d' % (last, int(match[1])))
            last = int(match[1])
            self.entries.append((match[2].decode(), match[3]))

    def senders(self):
        return [sender for sender, _ in self.entries]

    def bodies(self, who):
        return [body for sender, body in self.entries if sender == who]

    def same(self, who, lines):
        """The entries of a sender are those of these lines."""
        got, wanted = self.bodies(who), [body(line_of(line)) for line in lines]
        for a, b in zip(got, wanted):
            self.case.same(a, b, '%s entry' % who)
        self.case.assertEqual(len(got), len(wanted), 'number of %s entries' % who)


class Lines:
    """The whole lines of what a Stream collects, one after the other."""

    def __init__(self, case, stream, what):
        self.case = case
        self.stream = stream
        self.what = what
        self.at = 0

    def next(self):
        end = -1

        def whole(data, ended):
            nonlocal end
            end = data.find(b'\n', self.at) + 1
            return end > 0 or ended
        self.stream.wait(whole)
        if end <= 0:
            self.case.fail('no more lines for %s after %s' %
                           (self.what, harness.brief(self.stream.bytes()[-2000:])))
        with self.stream.changed:
            line = bytes(self.stream.data[self.at:end])
        self.at = end
        return line

    def rest(self):
        """What has come beyond the lines that were taken."""
        return self.stream.bytes()[self.at:]


class Session:
    """A proxy in active mode, its host and its server."""

    def __init__(self, case, *options, record='L', **kw):
        self.case = case
        self.record = record
        case.n_peers += 1
        name = 'peer-%d' % case.n_peers
        self.listener = socket.socket(socket.AF_UNIX)
        case.addCleanup(self.listener.close)
        self.listener.bind(case.path(name))
        self.listener.listen(1)
        self.listener.settimeout(DEADLINE)
        recording = ['--record', record] if record else []
        self.process = case.proxy(*recording, *options, '--', *case.server(RELAY, name), **kw)
        self.pid = self.process.pid
        try:
            peer, _ = self.listener.accept()
        except socket.timeout:
            case.fail('the server was not started; stderr %s' % harness.brief(self.process.err()))
        peer.setblocking(False)
        self.peer = peer.detach()
        self.inward = harness.Stream(self.peer)
        self.host_lines = Lines(case, self.process.stdout, 'the host') \
            if self.process.stdout else None
        self.server_lines = Lines(case, self.inward, 'the server')
        self.n_fences = 0
        self.sent = []
        self.made = []
        case.addCleanup(self.hang_up)

    def hang_up(self):
        """The server ends."""
        if self.peer is not None:
            self.inward.stop()
            os.close(self.peer)
            self.peer = None

    # The host's end.

    def send(self, *messages):
        """The host sends lines."""
        self.sent += [line_of(message) for message in messages]
        self.process.send(b''.join(line_of(message) for message in messages))
        return self

    def host(self, *wanted):
        """The next lines the host gets are exactly these."""
        for one in wanted:
            self.case.same(self.host_lines.next(), line_of(one), 'the line to the host')
        return self

    def host_value(self):
        """The next line the host gets, as a value."""
        return json.loads(self.host_lines.next(), parse_float=collections.namedtuple('F', 'text'))

    # The server's end.

    def put(self, *messages):
        """The server sends lines."""
        lines = [line_of(message) for message in messages]
        self.made += lines
        harness.write_all(self.peer, b''.join(lines))
        return self

    def server(self, *wanted):
        """The next lines the server gets are exactly these."""
        for one in wanted:
            self.case.same(self.server_lines.next(), line_of(one), 'the line to the server')
        return self

    # Both.

    def fence(self):
        """Nothing else is on its way to the server, nor then to the host."""
        self.n_fences += 1
        mark = notification('fence/%d' % self.n_fences)
        self.send(mark).server(mark)
        self.put(mark).host(mark)
        return self

    def done(self, message, answer):
        """The host sends a request, which is forwarded as it is, and gets the server's answer."""
        return self.send(message).server(message).put(answer).host(answer)

    def refused(self, message, name, reasons, id=None):
        """The host's call is refused for these reasons, and nothing reaches the server."""
        self.send(message)
        self.host(refusal(message['id'] if id is None else id, name, reasons))
        return self.fence()

    def finish(self, code=0, err=(), client=True, server=True):
        """Ends the session in order; the log.

        err:    what stderr has after its first line, patterns of one line each, in order; None
                for whatever it has.
        client: the lines recorded as the host's, True for all that were sent.
        server: the lines recorded as the server's, True for all that it sent.
        """
        self.process.close_stdin()
        if self.peer is not None:
            self.inward.wait(lambda data, ended: ended)
            self.case.assertEqual(self.server_lines.rest(), b'', 'more lines for the server')
            self.hang_up()
        return self.ended(code, err, client, server)

    def ended(self, code=0, err=(), client=True, server=True):
        pattern = b'[^\n]*\n' * bool(self.record) + b'.*'
        if err is not None:
            more = b''.join(b'stretto-proxy: ' + one + b'\n' for one in err)
            pattern = harness.recording(self.record, more).pattern if self.record else more
        self.process.finish(code, None, re.compile(pattern, re.DOTALL))
        if self.host_lines:
            self.case.assertEqual(self.host_lines.rest(), b'', 'more lines for the host')
        if not self.record:
            return None
        log = self.case.log(self.record)
        if client is not None:
            log.same('client', self.sent if client is True else client)
        if server is not None:
            log.same('server', self.made if server is True else server)
        return log


class ActiveCase(harness.Case):
    def setUp(self):
        super().setUp()
        self.n_peers = 0

    def session(self, *options, **kw):
        return Session(self, *options, **kw)

    def log(self, folder='L', torn=False):
        found = self.logs(folder)
        self.assertEqual(len(found), 1, 'session logs in %s' % folder)
        return Log(self, found[0])

    def say(self, *lines, name='C'):
        """Appends to the conversation file."""
        with open(self.path(name), 'ab') as f:
            f.write(b''.join(lines))

    def retail(self, *options):
        """The command of the demo's retail world; what it gets is kept in the file to-server."""
        return ['sh', '-c', 'tee "$0" | exec "$@"', self.path('to-server'), harness.DEMO,
                '--world', 'retail', *options]


def refused_line(name, reasons):
    """What stderr says of a refused call, as a pattern."""
    return re.escape(('refused %s: %s' % (name, reasons)).encode())
