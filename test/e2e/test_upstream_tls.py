#!/usr/bin/env python3
"""TLS and forward proxies of --upstream: chapter 03 §3."""

import base64
import os
import socket
import ssl
import subprocess
import time

import harness
import http_server
from harness import rows
from http_server import (SAYS_UNREACHED, UNREACHED, Certificates, ForwardProxy, compact,
                         notification, refused, request)

USER = b'user-name:pa55@word'
SHOWN_USER = 'user-name:pa55%40word@'


class TlsCase(http_server.UpstreamCase):
    def setUp(self):
        super().setUp()
        self.ca = Certificates(self)

    def trusting(self, ca=None, **more):
        """The environment that trusts the test's authority and no other."""
        return {'SSL_CERT_FILE': (ca or self.ca).ca, 'SSL_CERT_DIR': self.path('no-such-folder'),
                **more}

    def serve_tls(self, alternatives='DNS:localhost,IP:127.0.0.1', change=None, **kw):
        context = self.ca.context(alternatives, **kw)
        if change:
            change(context)
        server = self.serve(tls=context)

        def name_of(sock, name, context):
            server.server_names.append(name)

        context.sni_callback = name_of
        return server

    def works(self, url, **env):
        session = self.session(url, env=self.trusting(**env))
        session.call(1).result(1)
        session.end()

    def fails(self, url, env=None):
        """It cannot be reached, and the server gets no request."""
        session = self.session(url, env=env or self.trusting())
        session.call(1).fails(1, UNREACHED)
        ended = session.end(err=[SAYS_UNREACHED])
        for server in self.servers:
            self.assertEqual([r for r in server.got() if r.method != 'CONNECT'], [])
        return ended


