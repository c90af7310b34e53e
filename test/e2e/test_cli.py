#!/usr/bin/env python3
"""The command line of stretto-proxy: chapter 01 §§1, 2 and 8."""

import json
import os
import re
import subprocess

import harness
from harness import Case, message, recording, rows

RAN = 'touch ran; exec cat'
HUGE = '18446744073709551615'

# Every option with a value: (name, a good value, kind, what must be given with it, value name,
# default, whether it repeats). Options that need active mode are never run here, only refused.
VALUES = [
    ('--record', 'L', 'path', [], 'DIR', None, False),
    ('--domain', 'd', 'text', [], 'NAME', None, False),
    ('--agent-model', 'm', 'text', [], 'MODEL', None, False),
    ('--retain-days', '7', 'integer', [], 'DAYS', None, False),
    ('--flow', 'f', 'path', [], 'FILE', None, False),
    ('--flow-threshold', '0.3', 'number', [], 'P', '0.3', False),
    ('--flow-decider', 'habit', 'enum', [], 'arbiter habit reach', 'from the flow', False),
    ('--flow-per-call', '8', 'integer', [], 'N', '8', False),
    ('--flow-per-session', '40', 'integer', [], 'N', '40', False),
    ('--flow-questions', '300', 'integer', [], 'N', '300', False),
    ('--flow-log', 'g', 'path', [], 'FILE', 'beside the log', False),
    ('--flow-tools', 'a,b', 'text', ['--flow', 'f'], 'TOOLS', 'every lookup', True),
    ('--flow-explore', '0.5', 'number', ['--flow', 'f'], 'EPSILON', 'off', False),
    ('--flow-explore-seed', '0', 'integer', ['--flow', 'f', '--flow-explore', '0.5'], 'N', '0',
     False),
    ('--task-id', 't', 'text', [], 'ID', 'the session id', False),
    ('--oracle', 'mock', 'enum', [], 'jev replay mock', 'jev', False),
    ('--oracle-cache', 'c', 'path', [], 'DIR', '~/.stretto/oracle-cache', False),
    ('--confirm-judge', 'log', 'enum', ['--guards', '--context', 'x'], 'log enforce', 'off', False),
    ('--confirm-second', 'proposed', 'enum',
     ['--guards', '--context', 'x', '--confirm-judge', 'log'], 'proposed described', 'off', False),
    ('--confirm-threshold', '0.5', 'number',
     ['--guards', '--context', 'x', '--confirm-judge', 'log'], 'P', '0.5', False),
    ('--confirm-questions', '100', 'integer',
     ['--guards', '--context', 'x', '--confirm-judge', 'log'], 'N', '100', False),
    ('--confirm-log', 'g', 'path',
     ['--guards', '--context', 'x', '--confirm-judge', 'log'], 'FILE', 'beside the log', False),
    ('--context', 'x', 'path', [], 'FILE', None, False),
]
FLAGS = [
    ('--flow-shadow', ['--flow', 'f']),
    ('--guards', []),
    ('--confirm-second-shadow', ['--guards', '--context', 'x', '--confirm-judge', 'log',
                                 '--confirm-second', 'proposed']),
    ('--commit', []),
]
OF_KIND = {kind: [option for option in VALUES if option[2] == kind]
           for kind in ('path', 'text', 'integer', 'number', 'enum')}


def needs_of(option):
    return option[3]


