#!/usr/bin/env python3
"""stretto: its command line, and the commands that print what sessions hold."""

import json
import os
import re
import resource
import unicodedata

import harness
from harness import Case, rows
from sessions import Session, canonical

# Every command: its options, and a good command line's arguments ("S" is a session log).
COMMANDS = {
    'episodes': (['json', 'view', 'results', 'help'], ['S']),
    'manifest': (['domain', 'tau2', 'results', 'help'], ['S']),
    'sessions': (['json', 'help'], ['S']),
    'show': (['full', 'help'], ['S']),
    'guards': (['tau2', 'domain', 'source', 'out', 'json', 'help'], ['--source', 'r.json']),
    'flow-show': (['threshold', 'out', 'help'], ['f.json']),
    'redact': (['sessions', 'out', 'salt-env', 'keep-shared', 'hash-field', 'help'],
               ['--sessions', 'S', '--out', 'O']),
    'learn': (['sessions', 'domain', 'out', 'manifest', 'rewards', 'habit-only', 'arbiter-from',
               'refit-habit', 'manifest-options', 'predicates', 'oracle', 'oracle-cache',
               'oracle-budget', 'alpha-samples', 'alpha', 'help'],
              ['--sessions', 'S', '--domain', 'd', '--out', 'O', '--habit-only']),
    'flow-diff': (['tolerance', 'threshold', 'out', 'help'], ['f.json', 'g.json']),
    'replay': (['flow', 'sessions', 'decider', 'threshold', 'per-call', 'oracle', 'oracle-cache',
                'json', 'help'], ['--flow', 'f.json', '--sessions', 'S']),
    'promote': (['flow', 'sessions', 'results', 'tau2', 'task-ids', 'oracle', 'oracle-cache',
                 'decider', 'threshold', 'per-call', 'min-used', 'min-lower', 'min-tasks', 'out',
                 'report', 'help'], ['--flow', 'f.json', '--sessions', 'S', '--out', 'O']),
    'audit': (['flow', 'sessions', 'results', 'tau2', 'oracle', 'oracle-cache', 'decider', 'out',
               'json', 'help'], ['--flow', 'f.json', '--sessions', 'S']),
    'doctor': (['network', 'data', 'help'], []),
    'evaluate': (['decisions', 'target', 'min-ess', 'out', 'json', 'help'],
                 ['--decisions', 'd.jsonl', '--target', 'habit@0.3']),
}
EACH_COMMAND = rows(*[(name, name) for name in COMMANDS])
# Those that print what they read of the sessions in S.
EACH_PRINTER = rows(*[(name, name) for name in COMMANDS if COMMANDS[name][1] == ['S']])
# What reads a session log.
READERS = [['episodes'], ['episodes', '--json'], ['episodes', '--view', '1'], ['manifest'],
           ['sessions'], ['sessions', '--json'], ['show'], ['show', '--full']]
ERROR = re.compile(rb'Error: [^\n]+\n')
HEADER = b'{"stretto_mcp_log":2,"session":"s1","started_unix_ms":5}\n'
ENTRY = b'{"t_ms":1,"from":"server","raw":"x"}\n'


def vector_4():
    """The session of that number in chapter 40, section 7, with its outcome after call 2."""
    s = Session('s4', domain=None)
    s.call(0, 1, 'a', {'email': 'ana@shop.test'}).result(4, 1, 'cust_81')
    s.call(6, 2, 'b', {'id': 'cust_81'}).result(9, 2, '{"carts":["K7","K9"]}')
    s.call(12, 3, 'c', {'id': 'K7'}).result(15, 3, '{"state":"open"}')
    s.call(18, 4, 'd', {'id': 'K9'}).result(21, 4, 'done')
    return s


def columns(text):
    """How wide a line is on a terminal."""
    return sum(0 if unicodedata.combining(c) else
               2 if unicodedata.east_asian_width(c) in 'WF' else 1 for c in text)


class Stretto(Case):
    def failed(self, args, *parts, code=1):
        """The arguments end with an error that names all of these, and nothing on stdout."""
        result = self.run_stretto(*args, code=code, out=b'', err=None)
        self.assertTrue(result.err.startswith(b'Error: '), result.err)
        self.assertTrue(result.err.endswith(b'\n'), result.err)
        if code == 1:
            self.same_err(result.err, ERROR)
        for part in parts:
            self.assertIn(os.fsencode(part), result.err)

    def session(self, name, session):
        return self.write(name, session.bytes())

    def lines(self, *args, **kw):
        out = self.run_stretto(*args, **kw).out
        self.assertTrue(out.endswith(b'\n'))
        return out.decode().split('\n')[:-1]


