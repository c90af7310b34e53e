#!/usr/bin/env python3
"""The Debian package: installed, used and removed below a directory of its own.

    test/package_check.py [PACKAGE]

PACKAGE is what tools/package-deb made, by default that in build-deb/. Nothing is installed into the
system, and root's rights are not needed: dpkg gets a root directory with a database of its own.
That database knows of nothing but the packages of this system that the package depends on, so dpkg
does look at the dependencies. The programs run from there with the system's libraries, and they
find their modules from where they lie themselves.
"""

import glob
import gzip
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import unittest

TREE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
PROGRAMS = ['stretto', 'stretto-mcp-demo', 'stretto-procedure', 'stretto-proxy']
MODULES = ['stretto-oracle.so', 'stretto-upstream.so']
COMPLETIONS = {
    'bash': 'usr/share/bash-completion/completions/stretto',
    'zsh': 'usr/share/zsh/vendor-completions/_stretto',
    'fish': 'usr/share/fish/vendor_completions.d/stretto.fish',
}
DOC = 'usr/share/doc/stretto-proxy'
DEADLINE = 60
SESSION = b'''\
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",\
"capabilities":{},"clientInfo":{"name":"check","version":"0"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"lookup",\
"arguments":{"text":"hello"}}}
'''
package = ''


def run(*command, stdin=b'', **more):
    return subprocess.run(command, input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=DEADLINE, check=False, **more)


def output(*command):
    done = run(*command)
    if done.returncode != 0:
        raise RuntimeError('%s: %s' % (command[0], done.stderr.decode('utf-8', 'replace')))
    return done.stdout.decode()


def field(name):
    return output('dpkg-deb', '--field', package, name).strip()


def dependencies():
    """The names of the packages it depends on; of alternatives, the first."""
    return [re.match(r'[^ |]+', entry)[0] for entry in field('Depends').split(', ')]


def closed_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


class Root:
    """A directory that dpkg takes for /, with the given packages of the system as installed."""

    def __init__(self, names):
        self.scratch = tempfile.TemporaryDirectory(prefix='stretto-package-')
        self.path = os.path.join(self.scratch.name, 'root')
        self.admin = os.path.join(self.path, 'var/lib/dpkg')
        os.makedirs(os.path.join(self.admin, 'info'))
        os.mkdir(os.path.join(self.admin, 'updates'))
        with open(os.path.join(self.admin, 'status'), 'w', encoding='utf-8') as status:
            if names:
                status.write(output('dpkg-query', '--status', *names))

    def dpkg(self, *arguments):
        """A system's own configuration may leave out documentation, hence the --path-include."""
        env = {'PATH': '/usr/sbin:/usr/bin:/sbin:/bin', 'HOME': self.scratch.name, 'LC_ALL': 'C'}
        return run('dpkg', '--root=' + self.path, '--log=' + self.scratch.name + '/log',
                   '--force-not-root', '--path-include=*', *arguments, env=env)

    def entries(self):
        """All that is there but for dpkg's database, directories with a "/" behind."""
        found = set()
        for place, directories, files in os.walk(self.path):
            if place == self.admin:
                directories[:] = []
                continue
            inside = os.path.relpath(place, self.path)
            found |= {os.path.normpath(os.path.join(inside, name)) + '/' for name in directories}
            found |= {os.path.normpath(os.path.join(inside, name)) for name in files}
        return found