class Usage(Case):
    """Everything that ends with status 2."""

    def refused(self, args, *names, command=True):
        """The arguments, and then a command, are a usage error that names one of `names`."""
        self.write('L-old/20200101T000000.000Z-1.jsonl', b'old')
        os.utime(self.path('L-old/20200101T000000.000Z-1.jsonl'), (1, 1))
        before = sorted(os.listdir(self.tmp))
        more = ['--', 'sh', '-c', RAN] if command else []
        result = self.run_proxy(*args, *more, code=2, out=b'', err=None)
        self.assertEqual(sorted(os.listdir(self.tmp)), before, 'something was created or started')
        self.assertTrue(os.path.exists(self.path('L-old/20200101T000000.000Z-1.jsonl')))
        self.assertTrue(result.err.endswith(b'\n'), result.err)
        if names:
            self.assertTrue(any(os.fsencode(name) in result.err for name in names),
                            '%r names none of %r' % (result.err, names))

    @rows(
        ('none', []),
        ('dashes only', ['--']),
        ('an option only', ['--domain', 'd']),
        ('an option and dashes', ['--record', 'L', '--']),
    )
    def test_no_server(self, args):
        self.refused(args, command=False)

    def test_command_before_dashes(self):
        self.refused(['cat'], 'cat', command=False)

    @rows(
        ('before dashes', ['stray']),
        ('between options', ['--domain', 'd', 'stray', '--agent-model', 'm']),
        ('after a flag', ['--guards', 'stray']),
        ('a single dash', ['-']),
    )
    def test_positional(self, args):
        self.refused(args, 'stray', "'-'", '-')

    @rows(
        ('domain', ['--domain', 'd', '--domain', 'd'], '--domain'),
        ('two spellings', ['--domain=d', '--domain', 'e'], '--domain'),
        ('guards', ['--guards', '--guards', '--domain', 'retail'], '--guards'),
        ('record without value', ['--record'], '--record'),
        ('record empty', ['--record='], '--record'),
        ('abbreviation', ['--dom', 'd'], '--dom'),
        ('retain -1', ['--retain-days', '-1'], '--retain-days'),
        ('retain =-1', ['--retain-days=-1'], '--retain-days'),
        ('retain 1.5', ['--retain-days', '1.5'], '--retain-days'),
        ('oracle JEV', ['--oracle', 'JEV'], '--oracle'),
        ('flow-tools alone', ['--flow-tools', 'x'], '--flow-tools'),
        ('flow-shadow alone', ['--flow-shadow'], '--flow-shadow'),
        ('flow-explore alone', ['--flow-explore', '0'], '--flow-explore'),
        ('seed without explore', ['--flow', 'f', '--flow-explore-seed', '1'],
         '--flow-explore-seed'),
        ('judge without context', ['--confirm-judge', 'log', '--guards', '--domain', 'retail'],
         '--context'),
        ('judge without guards', ['--confirm-judge', 'log', '--context', 'x'], '--guards'),
        ('second alone', ['--confirm-second', 'proposed'], '--confirm-second'),
        ('confirm-log alone', ['--confirm-log', 'f'], '--confirm-log'),
        ('confirm-threshold alone, the default given', ['--confirm-threshold', '0.5'],
         '--confirm-threshold'),
        ('confirm-questions alone', ['--confirm-questions', '100'], '--confirm-questions'),
        ('second-shadow without second',
         ['--confirm-second-shadow', '--confirm-judge', 'log', '--guards', '--context', 'x'],
         '--confirm-second-shadow'),
        ('upstream and command', ['--upstream', 'http://h/mcp'], '--upstream'),
        ('upstream-header alone', ['--upstream-header', 'A=B'], '--upstream-header'),
        ('upstream-reinit alone', ['--upstream-reinit'], '--upstream-reinit'),
        ('unknown long option', ['--nope'], '--nope'),
        ('unknown long option with a value', ['--nope=1'], '--nope'),
        ('unknown short option', ['-x'], '-x'),
        ('wrong case', ['--Domain', 'd'], '--Domain'),
        ('one dash', ['-domain', 'd'], '-d'),
        ('help with a value', ['--help=1'], '--help'),
        ('version with a value', ['--version='], '--version'),
        ('a value that starts with a dash', ['--domain', '-x'], '--domain'),
        ('a value that is an option', ['--domain', '--agent-model', 'm'], '--domain'),
        ('dashes are no value', ['--agent-model'], '--agent-model'),
        ('nothing is deleted', ['--retain-days', '0', '--record', 'L-old', '--nope'], '--nope'),
        ('nothing is created', ['--record', 'L', '--nope'], '--nope'),
        ('a dependency leaves nothing', ['--record', 'L', '--flow-shadow'], '--flow-shadow'),
    )
    def test_vector(self, args, name):
        self.refused(args, name)

    def test_upstream_twice(self):
        self.refused(['--upstream', 'http://h/', '--upstream', 'http://h/'], '--upstream',
                     command=False)

    @rows(*[('%s' % option[0], option) for option in VALUES if not option[6]])
    def test_twice(self, option):
        self.refused([*needs_of(option), option[0], option[1], option[0], option[1]], option[0])

    @rows(*[(flag, flag, needs) for flag, needs in FLAGS])
    def test_flag(self, flag, needs):
        needs = [need for need in needs if need != flag]
        self.refused([*needs, flag, flag], flag)
        self.refused([*needs, flag + '=1'], flag)
        self.refused([*needs, flag + '='], flag)

    @rows(*[(option[0], option) for option in VALUES])
    def test_without_value(self, option):
        self.refused([*needs_of(option), option[0]], option[0])
        self.refused([*needs_of(option), option[0], '--guards'], option[0])

    @rows(*[(option[0], option) for option in OF_KIND['path']])
    def test_empty_path(self, option):
        self.refused([*needs_of(option), option[0] + '='], option[0])
        self.refused([*needs_of(option), option[0], ''], option[0])

    @rows(*[(option[0], option) for option in OF_KIND['integer']])
    def test_bad_integer(self, option):
        for value in ('', '-1', '+1', '1.5', '1e3', '0x10', 'x', '1x', ' 1', '1 ',
                      '18446744073709551616', '99999999999999999999999'):
            with self.subTest(value=value):
                self.refused([*needs_of(option), '%s=%s' % (option[0], value)], option[0])

    @rows(*[(option[0], option) for option in OF_KIND['number']])
    def test_bad_number(self, option):
        for value in ('', 'x', '0.5x', '1,5', ' 0.5', '0.5 ', '0x1p3', '0x10', '1e', '--1', '-',
                      'nan(1)', '.', 'e5'):
            with self.subTest(value=value):
                self.refused([*needs_of(option), '%s=%s' % (option[0], value)], option[0])

    @rows(*[(option[0], option) for option in OF_KIND['enum']])
    def test_bad_enum(self, option):
        for value in ('', option[1].upper(), option[1].title(), option[1][:-1], option[1] + ' ',
                      'x'):
            with self.subTest(value=value):
                self.refused([*needs_of(option), '%s=%s' % (option[0], value)], option[0])

    @rows(*[(option[0], option) for option in OF_KIND['text']])
    def test_bad_text(self, option):
        for value in (b'\xff', b'a\xc0\xaf', b'\xed\xa0\x80', b'\xf4\x90\x80\x80', b'caf\xc3'):
            with self.subTest(value=value):
                self.refused([*needs_of(option), os.fsencode(option[0]) + b'=' + value], option[0])

    @rows(('no equals sign', 'A'), ('empty', ''), ('invalid UTF-8', b'A=\xff'))
    def test_bad_header_option_needs_upstream(self, value):
        self.refused(['--upstream-header', value], '--upstream-header')