class CommandLine(Stretto):
    def test_help_lists_the_commands(self):
        out = self.run_stretto('--help').out
        self.run_stretto('-h', out=out)
        self.run_stretto('help', out=out)
        for name in COMMANDS:
            self.assertRegex(out, rb'(?m)^  %s +[a-z]' % name.encode())
        self.assertTrue(all(columns(line) <= 100 for line in out.decode().split('\n')))

    @EACH_COMMAND
    def test_help_of_a_command(self, name):
        out = self.run_stretto('help', name).out
        self.run_stretto(name, '--help', out=out)
        self.run_stretto(name, '-h', out=out)
        # It wins over what comes after it.
        self.run_stretto(name, '--help', '--nope', out=out)
        self.assertTrue(out.startswith(b'Usage: stretto %s ' % name.encode()))
        listed = re.findall(rb'(?m)^  (?:-.,|   ) --([a-z0-9-]+)', out)
        self.assertEqual(sorted(listed), sorted(option.encode() for option in COMMANDS[name][0]))
        self.assertTrue(all(columns(line) <= 100 for line in out.decode().split('\n')))

    def test_version(self):
        out = self.run_stretto('--version').out
        self.assertRegex(out, rb'\Astretto [0-9][^\s]*\n\Z')
        self.run_stretto('-V', out=out)

    @rows(
        ('nothing', []),
        ('an unknown command', ['episode'], 'episode'),
        ('a command in upper case', ['Episodes'], 'Episodes'),
        ('an empty command', ['']),
        ('an unknown option', ['--nope'], '--nope'),
        ('an unknown letter', ['-x'], '-x'),
        ('an option before the command', ['--json', 'episodes'], '--json'),
        ('dashes', ['--', 'episodes'], '--'),
        ('help of an unknown command', ['help', 'nope'], 'nope'),
        ('help of two commands', ['help', 'show', 'episodes'], 'episodes'),
        ('episodes of nothing', ['episodes'], 'SESSIONS', '--results'),
        ('episodes of nothing as JSON', ['episodes', '--json'], 'SESSIONS', '--results'),
        ('episodes with an empty argument', ['episodes', ''], 'SESSIONS'),
        ('a view of no call', ['episodes', 'S', '--view'], '--view'),
        ('two views', ['episodes', 'S', '--view', '1', '--view', '2'], '--view'),
        ('an unknown option of episodes', ['episodes', 'S', '--nope'], '--nope'),
        ('an abbreviation', ['episodes', 'S', '--js'], '--js'),
        ('a flag with a value', ['episodes', 'S', '--json=1'], '--json'),
        ('a flag twice', ['episodes', 'S', '--json', '--json'], '--json'),
        ('results without a file', ['episodes', '--results'], '--results'),
        ('manifest of nothing', ['manifest'], 'SESSIONS', '--tau2'),
        ('manifest of a domain', ['manifest', '--domain', 'd'], 'SESSIONS', '--tau2'),
        ('a checkout without a domain', ['manifest', '--tau2', '.'], '--domain'),
        ('a checkout and sessions', ['manifest', '--domain', 'd', '--tau2', '.', 'S'], '--tau2',
         'SESSIONS'),
        ('results without a checkout', ['manifest', 'S', '--results', 'r'], '--results', '--tau2'),
        ('sessions of nothing', ['sessions'], 'SESSIONS'),
        ('an unknown option of sessions', ['sessions', '--full', 'S'], '--full'),
        ('show of nothing', ['show'], 'SESSION'),
        ('show of two', ['show', 'S', 'T'], 'T'),
        ('an unknown option of show', ['show', '--json', 'S'], '--json'),
    )
    def test_usage_errors(self, args, *parts):
        self.session('S', Session())
        self.session('T', Session())
        self.failed(args, *parts, code=2)

    def test_arguments_after_dashes(self):
        self.session('--json', Session('dashed'))
        self.assertTrue(self.lines('episodes', '--', '--json')[0].startswith('dashed'))

    @EACH_PRINTER
    def test_unwritable_stdout(self, name):
        self.session('S', vector_4())
        full = self.open('/dev/full', os.O_WRONLY)
        for args in ([name, *COMMANDS[name][1]], [name, '--help'], ['--help'], ['--version']):
            self.run_stretto(*args, code=1, stdout=full, err=re.compile(
                rb'Error: writing to standard output[^\n]*\n'))

    def test_more_than_a_buffer_into_a_full_disk(self):
        s = Session()
        for i in range(200):
            s.call(i, i, 'tool', {'text': 'x' * 40000}).result(i, i, 'y')
        self.session('S', s)
        full = self.open('/dev/full', os.O_WRONLY)
        self.run_stretto('episodes', '--json', 'S', code=1, stdout=full, err=re.compile(
            rb'Error: writing to standard output: No space left on device\n'))

    def test_output_that_cannot_be_kept(self):
        self.session('S', Session().say(1, 'user', 'x' * 5000000))
        out = self.run_stretto('episodes', '--json', 'S').out
        for size in (len(out) - 1, len(out) // 4096 * 4096, 4096, 0):
            self.run_stretto('episodes', '--json', 'S', code=1, out=b'', err=re.compile(
                rb'Error: keeping the output: File too large\n'),
                preexec=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)))

    def test_a_closed_stdout(self):
        for size in (10, 5000000):
            self.session('S', Session().say(1, 'user', 'x' * size))
            self.run_stretto('episodes', '--json', 'S', code=1, stdout='closed', err=re.compile(
                rb'Error: writing to standard output: Bad file descriptor\n'))