class Plain(http_server.Server):
    """A server without TLS that says so to whatever it is sent."""

    def serve(self, sock, number):
        sock.recv(1 << 16)
        sock.sendall(b'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
        self.drop(sock)


class Tls(TlsCase):
    @rows(('name', 'localhost', 'DNS:localhost'),
          ('name in capitals', 'LOCALHOST', 'DNS:localhost'),
          ('IP literal', '127.0.0.1', 'IP:127.0.0.1'),
          ('one of many', 'localhost', 'DNS:a.test,DNS:localhost,DNS:b.test'))
    def test_verified(self, host, alternatives):
        server = self.serve_tls(alternatives)
        session = self.session(server.url(host=host), env=self.trusting())
        session.open()
        server.wait_got('GET')
        session.call(1).result(1)
        session.end()
        self.assertEqual(len(server.got('DELETE')), 1)
        # A server name is sent for names only.
        self.assertEqual({name and name.lower() for name in server.server_names},
                         {None if host[0].isdigit() else 'localhost'})

    @rows(('other name', 'localhost', 'DNS:other.test'),
          ('name for a literal', '127.0.0.1', 'DNS:localhost'),
          ('literal as a name', '127.0.0.1', 'DNS:127.0.0.1'),
          ('literal for a name', 'localhost', 'IP:127.0.0.1'),
          ('other literal', '127.0.0.1', 'IP:127.0.0.2'),
          ('longer name', 'localhost', 'DNS:localhost.test'),
          ('below it', 'localhost', 'DNS:*.localhost'))
    def test_wrong_host(self, host, alternatives):
        server = self.serve_tls(alternatives)
        self.fails(server.url('/mcp', host=host))

    def test_common_name_does_not_count(self):
        self.fails(self.serve_tls('DNS:other.test', name='localhost').url(host='localhost'))

    def test_unknown_authority(self):
        other = Certificates(self, 'other')
        server = self.serve_tls()
        self.fails(server.url(host='localhost'), self.trusting(other))
        self.fails(server.url(host='localhost'), self.trusting(SSL_CERT_FILE='/no/such/file'))

    def test_signed_by_itself(self):
        """The authority's own certificate would be trusted, one of the server's making is not."""
        folder = self.path('self')
        os.mkdir(folder)
        subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt',
                        'ec_paramgen_curve:P-256', '-nodes', '-keyout', 'k', '-out', 'c', '-subj',
                        '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'], cwd=folder,
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(os.path.join(folder, 'c'), os.path.join(folder, 'k'))
        server = self.serve(tls=context)
        self.fails(server.url(host='localhost'))

    @rows(('expired', ('20000101000000Z', '20010101000000Z')),
          ('not yet valid', ('20900101000000Z', '20910101000000Z')))
    def test_dates(self, dates):
        self.fails(self.serve_tls(dates=dates).url(host='localhost'))

    def test_for_clients_only(self):
        self.fails(self.serve_tls(purpose='clientAuth').url(host='localhost'))

    def test_folder_of_certificates(self):
        """SSL_CERT_DIR, as OpenSSL reads it."""
        server = self.serve_tls()
        name = subprocess.run(['openssl', 'x509', '-hash', '-noout', '-in', self.ca.ca], check=True,
                              stdout=subprocess.PIPE).stdout.decode().strip()
        os.mkdir(self.path('certs'))
        os.symlink(self.ca.ca, self.path('certs', name + '.0'))
        self.works(server.url(host='localhost'), SSL_CERT_FILE='/no/such/file',
                   SSL_CERT_DIR=self.path('certs'))

    @rows(('1.2', ssl.TLSVersion.TLSv1_2), ('1.3', ssl.TLSVersion.TLSv1_3))
    def test_version(self, version):
        def only(context):
            context.minimum_version = context.maximum_version = version
        self.works(self.serve_tls(change=only).url(host='localhost'))

    def test_old_version(self):
        def only(context):
            context.set_ciphers('ALL:@SECLEVEL=0')
            context.minimum_version = ssl.TLSVersion.TLSv1
            context.maximum_version = ssl.TLSVersion.TLSv1_1
        self.fails(self.serve_tls(change=only).url(host='localhost'))

    def test_no_tls_there(self):
        self.fails('https://localhost:%d/mcp' % self.serve(Plain).port)

    def test_tls_where_none_is_spoken(self):
        self.fails('http://localhost:%d/mcp' % self.serve_tls().port)

    def test_closed_in_the_handshake(self):
        class Closing(http_server.Server):
            def serve(self, sock, number):
                sock.recv(100)
                self.drop(sock)

        self.fails('https://localhost:%d/mcp' % self.serve(Closing).port)

    def test_nothing_is_shown(self):
        """Of a URL with a user and a query, in each kind of failure."""
        for server in (self.serve_tls('DNS:other.test'), self.serve(Plain)):
            session = self.session(
                'https://user-name:pa55word@localhost:%d/mcp?query-4711' % server.port,
                env=self.trusting(), record=False)
            session.secrets += [b'user-name', b'pa55word', b'query-4711']
            session.call(1).fails(1, UNREACHED)
            session.end(err=[SAYS_UNREACHED])

    def test_large_bodies(self):
        """Megabytes both ways, at the same time."""
        server = self.serve_tls()
        server.on('echo', lambda x: x.result({'x': x.message['params']['x']}))
        session = self.session(server.url(host='localhost'), env=self.trusting())
        texts = {i: str(i) * (2 << 20) for i in range(4)}
        session.send(*[request(i, 'echo', x=text) for i, text in texts.items()])
        for i, text in texts.items():
            session.result(i, {'x': text})
        session.end()

    def test_stream(self):
        """Events arrive one by one; the connection may be reset in the middle."""
        server = self.serve_tls()

        def call(x):
            x.stream()
            for i in range(3):
                x.event(notification('n', i=i))
                x.wait_for(i)
            x.reset()

        server.on('tools/call', call)
        session = self.session(server.url(host='localhost'), env=self.trusting())
        session.call(1)
        for i in range(3):
            session.line(notification('n', i=i))
            server.release(i)
        session.fails(1, http_server.CUT)
        session.end(err=[http_server.SAYS_CUT])

    def test_reuse(self):
        server = self.serve_tls()
        session = self.session(server.url(host='localhost'), env=self.trusting())
        for i in range(20):
            session.call(i).result(i)
        session.end()
        self.assertLess(server.n_connections, 5)

    def test_redirect_to_https(self):
        """From http to https on the same host, whatever the port; headers and body go along."""
        server, plain = self.serve_tls(), self.serve()
        plain.on('*', lambda x: x.reply(308, b'', [
            ('Location', 'https://localhost:%d/there' % server.port)]))
        session = self.session(plain.url(host='localhost'), env=self.trusting())
        session.call(1).result(1)
        session.end()
        got = server.got()[0]
        self.assertEqual((got.method, got.target, got.body),
                         ('POST', '/there', plain.got()[0].body))
        self.assertEqual(got.header('X-Secret'), http_server.SECRET)

    def test_no_redirect_to_https_elsewhere(self):
        server, plain = self.serve_tls(), self.serve()
        plain.on('*', lambda x: x.reply(308, b'', [
            ('Location', 'https://127.0.0.1:%d/there' % server.port)]))
        session = self.session(plain.url(host='localhost'), env=self.trusting())
        session.call(1).fails(1, refused(308), {'status': 308})
        session.end(err=[refused(308)])
        self.assertEqual(server.n_connections, 0)

    def test_no_redirect_to_http(self):
        server, plain = self.serve_tls(), self.serve()
        server.on('*', lambda x: x.reply(307, b'', [('Location', plain.url(host='localhost'))]))
        session = self.session(server.url(host='localhost'), env=self.trusting())
        session.call(1).fails(1, refused(307), {'status': 307})
        session.end(err=[refused(307)])
        self.assertEqual(plain.n_connections, 0)


