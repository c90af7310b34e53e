#!/usr/bin/env python3
"""stretto init: chapter 44, section 4, and the edits of a host's configuration in place."""

import json
import os
import re
import shlex
import shutil
import stat

import harness
import tickets
from harness import Case, mode_of, rows

HOSTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'data', 'hosts')
SAMPLES = sorted(os.listdir(HOSTS))

NOTES = """{
  "mcpServers": {
    "notes": {
      "command": "stretto-proxy",
      "args": ["--record", "~/.stretto/logs/notes", "--domain", "notes", "--", %s]
    }
  }
}
""" % '"npx", "-y", "some-server"'
SERVER = ['--', 'npx', '-y', 'some-server']
RECORDED = ['--record', '~/.stretto/logs/notes', '--domain', 'notes']

MISUSES = [
    ('no host', ['--domain', 'd', '--', 'c']),
    ('an unknown host', ['--host', 'vim', '--domain', 'd', '--', 'c']),
    ('neither domain nor flow', ['--host', 'cursor', '--', 'c']),
    ('no server', ['--host', 'cursor', '--domain', 'd']),
    ('no server behind --', ['--host', 'cursor', '--domain', 'd', '--']),
    ('a server before --', ['--host', 'cursor', '--domain', 'd', 'c']),
    ('two servers', ['--host', 'cursor', '--domain', 'd', '--upstream', 'http://x/', '--', 'c']),
    ('--shadow alone', ['--host', 'cursor', '--domain', 'd', '--shadow', '--', 'c']),
    ('--force alone', ['--host', 'cursor', '--domain', 'd', '--force', '--', 'c']),
    ('a header alone', ['--host', 'cursor', '--domain', 'd', '--upstream-header', 'A=B', '--',
                        'c']),
    ('--server alone', ['--host', 'cursor', '--domain', 'd', '--server', 's', '--', 'c']),
    ('--dry-run alone', ['--host', 'cursor', '--domain', 'd', '--dry-run', '--', 'c']),
    ('--wrap and --unwrap', ['--wrap', 'a', '--unwrap', 'a']),
    ('--wrap and --host', ['--wrap', 'a', '--host', 'cursor']),
    ('--wrap and a server', ['--wrap', 'a', '--', 'c']),
    ('--wrap and --upstream', ['--wrap', 'a', '--upstream', 'http://x/']),
    ('--wrap and --domain', ['--wrap', 'a', '--domain', 'd']),
    ('--wrap and --write', ['--wrap', 'a', '--write', 'b']),
    ('--unwrap and --record', ['--unwrap', 'a', '--record', 'b']),
]

# (label, arguments, what the message names).
FAILURES = [
    ('a domain with a space', ['--domain', 'a b', '--', 'c'], '--domain'),
    ('an empty domain', ['--domain=', '--', 'c'], '--domain'),
    ('a domain that starts with a dot', ['--domain', '.a', '--', 'c'], '--domain'),
    ('a domain that starts with a dash', ['--domain=-a', '--', 'c'], '--domain'),
    ('a domain beyond ASCII', ['--domain', 'ä', '--', 'c'], '--domain'),
    ('a URL of another scheme', ['--domain', 'd', '--upstream', 'ftp://x/'], '--upstream'),
    ('a header without a variable', ['--domain', 'd', '--upstream', 'http://x/',
                                     '--upstream-header', 'A='], 'NAME=VAR'),
    ('a header without a name', ['--domain', 'd', '--upstream', 'http://x/',
                                 '--upstream-header', '=A'], 'NAME=VAR'),
    ('a header without an =', ['--domain', 'd', '--upstream', 'http://x/',
                               '--upstream-header', 'A'], 'NAME=VAR'),
    ('a missing flow', ['--flow', 'gone.json', '--', 'c'], 'gone.json'),
    ('a file that is no flow', ['--flow', 'no.json', '--', 'c'], 'not a stretto flow'),
    ('a file that is there', ['--domain', 'd', '--write', 'no.json', '--', 'c'], '--force'),
    ('a header that HTTP needs', ['--domain', 'd', '--upstream', 'http://x/',
                                  '--upstream-header', 'host=A'], "no header 'host'"),
    ('a header that looks like an option', ['--domain', 'd', '--upstream', 'http://x/',
                                            '--upstream-header=-A=B'], "no header '-A'"),
    ('a program without a name', ['--domain', 'd', '--', ''], 'no name'),
    ('an argument that is not UTF-8', ['--domain', 'd', '--', b'\xff'], 'UTF-8'),
]


def strip_comments(text):
    """A text of JSON with comments as JSON: strings are kept, comments and last commas are not."""
    text = re.sub(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', lambda m: m[1] or ' ', text,
                  flags=re.S)
    return re.sub(r'("(?:[^"\\]|\\.)*")|,(?=\s*[\]}])', lambda m: m[1] or '', text)