class Package(unittest.TestCase):
    def setUp(self):
        self.root = Root(dependencies())
        self.addCleanup(self.root.scratch.cleanup)
        os.makedirs(self.path('usr/share/man/man1'))
        with open(self.path('usr/share/man/man1/other.1'), 'w', encoding='utf-8'):
            pass
        self.before = self.root.entries()
        self.succeeds(self.root.dpkg('--install', package))

    def path(self, name):
        return os.path.join(self.root.path, name)

    def program(self, name):
        return self.path('usr/bin/' + name)

    def modules(self):
        return glob.glob(self.path('usr/lib/*/stretto-proxy'))[0]

    def succeeds(self, done):
        self.assertEqual(done.returncode, 0, done.stderr.decode('utf-8', 'replace'))
        return done.stdout

    def test_files(self):
        docs = [name for name in os.listdir(os.path.join(TREE, 'docs'))
                if name.endswith(('.md', '.json'))]
        modules = os.path.relpath(self.modules(), self.root.path)
        expected = ['usr/bin/' + name for name in PROGRAMS]
        expected += [modules + '/' + name for name in MODULES]
        expected += COMPLETIONS.values()
        expected += ['usr/share/man/man1/%s.1.gz' % name for name in PROGRAMS]
        expected += [DOC + '/' + name
                     for name in ('CHANGELOG.md', 'README.md', 'changelog.gz', 'copyright')]
        expected += [DOC + '/docs/' + name for name in docs]
        files = {name for name in self.root.entries() - self.before if not name.endswith('/')}
        self.assertEqual(sorted(files), sorted(expected))
        for name in files:
            mode = 0o755 if name.startswith('usr/bin/') else 0o644
            self.assertEqual(oct(os.lstat(self.path(name)).st_mode), oct(0o100000 | mode), name)

    def test_owner(self):
        for line in output('dpkg-deb', '--contents', package).splitlines():
            self.assertEqual(line.split()[1], 'root/root', line)

    def test_no_maintainer_scripts(self):
        control = tempfile.mkdtemp(dir=self.root.scratch.name)
        output('dpkg-deb', '--control', package, control)
        self.assertEqual(sorted(os.listdir(control)), ['control', 'md5sums'])

    def test_checksums(self):
        self.assertEqual(self.succeeds(self.root.dpkg('--verify', 'stretto-proxy')), b'')
        os.truncate(self.path(DOC + '/README.md'), 1)
        self.assertIn(b'/README.md\n', self.root.dpkg('--verify', 'stretto-proxy').stdout)

    def test_programs_say_their_version(self):
        for name in PROGRAMS:
            said = self.succeeds(run(self.program(name), '--version'))
            self.assertEqual(said.decode(), '%s %s\n' % (name, field('Version')))

    def test_session(self):
        logs = os.path.join(self.root.scratch.name, 'logs')
        out = self.succeeds(run(self.program('stretto-proxy'), '--record', logs, '--',
                                self.program('stretto-mcp-demo'), stdin=SESSION))
        self.assertEqual([json.loads(line)['id'] for line in out.splitlines()], [1, 2])
        log = glob.glob(logs + '/*.jsonl')[0]
        with open(log, encoding='utf-8') as lines:
            senders = [json.loads(line).get('from') for line in lines]
        self.assertEqual((senders.count('client'), senders.count('server')), (3, 2))
        self.assertIn(b'lookup', self.succeeds(run(self.program('stretto'), 'show', log)))

    def upstream(self):
        return run(self.program('stretto-proxy'), '--upstream',
                   'http://127.0.0.1:%d/mcp' % closed_port(), stdin=SESSION)

    def judge(self):
        context = os.path.join(self.root.scratch.name, 'conversation.jsonl')
        with open(context, 'w', encoding='utf-8') as f:
            f.write('{"role":"user","content":"hello"}\n')
        cache = os.path.join(self.root.scratch.name, 'cache')
        return run(self.program('stretto-proxy'), '--guards', '--domain', 'retail', '--context',
                   context, '--confirm-judge', 'log', '--oracle-cache', cache, '--',
                   self.program('stretto-mcp-demo'), '--world', 'retail', env={})

    def test_module_of_upstream_is_found(self):
        done = self.upstream()
        self.assertIn(b'the HTTP server could not be reached: connection refused', done.stderr)
        os.unlink(os.path.join(self.modules(), 'stretto-upstream.so'))
        self.assertEqual(self.upstream().returncode, 125)

    def test_module_of_the_judge_is_found(self):
        self.succeeds(self.judge())
        os.unlink(os.path.join(self.modules(), 'stretto-oracle.so'))
        self.assertEqual(self.judge().returncode, 125)

    def test_manual_pages(self):
        for name in PROGRAMS:
            with gzip.open(self.path('usr/share/man/man1/%s.1.gz' % name)) as page:
                done = run('groff', '-man', '-Tutf8', '-ww', '-P-cbou', stdin=page.read())
            self.assertIn(b'SYNOPSIS\n', self.succeeds(done))
            self.assertIn(name.upper().encode() + b'(1)', done.stdout)
            self.assertEqual(done.stderr, b'')

    def test_completions(self):
        for shell, name in COMPLETIONS.items():
            with open(self.path(name), 'rb') as script:
                self.assertEqual(script.read(), self.succeeds(
                    run(self.program('stretto'), 'completions', shell)))

    def test_changelog(self):
        changelog = os.path.join(self.root.scratch.name, 'changelog')
        with gzip.open(self.path(DOC + '/changelog.gz')) as packed, open(changelog, 'wb') as f:
            f.write(packed.read())
        parsed = output('dpkg-parsechangelog', '-l', changelog)
        self.assertIn('\nVersion: %s\n' % field('Version'), parsed)
        self.assertIn('\n   * ', parsed)

    def test_purge_leaves_nothing(self):
        self.assertNotEqual(self.root.entries(), self.before)
        self.succeeds(self.root.dpkg('--purge', 'stretto-proxy'))
        self.assertEqual(self.root.entries(), self.before)


class Dependencies(unittest.TestCase):
    def test_each_is_needed(self):
        names = dependencies()
        for name in names:
            root = Root([other for other in names if other != name])
            self.addCleanup(root.scratch.cleanup)
            done = root.dpkg('--install', package)
            self.assertEqual(done.returncode, 1)
            self.assertIn('depends on %s' % name, done.stderr.decode())

    def test_have_all_libraries(self):
        """What programs and modules ask for is in the packages named, and each is needed."""
        root = Root(dependencies())
        self.addCleanup(root.scratch.cleanup)
        root.dpkg('--install', package)
        asked = set()
        for name in glob.glob(root.path + '/usr/bin/*') + glob.glob(root.path + '/usr/lib/*/*/*'):
            asked |= set(re.findall(r'\(NEEDED\).*\[(.+)\]', output('readelf', '-dW', name)))
        used = set()
        for library in asked:
            found = output('dpkg-query', '--search', '*/' + library)
            owners = set(re.findall(r'(?m)^([^: ]+)', found)) & set(dependencies())
            self.assertNotEqual(owners, set(), library)
            used |= owners
        self.assertEqual(used, set(dependencies()))


def main():
    global package
    if len(sys.argv) > 2:
        sys.exit(__doc__)
    found = sys.argv[1:] or glob.glob(os.path.join(TREE, 'build-deb', '*.deb'))
    if len(found) != 1:
        sys.exit('package_check.py: no package in build-deb: tools/package-deb makes it')
    package = os.path.abspath(found[0])
    unittest.main(argv=sys.argv[:1], verbosity=2)


if __name__ == '__main__':
    main()