class Errors(Stretto):
    @rows(
        ('empty', b'', 'empty log'),
        ('blank lines', b'\n  \n\t\r\n', 'empty log'),
        ('an entry first', ENTRY, 'line 1', 'not a stretto log header'),
        ('no JSON first', b'\n\noops\n' + ENTRY, 'line 3', 'not a stretto log header'),
        ('a torn header', HEADER[:-2], 'line 1', 'not a stretto log header'),
        ('an array first', b'[]\n', 'line 1', 'not a stretto log header'),
        ('no session', b'{"stretto_mcp_log":2,"started_unix_ms":5}\n', 'line 1',
         'not a stretto log header'),
        ('a command of numbers', HEADER.replace(b'}', b',"server_command":[1]}'), 'line 1',
         'not a stretto log header'),
        ('version 3', b'{"stretto_mcp_log":3}\n', 'version 3'),
        ('version 0', HEADER.replace(b':2', b':0'), 'version 0'),
        ('a negative version', HEADER.replace(b':2', b':-1'), 'line 1',
         'not a stretto log header'),
        ('a bad line', HEADER + b'oops\n' + ENTRY, 'line 2'),
        ('a bad line behind blank ones', HEADER + b'\n \n' + ENTRY + b'{}\n' + ENTRY, 'line 5'),
        ('a torn line in the middle', HEADER + b'{"t_ms":1\n' + ENTRY[:-1], 'line 2'),
        ('a torn line with LF', HEADER + ENTRY + b'{"t_ms":2,"from":"serv\n', 'line 3'),
        ('a torn line before blanks that end in LF', HEADER + b'{"t_ms":2\n  \n', 'line 2'),
        ('an unknown side', HEADER + ENTRY.replace(b'server', b'agent'), 'line 2'),
        ('a negative time', HEADER + ENTRY.replace(b':1,', b':-1,'), 'line 2'),
        ('raw that is a number', HEADER + ENTRY.replace(b'"x"', b'5'), 'line 2'),
    )
    def test_a_log_that_is_wrong(self, data, *parts):
        path = self.write('x.jsonl', data)
        for args in READERS:
            self.failed([*args, path], 'parsing %s: ' % path, *parts)

    @rows(
        ('bad UTF-8', HEADER + ENTRY.replace(b'x', b'\xff')),
        ('a cut character with LF', HEADER + ENTRY.replace(b'x', b'\xe2\x82')),
        ('bad UTF-8 in a torn line', HEADER + b'{"t_ms":1,"from":"\xff'),
    )
    def test_a_log_that_is_no_text(self, data):
        path = self.write('x.jsonl', data)
        for args in READERS:
            self.failed([*args, path], 'reading %s: ' % path)

    def test_a_path_that_cannot_be_read(self):
        path = self.path('nothing.jsonl')
        for args in READERS:
            self.failed([*args, path], 'reading %s: ' % path, 'No such file')

    def test_a_directory_without_logs(self):
        self.write('D/20260923T212000.123Z-1.flow.jsonl', b'oops\n')
        self.write('D/20260923T212000.123Z-1.confirm.jsonl', b'oops\n')
        self.write('D/x.json', b'oops\n')
        self.write('D/deep/y.jsonl', b'oops\n')
        for args in READERS[:6]:
            self.failed([*args, 'D'], 'D')
        self.failed(['show', 'D'], 'reading D: ')

    def test_one_bad_log_fails_all(self):
        for i in range(3):
            self.session('D/%d.jsonl' % i, Session('s%d' % i).call(1, 1, 'a'))
        self.write('D/1.jsonl', HEADER + b'oops\n' + ENTRY)
        for args in READERS[:6]:
            self.failed([*args, 'D'], 'parsing D/1.jsonl: ', 'line 2')

    def test_nothing_is_printed_before_all_is_read(self):
        s = Session('a')
        for i in range(200):
            s.call(i, i, 'tool', {'text': 'x' * 40000})
        self.session('D/a.jsonl', s)
        self.write('D/b.jsonl', HEADER + b'oops\n' + ENTRY)
        for args in (['episodes', '--json'], ['episodes', '--view', '1'], ['sessions', '--json']):
            self.failed([*args, 'D'], 'parsing D/b.jsonl: ', 'line 2')

    @rows(
        ('no JSON', b'{"info":', []),
        ('no object', b'[]', []),
        ('no domain', b'{"simulations":[]}', []),
        ('no simulations', b'{"info":{"environment_info":{"domain_name":"d"}}}', ['simulations']),
    )
    def test_results_that_are_wrong(self, data, parts):
        self.session('S', Session())
        path = self.write('r.json', data)
        self.failed(['episodes', '--json', 'S', '--results', path], 'parsing %s' % path, *parts)

    def test_results_that_cannot_be_read(self):
        self.session('S', Session())
        self.failed(['episodes', 'S', '--results', 'r.json'], 'reading r.json: ', 'No such file')

    def test_results_without_episodes(self):
        path = self.write('r.json', results('d', []))
        self.failed(['episodes', '--results', path], path)

    def test_a_torn_last_line_is_dropped(self):
        path = self.write('x.jsonl', HEADER + ENTRY + b'{"t_ms":2,"from":"serv')
        for args in READERS:
            self.run_stretto(*args, path)


def results(domain, simulations, **info):
    return json.dumps({'info': {'environment_info': {'domain_name': domain}, **info},
                       'simulations': simulations}).encode()