def parse(data):
    return json.loads(strip_comments(data.decode('utf-8-sig')))


def tables(config):
    """The objects of servers of a configuration, and whether their servers state a type."""
    found = [(config[key], key == 'servers')
             for key in ('mcpServers', 'servers', 'context_servers') if key in config]
    projects = config.get('projects', {}).values()
    return found + [(project['mcpServers'], False) for project in projects]


def domain_of(name):
    return re.sub(r'[^A-Za-z0-9._-]', '-', name).lstrip('.-') or 'server'


def variable_of(header, taken):
    name = 'STRETTO_HEADER_' + re.sub(r'[^A-Z0-9]', '_', header.upper())
    numbered, i = name, 2
    while numbered in taken:
        numbered, i = '%s_%d' % (name, i), i + 1
    return numbered


def wrap_entry(name, entry, has_type, proxy='stretto-proxy', record=None):
    """What becomes of an entry, or None when it is left."""
    own = ['--record', record or '~/.stretto/logs/' + domain_of(name), '--domain', domain_of(name)]
    entry = dict(entry)
    if isinstance(entry.get('command'), str):
        entry['args'] = own + ['--', entry['command']] + entry.get('args', [])
    elif ('url' in entry or 'serverUrl' in entry) and entry.get('type') != 'sse':
        url = entry.pop('url', None) or entry.pop('serverUrl')
        env = entry.get('env', {})
        entry['args'] = own + ['--upstream', url]
        for header, value in entry.pop('headers', {}).items():
            variable = variable_of(header, env)
            env = {**env, variable: value}
            entry['args'] += ['--upstream-header', '%s=%s' % (header, variable)]
            entry['env'] = env
        if has_type or 'type' in entry:
            entry['type'] = 'stdio'
    else:
        return None
    entry['command'] = proxy
    return entry


def wrap_all(data, **kw):
    config = parse(data)
    for table, has_type in tables(config):
        for name, entry in table.items():
            table[name] = wrap_entry(name, entry, has_type, **kw) or entry
    return config


def apply(diff, before):
    """What a unified diff makes of a text."""
    lines = before.splitlines(keepends=True)
    result, at = [], 0
    edits = diff.splitlines(keepends=True)
    assert edits[0].startswith(b'--- ') and edits[1].startswith(b'+++ ')
    for i, edit in enumerate(edits[2:], 2):
        if edit.startswith(b'@@'):
            start, count = map(int, re.match(rb'@@ -(\d+),(\d+) ', edit).groups())
            start -= count > 0
            result += lines[at:start]
            at = start
            continue
        if edit.startswith(b'\\'):
            continue
        text = edit[1:]
        if edits[i + 1:] and edits[i + 1].startswith(b'\\'):
            text = text[:-1]
        if edit[:1] in b' -':
            assert lines[at] == text, (lines[at], text)
            at += 1
        if edit[:1] in b' +':
            result.append(text)
    return b''.join(result + lines[at:])


class InitCase(Case):

    def setUp(self):
        super().setUp()
        self.bin = self.path('bin')
        os.mkdir(self.bin)
        os.symlink(shutil.which(harness.PROXY), os.path.join(self.bin, 'stretto-proxy'))
        self.env = self.environment(PATH=self.bin)

    def init(self, *args, code=0, **kw):
        return self.run_stretto('init', *args, code=code, err=None, **{'env': self.env, **kw})

    def entry(self, *args, host='cursor', name='notes', **kw):
        """The entry that is printed for a host with JSON."""
        (servers,) = json.loads(self.init('--host', host, *args, **kw).out).values()
        self.assertEqual(list(servers), [name])
        return servers[name]

    def args(self, *args, **kw):
        return self.entry(*args, **kw)['args']