class Limits(TlsCase):
    def test_connecting_takes_too_long(self):
        """10 s for all of it, wherever it stands still; a slow answer has no limit."""
        class Silent(http_server.Server):
            def serve(self, sock, number):
                self.wait(lambda: self.stopping)

        # A listener whose queue is full takes no more connections and says nothing.
        full = socket.socket()
        self.addCleanup(full.close)
        full.bind(('127.0.0.1', 0))
        full.listen(0)
        for _ in range(4):
            filler = socket.socket()
            self.addCleanup(filler.close)
            filler.setblocking(False)
            filler.connect_ex(full.getsockname())
        silent = self.serve(Silent)
        slow = self.serve()
        slow.on('tools/call', lambda x: x.wait_for('late') or x.result())
        stuck = [self.session('http://127.0.0.1:%d/' % full.getsockname()[1]),
                 self.session('https://127.0.0.1:%d/' % silent.port, env=self.trusting()),
                 self.session('https://orders.test/', env=self.trusting(
                     https_proxy='http://127.0.0.1:%d' % silent.port))]
        patient = self.session(slow)
        start = time.monotonic()
        for session in [*stuck, patient]:
            session.call(1)
        for session in stuck:
            session.fails(1, UNREACHED)
            self.near(time.monotonic() - start, 10, 0.5, 1.5)
        slow.release('late')
        patient.result(1)
        for session in stuck:
            session.end(err=[SAYS_UNREACHED])
        patient.end()