class Episodes(Stretto):
    def episodes(self, *args):
        found = []
        for line in self.lines('episodes', '--json', *args):
            episode = json.loads(line)
            self.assertEqual(line, canonical(episode))
            found.append(episode)
        return found

    def ids(self, *args):
        return [episode['id'] for episode in self.episodes(*args)]

    def test_an_episode(self):
        s = Session('s1', domain='shop').request(
            0, 0, 'initialize', clientInfo={'name': 'desk-app'})
        s.say(1, 'user', 'Where is cart K7?').call(2, 1, 'cart', {'id': 'K7'}).result(3, 1, 'open')
        self.session('S', s)
        self.assertEqual(self.episodes('S'), [{
            'id': 's1', 'task_id': '', 'trial': 0, 'domain': 'shop', 'agent_model': 'desk-app',
            'reward': 0.0, 'events': [
                {'kind': 'user', 'text': 'Where is cart K7?'},
                {'kind': 'assistant', 'text': None, 'usage': None,
                 'calls': [{'id': '1', 'name': 'cart', 'arguments': {'id': 'K7'}}]},
                {'kind': 'tool_result', 'call_id': '1', 'name': 'cart', 'error': False,
                 'content': 'open'}]}])
        line = self.lines('episodes', 'S')
        self.assertEqual(len(line), 1)
        self.assertTrue(line[0].startswith('s1 '), line)

    def test_the_view_of_vector_4(self):
        self.session('S', vector_4())
        calls = [('1', 'a', {'email': 'ana@shop.test'}), ('2', 'b', {'id': 'cust_81'}),
                 ('3', 'c', {'id': 'K7'}), ('4', 'd', {'id': 'K9'})]
        calls = [{'id': id, 'name': name, 'arguments': args} for id, name, args in calls]
        texts = ['cust_81', '{"carts":["K7","K9"]}', '{"state":"open"}', 'done']

        def turn(*of):
            return {'kind': 'assistant', 'text': None, 'calls': list(of), 'usage': None}

        def result(i):
            return {'kind': 'tool_result', 'call_id': calls[i]['id'], 'name': calls[i]['name'],
                    'error': False, 'content': texts[i]}

        wanted = {
            'episode': {
                'agent_model': 'unknown', 'domain': 'mcp', 'id': 's4', 'reward': 0.0,
                'task_id': '', 'trial': 0,
                'events': [turn(calls[0]), result(0), turn(calls[1]), result(1),
                           turn(calls[2], calls[3]), result(2), result(3)]},
            'pending': [], 'sent_after': {'1': 0, '2': 0, '3': 0, '4': 1}}
        out = (canonical(wanted) + '\n').encode()
        self.run_stretto('episodes', '--view', '2', 'S', out=out)
        self.run_stretto('episodes', '--json', '--view', '2', 'S', out=out)
        self.run_stretto('episodes', '--view=none', 'S', out=out)

    def test_a_view_sets_calls_apart(self):
        s = Session('s1').call(0, 1, 'a').call(0, 2, 'b').call(0, 3, 'c')
        self.session('S', s.result(1, 2, 'x').result(2, 3, 'y'))
        view = json.loads(self.lines('episodes', '--view', '3', 'S')[0])
        self.assertEqual([c['id'] for c in view['episode']['events'][0]['calls']], ['2', '3'])
        self.assertEqual([c['id'] for c in view['pending']], ['1'])
        view = json.loads(self.lines('episodes', '--view', '9', 'S')[0])
        self.assertEqual([c['id'] for c in view['episode']['events'][0]['calls']],
                         ['1', '2', '3'])
        self.assertEqual(view['pending'], [])

    def test_order(self):
        self.session('D/z.jsonl', Session('b', domain='D/z'))
        self.session('D/y.jsonl', Session('b', domain='D/y'))
        self.session('D/x.jsonl', Session('c'))
        self.session('D/c.flow.jsonl', Session('not'))
        self.session('E/a.jsonl', Session('b', domain='E/a'))
        self.session('E/b.jsonl', Session('a'))
        self.session('any.name', Session('b', domain='file'))
        for args, wanted in (
                (['D', 'E', 'any.name'], ['D/y', 'D/z', 'E/a', 'file']),
                (['any.name', 'E', 'D'], ['file', 'E/a', 'D/y', 'D/z']),
                (['E', 'any.name', 'D', 'E'], ['E/a', 'file', 'D/y', 'D/z', 'E/a'])):
            episodes = self.episodes(*args)
            self.assertEqual([e['domain'] for e in episodes if e['id'] == 'b'], wanted)
            self.assertEqual([e['id'] for e in episodes], sorted(e['id'] for e in episodes))

    def test_sessions_are_ordered_by_bytes(self):
        names = ['b', 'B', 'a', 'é', 'z', '10', '9', 'ﬁ', '😀']
        for i, name in enumerate(names):
            self.session('D/%d.jsonl' % i, Session(name))
        self.assertEqual(self.ids('D'), sorted(names, key=str.encode))

    def test_results_come_after_the_sessions(self):
        def simulation(id, *messages, **more):
            return {'id': id, 'task_id': 't', 'messages': list(messages), **more}

        first = self.write('1.json', results('d1', [
            simulation('r2', {'role': 'user', 'content': 'hi'}, trial=3,
                       reward_info={'reward': 1.0}),
            simulation('r1')], agent_info={'llm': 'model'}))
        second = self.write('2.json', results('d2', [simulation('r0')]))
        self.session('S', Session('z'))
        self.assertEqual(self.ids('--results', first, 'S', '--results', second),
                         ['z', 'r2', 'r1', 'r0'])
        self.assertEqual(self.ids('--results=' + second, '--results=' + first),
                         ['r0', 'r2', 'r1'])
        episode = self.episodes('--results', first)[0]
        self.assertEqual(episode, {
            'id': 'r2', 'task_id': 't', 'trial': 3, 'domain': 'd1', 'agent_model': 'model',
            'reward': 1.0, 'events': [{'kind': 'user', 'text': 'hi'}]})
        self.assertEqual(json.loads(self.lines('episodes', '--view', '1', '--results', first)[0]),
                         {'episode': episode, 'pending': [], 'sent_after': {}})