class New(InitCase):

    def setUp(self):
        super().setUp()
        self.write('no.json', b'{}')
        self.save_flow()

    def save_flow(self, reach=False, arbiter=False):
        flow = tickets.flow()
        if not reach:
            del flow['reach']
        if arbiter:
            flow['model'] = 'jev-latest'
            rates = {'sites': [], 'agree': 1, 'cover': 1}
            flow['folds'] = [{'weights': [1, 1, 1, 1, 1], 'rates': rates} for _ in range(5)]
        self.write('f.json', json.dumps(flow).encode())

    @rows(('cursor', 'cursor', NOTES), ('json', 'json', NOTES), ('windsurf', 'windsurf', NOTES),
          ('zed', 'zed', NOTES.replace('mcpServers', 'context_servers')),
          ('vscode', 'vscode', NOTES.replace('mcpServers', 'servers').replace(
              '      "command"', '      "type": "stdio",\n      "command"')))
    def test_json(self, host, wanted):
        done = self.init('--host', host, '--domain', 'notes', *SERVER)
        self.assertEqual(done.out.decode(), wanted)
        self.assertRegex(done.err.decode(), r'\Astretto: this is for %s, ' % host)

    def test_claude_desktop_gets_the_full_path(self):
        out = self.init('--host', 'claude-desktop', '--domain', 'notes', *SERVER).out.decode()
        self.assertEqual(out, NOTES.replace('"stretto-proxy"', '"%s/stretto-proxy"' % self.bin))

    def test_claude_code(self):
        out = self.init('--host', 'claude-code', '--domain', 'notes', *SERVER).out
        self.assertEqual(out, b'claude mcp add notes -- stretto-proxy --record '
                              b'~/.stretto/logs/notes --domain notes -- npx -y some-server\n')

    @rows(('bare', "aZ09-_./:=@%+,~", "aZ09-_./:=@%+,~"), ('empty', '', "''"),
          ('space', 'a b', "'a b'"), ('quote', "it's", "'it'\\''s'"), ('dollar', '$x', "'$x'"),
          ('newline', 'a\nb', "'a\nb'"), ('beyond ASCII', 'ä', "'ä'"), ('hash', '#', "'#'"),
          ('double quote', '"', "'\"'"), ('backslash', '\\', "'\\'"), ('glob', '*', "'*'"),
          ('not UTF-8', b'\xff', b"'\xff'"))
    def test_quoting(self, word, quoted):
        out = self.init('--host', 'claude-code', '--domain', 'd', '--', 'c', word).out
        wanted = quoted if isinstance(quoted, bytes) else quoted.encode()
        self.assertTrue(out.endswith(b' -- c ' + wanted + b'\n'), out)

    def test_strings_of_json(self):
        texts = ['"', '\\', 'a\nb', '\x01', 'ä€😀', "it's"]
        self.assertEqual(self.args('--domain', 'notes', '--', *texts)[-6:], texts)

    def test_paths(self):
        self.assertEqual(self.args('--domain', 'notes', '--record', '~/l', *SERVER)[:2],
                         ['--record', '~/l'])
        self.assertEqual(self.args('--domain', 'notes', '--record', './l//m', *SERVER)[1],
                         self.path('l/m'))
        self.assertEqual(self.args('--domain', 'notes', '--record', '../l', *SERVER)[1],
                         self.path('../l'))
        self.assertEqual(self.args('--domain', 'notes', '--record', '~x', *SERVER)[1],
                         self.path('~x'))
        self.assertEqual(self.args('--domain', 'notes', '--record', '/l/./m', *SERVER)[1], '/l/./m')
        self.assertEqual(self.args('--domain', 'notes', '--', './s.py', './a')[-2:],
                         [self.path('s.py'), './a'])
        self.assertEqual(self.args('--domain', 'notes', '--', 'bin/s')[-1], self.path('bin/s'))
        self.assertEqual(self.args('--domain', 'notes', '--', '/bin/s')[-1], '/bin/s')

    def test_upstream(self):
        done = self.init('--host', 'json', '--domain', 'notes', '--upstream', 'https://x/mcp?a=b',
                         '--upstream-header', 'A=B=C', '--upstream-header=X-Y=Z')
        self.assertEqual(json.loads(done.out)['mcpServers']['notes']['args'],
                         RECORDED + ['--upstream', 'https://x/mcp?a=b',
                                     '--upstream-header', 'A=B=C', '--upstream-header', 'X-Y=Z'])
        self.assertIn(b'"env"', done.err)
        self.assertIn(b' --upstream', done.err)

    def test_flow(self):
        rest = ['--', 'c']
        recorded = ['--record', '~/.stretto/logs/tickets', '--domain', 'tickets']
        shadow = ['--record', '~/.stretto/shadow/tickets', '--domain', 'tickets']
        flow = ['--flow', self.path('f.json')]
        for reach, decider in ((False, 'habit'), (True, 'reach')):
            self.save_flow(reach=reach)
            self.assertEqual(self.args('--flow', 'f.json', *rest, name='tickets'),
                             recorded + flow + ['--flow-decider', decider] + rest)
        self.assertEqual(self.args('--flow', 'f.json', '--shadow', *rest, name='tickets'),
                         shadow + flow + ['--flow-decider', 'reach', '--flow-shadow'] + rest)
        other = self.args('--flow', 'f.json', '--domain', 'other', *rest, name='other')
        self.assertEqual(other[:4], ['--record', '~/.stretto/logs/other', '--domain', 'other'])
        self.save_flow(reach=True, arbiter=True)
        done = self.init('--host', 'json', '--flow', '~/f.json', *rest)
        self.assertEqual(json.loads(done.out)['mcpServers']['tickets']['args'],
                         recorded + ['--flow', '~/f.json'] + rest)
        self.assertIn(b'TYPESAFE_API_KEY ', done.err)
        self.assertIn(b'TYPESAFE_API_KEY_FILE', done.err)

    def test_proxy_beside(self):
        folder = os.path.dirname(os.path.realpath(shutil.which(harness.STRETTO)))
        beside = os.path.join(folder, 'stretto-proxy')
        for path in ('/nowhere', None, ''):
            done = self.init('--host', 'json', '--domain', 'd', '--', 'c',
                             env=self.environment(PATH=path))
            command = json.loads(done.out)['mcpServers']['d']['command']
            if os.access(beside, os.X_OK) and not harness.WRAPPER:
                self.assertEqual(command, beside)
                self.assertIn(b'not on PATH', done.err)

    def test_proxy_nowhere(self):
        os.mkdir(self.path('alone'))
        alone = shutil.copy(shutil.which(harness.STRETTO), self.path('alone', 'stretto'))
        os.mkdir(self.path('bad'))
        os.mkdir(self.path('bad', 'stretto-proxy'))
        self.write('worse/stretto-proxy')
        path = '%s:%s' % (self.path('bad'), self.path('worse'))
        done = self.start([alone, 'init', '--host', 'claude-desktop', '--domain', 'd', '--', 'c'],
                          env=self.environment(PATH=path), stdin='null').finish(err=None)
        self.assertEqual(json.loads(done.out)['mcpServers']['d']['command'], 'stretto-proxy')
        self.assertIn(b'install', done.err)

    def test_proxy_on_a_relative_path(self):
        done = self.init('--host', 'claude-desktop', '--domain', 'd', '--', 'c',
                         env=self.environment(PATH='gone:./bin'))
        self.assertEqual(json.loads(done.out)['mcpServers']['d']['command'],
                         os.path.join(self.bin, 'stretto-proxy'))

    def test_write(self):
        done = self.init('--host', 'claude-code', '--domain', 'notes',
                         '--write', 'new/dir/.mcp.json', *SERVER, umask=0)
        self.assertEqual(done.out, b'')
        self.assertIn(b'stretto: wrote new/dir/.mcp.json\n', done.err)
        self.assertEqual(self.read('new/dir/.mcp.json').decode(), NOTES)
        self.assertEqual(mode_of(self.path('new/dir/.mcp.json')), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(self.path('new')).st_mode), 0o700)

    def test_write_over(self):
        args = ['--host', 'cursor', '--domain', 'notes', '--write', 'no.json']
        self.init(*args, *SERVER, code=1)
        self.assertEqual(self.read('no.json'), b'{}')
        os.symlink('gone', self.path('link.json'))
        self.init(*args[:-1], 'link.json', *SERVER, code=1)
        self.init(*args, '--force', *SERVER)
        self.assertEqual(self.read('no.json').decode(), NOTES)

    def test_write_below_home(self):
        self.init('--host', 'cursor', '--domain', 'notes', '--write=~/a.json', *SERVER, cwd='/')
        self.assertEqual(self.read('a.json').decode(), NOTES)

    def steps(self, *args, n, **kw):
        """The commands of the next steps, as the shell takes them apart."""
        err = self.init(*args, **kw).err.decode()
        text = err.split('stretto: next steps\n')[1]
        self.assertEqual(re.findall(r'^  (\d)\. ', text, re.M), [str(i + 1) for i in range(n)])
        return [line.strip() for line in text.splitlines() if line.startswith('     stretto ')]

    def test_steps_without_a_flow(self):
        self.assertEqual(self.steps('--host', 'cursor', '--domain', 'notes', *SERVER, n=6), [
            'stretto learn --sessions ~/.stretto/logs/notes --domain notes --habit-only '
            '--out ~/.stretto/notes.flow.json',
            'stretto flow-show ~/.stretto/notes.flow.json',
            'stretto init --host cursor --domain notes --flow ~/.stretto/notes.flow.json --shadow '
            '-- npx -y some-server',
            'stretto promote --flow ~/.stretto/notes.flow.json --sessions ~/.stretto/shadow/notes '
            '--decider reach --out ~/.stretto/notes-promoted.flow.json',
            'stretto init --host cursor --domain notes --flow ~/.stretto/notes-promoted.flow.json '
            '-- npx -y some-server'])

    def test_steps_keep_what_was_given(self):
        steps = self.steps('--host', 'claude-code', '--domain', 'notes', '--record', "~/my log's",
                           '--write', 'a b.json', '--', './s', 'x y', n=6)
        self.assertIn("--sessions ~/'my log'\\''s' ", steps[0])
        self.assertTrue(steps[2].endswith("--shadow --write 'a b.json' --force -- %s 'x y'"
                                          % self.path('s')), steps[2])
        self.assertTrue(steps[4].endswith("--record ~/'my log'\\''s' --write 'a b.json' --force "
                                          "-- %s 'x y'" % self.path('s')), steps[4])

    def test_steps_in_shadow(self):
        self.save_flow(reach=True)
        flow = self.path('f.json')
        promote = 'stretto promote --flow %s --sessions ~/.stretto/shadow/tickets ' % flow
        serve = ('stretto init --host cursor --domain tickets '
                 '--flow ~/.stretto/tickets-promoted.flow.json -- c')
        out = '--out ~/.stretto/tickets-promoted.flow.json'
        args = ['--host', 'cursor', '--flow', 'f.json', '--shadow', '--', 'c']
        self.assertEqual(self.steps(*args, n=3), [promote + '--decider reach ' + out, serve])
        self.save_flow()
        self.assertEqual(self.steps(*args, n=3), [promote + '--decider habit ' + out, serve])
        self.save_flow(arbiter=True)
        self.assertEqual(self.steps(*args, n=3), [
            promote + '--decider arbiter --oracle-cache ~/.stretto/oracle-cache ' + out, serve])

    def test_steps_of_serving(self):
        args = ['--host', 'cursor', '--flow', 'f.json', '--', 'c']
        learn = 'stretto learn --sessions ~/.stretto/logs/tickets --domain tickets '
        again = '~/.stretto/tickets-again.flow.json'
        diff = 'stretto flow-diff %s %s' % (self.path('f.json'), again)
        self.assertEqual(self.steps(*args, n=2), [learn + '--habit-only --out ' + again, diff])
        self.save_flow(arbiter=True)
        self.assertEqual(self.steps(*args, n=2), [
            learn + '--arbiter-from %s --out %s' % (self.path('f.json'), again), diff])

    def test_steps_run(self):
        """What init prints is what it takes, and what the other commands take."""
        for i, story in enumerate(tickets.stories()):
            self.write('.stretto/logs/tickets/s%d.jsonl' % i, story.log.bytes())
            self.write('.stretto/shadow/tickets/s%d.jsonl' % i, story.log.bytes())
        steps = self.steps('--host', 'cursor', '--domain', 'tickets', *SERVER, n=6)
        self.assertEqual(len(steps), 5)
        for step in steps:
            words = [re.sub('^~/', self.tmp + '/', word) for word in shlex.split(step)[1:]]
            self.run_stretto(*words, env=self.env, err=None)
        self.assertTrue(os.path.exists(self.path('.stretto/tickets-promoted.flow.json')))

    @rows(*MISUSES)
    def test_misused(self, args):
        message = self.init(*args, code=2, out=b'').err
        self.assertTrue(message.startswith(b'Error: '), message)
        self.assertIn(b'\nUsage: stretto init ', message)

    @rows(*FAILURES)
    def test_fails(self, args, name):
        message = self.init('--host', 'cursor', *args, code=1, out=b'').err.decode()
        self.assertTrue(message.startswith('Error: '), message)
        self.assertIn(name, message)

    def test_flow_with_a_domain_of_no_use(self):
        flow = tickets.flow()
        flow['manifest']['domain'] = 'a b'
        self.write('f.json', json.dumps(flow).encode())
        self.assertIn(b'--domain', self.init('--host', 'json', '--flow', 'f.json', '--', 'c',
                                             code=1).err)
        self.args('--flow', 'f.json', '--domain', 'notes', '--', 'c')

    def test_help(self):
        for args in (['init', '--help'], ['help', 'init']):
            text = self.run_stretto(*args).out.decode()
            for option in ('--host', '--domain', '--flow', '--shadow', '--record', '--write',
                           '--force', '--upstream', '--upstream-header', '--wrap', '--unwrap',
                           '--server', '--dry-run'):
                self.assertIn(option, text)
            for host in ('claude-code', 'claude-desktop', 'cursor', 'vscode', 'windsurf', 'zed'):
                self.assertIn(host, text)