class Proxies(TlsCase):
    """The variables, the forms of requests, and what must not be shown."""

    def proxied(self, **kw):
        """A server and a proxy that knows the way to it by name."""
        server = self.serve()
        proxy = self.serve(ForwardProxy)
        for name in ('orders.test', 'api.orders.test', 'localhost', '127.0.0.1'):
            proxy.routes[name + ':80'] = server.port
        return server, proxy

    def address(self, proxy, user='', scheme='http://'):
        return '%s%s127.0.0.1:%d' % (scheme, user, proxy.port)

    def test_http(self):
        """Absolute form, with the origin's Host."""
        server, proxy = self.proxied()
        session = self.session('http://orders.test/mcp?a=b',
                               env={'http_proxy': self.address(proxy)})
        session.open()
        server.wait_got('GET')
        session.call(1).result(1)
        session.end()
        self.assertEqual([r.rpc() for r in proxy.got()], [r.rpc() for r in server.got()])
        self.assertEqual(len(proxy.got()), 5)
        for got in proxy.got():
            self.assertEqual(got.target, 'http://orders.test/mcp?a=b')
            self.assertEqual(got.header('Host'), 'orders.test')
            self.assertEqual(got.header('X-Secret'), http_server.SECRET)
            self.assertEqual(got.all('Proxy-Authorization'), [])
        for got in server.got():
            self.assertEqual(got.target, '/mcp?a=b')

    def test_http_with_a_port(self):
        server, proxy = self.proxied()
        session = self.session('http://orders.test:%d' % server.port,
                               env={'http_proxy': self.address(proxy)})
        session.call(1).result(1)
        session.end()
        got = proxy.got()[0]
        self.assertEqual(got.target, 'http://orders.test:%d/' % server.port)
        self.assertEqual(got.header('Host'), 'orders.test:%d' % server.port)

    def test_user_of_the_url(self):
        """It stays a header of the request; the target does not show it."""
        server, proxy = self.proxied()
        session = self.session('http://user-name:pa55word@orders.test/mcp',
                               env={'http_proxy': self.address(proxy)})
        session.secrets += [b'pa55word']
        session.call(1).result(1)
        session.end()
        got = proxy.got()[0]
        self.assertEqual(got.target, 'http://orders.test/mcp')
        self.assertEqual(got.header('Authorization'),
                         'Basic ' + base64.b64encode(b'user-name:pa55word').decode())

    @rows(('http', 'http_proxy', 'http'), ('all for http', 'all_proxy', 'http'),
          ('ALL for http', 'ALL_PROXY', 'http'), ('https', 'https_proxy', 'https'),
          ('HTTPS', 'HTTPS_PROXY', 'https'), ('all for https', 'all_proxy', 'https'),
          ('ALL for https', 'ALL_PROXY', 'https'))
    def test_variables(self, variable, scheme):
        self.through(scheme, {variable: True})

    @rows(('HTTP is not read', {'HTTP_PROXY': True}, 'http'),
          ('https for http', {'https_proxy': True}, 'http'),
          ('http for https', {'http_proxy': True}, 'https'),
          ('empty', {'http_proxy': ''}, 'http'), ('empty, in capitals', {'ALL_PROXY': ''}, 'http'),
          ('none', {}, 'https'))
    def test_other_variables(self, env, scheme):
        self.directly(scheme, env)

    @rows(('lower case wins', {'https_proxy': True, 'HTTPS_PROXY': 'http://127.0.0.1:1'}, 'https'),
          ('the special one wins', {'http_proxy': True, 'all_proxy': 'http://127.0.0.1:1'}, 'http'),
          ('empty lower case', {'https_proxy': '', 'HTTPS_PROXY': True}, 'https'),
          ('empty, so all', {'http_proxy': '', 'all_proxy': True}, 'http'),
          ('in capitals before all', {'HTTPS_PROXY': True, 'all_proxy': 'http://127.0.0.1:1'},
           'https'))
    def test_which_counts(self, env, scheme):
        self.through(scheme, env)

    def origin(self, scheme):
        return self.serve_tls() if scheme == 'https' else self.serve()

    def fill(self, env, proxy):
        return {name: self.address(proxy) if value is True else value
                for name, value in env.items()}

    def through(self, scheme, env):
        server, proxy = self.origin(scheme), self.serve(ForwardProxy)
        self.works(server.url(host='localhost'), **self.fill(env, proxy))
        self.assertEqual(len(proxy.got()), 1)

    def directly(self, scheme, env):
        server, proxy = self.origin(scheme), self.serve(ForwardProxy)
        self.works(server.url(host='localhost'), **self.fill(env, proxy))
        self.assertEqual(proxy.n_connections, 0)

    def test_scheme_left_out(self):
        server, proxy = self.proxied()
        self.works('http://orders.test/', http_proxy=self.address(proxy, scheme=''))
        self.works('http://orders.test/', http_proxy=self.address(proxy, scheme='HTTP://') + '/')
        self.assertEqual(len(server.got()), 2)

    def test_connect(self):
        """What is in the tunnel is the server's business, headers included."""
        server, proxy = self.serve_tls('DNS:*.orders.test'), self.serve(ForwardProxy)
        proxy.routes['api.orders.test:443'] = server.port
        session = self.session('https://api.orders.test/mcp?query-4711',
                               env=self.trusting(https_proxy=self.address(proxy)))
        session.open()
        server.wait_got('GET')
        session.call(1).result(1)
        session.end()
        self.assertEqual({(r.method, r.target, r.version) for r in proxy.got()},
                         {('CONNECT', 'api.orders.test:443', 'HTTP/1.1')})
        for got in proxy.got():
            self.assertEqual(got.header('Host'), 'api.orders.test:443')
            self.assertEqual(set(got.names()) - {'host', 'user-agent', 'proxy-connection',
                                                 'connection'}, set())
            self.assertEqual(got.body, b'')
        self.assertEqual(len(server.got()), 5)
        for got in server.got():
            self.assertEqual(got.target, '/mcp?query-4711')
            self.assertEqual(got.header('Host'), 'api.orders.test')
        self.assertEqual(set(server.server_names), {'api.orders.test'})

    def test_connect_in_pieces(self):
        """Records of TLS cut anywhere."""
        server, proxy = self.serve_tls(), self.serve(ForwardProxy)
        proxy.piece = 7
        server.on('tools/call', lambda x: x.result({'x': 'y' * 20000}))
        session = self.session(server.url(host='localhost'),
                               env=self.trusting(https_proxy=self.address(proxy)))
        session.call(1, x='z' * 20000).result(1, {'x': 'y' * 20000})
        session.end()

    def test_connect_verifies_the_server(self):
        server, proxy = self.serve_tls('DNS:other.test'), self.serve(ForwardProxy)
        self.fails(server.url(host='localhost'),
                   self.trusting(https_proxy=self.address(proxy)))

    @rows(('http', 'http'), ('https', 'https'))
    def test_credentials(self, scheme):
        """They go to the proxy, in one header, and nowhere else."""
        server, proxy = self.origin(scheme), self.serve(ForwardProxy)
        session = self.session(server.url(host='localhost'), env=self.trusting(
            all_proxy=self.address(proxy, SHOWN_USER)))
        session.secrets += [USER, SHOWN_USER.encode(), b'pa55']
        session.call(1).result(1)
        session.end()
        self.assertEqual(proxy.got()[0].header('Proxy-Authorization'),
                         'Basic ' + base64.b64encode(USER).decode())
        self.assertEqual(server.got()[0].all('Proxy-Authorization'), [])

    @rows(*[('%d for %s' % (status, scheme), status, scheme)
            for status in (403, 407, 502) for scheme in ('http', 'https')])
    def test_proxy_refuses(self, status, scheme):
        """A refused tunnel leaves the server unreached; for http the answer is the proxy's."""
        server, proxy = self.origin(scheme), self.serve(ForwardProxy)
        proxy.refuse = status
        proxy.forward = lambda x: x.reply(status)
        session = self.session(server.url('/mcp?query-4711', host='localhost'), record=False,
                               env=self.trusting(all_proxy=self.address(proxy, SHOWN_USER)))
        session.secrets += [USER, SHOWN_USER.encode(), b'pa55', b'query-4711']
        session.call(1)
        if scheme == 'https':
            session.fails(1, UNREACHED)
            session.end(err=[SAYS_UNREACHED])
        else:
            text = session.answer(1)['error']['message'][len('stretto-proxy: '):]
            self.assertTrue(text.startswith('the server answered HTTP %d' % status))
            session.end(err=[text])
        self.assertEqual(server.n_connections, 0)

    @rows(('gone', 'http://{user}127.0.0.1:{dead}'), ('no such name', 'http://{user}no.invalid:80'),
          ('socks', 'socks5://{user}127.0.0.1:{live}'), ('https', 'https://{user}127.0.0.1:{live}'),
          ('port', 'http://{user}127.0.0.1:99999'), ('bracket', 'http://{user}[::1'))
    def test_unusable_proxy(self, text):
        """The server is not asked directly instead, and the variable is not shown."""
        proxy = self.serve(ForwardProxy)
        value = text.format(user=SHOWN_USER, dead=self.dead_port(), live=proxy.port)
        for scheme in ('http', 'https'):
            server = self.origin(scheme)
            session = self.session(server.url(host='localhost'),
                                   env=self.trusting(all_proxy=value))
            session.secrets += [USER, SHOWN_USER.encode(), b'pa55']
            session.call(1).fails(1, UNREACHED)
            session.end(err=[SAYS_UNREACHED])
            self.assertEqual(server.n_connections, 0)

    @rows(('everything', '*', 'localhost', True), ('the name', 'localhost', 'localhost', True),
          ('in capitals', 'LocalHost', 'localhost', True),
          ('one of several', 'a.test, localhost ,b.test', 'localhost', True),
          ('with a dot', '.localhost', 'localhost', True),
          ('end of the name', 'host', 'localhost', False),
          ('beginning of the name', 'local', 'localhost', False),
          ('other', 'a.test', 'localhost', False),
          ('empty', '', 'localhost', False), ('commas', ',,', 'localhost', False),
          ('below a name', 'orders.test', 'api.orders.test', True),
          ('below a name with a dot', '.orders.test', 'api.orders.test', True),
          ('end without a dot', 'ders.test', 'orders.test', False),
          ('above a name', 'api.orders.test', 'orders.test', False),
          ('literal', '127.0.0.1', '127.0.0.1', True),
          ('other literal', '127.0.0.2', '127.0.0.1', False),
          ('block', '127.0.0.0/8', '127.0.0.1', True),
          ('block of one', '127.0.0.1/32', '127.0.0.1', True),
          ('all of IPv4', '0.0.0.0/0', '127.0.0.1', True),
          ('other block', '10.0.0.0/8', '127.0.0.1', False),
          ('just outside', '127.0.0.2/31', '127.0.0.1', False),
          ('no block', '127.0.0.0/33', '127.0.0.1', False),
          ('IPv6 block', '::/0', '127.0.0.1', False),
          ('names are not looked up', '127.0.0.0/8', 'localhost', False))
    def test_no_proxy(self, value, host, is_direct):
        for variable in ('no_proxy', 'NO_PROXY'):
            server, proxy = self.serve(), self.serve(ForwardProxy)
            proxy.routes['%s:%d' % (host, server.port)] = server.port
            session = self.session(server.url(host=host), env={
                'http_proxy': self.address(proxy), variable: value})
            session.call(1)
            if is_direct and host.endswith('.test'):
                # No such name can be looked up, so the proxy was not asked.
                session.fails(1, UNREACHED)
                session.end(err=[SAYS_UNREACHED])
            else:
                session.result(1)
                session.end()
            self.assertEqual(proxy.n_connections, 0 if is_direct else 1)

    @rows(('literal', '::1', True), ('in brackets', '[::1]', True), ('block', '::/64', True),
          ('other block', 'fe80::/10', False), ('IPv4 block', '0.0.0.0/0', False))
    def test_no_proxy_for_ipv6(self, value, is_direct):
        try:
            server = self.serve(family=socket.AF_INET6, host='::1')
        except OSError:
            self.skipTest('no IPv6 here')
        other, proxy = self.serve(), self.serve(ForwardProxy)
        proxy.routes['[::1]:%d' % server.port] = other.port
        session = self.session(server.url(), env={'http_proxy': self.address(proxy),
                                                  'no_proxy': value})
        session.call(1).result(1)
        session.end()
        self.assertEqual((len(server.got()), len(other.got())), (1, 0) if is_direct else (0, 1))

    def test_redirect_through_the_proxy(self):
        """From http to https: the second request asks for a tunnel."""
        server, plain, proxy = self.serve_tls(), self.serve(), self.serve(ForwardProxy)
        plain.on('*', lambda x: x.reply(307, b'', [
            ('Location', 'https://localhost:%d/' % server.port)]))
        session = self.session(plain.url(host='localhost'),
                               env=self.trusting(all_proxy=self.address(proxy)))
        session.call(1).result(1)
        session.end()
        self.assertEqual([r.method for r in proxy.got()], ['POST', 'CONNECT'])

    def test_bodies_are_whole(self):
        server, proxy = self.proxied()
        line = compact(request(1, text='x' * 300000))
        session = self.session('http://orders.test/', env={'http_proxy': self.address(proxy)})
        session.send(line).result(1)
        session.end()
        self.assertEqual(server.got()[0].body, line)


if __name__ == '__main__':
    harness.main()
