#!/usr/bin/env python3
"""stretto doctor: chapter 44, section 5."""

import json
import os
import re
import shutil

import harness
import http_server
import tickets
from harness import DEMO, PROXY, STRETTO, Case, rows
from sessions import Session

PROCEDURE = os.environ.get('STRETTO_PROCEDURE', 'stretto-procedure')
PROGRAMS = {'stretto-proxy': PROXY, 'stretto-procedure': PROCEDURE, 'stretto-mcp-demo': DEMO}
KEY = 'sk-doctor-1234567890'
VERSION = open(os.path.join(harness.HERE, '..', '..', 'meson.build'),
               encoding='utf-8').read().split("version: '")[1].split("'")[0]
NO_FLOWS = "note     no flows ('stretto learn' makes them)"
NO_SESSIONS = "note     no recorded sessions ('stretto-proxy --record DIR' makes them)"


class Doctor(Case):

    def setUp(self):
        super().setUp()
        self.bin = self.path('bin')
        os.makedirs(self.bin)
        for name, program in PROGRAMS.items():
            os.symlink(os.path.abspath(shutil.which(program)), os.path.join(self.bin, name))
        os.makedirs(self.path('home'))
        os.makedirs(self.path('project'))

    def env(self, **changes):
        return self.environment(**{
            'HOME': self.path('home'), 'PATH': self.bin + ':' + os.environ['PATH'],
            'TYPESAFE_API_KEY': None, 'TYPESAFE_API_KEY_FILE': None, **changes})

    def doctor(self, *args, problems=0, stretto=STRETTO, **changes):
        """The findings, a list of lines, after the first line and the empty one."""
        counted = b'stretto: %d problem%s\n' % (problems, b's' if problems > 1 else b'')
        process = self.start([*harness.WRAPPER, stretto, 'doctor', *args], env=self.env(**changes),
                             cwd=self.path('project'), stdin='null')
        result = process.finish(1 if problems else 0, None, counted if problems else b'')
        first, empty, *lines = result.out.decode().splitlines()
        self.assertRegex(first, r'\Astretto %s \(/.*/stretto\)\Z' % re.escape(VERSION))
        self.assertEqual(empty, '')
        for line in lines:
            self.assertRegex(line, r'\A(ok       |note     |problem  |           )\S')
        self.assertEqual(sum(line.startswith('problem') for line in lines), problems)
        return lines

    def fake(self, name, text, mode=0o755):
        """Puts a script in the place of a program."""
        os.remove(os.path.join(self.bin, name))
        return self.write('bin/' + name, b'#!/bin/sh\n' + text.encode(), mode)

    def found(self, lines, part):
        """The one finding that has this part."""
        line, = [line for line in lines if part in line]
        return line

    # The programs.

    def test_all_is_well(self):
        lines = self.doctor()
        self.assertEqual(lines[:3], ['ok       %s %s (%s/%s)' % (name, VERSION, self.bin, name)
                                     for name in PROGRAMS])
        there = self.there()
        self.assertEqual(lines[3], 'ok       a call went through %s/stretto-proxy to '
                                   '%s/stretto-mcp-demo and back' % (there, there))

    def there(self):
        """The directory of the program."""
        return os.path.dirname(os.path.realpath(shutil.which(STRETTO)))

    def copy(self, *names):
        """A directory with the program and others of the installation."""
        folder = self.path('there')
        os.makedirs(folder)
        shutil.copy(shutil.which(STRETTO), folder)
        for name in names:
            shutil.copy(os.path.join(self.there(), name), folder)
        return os.path.join(folder, 'stretto')

    @rows(('another version', 'echo %s 9.9.9'), ('another first line', 'echo; echo %s ' + VERSION),
          ('a failing exit', 'echo %s ' + VERSION + '; exit 3'), ('no output', ': %s'),
          ('a signal', 'echo %s; kill -9 $$'))
    def test_a_program_is_not_right(self, script):
        for name in PROGRAMS:
            path = self.fake(name, script % name + '\n')
            lines = self.doctor(problems=1)
            line = self.found(lines, path)
            self.assertTrue(line.startswith('problem  ' + name), line)
            self.assertNotIn('a call', ''.join(lines))
            os.remove(path)
            os.symlink(os.path.abspath(shutil.which(PROGRAMS[name])), path)

    def test_the_first_on_path_counts(self):
        self.write('early/stretto-proxy', b'#!/bin/sh\necho stretto-proxy 0.0.1\n', 0o755)
        self.write('none/stretto-procedure', b'')
        os.makedirs(self.path('none/stretto-mcp-demo'))
        lines = self.doctor(problems=2, PATH='%s:%s:%s:/nowhere' % (
            self.path('none'), self.path('early'), self.env()['PATH']))
        self.assertIn("is another version, 'stretto-proxy 0.0.1'", lines[0])
        self.assertIn('Permission denied', lines[1])
        self.assertTrue(lines[2].startswith('ok       stretto-mcp-demo'))

    def test_a_long_answer_is_cut(self):
        self.fake('stretto-proxy', "head -c 2000000 /dev/zero | tr '\\0' x\n")
        self.assertLess(len(self.found(self.doctor(problems=1), 'another version')), 300)

    def test_missing_but_beside(self):
        lines = self.doctor(problems=1, PATH='/nowhere')
        there = self.there()
        for line, mark, name in zip(lines, ('problem  ', 'note     ', 'note     '), PROGRAMS):
            self.assertEqual(line, '%s%s is not on PATH, but beside this stretto: add %s to PATH'
                             % (mark, name, there))

    def test_missing(self):
        alone = self.copy()
        for changes in ({'PATH': '/nowhere'}, {'PATH': ''}, {'PATH': None}):
            lines = self.doctor(problems=1, stretto=alone, **changes)
            for line, mark, name in zip(lines, ('problem  ', 'note     ', 'note     '), PROGRAMS):
                self.assertTrue(line.startswith(mark + name + ' is not on PATH: install it'), line)

    @rows(('no answer', 'echo', 'got no answer'),
          ('an error', 'echo \'{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"m"}}\'',
           'got no answer'),
          ('a failure', 'exit 7', 'it ended with status 7'))
    def test_a_call_does_not_come_back(self, script, said):
        """The proxy and the demo server of the installation, beside this program, are taken."""
        stretto = self.copy('stretto-mcp-demo', 'stretto-upstream.so', 'stretto-oracle.so')
        proxy = self.write('there/stretto-proxy',
                           b'#!/bin/sh\ncat >/dev/null\n%s\n' % script.encode(), 0o755)
        line = self.found(self.doctor(problems=1, stretto=stretto), 'a call through ')
        self.assertTrue(line.startswith('problem') and line.endswith(said), line)
        self.assertIn(proxy, line)

    def test_modules(self):
        names = ['stretto-proxy', 'stretto-mcp-demo', 'stretto-upstream.so', 'stretto-oracle.so']
        stretto = self.copy(*names)
        self.doctor(stretto=stretto)
        for i, (name, use) in enumerate(zip(names[2:], ('--upstream', 'questions to a model'))):
            os.remove(self.path('there', name))
            lines = self.doctor(problems=i + 1, stretto=stretto)
            self.assertTrue(self.found(lines, name).startswith(
                'problem  loading the module for %s: ' % use))

    # The data directory.

    def test_no_data_directory(self):
        lines = self.doctor()
        self.assertEqual(lines[4], 'note     ~/.stretto is not there yet; the proxy creates it')
        self.assertEqual(lines[6:8], [NO_FLOWS, NO_SESSIONS])
        self.assertEqual(os.listdir(self.path('home')), [])

    @rows(('set to nothing', ''), ('not set', None))
    def test_no_home(self, home):
        lines = self.doctor(problems=1, HOME=home)
        self.assertEqual(lines[4], 'problem  there is no data directory: HOME is not set, and '
                                   '--data is not given')
        self.assertEqual(lines[6:8], [NO_FLOWS, NO_SESSIONS])
        os.mkdir(self.path('data'), 0o700)
        lines = self.doctor('--data', self.path('data'), HOME=home)
        self.assertEqual(lines[4], 'ok       %s can be written' % self.path('data'))

    def test_a_directory_that_can_be_used(self):
        os.mkdir(self.path('home/.stretto'), 0o700)
        self.assertEqual(self.doctor()[4], 'ok       ~/.stretto can be written')
        self.assertEqual(os.listdir(self.path('home/.stretto')), [])

    def test_a_directory_that_others_can_read(self):
        os.mkdir(self.path('data'))
        os.chmod(self.path('data'), 0o750)
        lines = self.doctor('--data', self.path('data'))
        self.assertEqual(lines[5], "note     %s is open to other users, and sessions hold all that "
                                   "tools handle; its mode should be 700" % self.path('data'))

    def test_no_directory(self):
        self.write('home/.stretto')
        self.assertEqual(self.doctor(problems=1)[4], 'problem  ~/.stretto is not a directory')

    def test_a_directory_of_another_user(self):
        self.write('data/locked/s.jsonl', Session('s').bytes())
        self.write('data/secret.jsonl', Session('s').bytes())
        _, become = self.as_user()
        for name, mode in (('data', 0o555), ('data/locked', 0), ('data/secret.jsonl', 0)):
            os.chmod(self.path(name), mode)
        try:
            result = self.start([*harness.WRAPPER, self.user_stretto(), 'doctor', '--data',
                                 self.path('data')], env=self.env(), stdin='null',
                                preexec=become).finish(1, None, None)
        finally:
            for name in ('data', 'data/locked'):
                os.chmod(self.path(name), 0o700)
        out = result.out.decode()
        self.assertIn('problem  no file can be created and removed in %s: Permission denied\n'
                      % self.path('data'), out)
        self.assertIn('problem  listing %s: Permission denied\n' % self.path('data/locked'), out)
        self.assertIn('problem  reading %s: Permission denied\n' % self.path('data/secret.jsonl'),
                      out)

    def user_stretto(self):
        """A copy of stretto that any user may start."""
        binary = self.path('stretto')
        shutil.copy(shutil.which(STRETTO), binary)
        os.chmod(binary, 0o755)
        return binary

    def test_flows(self):
        flow = tickets.flow()
        self.write('home/.stretto/b.flow.json', json.dumps(flow).encode())
        self.write('home/.stretto/deep/er/a.flow.json', json.dumps(flow).encode())
        self.write('home/.stretto/deep/er/too/deep.flow.json', json.dumps(flow).encode())
        self.write('home/.stretto/oracle-cache/c.flow.json', json.dumps(flow).encode())
        self.write('home/.stretto/flow.json', json.dumps(flow).encode())
        self.write('home/.stretto/new.flow.json', b'{"stretto_flow":99}')
        os.symlink('..', self.path('home/.stretto/deep/loop'))
        lines = self.doctor()
        at = lines.index('note     flows')
        n = flow['provenance']['habit_episodes']
        text = 'domain tickets, learned from %d sessions, by ' % n
        self.assertTrue(lines[at + 1].startswith('           ~/.stretto/b.flow.json: ' + text))
        self.assertTrue(lines[at + 2].startswith('           ~/.stretto/deep/er/a.flow.json: '))
        self.assertTrue(lines[at + 3].startswith(
            '           ~/.stretto/new.flow.json: this version cannot read it: '))
        self.assertNotIn(self.tmp, lines[at + 3])
        self.assertIn('flow format 99', lines[at + 3])
        self.assertEqual(lines[at + 4], NO_SESSIONS)
        os.remove(self.path('home/.stretto/new.flow.json'))
        self.assertIn('ok       flows', self.doctor())

    def test_sessions(self):
        def session(name, domain):
            self.write('home/.stretto/' + name, Session('s', domain=domain).bytes())

        session('logs/b/1.jsonl', 'b')
        session('logs/b/2.jsonl', None)
        session('logs/b/3.jsonl', 'a, b')
        session('logs/b/4.jsonl', 'b')
        session('logs-x/1.jsonl', 'c')
        session('logs/a/1.jsonl', 'd\x1b[2J')
        session('logs/1.jsonl', 'e')
        session('logs/z.jsonl', 'e')
        session('logs/b/4.flow.jsonl', 'no')
        session('logs/b/4.confirm.jsonl', 'no')
        session('logs/b/deep/5.jsonl', 'no')
        session('logs/oracle-cache/5.jsonl', 'no')
        self.write('home/.stretto/logs/b/5.jsonl', b'{}\n')
        self.write('home/.stretto/other/6.jsonl', b'\xff\n')
        lines = self.doctor()
        at = lines.index('ok       recorded sessions')
        self.assertEqual(lines[at + 1:at + 6], ['           ~/.stretto/' + line for line in (
            'logs: 2 sessions of e', 'logs-x: 1 session of c',
            'logs/a: 1 session of d\\u001b[2J',
            'logs/b: 4 sessions of a, b, b, none; 1 other file',
            'other: 0 sessions; 1 other file')])

    def test_cached_answers(self):
        response = {'model': 'm', 'answers': {'q': {'type': 'noul', 'noul': 0.5}},
                    'usage': {'input_tokens': 1, 'output_tokens': 1}}
        self.write('home/.stretto/oracle-cache/ab/abc.json', json.dumps(response).encode())
        self.assertIn('ok       ~/.stretto/oracle-cache: 1 cached answer of a model', self.doctor())
        self.write('home/.stretto/oracle-cache/ab/abd.json', b'{')
        lines = self.doctor(problems=1)
        self.assertIn('ok       ~/.stretto/oracle-cache: 2 cached answers of a model', lines)
        self.assertIn('~/.stretto/oracle-cache/ab/abd.json', self.found(lines, 'problem'))

    # The key.

    def test_a_key_is_not_shown(self):
        for changes in ({'TYPESAFE_API_KEY': KEY}, {'TYPESAFE_API_KEY': KEY,
                                                    'TYPESAFE_API_KEY_FILE': '/nowhere'}):
            lines = self.doctor(**changes)
            self.assertIn('ok       TYPESAFE_API_KEY is set', lines)
            self.assertNotIn(KEY, ''.join(lines))

    def test_a_key_file(self):
        path = self.write('key', KEY.encode())
        lines = self.doctor(TYPESAFE_API_KEY='', TYPESAFE_API_KEY_FILE=path)
        self.assertIn('ok       TYPESAFE_API_KEY_FILE is set', lines)
        self.assertNotIn('key', ''.join(lines[lines.index(
            'ok       TYPESAFE_API_KEY_FILE is set') + 1:]))
        os.chmod(path, 0o644)
        self.assertIn('open to other users', self.found(
            self.doctor(TYPESAFE_API_KEY_FILE=path), 'the file that'))
        self.write('key', b' \n')
        self.assertIn(path + ' is empty', self.found(
            self.doctor(TYPESAFE_API_KEY_FILE=path), 'the key cannot be used'))
        os.remove(path)
        self.assertIn('No such file', self.found(
            self.doctor(TYPESAFE_API_KEY_FILE=path), 'the key cannot be used'))
        self.assertIn('the key cannot be used', ''.join(
            self.doctor(TYPESAFE_API_KEY_FILE=self.path('home'))))

    def test_no_key(self):
        line = self.found(self.doctor(), 'TYPESAFE_API_KEY')
        self.assertTrue(line.startswith('note     '), line)

    # The service.

    def test_without_a_key_nobody_is_asked(self):
        self.assertEqual(self.doctor('--network')[-1],
                         'note     Jev was not asked: there is no key')

    def test_the_service(self):
        service = http_server.Server()
        self.addCleanup(service.stop)
        service.on('*', lambda x: x.json({
            'model': 'jev-2', 'answers': {'reachable': {'type': 'noul', 'noul': 0.97}},
            'usage': {'input_tokens': 3, 'output_tokens': 1}}))
        env = {'TYPESAFE_API_KEY': KEY, 'TYPESAFE_BASE_URL': service.url('/'), 'no_proxy': '*'}
        self.doctor(**env)
        self.assertEqual(service.got(), [])
        self.assertRegex(self.doctor('--network', **env)[-1],
                         r'\Aok       Jev answered: P\(yes\) = 0\.97, by jev-2 in [0-9]+ ms\Z')
        self.assertEqual(len(service.got()), 1)
        service.on('*', lambda x: x.reply(401, b'no'))
        self.assertTrue(self.doctor('--network', problems=1, **env)[-1].startswith(
            'problem  Jev: Jev answered 401'))

    # Hosts.

    def hosts(self, **kw):
        """The findings from the first that is of hosts."""
        lines = self.doctor(**kw)
        return lines[next(i for i, line in enumerate(lines) if 'host' in line):]

    def test_no_host(self):
        self.assertEqual(self.hosts(), ["note     no configuration of an MCP host was found "
                                        "('stretto init' prints one)"])

    def servers(self, name, **commands):
        self.write(name, b'// settings\n' + json.dumps({'mcpServers': {
            server: {'command': command} for server, command in commands.items()}}).encode())

    def test_hosts(self):
        self.servers('home/.cursor/mcp.json', a='npx')
        self.servers('project/.mcp.json', a='npx')
        self.write('home/.config/zed/settings.json', b'{"theme":"x",}')
        lines = self.hosts()
        self.assertIn('no host runs a server behind the proxy', lines[0])
        self.assertEqual(lines[1:], ['           ~/.cursor/mcp.json: 0 of 1 server',
                                     '           %s: 0 of 1 server'
                                     % self.path('project/.mcp.json')])
        self.servers('home/.cursor/mcp.json', a='npx', b='stretto-proxy',
                     c=os.path.join(self.bin, 'stretto-proxy'))
        lines = self.hosts()
        self.assertEqual(lines[:2], ['ok       servers that hosts run behind the proxy',
                                     '           ~/.cursor/mcp.json: 2 of 3 servers'])

    def test_commands_that_only_the_host_can_tell(self):
        self.servers('home/.cursor/mcp.json', a='${userHome}/bin/stretto-proxy',
                     b='./bin/stretto-proxy', c='~/bin/stretto-proxy')
        self.assertEqual(self.hosts(HOME=self.path('home//'))[1:],
                         ['           ~/.cursor/mcp.json: 3 of 3 servers'])

    def test_a_host_whose_proxy_is_gone(self):
        self.servers('home/.claude.json', a='/gone/stretto-proxy')
        self.assertEqual(self.hosts(problems=1)[1:], [
            '           ~/.claude.json: 1 of 1 server',
            "problem  ~/.claude.json: server 'a' is to be run by /gone/stretto-proxy, which is not "
            'there'])

    def test_a_host_whose_file_is_broken(self):
        self.write('home/.cursor/mcp.json', b'{"mcpServers": {')
        os.makedirs(self.path('home/.claude.json'))
        lines = self.hosts()
        self.assertIn('.claude.json: it is not a regular file', lines[1])
        self.assertTrue(lines[2].startswith('note     ~/.cursor/mcp.json cannot be read: line 1'),
                        lines)

    # The command line.

    @rows(('an argument', ['x']), ('no directory', ['--data']), ('an option', ['--net']))
    def test_misuse(self, args):
        result = self.run_stretto('doctor', *args, code=2, out=b'', err=None)
        self.assertRegex(result.err.decode(), r'\AError: [^\n]+\nUsage: stretto doctor [^\n]+\n\Z')


if __name__ == '__main__':
    harness.main([harness.STRETTO])
