"""A scripted HTTP server, a forward proxy, certificates, and the host's end of an --upstream run.

The server can send any bytes in any pieces, wait until it is told to go on, reset a connection or
close it early. It records every request. Each connection has a thread; a handler runs in it.
"""

import base64
import collections
import json
import os
import re
import select
import signal
import socket
import ssl
import struct
import subprocess
import threading
import time

import harness
import log_model

DEADLINE = harness.DEADLINE

# A header value that every run sends to its server and that no output may show.
SECRET = 'hush-4711-never-to-be-shown'

UNREACHED = 'the server could not be reached'
ENDED = 'the server has ended the session'
CUT = "the server's answer was cut off"
LARGE = "the server's answer is too large"
EMPTY = 'the server gave no answer'
NOT_JSON = "the server's answer is not JSON"

# The lines on stderr that belong to them.
SAYS_UNREACHED = re.compile(r'the HTTP server could not be reached: .+')
SAYS_CUT = re.compile(r"reading the HTTP server's answer: .+")
SAYS_ENDING = re.compile(r'ending the HTTP session: .+')
ANYTHING = re.compile(r'.+')

PHRASES = {
    400: 'Bad Request', 401: 'Unauthorized', 402: 'Payment Required', 403: 'Forbidden',
    404: 'Not Found', 405: 'Method Not Allowed', 406: 'Not Acceptable', 408: 'Request Timeout',
    409: 'Conflict', 410: 'Gone', 413: 'Content Too Large', 415: 'Unsupported Media Type',
    422: 'Unprocessable Content', 429: 'Too Many Requests', 500: 'Internal Server Error',
    501: 'Not Implemented', 502: 'Bad Gateway', 503: 'Service Unavailable',
    504: 'Gateway Timeout', 505: 'HTTP Version Not Supported',
    300: 'Multiple Choices', 301: 'Moved Permanently', 302: 'Found', 303: 'See Other',
    304: 'Not Modified', 307: 'Temporary Redirect', 308: 'Permanent Redirect',
}


def refused(status):
    """The message that says so."""
    phrase = PHRASES.get(status)
    return 'the server answered HTTP %d' % status + (' ' + phrase if phrase else '')


def compact(value):
    return json.dumps(value, separators=(',', ':'), ensure_ascii=False).encode()


class Request:
    """A request as it came: texts are Latin-1, headers in their order."""

    def __init__(self, head, body, connection, at):
        lines = head.decode('latin-1').split('\r\n')
        self.line = lines[0]
        self.method, self.target, self.version = (lines[0].split(' ') + ['', ''])[:3]
        self.headers = []
        for line in lines[1:]:
            name, _, value = line.partition(':')
            self.headers.append((name, value.strip(' \t')))
        self.head = head
        self.body = body
        self.connection = connection
        self.time = at
        try:
            self.message = json.loads(body) if body else None
        except ValueError:
            self.message = None

    def all(self, name):
        return [value for got, value in self.headers if got.lower() == name.lower()]

    def header(self, name):
        """The value of the only header of that name; None when there is none."""
        found = self.all(name)
        if len(found) > 1:
            raise AssertionError('%s comes %d times' % (name, len(found)))
        return found[0] if found else None

    def names(self):
        return sorted(name.lower() for name, _ in self.headers)

    def rpc(self):
        """What the request is: a method of the protocol, or a word for what has none."""
        if self.method != 'POST':
            return self.method
        if isinstance(self.message, dict):
            method = self.message.get('method')
            return method if isinstance(method, str) else 'response'
        if isinstance(self.message, list):
            return 'batch'
        return 'raw'

    def __repr__(self):
        return '%s %s %r' % (self.method, self.target, self.body[:80])


class Gone(Exception):
    """The connection or the server has ended while a handler was at work."""