class Accepted(Case):
    """Command lines that run."""

    def header_of(self, *args, folder='L'):
        self.run_proxy(*args, '--record', folder, '--', 'cat', out=b'', err=recording(folder))
        return json.loads(self.log(folder).header)

    def test_runs_cat(self):
        self.run_proxy('--', 'cat', input=b'x\n', out=b'x\n')

    def test_empty_domain(self):
        self.assertEqual(self.header_of('--domain=')['domain'], '')

    def test_empty_domain_as_next_argument(self):
        self.assertEqual(self.header_of('--domain', '')['domain'], '')

    def test_only_first_equals_sign_splits(self):
        self.assertEqual(self.header_of('--domain=a=b=')['domain'], 'a=b=')

    def test_dash_value(self):
        self.assertEqual(self.header_of('--domain', '-')['domain'], '-')

    def test_dash_value_after_equals_sign(self):
        self.assertEqual(self.header_of('--domain=--x')['domain'], '--x')

    def test_text_values(self):
        header = self.header_of('--domain', 'café "\\\x01\x7f', '--agent-model=\U0001f4a9\t')
        self.assertEqual(header['domain'], 'café "\\\x01\x7f')
        self.assertEqual(header['agent_model'], '\U0001f4a9\t')

    def test_record_after_equals_sign(self):
        self.run_proxy('--record=L', '--', 'cat', err=recording('L'))
        self.log('L')

    def test_long_path_is_named_whole(self):
        folder = '/'.join([self.tmp] + ['d' * 200] * 15)
        self.run_proxy('--record', folder, '--', 'cat', out=b'', err=recording(folder))

    def test_path_of_any_bytes(self):
        folder = b'L\xff\n\x01'
        result = self.run_proxy('--record', folder, '--', 'cat', err=None)
        self.assertTrue(os.path.isdir(os.path.join(os.fsencode(self.tmp), folder)))
        self.assertTrue(result.err.startswith(b'stretto-proxy: recording to L'), result.err)

    @rows(
        ('threshold below zero', ['--flow-threshold=-1']),
        ('threshold with sign and exponent', ['--flow-threshold=+1.5e-3']),
        ('threshold above one', ['--flow-threshold', '7']),
        ('threshold nan', ['--flow-threshold', 'nan']),
        ('threshold inf', ['--flow-threshold', 'inf']),
        ('threshold -inf', ['--flow-threshold=-inf']),
        ('threshold 1E2', ['--flow-threshold', '1E2']),
        ('retain 2^64-1', ['--retain-days', HUGE]),
        ('retain 0', ['--retain-days', '0']),
        ('retain leading zeros', ['--retain-days', '007']),
        ('per-call 2^64-1', ['--flow-per-call', HUGE]),
        ('per-session 0', ['--flow-per-session', '0']),
        ('questions', ['--flow-questions', '1']),
        ('decider arbiter', ['--flow-decider', 'arbiter']),
        ('decider habit', ['--flow-decider', 'habit']),
        ('decider reach', ['--flow-decider', 'reach']),
        ('oracle jev', ['--oracle', 'jev']),
        ('oracle replay', ['--oracle', 'replay']),
        ('oracle mock', ['--oracle', 'mock']),
        ('oracle-cache', ['--oracle-cache', 'c']),
        ('flow-log', ['--flow-log', 'g']),
        ('task-id', ['--task-id', 't']),
        ('task-id empty', ['--task-id=']),
        ('domain', ['--domain', 'd']),
        ('agent-model', ['--agent-model', 'm']),
    )
    def test_without_effect(self, args):
        self.run_proxy(*args, '--', 'cat', input=b'a\n', out=b'a\n')
        self.assertEqual(os.listdir(self.tmp), [])

    @rows(
        ('help', ['cat', '--help']),
        ('second dashes', ['echo', '--', '--help', '-V']),
        ('an option of ours', ['echo', '--record', 'L']),
        ('version', ['echo', '--version']),
    )
    def test_all_after_dashes_is_the_command(self, command):
        wanted = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
        self.run_proxy('--', *command, out=wanted)
        self.assertEqual(os.listdir(self.tmp), [])

    def test_command_of_any_bytes(self):
        self.run_proxy('--', 'printf', '%s|', b'\xff\xfe', b'', b'a b', b'*', b'~', b'$HOME',
                       out=b'\xff\xfe||a b|*|~|$HOME|')

    def test_upstream_with_empty_command(self):
        process = self.proxy('--upstream', 'http://127.0.0.1:1/mcp', '--', stdin='null')
        self.assertNotEqual(process.wait(), 2, process.err())

    def test_upstream_headers_repeat(self):
        process = self.proxy('--upstream', 'http://127.0.0.1:1/mcp', '--upstream-header', 'A=HOME',
                             '--upstream-header=B=HOME', stdin='null')
        self.assertNotEqual(process.wait(), 2, process.err())

    def test_flow_tools_repeat(self):
        self.run_proxy('--flow', 'missing', '--flow-tools', 'a,b', '--flow-tools', 'c', '--',
                       'sh', '-c', RAN, code=125, out=b'', err=None)
        self.assertEqual(os.listdir(self.tmp), [])

    @rows(
        ('STRETTO_RECORD', 'STRETTO_RECORD'), ('STRETTO_PROXY_RECORD', 'STRETTO_PROXY_RECORD'),
        ('RECORD', 'RECORD'),
    )
    def test_no_option_from_the_environment(self, name):
        self.run_proxy('--', 'cat', out=b'', env=self.environment(**{name: 'L'}))
        self.assertEqual(os.listdir(self.tmp), [])