class InPlace(InitCase):

    def setUp(self):
        super().setUp()
        self.folder = self.path('c')
        os.mkdir(self.folder)

    def sample(self, name, mode=0o640):
        """A copy of a sample; its path from the test's folder, and its bytes."""
        path = 'c/' + name
        with open(os.path.join(HOSTS, name), 'rb') as f:
            data = f.read()
        self.write(path, data, mode)
        return path, data

    def wrap(self, path, *args, **kw):
        return self.init('--wrap', path, *args, **kw)

    def unwrap(self, path, *args, **kw):
        return self.init('--unwrap', path, *args, **kw)

    def files(self):
        return sorted(os.listdir(self.folder))

    @rows(*[(name, name) for name in SAMPLES])
    def test_there_and_back(self, name):
        path, data = self.sample(name)
        proxy = os.path.join(self.bin, 'stretto-proxy') if 'desktop' in name else 'stretto-proxy'
        done = self.wrap(path, out=b'')
        wrapped = self.read(path)
        self.assertEqual(parse(wrapped), wrap_all(data, proxy=proxy))
        self.assertEqual(wrapped.count(b'\r\n'), wrapped.count(b'\n') if b'\r' in data else 0)
        self.assertEqual(wrapped[:3] == b'\xef\xbb\xbf', data[:3] == b'\xef\xbb\xbf')
        for comment in re.findall(rb'//[^\n"]*\n|/\*.*?\*/', data):
            self.assertIn(comment, wrapped)
        self.assertEqual(self.read(path + '.stretto-backup'), data)
        self.assertEqual(mode_of(self.path(path)), 0o640)
        self.assertEqual(mode_of(self.path(path + '.stretto-backup')), 0o600)
        self.assertIn(b'stretto: kept %s.stretto-backup\n' % path.encode(), done.err)

        files = self.files()
        done = self.wrap(path, out=b'')
        self.assertEqual(self.read(path), wrapped)
        self.assertEqual(self.files(), files)
        self.assertIn(b'nothing to change', done.err)

        self.unwrap(path, out=b'')
        self.assertEqual(self.read(path), data)
        self.assertEqual(mode_of(self.path(path)), 0o640)
        files = self.files()
        done = self.unwrap(path, out=b'')
        self.assertEqual(self.read(path), data)
        self.assertEqual(self.files(), files)
        self.assertIn(b'nothing to change', done.err)

    @rows(*[(name, name) for name in SAMPLES])
    def test_back_without_a_backup(self, name):
        path, data = self.sample(name)
        self.wrap(path)
        os.unlink(self.path(path + '.stretto-backup'))
        self.unwrap(path)
        config, wanted = parse(self.read(path)), parse(data)
        for (got, has_type), (want, _) in zip(tables(config), tables(wanted)):
            for name, entry in want.items():
                if 'command' in entry and 'args' in got[name]:
                    entry.setdefault('args', [])
                if has_type and 'url' in entry:
                    entry.setdefault('type', 'http')
                if 'serverUrl' in entry and 'url' in got[name]:
                    entry['url'] = entry.pop('serverUrl')
        self.assertEqual(config, wanted)

    @rows(*[(name, name) for name in SAMPLES])
    def test_dry_run(self, name):
        path, data = self.sample(name)
        diff = self.wrap(path, '--dry-run').out
        self.assertEqual(self.read(path), data)
        self.assertEqual(self.files(), [name])
        self.wrap(path)
        wrapped = self.read(path)
        self.assertEqual(apply(diff, data), wrapped)
        diff = self.unwrap(path, '--dry-run').out
        self.assertEqual(self.read(path), wrapped)
        self.assertEqual(self.files(), [name, name + '.stretto-backup'])
        self.assertEqual(apply(diff, wrapped), data)
        self.assertEqual(self.wrap(path, '--dry-run').out, b'')

    def test_servers_by_name(self):
        path, data = self.sample('cursor.json')
        self.wrap(path, '--server', 'tool', '--server', 'bare')
        config = parse(self.read(path))['mcpServers']
        self.assertEqual(config['remote'], parse(data)['mcpServers']['remote'])
        self.assertEqual([config[name]['command'] for name in ('tool', 'bare')],
                         ['stretto-proxy'] * 2)
        self.wrap(path)
        self.assertEqual(parse(self.read(path)), wrap_all(data))
        self.unwrap(path, '--server', 'tool')
        self.assertEqual(parse(self.read(path))['mcpServers']['tool'],
                         parse(data)['mcpServers']['tool'])
        self.unwrap(path)
        self.assertEqual(self.read(path), data)

    def test_record(self):
        path, data = self.sample('cursor.json')
        self.wrap(path, '--record', 'logs')
        self.assertEqual(parse(self.read(path)), wrap_all(data, record=self.path('logs')))
        self.unwrap(path)
        self.assertEqual(self.read(path), data)

    def test_one_that_speaks_sse(self):
        path, data = self.sample('claude.json')
        self.assertIn(b"'legacy': skipped: it speaks SSE", self.wrap(path).err)
        self.unwrap(path)
        done = self.wrap(path, '--server', 'legacy', code=1, out=b'')
        self.assertTrue(done.err.startswith(b'Error: '))
        self.assertIn(b'SSE', done.err)
        self.assertEqual(self.read(path), data)

    def test_an_edit_by_hand(self):
        path, data = self.sample('vscode.json')
        self.wrap(path)
        wrapped = self.read(path)
        edited = wrapped.replace(b'"--domain",', b'"--domain", /* mine */', 1)
        edited = edited.replace(b'\t"inputs"', b'\t"new": true,\n\t"inputs"')
        self.assertEqual(len(edited), len(wrapped) + 25)
        self.write(path, edited)
        done = self.unwrap(path)
        self.assertIn(b"'notes': unwrapped, from its command line", done.err)
        self.assertIn(b"'tickets': unwrapped, as it was", done.err)
        self.assertEqual(self.read(path),
                         data.replace(b'\t"inputs"', b'\t"new": true,\n\t"inputs"'))

    def test_other_backups_are_kept(self):
        path, data = self.sample('cursor.json')
        self.write(path + '.stretto-backup', b'mine')
        self.write(path + '.stretto-backup.1', b'mine too')
        done = self.wrap(path)
        self.assertIn(b'stretto: kept %s.stretto-backup.2\n' % path.encode(), done.err)
        self.assertEqual(self.read(path + '.stretto-backup'), b'mine')
        self.assertEqual(self.read(path + '.stretto-backup.1'), b'mine too')
        self.assertEqual(self.read(path + '.stretto-backup.2'), data)
        self.unwrap(path)
        self.assertEqual(self.read(path), data)
        files = self.files()
        self.wrap(path)
        self.unwrap(path)
        self.assertEqual(self.files(), files)

    def test_a_backup_that_was_deleted(self):
        """The ones behind it are still found."""
        path, data = self.sample('cursor.json')
        self.write(path + '.stretto-backup', b'mine')
        self.wrap(path)
        os.remove(self.path(path + '.stretto-backup'))
        self.unwrap(path)
        self.assertEqual(self.read(path), data)

    def test_a_backup_that_is_no_file(self):
        path, data = self.sample('cursor.json')
        os.mkfifo(self.path(path + '.stretto-backup'))
        self.wrap(path)
        self.assertEqual(self.read(path + '.stretto-backup.1'), data)
        self.unwrap(path)
        self.assertEqual(self.read(path), data)

    def test_names_are_made_fit_for_a_screen(self):
        self.write('c/a.json', b'{"mcpServers": {"a\\u001b[2Jb": {"command": "c"}}}')
        self.assertIn(b"'a\\u001b[2Jb': wrapped", self.wrap('c/a.json').err)
        done = self.wrap('c/a.json', '--server', 'x\x1b', code=1, out=b'')
        self.assertNotIn(b'\x1b', done.err)

    def test_two_servers_of_one_domain(self):
        self.write('c/a.json', b'{"mcpServers": {"a b": {"command": "c"}, "c": {"command": "c"}, '
                               b'"a-b": {"command": "d"}}}')
        self.assertEqual(self.wrap('c/a.json', '--dry-run').err.count(b' are those of '), 1)
        self.assertIn(b"stretto: 'a-b': its domain and its directory are those of 'a b' as well",
                      self.wrap('c/a.json').err)

    def test_a_header_that_the_proxy_does_not_send(self):
        data = b'{"mcpServers": {"a": {"url": "http://x/", "headers": {"A": "b\\nc"}}}}'
        self.write('c/a.json', data)
        self.assertIn(b"'a': skipped: one of its \"headers\"", self.wrap('c/a.json').err)
        self.assertEqual(self.read('c/a.json'), data)

    def test_a_path_that_is_not_utf_8(self):
        path, data = self.sample('cursor.json')
        self.assertIn(b'UTF-8', self.wrap(path, '--record', b'/tmp/\xff', code=1, out=b'').err)
        self.assertEqual(self.read(path), data)

    def test_link(self):
        path, data = self.sample('zed.json')
        os.symlink('zed.json', self.path('c/link.json'))
        self.wrap('c/link.json')
        self.assertTrue(os.path.islink(self.path('c/link.json')))
        self.assertEqual(parse(self.read(path)), wrap_all(data))
        self.assertEqual(mode_of(self.path(path)), 0o640)
        self.unwrap('c/link.json')
        self.assertTrue(os.path.islink(self.path('c/link.json')))
        self.assertEqual(self.read(path), data)

    def test_tilde(self):
        path, data = self.sample('cursor.json')
        self.wrap('~/c/cursor.json', cwd='/')
        self.assertEqual(parse(self.read(path)), wrap_all(data))

    @rows(('not JSON', b'{\n"a": 1\n"b": 2}', b'line 3: a comma is missing'),
          ('a comment without an end', b'{}\n/* a', b'line 2: a comment has no end'),
          ('empty', b'', b'line 1: '), ('no servers', b'{}', b'lists no servers'),
          ('UTF-16', '{}'.encode('utf-16'), b'line 1: this is not valid UTF-8'))
    def test_unreadable(self, data, message):
        self.write('c/a.json', data)
        for option in ('--wrap', '--unwrap'):
            for more in ([], ['--dry-run']):
                done = self.init(option, 'c/a.json', *more, code=1, out=b'')
                self.assertIn(b'Error: c/a.json: ', done.err)
                self.assertIn(message, done.err)
        self.assertEqual(self.read('c/a.json'), data)
        self.assertEqual(self.files(), ['a.json'])

    @rows(('missing', 'c/gone.json'), ('a directory', 'c'), ('below a file', 'c/cursor.json/a'))
    def test_no_file(self, path):
        self.sample('cursor.json')
        for option in ('--wrap', '--unwrap'):
            done = self.init(option, path, code=1, out=b'')
            self.assertIn(b'Error: reading %s: ' % path.encode(), done.err)

    def test_unknown_server(self):
        path, data = self.sample('cursor.json')
        for option in ('--wrap', '--unwrap'):
            done = self.init(option, path, '--server', 'tool', '--server', 'x', code=1, out=b'')
            self.assertIn(b"no server 'x', but 'remote', 'bare', 'tool'", done.err)
        self.assertEqual(self.read(path), data)
        self.assertEqual(self.files(), ['cursor.json'])

    def test_no_server(self):
        self.write('c/a.json', b'{"mcpServers": {}}')
        self.assertIn(b'it has no servers', self.wrap('c/a.json', out=b'').err)

    def test_a_directory_that_takes_no_files(self):
        path, data = self.sample('cursor.json')
        os.chmod(self.folder, 0o500)
        if os.access(self.folder, os.W_OK):
            os.chmod(self.folder, 0o700)
            self.skipTest('root may write anywhere')
        done = self.wrap(path, code=1, out=b'')
        os.chmod(self.folder, 0o700)
        self.assertTrue(done.err.startswith(b'Error: writing c/cursor.json.stretto-backup'))
        self.assertEqual(self.read(path), data)
        self.assertEqual(self.files(), ['cursor.json'])

    def test_never_a_secret_in_messages(self):
        path, _ = self.sample('windsurf.json')
        for done in (self.wrap(path), self.unwrap(path)):
            self.assertNotIn(b'figd_0', done.err + done.out)