class Exchange:
    """One request and the ways to answer it."""

    def __init__(self, server, sock, request):
        self.server = server
        self.socket = sock
        self.request = request
        self.message = request.message
        self.body = request.body
        self.headers = request.headers
        self.header = request.header
        self.chunked = False
        self.closed = False
        self.keep_alive = server.keep_alive and \
            [v.lower() for v in request.all('Connection')] != ['close']

    # Bytes.

    def raw(self, data):
        try:
            self.socket.sendall(data)
        except OSError as error:
            raise Gone from error

    def piecewise(self, data, sizes):
        """Sends the bytes in pieces of these sizes, each by a call of its own."""
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        at = 0
        for size in sizes:
            if at >= len(data):
                break
            self.raw(data[at:at + size])
            at += size
        if at < len(data):
            self.raw(data[at:])

    def close(self):
        self.closed = True
        self.server.drop(self.socket)

    def reset(self):
        """Closes the connection so that the peer sees a reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
        self.close()

    # Answers.

    def head(self, status, headers=(), reason=None):
        reason = PHRASES.get(status, 'OK') if reason is None else reason
        lines = ['HTTP/1.1 %d %s' % (status, reason)]
        if not self.keep_alive:
            lines.append('Connection: close')
        lines += ['%s: %s' % pair for pair in headers]
        return ('\r\n'.join(lines) + '\r\n\r\n').encode('latin-1')

    def reply(self, status=200, body=b'', headers=(), reason=None):
        length = [] if status in (204, 304) else [('Content-Length', len(body))]
        self.raw(self.head(status, [*headers, *length], reason) + body)

    def json(self, value, status=200, headers=(), kind='application/json'):
        body = value if isinstance(value, bytes) else compact(value)
        self.reply(status, body, [('Content-Type', kind), *headers])

    def answer(self, result=None):
        """The message that answers the request."""
        return {'jsonrpc': '2.0', 'id': self.message['id'],
                'result': {'by': 'the server'} if result is None else result}

    def result(self, result=None, headers=()):
        self.json(self.answer(result), headers=headers)

    def stream(self, headers=(), kind='text/event-stream', length=None, chunked=True):
        """Begins an event stream; `chunked` false ends it with the connection."""
        more = [('Content-Type', kind), *headers]
        if length is not None:
            more.append(('Content-Length', length))
        elif chunked:
            more.append(('Transfer-Encoding', 'chunked'))
            self.chunked = True
        else:
            more.append(('Connection', 'close'))
        self.raw(self.head(200, more))
        self.open_ended = length is None and not chunked

    def piece(self, data):
        """Sends bytes of a begun stream."""
        if self.chunked:
            data = b'%x\r\n%s\r\n' % (len(data), data)
        self.raw(data)

    def event(self, data=None, id=None, retry=None):
        text = b''
        if id is not None:
            text += b'id: ' + id.encode() + b'\n'
        if retry is not None:
            text += b'retry: ' + str(retry).encode() + b'\n'
        if data is not None:
            data = data if isinstance(data, bytes) else compact(data)
            text += b''.join(b'data: ' + line + b'\n' for line in data.split(b'\n'))
        self.piece(text + b'\n')

    def end(self):
        """Ends a begun stream in order."""
        if self.chunked:
            self.raw(b'0\r\n\r\n')
        elif self.open_ended:
            self.close()

    # Waiting.

    def wait_for(self, name):
        """Waits until the test has released this name."""
        self.server.wait(lambda: name in self.server.released, Gone)

    def until_closed(self):
        """Waits until the peer has closed the connection."""
        poller = select.poll()
        poller.register(self.socket, select.POLLIN)
        end = time.monotonic() + DEADLINE
        while not self.server.stopping and time.monotonic() < end:
            if not poller.poll(20):
                continue
            try:
                if self.socket.recv(1 << 16):
                    continue
            except OSError:
                pass
            return True
        return False


def default_initialize(x):
    params = x.message.get('params') or {}
    session = x.server.session
    x.result({'protocolVersion': params.get('protocolVersion', '2025-06-18'),
              'capabilities': {'tools': {}}, 'serverInfo': {'name': 'scripted', 'version': '1'}},
             [('Mcp-Session-Id', session)] if session else [])


def default(x):
    kind = x.request.rpc()
    if kind == 'GET':
        x.reply(405)
    elif kind == 'DELETE':
        x.reply(200)
    elif kind == 'initialize':
        default_initialize(x)
    elif isinstance(x.message, dict) and 'method' in x.message and 'id' in x.message:
        x.result()
    elif isinstance(x.message, list):
        x.json([{'jsonrpc': '2.0', 'id': one['id'], 'result': {}} for one in x.message
                if 'method' in one and 'id' in one])
    else:
        x.reply(202)


class Server:
    """The scripted server.

    tls:        an ssl.SSLContext for https.
    keep_alive: false for one request a connection, so that none is ever reused.
    """

    def __init__(self, tls=None, family=socket.AF_INET, host='127.0.0.1', keep_alive=True):
        self.tls = tls
        self.keep_alive = keep_alive
        self.session = 's1'
        self.changed = threading.Condition()
        self.requests = []
        self.n_connections = 0
        self.handshake_errors = []
        self.server_names = []
        self.failures = []
        self.released = set()
        self.handlers = {}
        self.has_clients = lambda: True
        self.sockets = set()
        self.stopping = False
        self.listener = socket.socket(family, socket.SOCK_STREAM)
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind((host, 0))
        self.listener.listen(512)
        self.host = '[%s]' % host if ':' in host else host
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()

    def url(self, path='/mcp', host=None, user=''):
        return '%s://%s%s:%d%s' % ('https' if self.tls else 'http', user, host or self.host,
                                   self.port, path)

    def on(self, kind, *handlers):
        """Sets who answers requests of this kind: one after the other, the last from then on."""
        with self.changed:
            self.handlers[kind] = collections.deque(handlers)

    def release(self, name):
        with self.changed:
            self.released.add(name)
            self.changed.notify_all()

    def wait(self, condition, failure=AssertionError, what='the server'):
        end = time.monotonic() + DEADLINE
        with self.changed:
            while time.monotonic() < end and not condition() and not self.stopping:
                if not self.has_clients():
                    # What they sent last may still be on its way.
                    end = min(end, time.monotonic() + 2)
                self.changed.wait_for(lambda: condition() or self.stopping, 0.5)
            if not condition():
                raise failure('waited too long for %s; it got %r' % (what, self.requests[-8:]))

    def got(self, kind=None):
        """The requests of a kind so far, in the order they came."""
        with self.changed:
            return [r for r in self.requests if kind is None or r.rpc() == kind]

    def wait_got(self, kind, n=1):
        """The first n requests of a kind, once they are there."""
        def enough():
            return sum(r.rpc() == kind for r in self.requests) >= n
        self.wait(enough, what='%d × %s' % (n, kind))
        return self.got(kind)

    def stop(self):
        with self.changed:
            self.stopping = True
            self.changed.notify_all()
            sockets = list(self.sockets)
        for sock in [self.listener, *sockets]:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        self.thread.join(DEADLINE)
        self.listener.close()

    def hang_up(self):
        """Stops listening and resets every connection, as a server that dies."""
        with self.changed:
            sockets = list(self.sockets)
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join(DEADLINE)
        self.listener.close()
        for sock in sockets:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
            sock.shutdown(socket.SHUT_RDWR)

    # What runs in threads.

    def accept(self):
        while not self.stopping:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            with self.changed:
                self.n_connections += 1
                number = self.n_connections
                self.sockets.add(sock)
                self.changed.notify_all()
            threading.Thread(target=self.serve, args=(sock, number), daemon=True).start()

    def drop(self, sock):
        """Closes a connection, the end of TLS not announced."""
        with self.changed:
            self.sockets.discard(sock)
        try:
            sock.close()
        except OSError:
            pass

    def serve(self, sock, number):
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self.tls:
                plain = sock
                try:
                    sock = self.tls.wrap_socket(plain, server_side=True)
                except (OSError, ValueError) as error:
                    with self.changed:
                        self.handshake_errors.append(str(error))
                        self.changed.notify_all()
                    return
                with self.changed:
                    self.sockets.discard(plain)
                    self.sockets.add(sock)
            self.serve_requests(sock, number)
        except OSError:
            pass
        finally:
            self.drop(sock)

    def serve_requests(self, sock, number):
        data = b''
        while not self.stopping:
            while b'\r\n\r\n' not in data:
                part = sock.recv(1 << 18)
                if not part:
                    return
                data += part
            at = time.monotonic()
            head, _, data = data.partition(b'\r\n\r\n')
            length = re.search(rb'\r\ncontent-length:\s*([0-9]+)', head, re.IGNORECASE)
            wanted = int(length[1]) if length else 0
            if not self.before_body(head, sock):
                return
            parts, have = [data], len(data)
            while have < wanted:
                part = sock.recv(1 << 18)
                if not part:
                    return
                parts.append(part)
                have += len(part)
            data = b''.join(parts)
            body, data = data[:wanted], data[wanted:]
            x = Exchange(self, sock, Request(head, body, number, at))
            with self.changed:
                self.requests.append(x.request)
                handler = self.handler(x.request)
                self.changed.notify_all()
            try:
                handler(x)
            except Gone:
                return
            except Exception as error:
                with self.changed:
                    self.failures.append('%r: %r' % (x.request, error))
                raise OSError from error
            if x.closed or not x.keep_alive:
                return

    def before_body(self, head, sock):
        """Called with each head before its body is read; False drops the connection."""
        return True

    def handler(self, request):
        queue = self.handlers.get(request.rpc()) or self.handlers.get('*')
        if not queue:
            return default
        return queue.popleft() if len(queue) > 1 else queue[0]


class ForwardProxy(Server):
    """An HTTP proxy: absolute-form requests and CONNECT, each taken to a port of this machine.

    `routes` maps "host:port" as a client names it to the port; without it, the named port. What it
    was asked is recorded like any request; `refuse` is a status for every CONNECT, `piece` the size
    of the pieces in which a tunnel passes bytes on.
    """

    def __init__(self, routes=None):
        self.routes = routes or {}
        self.refuse = None
        self.piece = 1 << 16
        super().__init__()

    def handler(self, request):
        return self.connect if request.method == 'CONNECT' else self.forward

    def open(self, host_and_port):
        port = self.routes.get(host_and_port) or int(host_and_port.rpartition(':')[2])
        return socket.create_connection(('127.0.0.1', port), DEADLINE)

    def connect(self, x):
        if self.refuse:
            x.reply(self.refuse, b'no tunnel for you', [('Connection', 'close')])
            x.close()
            return
        other = self.open(x.request.target)
        x.raw(b'HTTP/1.1 200 Connection established\r\n\r\n')
        self.relay(x.socket, other)
        x.close()

    def forward(self, x):
        match = re.fullmatch(r'http://([^/?]+)(.*)', x.request.target)
        if not match:
            x.reply(400)
            return
        where = match[1] if re.search(r':[0-9]+$', match[1]) else match[1] + ':80'
        other = self.open(where)
        line = '%s %s HTTP/1.1\r\n' % (x.request.method, match[2] or '/')
        headers = ''.join('%s: %s\r\n' % pair for pair in x.headers
                          if pair[0].lower() not in ('connection', 'proxy-authorization'))
        other.sendall((line + headers + 'Connection: close\r\n\r\n').encode('latin-1') + x.body)
        self.relay(x.socket, other)
        x.close()

    def relay(self, a, b):
        peers = {a: b, b: a}
        try:
            while not self.stopping:
                for sock in select.select([a, b], [], [], 0.05)[0]:
                    part = sock.recv(self.piece)
                    if not part:
                        return
                    peers[sock].sendall(part)
        except OSError:
            pass
        finally:
            b.close()


class Certificates:
    """A certificate authority of the test's own, made with the openssl command."""

    def __init__(self, case, name='ca'):
        self.case = case
        self.folder = case.path(name)
        os.makedirs(self.folder, exist_ok=True)
        self.run('req', '-x509', *self.key('ca.key'), '-out', 'ca.pem', '-subj', '/CN=' + name,
                 '-days', '30', '-addext', 'keyUsage=critical,keyCertSign,cRLSign')
        self.ca = os.path.join(self.folder, 'ca.pem')

    def run(self, *args):
        done = subprocess.run(['openssl', *args], cwd=self.folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=DEADLINE, check=False,
                              env=self.case.environment(OPENSSL_CONF=None))
        if done.returncode:
            raise AssertionError('openssl %s: %s' % (args[0], done.stdout.decode()))

    def key(self, name):
        return ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', name]

    def context(self, alternatives, name='server', dates=None, purpose='serverAuth'):
        """A server's TLS with a certificate for these names, such as DNS:localhost.

        `dates`: (first, last) of its life, as in 20000101000000Z.
        """
        with open(os.path.join(self.folder, name + '.cnf'), 'w', encoding='ascii') as f:
            f.write('[ca]\ndefault_ca = c\n[c]\ndatabase = %s.db\nnew_certs_dir = .\n'
                    'serial = %s.srl\ndefault_md = sha256\npolicy = p\nx509_extensions = e\n'
                    'unique_subject = no\n[p]\ncommonName = supplied\n[e]\n'
                    'basicConstraints = CA:FALSE\nextendedKeyUsage = %s\nsubjectAltName = %s\n'
                    % (name, name, purpose, alternatives))
        for suffix, text in (('.db', ''), ('.srl', '%04X\n' % (os.getpid() % 60000 + 1))):
            with open(os.path.join(self.folder, name + suffix), 'w', encoding='ascii') as f:
                f.write(text)
        self.run('req', *self.key(name + '.key'), '-out', name + '.csr', '-subj', '/CN=' + name)
        life = ['-startdate', dates[0], '-enddate', dates[1]] if dates else ['-days', '30']
        self.run('ca', '-batch', '-config', name + '.cnf', '-cert', 'ca.pem', '-keyfile', 'ca.key',
                 '-in', name + '.csr', '-out', name + '.pem', *life)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.path.join(self.folder, name + '.pem'),
                                os.path.join(self.folder, name + '.key'))
        return context