class Help(Case):
    def test_version(self):
        for option in ('--version', '-V'):
            result = self.run_proxy(option, stdin='null')
            self.assertRegex(result.out, rb'\Astretto-proxy [0-9]+\.[0-9]+\.[0-9]+[^ \n]*\n\Z')

    def test_version_is_the_projects(self):
        with open(os.path.join(harness.HERE, '../../meson.build'), encoding='utf-8') as f:
            version = re.search(r"version: '([^']+)'", f.read()).group(1)
        self.run_proxy('--version', stdin='null', out=b'stretto-proxy %s\n' % version.encode())

    @rows(
        ('alone', ['--help']),
        ('short', ['-h']),
        ('with a command', ['--help', '--', 'sh', '-c', RAN]),
        ('then an unknown option', ['--help', '--nope']),
        ('then a positional argument', ['-h', 'stray']),
        ('then a value that is missing', ['--help', '--record']),
        ('then the version', ['--help', '--version']),
        ('before a dependency is judged', ['--flow-shadow', '--help', '--', 'sh', '-c', RAN]),
        ('before the server is missed', ['--record', 'L', '--help']),
        ('before both servers are seen', ['--upstream', 'http://h/', '-h', '--', 'cat']),
        ('then a wrong value', ['--help', '--retain-days', 'x']),
    )
    def test_help_wins(self, args):
        result = self.run_proxy(*args, stdin='null', err=b'')
        self.assertIn(b'Usage: stretto-proxy [OPTIONS] [-- <SERVER_COMMAND>...]\n', result.out)
        self.assertEqual(os.listdir(self.tmp), [])

    @rows(
        ('then help', ['--version', '--help']),
        ('short then help', ['-V', '-h']),
        ('then an unknown option', ['-V', '--nope']),
        ('before the server is missed', ['--record', 'L', '--version']),
    )
    def test_version_wins(self, args):
        result = self.run_proxy(*args, stdin='null', err=b'')
        self.assertRegex(result.out, rb'\Astretto-proxy [^ \n]+\n\Z')
        self.assertEqual(os.listdir(self.tmp), [])

    def sections(self):
        """The help's text of each option: from its line to the next option's."""
        text = self.run_proxy('--help', stdin='null').out.decode('utf-8')
        found = {}
        name = None
        for line in text.split('\n'):
            start = re.match(r'\s+(?:-[A-Za-z],?\s+)?(--[a-z-]+)', line)
            if start:
                name = start.group(1)
                found[name] = ''
            if name:
                found[name] += line + '\n'
        return found

    @rows(*[(option[0], option) for option in VALUES])
    def test_names_option(self, option):
        sections = self.sections()
        self.assertIn(option[0], sections)
        text = ' '.join(sections[option[0]].split())
        for word in option[4].split():
            self.assertRegex(text, r'(?<![\w-])%s(?![\w-])' % re.escape(word))
        if option[5] not in (None, 'off'):
            self.assertIn(option[5], text)

    @rows(*[(name, name, value) for name, value in
            [(flag, None) for flag, _ in FLAGS] +
            [('--upstream', 'URL'), ('--upstream-header', 'NAME=VAR'), ('--upstream-reinit', None),
             ('--help', None), ('--version', None)]])
    def test_names_more(self, name, value):
        sections = self.sections()
        self.assertIn(name, sections)
        if value:
            self.assertIn(value, sections[name])

    def test_names_short_options(self):
        text = self.run_proxy('--help', stdin='null').out.decode('utf-8')
        self.assertRegex(text, r'(?m)^\s+-h, --help\b')
        self.assertRegex(text, r'(?m)^\s+-V, --version\b')

    def test_advises_absolute_paths(self):
        text = self.run_proxy('--help', stdin='null').out.decode('utf-8')
        self.assertIn('absolute', text)
        self.assertIn('~', text)