class Running(InitCase):
    """The entries run as a host runs them."""

    INITIALIZE = (b'{"jsonrpc":"2.0","id":1,"method":"initialize",'
                  b'"params":{"protocolVersion":"2025-06-18"}}\n')

    def run_entry(self, entry):
        """Starts an entry, exchanges a line, and ends."""
        env = self.environment(PATH=self.bin + ':' + os.environ['PATH'], **entry.get('env', {}))
        command = shutil.which(entry['command'], path=env['PATH'])
        process = self.start(harness.WRAPPER + [command] + entry['args'], env=env)
        process.send(self.INITIALIZE)
        process.stdout.wait(lambda data, ended: b'\n' in data or ended)
        self.assertEqual(json.loads(process.out())['id'], 1)
        process.finish(err=None)

    def test_a_command(self):
        demo = shutil.which(harness.DEMO)
        config = {'mcpServers': {'my demo': {'command': demo}}}
        self.write('a.json', json.dumps(config, indent=2).encode())
        self.init('--wrap', 'a.json')
        self.run_entry(parse(self.read('a.json'))['mcpServers']['my demo'])
        log = self.log('.stretto/logs/my-demo')
        self.assertIn(b'"domain":"my-demo"', log.header)
        self.assertIn(os.fsencode(demo), log.header)

    def test_a_url(self):
        source = r'''
import http.server
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers['Content-Length']))
        note('seen', ('%s|%s' % (self.headers['Authorization'], self.headers['X-A'])).encode())
        body = b'{"jsonrpc":"2.0","id":1,"result":{}}'
        self.send_response(200)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args):
        pass
server = http.server.HTTPServer(('127.0.0.1', 0), Handler)
note('port', b'%d.' % server.server_port)
server.serve_forever()
'''
        self.start(self.server(source))
        self.until(lambda: (self.noted('port') or b'').endswith(b'.'), 'the port')
        url = 'http://127.0.0.1:%s/mcp' % self.noted('port')[:-1].decode()
        config = {'servers': {'s': {'type': 'http', 'url': url,
                                    'headers': {'Authorization': 'Bearer 1', 'X-A': 'ä'}}}}
        self.write('a.json', json.dumps(config).encode())
        self.init('--wrap', 'a.json')
        self.run_entry(parse(self.read('a.json'))['servers']['s'])
        seen = self.noted('seen').decode().encode('latin-1')
        self.assertTrue(seen.startswith('Bearer 1|ä'.encode()), seen)

    def test_what_is_printed(self):
        entry = self.entry('--domain', 'notes', '--', shutil.which(harness.DEMO))
        self.run_entry(entry)
        self.log('.stretto/logs/notes')


if __name__ == '__main__':
    harness.main([harness.STRETTO, harness.PROXY, harness.DEMO])