# The host's end.

Token = collections.namedtuple('Token', 'text')


class First(dict):
    """An object whose first member counts when a name comes again."""

    def __init__(self, pairs):
        super().__init__()
        for name, value in pairs:
            self.setdefault(name, value)


def no_constant(name):
    raise ValueError(name)


def read_message(line):
    """A line's message with numbers as their text; ValueError when it is not JSON.

    What is JSON is chapter 02 §3 step 2 a and b: any depth, any size of numbers, lone surrogates.
    """
    text = line.decode('utf-8').strip(' \t\r\n\f')
    return json.loads(text, parse_int=Token, parse_float=Token, object_pairs_hook=First,
                      parse_constant=no_constant)


def is_message(line):
    try:
        read_message(line)
    except ValueError:
        return False
    return True


LONG = 20000


def is_recordable(text):
    """Whether a log embeds the text as JSON; the model's answer, in less time for a long one."""
    return is_message(text) if len(text) > LONG else log_model.is_json(text)


def log_body(line):
    """The entry of a line from its third key on."""
    if len(line) > LONG and is_message(line):
        return b'"message":' + line.strip(b' \t\r\n')
    return log_model.body(line)


def request_ids(line):
    """The ids of the requests in a line."""
    message = read_message(line) if is_recordable(line.strip(b' \t\r\n\f')) else None
    found = []
    for one in message if isinstance(message, list) else [message]:
        if isinstance(one, dict) and 'method' in one and one.get('id') is not None:
            found.append(one['id'])
    return found