class StartFailures(Case):
    """Everything that ends with status 125 before the session."""

    def fails(self, args, err, code=125):
        return self.run_proxy(*args, stdin='null', code=code, out=b'', err=err)

    @rows(
        ('guards without a domain', ['--guards'], b'--domain'),
        ('a domain without guards', ['--guards', '--domain', 'telecom'],
         b'no guards for telecom'),
    )
    def test_guards(self, args, part):
        result = self.fails([*args, '--record', 'L', '--', 'sh', '-c', RAN],
                            re.compile(rb'stretto-proxy: [^\n]+\n'))
        self.assertIn(part, result.err)
        self.assertEqual(os.listdir(self.tmp), [])

    @rows(
        ('absolute', '/no/such'),
        ('relative', './no-such'),
        ('along PATH', 'no-such-program-anywhere'),
        ('empty', ''),
        ('a folder', '/'),
        ('below a file', '/dev/null/x'),
        ('tilde is not expanded', '~/prog'),
        ('too long', 'x' * 5000),
    )
    def test_no_such_program(self, program):
        self.write('prog', b'#!/bin/sh\n', 0o755)
        self.fails(['--', program], re.compile(message('starting ' + program)))

    def test_message_of_a_missing_program(self):
        self.fails(['--', '/no/such'],
                   re.compile(b'stretto-proxy: starting /no/such: [Nn]o such file or directory\n'))

    def test_program_of_any_bytes(self):
        result = self.fails(['--', b'/no/\xff'], None)
        self.assertRegex(result.err, rb'\Astretto-proxy: starting /no/[^\n]+: [^\n]+\n\Z')

    @rows(('of nobody', 0o644), ('without a mode', 0))
    def test_not_executable(self, mode):
        path = self.write('prog', b'#!/bin/sh\necho ran\n', mode)
        self.fails(['--', path], re.compile(message('starting ' + path)))

    def test_interpreter_is_missing(self):
        path = self.write('prog', b'#!/no/such/interpreter\n', 0o755)
        self.fails(['--', path], re.compile(message('starting ' + path)))

    def test_no_such_program_leaves_no_log(self):
        self.fails(['--record', 'L', '--', '/no/such'], re.compile(message('starting /no/such')))
        self.assertEqual(os.listdir(self.path('L')), [])

    def test_no_such_program_keeps_other_logs(self):
        self.write('L/20200101T000000.000Z-1.jsonl', b'other')
        self.fails(['--record', 'L', '--', '/no/such'], re.compile(message('starting /no/such')))
        self.assertEqual(os.listdir(self.path('L')), ['20200101T000000.000Z-1.jsonl'])

    def test_record_is_a_file(self):
        path = self.write('L', b'keep')
        self.fails(['--record', path, '--', 'sh', '-c', RAN],
                   re.compile(message('creating ' + path)))
        self.assertEqual(self.read('L'), b'keep')
        self.assertFalse(os.path.exists(self.path('ran')))

    def test_parent_of_record_is_a_file(self):
        self.write('F', b'keep')
        path = self.path('F/a/b')
        result = self.fails(['--record', path, '--', 'sh', '-c', RAN], None)
        self.assertRegex(result.err, rb'\Astretto-proxy: creating [^\n]+: [^\n]+\n\Z')
        self.assertFalse(os.path.exists(self.path('ran')))

    def test_record_is_a_dangling_link(self):
        os.symlink(self.path('nowhere'), self.path('L'))
        result = self.fails(['--record', 'L', '--', 'sh', '-c', RAN], None)
        self.assertRegex(result.err, rb'\Astretto-proxy: creating [^\n]+: [^\n]+\n\Z')
        self.assertFalse(os.path.exists(self.path('ran')))

    def test_record_below_a_file_system_that_takes_none(self):
        result = self.fails(['--record', '/proc/stretto/x', '--', 'sh', '-c', RAN], None)
        self.assertRegex(result.err, rb'\Astretto-proxy: creating [^\n]+: [^\n]+\n\Z')

    @rows(('127', 127), ('126', 126), ('125', 125), ('2', 2))
    def test_a_program_that_exits_at_once_is_no_failure(self, code):
        self.run_proxy('--', 'sh', '-c', 'exit %d' % code, stdin='null', code=code, out=b'')

    def test_program_along_path(self):
        self.write('bin/prog', b'#!/bin/sh\necho "ran $0 $1"\n', 0o755)
        path = self.path('bin') + ':' + os.environ['PATH']
        self.run_proxy('--', 'prog', 'x', stdin='null', env=self.environment(PATH=path),
                       out=b'ran %s x\n' % os.fsencode(self.path('bin/prog')))

    def test_path_goes_on_after_a_file_that_cannot_run(self):
        self.write('one/prog', b'#!/bin/sh\necho one\n', 0o644)
        self.write('two/prog', b'#!/bin/sh\necho two\n', 0o755)
        path = ':'.join([self.path('none'), self.path('one'), self.path('two'),
                         os.environ['PATH']])
        self.run_proxy('--', 'prog', stdin='null', env=self.environment(PATH=path), out=b'two\n')

    def test_name_with_slash_is_relative_to_the_folder(self):
        self.write('sub/prog', b'#!/bin/sh\necho sub\n', 0o755)
        self.run_proxy('--', 'sub/prog', stdin='null', out=b'sub\n')

    def test_name_without_slash_is_not_in_the_folder(self):
        self.write('a-prog-of-mine', b'#!/bin/sh\necho here\n', 0o755)
        self.fails(['--', 'a-prog-of-mine'], re.compile(message('starting a-prog-of-mine')))