class Manifest(Stretto):
    def manifest(self, *args):
        lines = self.lines('manifest', *args)
        self.assertEqual(len(lines), 1)
        found = json.loads(lines[0])
        self.assertEqual(lines[0], canonical(found))
        self.assertEqual(sorted(found), ['contracts', 'docs', 'domain', 'tools'])
        return found

    def test_a_manifest(self):
        s = Session(domain='shop').tools(
            0, 1,
            {'name': 'get', 'description': ' Reads\n a  thing. ',
             'annotations': {'readOnlyHint': True},
             'inputSchema': {'type': 'object', 'required': ['order_id'], 'properties': {
                 'order_id': {'type': 'string', 'description': 'Its\tid'},
                 'limit': {'type': ['integer', 'null']}, 'x': {}}}},
            {'name': 'put', 'annotations': {'readOnlyHint': False}, 'inputSchema': {}},
            {'name': 'do', 'annotations': {'readOnlyHint': 'yes'}})
        self.session('S', s)
        self.assertEqual(self.manifest('S'), {
            'domain': 'shop', 'tools': {'get': 'read', 'put': 'write', 'do': 'generic'},
            'docs': {'get': {'summary': 'Reads a thing.', 'args': {'order_id': 'Its id'}}},
            'contracts': {'get': 'limit:integer|null, order_id:string!, x:any', 'put': ''}})

    def test_later_listings_win(self):
        read = {'annotations': {'readOnlyHint': True}}
        write = {'annotations': {'readOnlyHint': False}}
        schema = {'inputSchema': {'properties': {'a': {'type': 'string'}}}}
        self.session('2.jsonl', Session('s2').tools(
            0, 1, {'name': 'a', **write}, {'name': 'c', 'description': 'C2'}))
        self.session('1.jsonl', Session('s1').tools(
            0, 1, {'name': 'a', 'description': 'A', **read, **schema}, nextCursor='x').tools(
            2, 2, {'name': 'b', 'description': 'B', **read}).tools(
            4, 3, {'name': 'b', **read}, {'name': 'c', 'description': 'C1'}))
        # Within a log a listing without a doc removes it; a later log's does not.
        wanted = {'domain': 'mcp', 'tools': {'a': 'write', 'b': 'read', 'c': 'generic'},
                  'docs': {'a': {'summary': 'A', 'args': {}}, 'c': {'summary': 'C2', 'args': {}}},
                  'contracts': {'a': 'a:string'}}
        self.assertEqual(self.manifest('2.jsonl', '1.jsonl'), wanted)
        self.assertEqual(self.manifest('--domain', 'x', '1.jsonl', '2.jsonl'),
                         {**wanted, 'domain': 'x'})

    def test_what_does_not_count(self):
        s = Session()
        s.request(0, 1, 'tools/list', who='proxy')
        s.add(1, 'server', {'id': 1, 'result': {'tools': [{'name': 'of_the_proxy'}]}})
        s.request(2, 2, 'tools/list')
        s.add(3, 'proxy', {'id': 2, 'result': {'tools': [{'name': 'stretto_commit'}]}})
        s.add(4, 'server', {'id': '2', 'result': {'tools': [{'name': 'other_id'}]}})
        s.add(5, 'server', {'id': 2, 'result': {'tools': [5, {'name': 7}, {'name': 'good'}]}})
        s.add(6, 'server', {'id': 2, 'result': {'tools': [{'name': 'again'}]}})
        self.session('S', s)
        self.assertEqual(self.manifest('S'), {'domain': 'mcp', 'tools': {'good': 'generic'},
                                              'docs': {}, 'contracts': {}})

    def test_domain(self):
        self.session('b.jsonl', Session('b', domain='second'))
        self.session('a.jsonl', Session('a', domain='first'))
        self.assertEqual(self.manifest('b.jsonl', 'a.jsonl')['domain'], 'first')
        self.session('a.jsonl', Session('a'))
        self.assertEqual(self.manifest('b.jsonl', 'a.jsonl')['domain'], 'mcp')
        self.assertEqual(self.manifest('b.jsonl', '--domain=')['domain'], '')

    def checkout(self):
        """A checkout with the domain "desk": three tools of the agent's, one of the user's."""
        self.write('tau2/src/tau2/domains/desk/tools.py', b'''
class Tools:
    @is_tool(ToolType.READ)
    def get(self, id: str) -> str:
        """
        Reads a thing.

        Args:
            id: Its id
                in full.
        """

    @is_tool(ToolType.WRITE)
    def put(self):
        return 1

    @is_tool(ToolType.THINK)
    def think(self, text):
        """Thinks."""

    def helper(self):
        pass
''')
        self.write('tau2/src/tau2/domains/desk/user_tools.py', b'''
    @is_tool(ToolType.READ)
    def look(self):
        """Looks."""
''')
        return 'tau2'

    def test_a_checkout(self):
        wanted = {'domain': 'desk', 'tools': {'get': 'read', 'put': 'write', 'think': 'generic'},
                  'contracts': {}}
        found = self.manifest('--domain', 'desk', '--tau2', self.checkout())
        self.assertEqual(found['docs']['get'], {'summary': 'Reads a thing.',
                                                'args': {'id': 'Its id in full.'}})
        self.assertEqual({**found, 'docs': None}, {**wanted, 'docs': None})

    @rows(
        ('works', 'look', False, True),
        ('fails', 'look', True, False),
        ('is another tool', 'get', False, False),
    )
    def test_tools_of_the_user(self, tool, error, is_there):
        path = self.write('r.json', results('desk', [{'id': 'r', 'task_id': 't', 'messages': [
            {'role': 'assistant', 'cost': 1, 'tool_calls': [
                {'id': 'c', 'name': tool, 'arguments': {}}]},
            {'role': 'tool', 'id': 'c', 'error': error, 'content': ''}]}]))
        found = self.manifest('--domain', 'desk', '--tau2', self.checkout(), '--results', path)
        self.assertEqual('look' in found['tools'], is_there)

    def test_a_checkout_without_the_domain(self):
        self.failed(['manifest', '--domain', 'shop', '--tau2', self.checkout()],
                    'reading tau2/src/tau2/domains/shop/tools.py')