def answered_ids(line):
    """The ids of the answers in a line."""
    message = read_message(line) if is_message(line) else None
    found = []
    for one in message if isinstance(message, list) else [message]:
        if isinstance(one, dict) and 'method' not in one and 'id' in one:
            found.append(one['id'])
    return found


PROXY_ENTRY = re.compile(
    rb'\{"t_ms":(0|[1-9][0-9]*),"from":"(client|server|proxy)",("(?:message|raw)":.*)\}\n',
    re.DOTALL)


class Ended:
    """What a session left behind."""

    def __init__(self, code, out, err, log):
        self.code = code
        self.lines = log_model.split_lines(out)
        self.err = err
        self.log = log

    def entries(self, who):
        return [body for sender, body in self.log or [] if sender == who]


class Session:
    """A proxy in front of a server, and what a host does with it."""

    def __init__(self, case, url, *args, record=True, env=None, headers=('X-Secret=HUSH',), **kw):
        self.case = case
        self.record = case.path('L%d' % len(case.sessions)) if record else None
        argv = ['--upstream', url]
        for header in headers:
            argv += ['--upstream-header', header]
        if record:
            argv += ['--record', self.record]
        quiet = dict.fromkeys(
            name + '_proxy' for name in ('http', 'https', 'all', 'no'))
        quiet.update({name.upper(): None for name in quiet})
        self.env = case.environment(**{**quiet, 'HUSH': SECRET, **(env or {})})
        self.process = case.proxy(*argv, *args, env=self.env, **kw)
        self.pid = self.process.pid
        self.sent = []
        self.seen = []
        self.n_split = 0
        self.secrets = [SECRET.encode()]
        case.sessions.append(self)

    # What the host does.

    def send(self, *messages):
        """Sends lines: bytes with or without their LF, or values to be written as JSON."""
        data = b''
        for message in messages:
            line = message if isinstance(message, bytes) else compact(message)
            line = line if line.endswith(b'\n') else line + b'\n'
            self.sent.append(line)
            data += line
        self.process.send(data)
        return self

    def send_unfinished(self, line):
        """Sends a last line without LF."""
        self.sent.append(line)
        self.process.send(line)

    def open(self, version='2025-06-18'):
        """Does what begins a session; the answer to initialize."""
        self.send(initialize(version))
        answer = self.answer('init')
        self.send(INITIALIZED)
        return answer

    def call(self, id, method='tools/call', **params):
        self.send(request(id, method, **params))
        return self

    # What the host sees.

    def lines(self):
        """The whole lines so far."""
        stdout = self.process.stdout
        with stdout.changed:
            end = stdout.data.rfind(b'\n') + 1
            fresh = bytes(stdout.data[self.n_split:end])
        self.n_split = max(self.n_split, end)
        self.seen += log_model.split_lines(fresh)
        return self.seen

    def wait(self, condition, what):
        """Waits until condition(lines) holds."""
        out = self.process.stdout
        out.wait(lambda data, ended: ended or condition(self.lines()))
        if not condition(self.lines()):
            self.case.fail('waited too long for %s; stdout %s, stderr %s' %
                           (what, harness.brief(self.process.out()),
                            harness.brief(self.process.err())))

    def line(self, text):
        """Waits for a line that is exactly this message."""
        line = (text if isinstance(text, bytes) else compact(text)) + b'\n'
        self.wait(lambda lines: line in lines, 'the line %r' % line)

    def answer_line(self, id):
        wanted = read_message(id if isinstance(id, bytes) else json.dumps(id).encode())
        found = []
        n_seen = 0

        def there(lines):
            nonlocal n_seen
            found.extend(line for line in lines[n_seen:] if wanted in answered_ids(line))
            n_seen = len(lines)
            return found

        self.wait(there, 'the answer to %r' % id)
        return found[0]

    def answer(self, id):
        """The answer to a request, as a value; `id` may be its text in bytes."""
        return json.loads(self.answer_line(id))

    def result(self, id, result=None):
        """Waits for the scripted server's answer."""
        self.case.assertEqual(self.answer(id).get('result'),
                              {'by': 'the server'} if result is None else result)

    def fails(self, id, text, data=None):
        """Waits for an error of the proxy's making and compares all of it."""
        error = {'code': -32000, 'message': 'stretto-proxy: ' + text}
        if data is not None:
            error['data'] = data
        id_value = json.loads(id) if isinstance(id, bytes) else id
        self.case.assertEqual(self.answer(id),
                              {'jsonrpc': '2.0', 'id': id_value, 'error': error})
        if isinstance(id, bytes):
            self.case.assertRegex(self.answer_line(id), rb'"id":' + re.escape(id) + rb'[,}]')

    def says(self, text):
        """Waits for a line of the proxy on stderr."""
        self.process.expect_err(b'stretto-proxy: ' + text.encode())

    # The end.

    def end(self, err=(), maybe=(), kept=(), own=(), changed=(), unanswered=(), code=0,
            close=True, log=True):
        """Ends the session and checks what holds for every session.

        err:        lines on stderr after the prefix, texts or patterns, in any order, each once.
        maybe:      lines that may be there too, any number of times.
        kept:       texts recorded as the server's that the host was not given.
        own:        messages recorded as the proxy's; those on stdout are not the server's.
        changed:    pairs of the line the host got and the line the server sent.
        unanswered: ids of requests without an answer.
        """
        if close:
            self.process.close_stdin()
        got = self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            if stream and not stream.wait(lambda data, ended: ended):
                self.case.fail('the program ended and something still holds its output')
        out, stderr = self.process.out(), self.process.err()
        if got != code:
            self.case.fail('status %d, not %d; stdout %s, stderr %s' %
                           (got, code, harness.brief(out), harness.brief(stderr)))
        entries = self.read_log() if self.record and log else None
        ended = Ended(got, out, stderr, entries)
        self.check_secrets(out, stderr)
        self.check_stderr(stderr, err, maybe)
        if self.process.stdout:
            self.check_answers(ended, unanswered)
        if entries is not None:
            self.check_log(ended, kept, own, changed)
        return ended

    def check_secrets(self, out, stderr):
        everything = out + stderr
        if self.record and os.path.isdir(self.record):
            for name in os.listdir(self.record):
                with open(os.path.join(self.record, name), 'rb') as f:
                    everything += f.read()
        for secret in self.secrets:
            for form in (secret, base64.b64encode(secret)):
                if form in everything:
                    self.case.fail('%r is shown: stdout %s, stderr %s' %
                                   (form, harness.brief(out), harness.brief(stderr)))

    def check_stderr(self, stderr, err, maybe):
        lines = log_model.split_lines(stderr)
        if self.record and lines and lines[0].startswith(b'stretto-proxy: recording to '):
            lines.pop(0)
        wanted = list(err)
        for line in lines:
            text = line.decode()
            if not text.startswith('stretto-proxy: ') or not text.endswith('\n'):
                self.case.fail('stderr has %r' % text)
            text = text[len('stretto-proxy: '):-1]
            # A note of these errors, which no chapter asks for, is welcome.
            match = [one for one in wanted if matches(one, text)]
            if match and text not in (EMPTY, NOT_JSON):
                wanted.remove(match[0])
            elif text not in (EMPTY, NOT_JSON) and not any(matches(one, text) for one in maybe):
                self.case.fail('unexpected on stderr: %r (wanted %r)' % (text, wanted))
        if wanted:
            self.case.fail('not on stderr: %r; it is %s' % (wanted, harness.brief(stderr)))

    def check_answers(self, ended, unanswered):
        """Each request has exactly one answer, and nothing but messages is on stdout."""
        counts = []
        for line in ended.lines:
            if not line.endswith(b'\n') or not is_message(line):
                self.case.fail('not a message on stdout: %s' % harness.brief(line))
            counts += answered_ids(line)
        wanted = [id for line in self.sent for id in request_ids(line)]
        missing = [read_message(json.dumps(id).encode()) for id in unanswered]
        for id in wanted:
            n = 0 if id in missing else wanted.count(id)
            if counts.count(id) != n:
                self.case.fail('%d answers to %r, not %d; stdout %s' %
                               (counts.count(id), id, n, harness.brief(b''.join(ended.lines))))

    def read_log(self):
        names = os.listdir(self.record)
        self.case.assertEqual(len(names), 1, 'logs')
        with open(os.path.join(self.record, names[0]), 'rb') as f:
            lines = log_model.split_lines(f.read())
        self.header = lines[0]
        entries, last = [], 0
        for line in lines[1:]:
            match = PROXY_ENTRY.fullmatch(line)
            if not match:
                self.case.fail('not an entry: %s' % harness.brief(line))
            self.case.assertGreaterEqual(int(match[1]), last)
            last = int(match[1])
            entries.append((match[2].decode(), match[3]))
        return entries

    def check_log(self, ended, kept, own, changed):
        self.case.assertEqual(ended.entries('client'), [log_body(s) for s in self.sent])
        made = [log_body(line) for line in own]
        self.case.assertEqual(ended.entries('proxy'), made)
        swap = {log_body(host): log_body(server) for host, server in changed}
        server = ended.entries('server')
        for text in kept:
            body = log_body(text)
            if body not in server:
                self.case.fail('not recorded: %r; the server has %r' % (text, server))
            # Of equal ones the last goes, as the host is given the first.
            server.reverse()
            server.remove(body)
            server.reverse()
        if not self.process.stdout:
            return
        handed = [swap.get(log_body(line), log_body(line)) for line in ended.lines
                  if log_body(line) in swap or log_body(line) not in made]
        self.case.assertEqual(server, handed)