class Tilde(Case):
    """The leading ~ of --record: §8."""

    @rows(
        ('below home', '~/.stretto/logs', {'HOME': 'home'}, 'home/.stretto/logs'),
        ('home itself', '~', {'HOME': 'home'}, 'home'),
        ('elsewhere', 'logs/~', {'HOME': 'home'}, 'logs/~'),
        ('of another user', '~other/logs', {'HOME': 'home'}, '~other/logs'),
        ('of root', '~root/logs', {'HOME': 'home'}, '~root/logs'),
        ('no home at all', '~/logs', {'HOME': None, 'USERPROFILE': None}, '~/logs'),
        ('only a tilde, no home', '~', {'HOME': None, 'USERPROFILE': None}, '~'),
        ('both empty', '~/logs', {'HOME': '', 'USERPROFILE': ''}, '~/logs'),
        ('profile', '~/logs', {'HOME': None, 'USERPROFILE': 'profile'}, 'profile/logs'),
        ('home is empty', '~/logs', {'HOME': '', 'USERPROFILE': 'profile'}, 'profile/logs'),
        ('home comes first', '~/logs', {'HOME': 'home', 'USERPROFILE': 'profile'}, 'home/logs'),
        ('second tilde stays', '~/~', {'HOME': 'home'}, 'home/~'),
    )
    def test_record(self, value, env, wanted):
        where = {name: None if folder is None else (self.path(folder) if folder else '')
                 for name, folder in env.items()}
        where.setdefault('USERPROFILE', None)
        literal = wanted == value
        shown = value if literal else self.path(wanted)
        self.run_proxy('--record', value, '--', 'cat', env=self.environment(**where),
                       err=recording(shown))
        self.assertEqual(len(self.logs(wanted)), 1)

    def test_relative_home(self):
        self.run_proxy('--record', '~/logs', '--', 'cat', env=self.environment(HOME='home'),
                       err=recording('home/logs'))
        self.assertEqual(len(self.logs('home/logs')), 1)

    def test_after_equals_sign(self):
        self.run_proxy('--record=~/logs', '--', 'cat', err=recording(self.path('logs')))

    def test_not_in_the_command(self):
        self.run_proxy('--', 'echo', '~', '~/x', out=b'~ ~/x\n')

    def test_not_in_the_domain(self):
        self.run_proxy('--domain', '~/x', '--record', 'L', '--', 'cat', err=recording('L'))
        self.assertEqual(json.loads(self.log().header)['domain'], '~/x')


if __name__ == '__main__':
    harness.main()