class Sessions(Stretto):
    def busy(self):
        s = Session('20260923T212000.123Z-4242', domain='orders',
                    command=['/usr/bin/npx', '-y', '@scope/orders-server'])
        s.request(1, 0, 'initialize', clientInfo={'name': 'desk', 'version': '2'})
        s.add(5, 'server', {'id': 0, 'result': {'protocolVersion': '2025-06-18',
                                                'serverInfo': {'name': 'orders'}}})
        s.say(9, 'user', 'hi').raw(9, 'Listening')
        s.call(10, 1, 'get').result(30, 1, 'x')
        s.call(40, 2, 'get').result(140, 2, 'x', error=True)
        s.call(150, 'stretto-1', 'find', who='proxy').result(160, 'stretto-1', 'x')
        s.call(170, 3, 'put').result(171, 3, 'Refused', error=True, who='proxy')
        s.call(180, 4, 'put').notify(190, 'notifications/cancelled', who='client', requestId=4)
        return s.say(75000, 'assistant', 'bye')

    def test_json(self):
        self.session('S', self.busy())
        self.run_stretto('sessions', '--json', 'S', out=(canonical({
            'session': '20260923T212000.123Z-4242', 'path': 'S', 'started_unix_ms': 1790198400123,
            'duration_ms': 75000, 'agent_model': None, 'domain': 'orders',
            'server_command': ['/usr/bin/npx', '-y', '@scope/orders-server'],
            'host': {'name': 'desk', 'version': '2'},
            'server': {'name': 'orders', 'version': None}, 'protocol': '2025-06-18',
            'calls': 5, 'proxy_calls': 1, 'errors': 2, 'refused': 1, 'cancelled': 1,
            'unanswered': 1, 'p50_ms': 10, 'p95_ms': 100,
            'tools': [{'name': 'get', 'calls': 2, 'errors': 1},
                      {'name': 'put', 'calls': 2, 'errors': 1},
                      {'name': 'find', 'calls': 1, 'errors': 0}],
            'user_messages': 1, 'agent_messages': 1, 'raw_lines': 1}) + '\n').encode())

    def test_json_of_a_session_without_anything(self):
        self.session('S', Session('s', command=[]))
        found = json.loads(self.lines('sessions', '--json', 'S')[0])
        self.assertEqual({name for name, value in found.items() if value is None},
                         {'agent_model', 'domain', 'host', 'server', 'protocol', 'p50_ms',
                          'p95_ms'})
        self.assertEqual((found['calls'], found['tools'], found['server_command']), (0, [], []))

    def test_the_help_names_all_of_the_json(self):
        self.session('S', self.busy())
        found = json.loads(self.lines('sessions', '--json', 'S')[0])
        words = re.findall('[a-z0-9_]+', self.run_stretto('help', 'sessions').out.decode())
        self.assertEqual(set(found) - set(words), set())

    def test_the_table(self):
        self.session('S', self.busy())
        self.assertEqual(self.lines('sessions', 'S'), [
            'START (UTC)      LENGTH  AGENT  DOMAIN  SERVER            CALLS ERR  P50   P95  TOOLS',
            '2026-09-23 21:20  1m15s  desk   orders  npx @scope/orde…      5   2 10ms 100ms  '
            'get 2, put 2, find 1',
            '1 session, 1m15s, 5 calls, 2 errors: get 2, put 2, find 1'])

    def test_order_of_starts(self):
        for i, started in enumerate((5000, 86400000, 0, 5000)):
            self.session('D/%d.jsonl' % i, Session('s%d' % i, started=started))
        found = [json.loads(line)['session'] for line in self.lines('sessions', '--json', 'D')]
        self.assertEqual(found, ['s2', 's0', 's3', 's1'])
        table = self.lines('sessions', 'D')
        self.assertEqual([line[:16] for line in table[1:-1]],
                         ['1970-01-01 00:00'] * 3 + ['1970-01-02 00:00'])

    @rows(
        ('long names', 'm' * 300, 'd' * 300, ['/bin/' + 's' * 300]),
        ('wide names', '漢' * 60, '字' * 60, ['💾' * 60]),
        ('joining marks', 'e\u0301' * 100, 'x', ['y']),
        ('escape sequences', '\x1b[31m' * 20, '\x1b]0;x\x07', ['\x9b31m', '\r\n\t']),
        ('direction marks', '\u202eabc\u2066', '\ufeff', ['\u2028']),
    )
    def test_the_table_keeps_within_its_columns(self, model, domain, command):
        for i, started in enumerate((0, 2 ** 63, 2 ** 64 - 1)):
            s = Session('s%d' % i, started=started, model=model, domain=domain, command=command)
            for k in range(30):
                s.call(k, k, '漢字 %d \x1b[1m' % k)
            s.add(2 ** 64 - 1, 'server')
            self.session('D/%d.jsonl' % i, s)
        lines = self.lines('sessions', 'D')
        self.assertEqual(len(lines), 5)
        for line in lines:
            self.assertLessEqual(columns(line), 100)
            self.assertEqual(line, line.rstrip())
            self.assertFalse([c for c in line if unicodedata.category(c) in ('Cc', 'Cf')])

    def test_columns_are_aligned(self):
        self.session('D/1.jsonl', Session('1', model='漢字', domain='x', command=['a']).call(
            0, 1, 'tool'))
        self.session('D/2.jsonl', Session('2', model='gpt-4o', command=['b']).call(0, 1, 'tool'))
        lines = self.lines('sessions', 'D')[:-1]
        self.assertEqual(len({columns(line[:line.lower().rindex('tool')]) for line in lines}), 1)