def matches(pattern, text):
    return text == pattern if isinstance(pattern, str) else pattern.fullmatch(text)


class UpstreamCase(harness.Case):
    """A test with scripted servers, which stop with it."""

    def setUp(self):
        super().setUp()
        self.sessions = []
        self.servers = []

    def tearDown(self):
        # The proxies end first, so that no server's end looks to them like a failure.
        for process in self.processes:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
        try:
            for server in self.servers:
                server.stop()
                self.assertEqual(server.failures, [])
        finally:
            super().tearDown()

    def serve(self, kind=Server, **kw):
        server = kind(**kw)
        server.has_clients = lambda: not self.processes or any(
            process.running() for process in self.processes)
        self.servers.append(server)
        return server

    def session(self, target, *args, **kw):
        """A session with a scripted server or a URL."""
        return Session(self, target if isinstance(target, str) else target.url(), *args, **kw)

    def dead_port(self):
        """A port of this machine where nothing listens; it stays reserved until the test ends."""
        sock = socket.socket()
        self.addCleanup(sock.close)
        sock.bind(('127.0.0.1', 0))
        return sock.getsockname()[1]

    def quiet(self, server, seconds=0.5):
        """Waits until no request has come for a while; all of them."""
        harness.Case.until_steady(self, lambda: len(server.got()), seconds)
        return server.got()

    def near(self, seconds, wanted, below=0.05, above=0.2):
        """Whether a wait took what it should; the upper bound stretches with slow builds."""
        if not wanted - below <= seconds <= wanted + above * max(1.0, harness.SLOW):
            self.fail('it took %.3f s, not %.3f' % (seconds, wanted))


def initialize(version='2025-06-18', id='init'):
    return {'jsonrpc': '2.0', 'id': id, 'method': 'initialize',
            'params': {'protocolVersion': version, 'capabilities': {},
                       'clientInfo': {'name': 'test', 'version': '0'}}}


INITIALIZED = {'jsonrpc': '2.0', 'method': 'notifications/initialized'}
PING = {'jsonrpc': '2.0', 'method': 'notifications/ping'}


def request(id, method='tools/call', **params):
    return {'jsonrpc': '2.0', 'id': id, 'method': method, 'params': params}


def notification(method, **params):
    return {'jsonrpc': '2.0', 'method': method, 'params': params}


def modern(id, method, params=None, version='2026-07-28', meta=None):
    """A line of the stateless revision; without an id (None) it is a notification."""
    message = {'jsonrpc': '2.0'}
    if id is not None:
        message['id'] = id
    message['method'] = method
    message['params'] = {**(params or {}), '_meta': {
        'io.modelcontextprotocol/protocolVersion': version, **(meta or {})}}
    return message