class Show(Stretto):
    def show(self, session, *args, **kw):
        """The lines of the timeline, and those around it."""
        self.session('S', session)
        lines = self.lines('show', *args, 'S', **kw)
        first = lines.index('')
        last = len(lines) - 1 - lines[::-1].index('')
        self.assertEqual(lines[first + 1], '      TIME  TURN  WHAT')
        return lines[first + 2:last], lines[:first] + lines[last + 1:]

    def test_header_and_totals(self):
        lines, around = self.show(Sessions.busy(self))
        self.assertEqual(around, [
            'Session     20260923T212000.123Z-4242',
            'Started     2026-09-23 21:20:00 UTC, for 1m15s',
            'Server      orders',
            'Command     /usr/bin/npx -y @scope/orders-server',
            'Host        desk 2',
            'Protocol    2025-06-18',
            'Domain      orders',
            'Calls       5, turns 3, 1 by the proxy, 2 failed, 1 refused, 1 cancelled, '
            '1 never answered',
            'Latency     p50 10ms, p95 100ms, longest 100ms',
            'Tools       get 2, put 2, find 1',
            'Unanswered  0:00.180 #4 put (cancelled)'])

    def test_a_timeline(self):
        lines, _ = self.show(Sessions.busy(self))
        self.assertEqual(lines, [
            '  0:00.001        host      initialize 4ms',
            '  0:00.009        user      hi',
            '  0:00.009        raw       server: Listening',
            '  0:00.010     1  call      #1 get {}',
            '  0:00.030        result    #1 20ms: x',
            '  0:00.040     1  call      #2 get {}',
            '  0:00.140        error     #2 100ms: x',
            '  0:00.150     2  lookup    #stretto-1 find {}',
            '  0:00.160        result    #stretto-1 10ms: x',
            '  0:00.170     2  call      #3 put {}',
            '  0:00.171        refused   #3 1ms: Refused',
            '  0:00.180     2  call      #4 put (never answered) {}',
            '  0:00.190        cancelled #4 put',
            '  1:15.000     3  agent     bye'])

    def test_calls_of_one_turn(self):
        s = Session().call(0, 1, 'a', {'b': 1, 'a': 2}).call(1, 2, 'b')
        lines, _ = self.show(s.result(2, 1, 'x').result(900, 2, 'y').call(9000, 3, 'c'))
        self.assertEqual(lines, [
            '  0:00.000     1  call      #1 a {"a":2,"b":1}',
            '  0:00.001     1  call      #2 b {}',
            '  0:00.002        result    #1 a 2ms: x',
            '  0:00.900        result    #2 b 899ms: y',
            '  0:09.000     2  call      #3 c (never answered) {}'])

    def test_a_call_that_joins_an_open_turn(self):
        s = Session().call(0, 1, 'a').say(5, 'assistant', 'wait').call(9, 2, 'b')
        lines, _ = self.show(s.result(10, 1, 'x').result(11, 2, 'y'))
        self.assertEqual([line[10:28].split() for line in lines],
                         [['1', 'call'], ['2', 'agent'], ['1', 'call'], ['result'], ['result']])

    def test_what_the_proxy_adds(self):
        s = Session().call(0, 1, 'a').result(5, 1, 'x')
        s.call(6, 'stretto-1', 'b', who='proxy').result(8, 'stretto-1', 'y')
        s.result(9, 1, 'x', '--- Also looked up automatically (current results; no need to '
                 'repeat these calls) ---\n\nb {}:\ny', who='proxy')
        s.call(20, 2, 'stretto_commit', {'calls': [{'name': 'c'}]})
        s.call(21, 'stretto-2', 'c', who='proxy').result(23, 'stretto-2', 'z')
        s.result(24, 2, 'c {}: ok\nz', who='proxy')
        s.tools(30, 3, {'name': 'a'})
        s.add(31, 'proxy', {'id': 3, 'result': {'tools': []}})
        lines, _ = self.show(s)
        self.assertEqual(lines[4:], [
            '  0:00.009        added     #1 a: b {}: y',
            '  0:00.020     2  commit    #2 stretto_commit {"calls":[{"name":"c"}]}',
            '  0:00.021     2  commit    #stretto-2 c {}',
            '  0:00.023        result    #stretto-2 2ms: z',
            '  0:00.024        result    #2 stretto_commit 4ms: c {}: ok z',
            '  0:00.030        host      tools/list 1ms',
            '  0:00.031        proxy     tools/list: the answer is changed for the host'])

    def test_requests_of_both_sides(self):
        s = Session().request(0, 1, 'resources/read', uri='x')
        s.request(1, 1, 'sampling/createMessage', who='server', maxTokens=5)
        s.add(3, 'client', {'id': 1, 'error': {'code': -1, 'message': 'not here'}})
        s.add(4, 'server', {'id': 1, 'result': {}}).request(5, 2, 'ping')
        lines, _ = self.show(s)
        self.assertEqual(lines, [
            '  0:00.000        host      resources/read 4ms {"uri":"x"}',
            '  0:00.001        server    sampling/createMessage 2ms {"maxTokens":5}',
            '  0:00.003        error     sampling/createMessage 2ms: not here',
            '  0:00.005        host      ping (never answered)'])

    def test_what_is_gathered(self):
        s = Session()
        for i in range(5):
            s.notify(i, 'notifications/progress', progress=i).notify(i, 'notifications/message')
        for i in range(3):
            s.notify(10, 'n/%d' % i)
        for i in range(10):
            s.raw(20 + i, 'line %d' % i)
        s.raw(30, 'of the host', who='client').add(31, 'server', 5).add(32, 'server', [])
        s.add(33, 'server', {'id': 99, 'result': {}}).add(34, 'server', {'jsonrpc': '2.0'})
        lines, _ = self.show(s)
        self.assertEqual(lines, [
            '  0:00.000        server    notifications/progress ×5, notifications/message ×5, '
            'n/0, n/1, 1 more',
            '  0:00.020        raw       server: line 0',
            '  0:00.021        raw       server: line 1',
            '  0:00.022        raw       server: line 2',
            '  0:00.023        raw       server: 7 more like these',
            '  0:00.030        raw       host: of the host',
            '  0:00.031        stray     server: 5',
            '  0:00.032        stray     server: []',
            '  0:00.033        stray     server: {"id":99,"result":{}}',
            '  0:00.034        stray     server: 1 more like these'])
        lines, _ = self.show(s, '--full')
        self.assertEqual(len(lines), 28)
        self.assertIn('  0:00.003        server    notifications/progress {"progress":3}', lines)

    def test_full_cuts_nothing_off(self):
        long = 'wörd ' * 100
        s = Session(command=['x'] * 200).say(0, 'user', 'one\n\ntwo')
        s.call(1, 'i' * 200, 't' * 200, {'text': long}).result(2, 'i' * 200, long)
        self.session('S', s)
        out = self.run_stretto('show', '--full', 'S').out.decode()
        self.assertNotIn('…', out)
        for part in (long, 'i' * 200 + ' ' + 't' * 200, ' x' * 199, 'user      one\n\n' +
                     ' ' * 28 + 'two\n'):
            self.assertIn(part, out)
        brief = self.run_stretto('show', 'S').out.decode()
        self.assertIn('user      one two\n', brief)
        self.assertTrue(all(columns(line) <= 100 for line in brief.split('\n')))

    def hostile(self):
        evil = '\x00\x07\x08\x1b[2J\x1b]0;title\x07\x7f\x85\x9b31m\u202e\u2066\u2028\ufeffend'
        s = Session(evil, domain=evil, model=evil, command=[evil, evil])
        s.request(0, evil, evil, evil=evil).say(1, 'user', evil).say(2, evil, evil)
        s.request(2, 0, 'initialize', clientInfo={'name': evil, 'version': evil})
        s.call(3, evil * 2, evil, {evil: evil}).result(4, evil * 2, evil, evil, error=True)
        s.notify(5, evil).notify(6, 'notifications/cancelled', who='client', requestId=evil,
                                 reason=evil)
        return s.raw(7, evil, who='client').raw(8, evil).add(9, 'server', {evil: evil})

    def test_nothing_recorded_reaches_the_terminal_raw(self):
        self.session('S', self.hostile())
        for args in (['show'], ['show', '--full'], ['sessions'], ['episodes']):
            out = self.run_stretto(*args, 'S').out.decode()
            self.assertEqual({c for c in out if unicodedata.category(c) in ('Cc', 'Cf', 'Zl')},
                             {'\n'})
            self.assertIn('\\u001b[2J', out)

    @rows(
        ('a terminal', True, {}, True),
        ('an empty NO_COLOR', True, {'NO_COLOR': ''}, True),
        ('a pipe', False, {}, False),
        ('NO_COLOR', True, {'NO_COLOR': '1'}, False),
        ('NO_COLOR=0', True, {'NO_COLOR': '0'}, False),
        ('a dumb terminal', True, {'TERM': 'dumb'}, False),
        ('no TERM', True, {'TERM': None}, False),
    )
    def test_colours(self, terminal, changes, coloured):
        path = self.session('S', self.hostile())
        env = self.environment(**{'NO_COLOR': None, 'TERM': 'xterm', **changes})
        if terminal:
            master, slave = self.pty()
            process = self.stretto('show', path, stdout=slave, env=env)
            self.drop(slave)
            stream = harness.Stream(master)
            process.finish()
            self.assertTrue(stream.wait(lambda data, ended: ended))
            out = stream.bytes().decode()
        else:
            out = self.run_stretto('show', path, env=env).out.decode()
        codes = set(re.findall('\x1b[^m]*m?', out))
        self.assertEqual(bool(codes), coloured)
        self.assertEqual({code for code in codes if not re.fullmatch('\x1b\\[[0-9]+m', code)},
                         set())
        plain = re.sub('\x1b\\[[0-9]+m', '', out)
        self.assertEqual(plain, self.run_stretto('show', path).out.decode())


if __name__ == '__main__':
    harness.main([harness.STRETTO])
