#!/usr/bin/env python3
"""stretto learn: chapter 23; chapter 31 §7; the common rules of chapter 44."""

import json
import math
import os
import re

import harness
import http_server
import sessions
import tickets
from harness import Case, mode_of, rows
from tickets import Story

PADDING = 0xffffffff
COMPILED = re.compile(rb'"compiled_unix_ms":[0-9]+')
VERSION = re.compile(rb'"provenance":\{"stretto":"[^"]*"')
ALPHA_1 = ('--alpha-samples', '0', '--alpha', '1')
DOCS = {'find_tickets': ("List a customer's tickets.", "The customer's address."),
        'get_ticket': ('One ticket.', "The ticket's id.")}
NO_KEY = {'TYPESAFE_API_KEY': None, 'TYPESAFE_API_KEY_FILE': None, 'TYPESAFE_DEFAULT_MODEL': None,
          'TYPESAFE_BASE_URL': None}
KEY = 'key-4711'
MOCK = ('--oracle', 'mock')
REPLAY = ('--oracle', 'replay', '--oracle-cache', 'cache')
ESTIMATE = rb'stretto: [^\n]*%d question[^\n]*\n'
MORE_LISTED = {'id': 'more_listed', 'favors': 'same_lookup', 'question': 'Is there more?',
               'yes': 'There is.', 'no': 'There is none.'}
HAND_BACK = {'id': 'ask_back', 'favors': 'hand_back', 'question': 'Is something missing?',
             'yes': 'It is.', 'no': 'It is not.'}
FOLD = {'weights': [0.5, 0.3, 0.2, 0.1, 0.7, 0.4],
        'rates': {'sites': [['find_tickets', [8.0, 6.0, 8.0]]], 'agree': 0.7, 'cover': 0.95}}

NEEDED = ['--sessions', 'S', '--domain', 'tickets', '--out', 'o.json']
# What only goes with an arbiter that is fitted.
FITTING = [['--refit-habit'], ['--manifest-options'], ['--oracle', 'jev'], ['--oracle', 'mock'],
           ['--oracle-cache', '.oracle-cache'], ['--oracle-budget', '1'],
           ['--predicates', 'p.json']]
ALONE = [['--habit-only'], ['--arbiter-from', 'arbiter.json']]
MISUSES = [
    ('nothing', []),
    ('no sessions', NEEDED[2:]),
    ('no domain', NEEDED[:2] + NEEDED[4:]),
    ('no output', NEEDED[:4]),
    ('sessions without a value', NEEDED[2:] + ['--sessions']),
    ('an argument', [*NEEDED, '--habit-only', 'S']),
    ('an unknown option', [*NEEDED, '--habit-only', '--threshold', '0.3']),
    ('an unknown oracle', [*NEEDED, '--oracle', 'coin']),
    ('a flag with a value', [*NEEDED, '--habit-only=yes']),
    ('both ways', [*NEEDED, '--habit-only', '--arbiter-from', 'arbiter.json']),
    ('alpha of 0', [*NEEDED, '--habit-only', '--alpha-samples', '0', '--alpha', '0']),
    ('alpha below 0', [*NEEDED, '--habit-only', '--alpha-samples', '0', '--alpha=-1']),
    ('alpha that is no number', [*NEEDED, '--habit-only', '--alpha-samples', '0', '--alpha',
                                 'nan']),
    ('alpha that is a word', [*NEEDED, '--habit-only', '--alpha', 'x']),
    ('alpha of 0 that is not used', [*NEEDED, '--habit-only', '--alpha', '0']),
    ('samples below 0', [*NEEDED, '--habit-only', '--alpha-samples', '-1']),
    ('half a sample', [*NEEDED, '--habit-only', '--alpha-samples', '0.5']),
    ('a budget that is a word', [*NEEDED, '--oracle-budget', 'x']),
] + [('%s and %s' % (alone[0], ' '.join(fitting)), [*NEEDED, *alone, *fitting])
     for alone in ALONE for fitting in FITTING]

# (label, arguments, the message): the whole one, or how it begins.
FAILURES = [
    ('no such directory', ['--sessions', 'gone'], 'listing gone: No such file or directory\n'),
    ('a directory that is a file', ['--sessions', 'S/s1.jsonl'],
     'listing S/s1.jsonl: Not a directory\n'),
    ('an empty directory', ['--sessions', 'empty'],
     'no session to learn from succeeded (see --rewards)\n'),
    ('a log that does not parse', ['--sessions', 'bad'], 'parsing bad/b.jsonl: line 2'),
    ('a log of another version', ['--sessions', 'new'], 'parsing new/n.jsonl: '),
    ('an empty log', ['--sessions', 'void'], 'parsing void/v.jsonl: empty log'),
    ('nothing that succeeded', ['--rewards', 'none.json'],
     'no session to learn from succeeded (see --rewards)\n'),
    ('no such manifest', ['--manifest', 'gone'], 'reading gone: No such file or directory\n'),
    ('a manifest that is no JSON', ['--manifest', 'no.json'], 'no.json: '),
    ('a manifest that is no object', ['--manifest', 'list.json'], 'list.json: '),
    ('a manifest without tools', ['--manifest', 'empty.json'], 'empty.json: tools'),
    ('a manifest of another kind', ['--manifest', 'kind.json'], 'kind.json: tools.get_ticket'),
    ('a manifest with half a doc', ['--manifest', 'doc.json'], 'doc.json: docs.get_ticket'),
    ('no such rewards', ['--rewards', 'gone'], 'reading gone: No such file or directory\n'),
    ('rewards that are a directory', ['--rewards', 'S'], 'reading S: Is a directory\n'),
    ('rewards that are no JSON', ['--rewards', 'no.json'], 'no.json: '),
    ('rewards that are no object', ['--rewards', 'list.json'], 'list.json: '),
    ('a reward that is no number', ['--rewards', 'words.json'], 'words.json: s1'),
    ('no such arbiter', ['--arbiter-from', 'gone'], 'reading gone: No such file or directory\n'),
    ('a flow without an arbiter', ['--arbiter-from', 'flow.json'],
     'flow.json: this flow has no arbiter to take\n'),
    ('an arbiter that is none', ['--arbiter-from', 'half.json'], None),
    ('an arbiter of another version', ['--arbiter-from', 'arbiter-2.json'], None),
    ('neither an arbiter nor a flow', ['--arbiter-from', 'empty.json'], None),
    ('an output that cannot be', ['--out', 'gone/o.json'],
     'creating gone/o.json: No such file or directory\n'),
    ('an output below a file', ['--out', 'flow.json/o.json'],
     'creating flow.json/o.json: Not a directory\n'),
    ('an output that is a directory', ['--out', 'empty'], 'creating empty: Is a directory\n'),
]

# The same of an arbiter that is fitted, nobody being asked.
FITTED_FAILURES = [
    ('an empty directory', ['--sessions', 'empty'],
     'no session to learn from succeeded (see --rewards)\n'),
    ('one session', ['--sessions', 'one'],
     '1 sessions are too few to hold some out (at least 2)\n'),
    ('no training session that succeeded', ['--rewards', 'held.json'],
     'no session to learn from succeeded (see --rewards)\n'),
    ('no such predicates', ['--predicates', 'gone'], 'reading gone: No such file or directory\n'),
    ('predicates that are no JSON', ['--predicates', 'no.json'], 'no.json: '),
    ('no predicates', ['--predicates', 'empty.json'], 'empty.json: predicates'),
    ('a predicate without a question', ['--predicates', 'short.json'],
     'short.json: predicates[0].question'),
    ('a predicate that favors nobody', ['--predicates', 'favor.json'],
     'favor.json: predicates[0].favors'),
    ('a log that does not parse', ['--sessions', 'bad'], 'parsing bad/b.jsonl: line 2'),
]


class Tale(Story):
    """A session in short, with tools of its own."""

    def __init__(self, session, *tools, model='glm-5'):
        super().__init__(session)
        self.log = sessions.Session(session, domain='tales', model=model)
        self.log.tools(0, 1, *tools)

    def at_once(self, *calls):
        """A turn of several calls; the last one is answered first."""
        first = self.id + 1
        for name, arguments, _ in calls:
            self.id += 1
            self.log.call(self.t_ms, self.id, name, arguments)
        for i, (_, _, text) in reversed(list(enumerate(calls))):
            self.log.result(self.t_ms + 10, first + i, text)
        self.t_ms += 1000
        return self


class Quadrature:
    """α by chapter 23 §6, of what the steps of sessions were."""

    def __init__(self, vocab_size, *episodes):
        self.vocab_size = vocab_size
        self.steps = []
        counts = {}
        for episode in episodes:
            before = [PADDING] * 2
            for action, symbol in episode:
                levels = [counts.get(tuple(before[len(before) - j:])) for j in range(3)]
                self.steps.append([(of.get(action, 0), of['all']) for of in levels if of])
                for j in range(3):
                    of = counts.setdefault(tuple(before[len(before) - j:]), {'all': 0})
                    of[action] = of.get(action, 0) + 1
                    of['all'] += 1
                before.append(symbol)

    def probabilities(self, alpha):
        found = []
        for levels in self.steps:
            p = 1 / self.vocab_size
            for n, total in levels:
                p = (n + alpha * p) / (total + alpha)
            found.append(p)
        return found

    def density(self, x):
        return -x * x / 8 + sum(map(math.log, self.probabilities(math.exp(x))))

    def median(self, step=0.02):
        xs = [-12 + step * k for k in range(round(24 / step) + 1)]
        logs = [self.density(x) for x in xs]
        weights = [math.exp(value - max(logs)) for value in logs]
        halves = [(a + b) / 2 for a, b in zip(weights, weights[1:])]
        left = sum(halves) / 2
        for x, half in zip(xs, halves):
            if left <= half:
                return math.exp(x + step * left / half)
            left -= half
        raise AssertionError('no median')


# The steps of the three sessions of §13: (action, symbol) each.
FIND, GET, ANSWERED, LAST = (1, 16384), (2, 32768), (0, 8192), (0, 12288)
STEPS = [[FIND, GET, GET, ANSWERED, LAST], [FIND, GET, LAST],
         [(1, 20480), ANSWERED, FIND, GET, LAST]]


def described(name, arg, about=(None, None), read=True):
    """A tool with one required string; `about` has what it and its argument are said to be."""
    tool = tickets.tool(name, arg, read)
    if about[0] is not None:
        tool['description'] = about[0]
    if about[1] is not None:
        tool['inputSchema']['properties'][arg]['description'] = about[1]
    if read is None:
        del tool['annotations']
    return tool


def listed(story, *tools):
    """The session with another listing."""
    other = sessions.Session('x').tools(0, 1, *tools)
    story.log.lines[1:3] = other.lines[1:]
    return story


class Learns(Case):
    def setUp(self):
        super().setUp()
        for story, name in zip(self.worked(), ('s1', 's2', 's3')):
            self.write('S/%s.jsonl' % name, story.log.bytes())

    def worked(self):
        """The sessions of §13."""
        tools = [described(name, arg, DOCS[name])
                 for name, arg in (('find_tickets', 'email'), ('get_ticket', 'ticket_id'))]
        return [listed(story, *tools) for story in tickets.stories()]

    def put(self, *stories, folder='S'):
        """Makes these the only sessions of a folder."""
        os.makedirs(self.path(folder), exist_ok=True)
        for path in self.logs(folder):
            os.remove(path)
        for i, story in enumerate(stories):
            self.write('%s/%03d.jsonl' % (folder, i), story.log.bytes())

    def run_learn(self, *args, sessions='S', to='o.json', domain='tickets', env=None, **kw):
        options = {'err': None, **kw}
        needed = [('--sessions', sessions), ('--domain', domain), ('--out', to)]
        words = [word for pair in needed if pair[0] not in args for word in pair]
        return self.run_stretto('learn', *words, *args,
                                env=self.environment(**{**NO_KEY, **(env or {})}), **options)

    def learned(self, *args, to='o.json', **kw):
        """The flow that is learned."""
        self.run_learn(*args, to=to, **kw)
        return json.loads(self.read(to))

    def habit(self, *args, **kw):
        return self.learned('--habit-only', *ALPHA_1, *args, **kw)

    def stable(self, name='o.json'):
        """The bytes of a flow but for when it was made."""
        text = self.read(name)
        self.assertEqual(len(COMPILED.findall(text)), 1)
        return COMPILED.sub(b'"compiled_unix_ms":0', text)

    def save(self, flow, name='edited.json'):
        self.write(name, json.dumps(flow).encode())
        return name

    def decisions(self, story, *args, flow='o.json'):
        """What a flow decides in a session, after which the agent has the word."""
        story.says('assistant', 'So much for that.')
        self.write('new.jsonl', story.log.bytes())
        out = self.run_stretto('replay', '--json', '--flow', flow, '--sessions', 'new.jsonl',
                               *args, err=None).out
        return [line for line in map(json.loads, out.splitlines()) if 'action' in line]

    def picks(self, story, *args, flow='o.json'):
        """What it looks up at any threshold: arguments, and the chance that they are right."""
        return [(line['arguments'], round(line['binding'], 9)) if line['action'] == 'lookup'
                else line['reason']
                for line in self.decisions(story, '--threshold', '0', *args, flow=flow)]


class Usage(Learns):
    """§1, chapter 44's common rules."""

    @rows(*MISUSES)
    def test_misused(self, args):
        self.write('p.json', json.dumps({'predicates': []}).encode())
        self.write('arbiter.json', json.dumps(arbiter()).encode())
        self.run_stretto('learn', *args, code=2, out=b'', err=re.compile(b'Error: .*', re.S),
                         env=self.environment(**NO_KEY))
        self.assertFalse(os.path.exists(self.path('o.json')))

    def test_help_names_every_option(self):
        text = self.run_stretto('learn', '--help').out.decode()
        for name in ('sessions', 'domain', 'out', 'manifest', 'rewards', 'habit-only',
                     'arbiter-from', 'refit-habit', 'manifest-options', 'predicates', 'oracle',
                     'oracle-cache', 'oracle-budget', 'alpha-samples', 'alpha'):
            self.assertRegex(text, '--%s[ \n]' % name)
        self.assertEqual(self.run_stretto('help', 'learn').out.decode(), text)
        self.assertRegex(self.run_stretto('--help').out.decode(), r'\n *learn ')

    def test_options_with_an_equals_sign(self):
        self.habit()
        wanted = self.stable()
        self.run_stretto('learn', '--sessions=S', '--domain=tickets', '--out=p.json',
                         '--habit-only', '--alpha-samples=0', '--alpha=1.0', err=None)
        self.same(self.stable('p.json'), wanted, 'the flow')

    def test_success(self):
        self.run_learn('--habit-only', to='o.json', err=(
            b'stretto: wrote o.json: the tickets flow, learned from 3 sessions (2 tools)\n'))
        self.assertEqual(mode_of(self.path('o.json')), 0o600)

    def test_success_elsewhere(self):
        os.mkdir(self.path('a dir'))
        self.write('r.json', b'{"s1":0}')
        self.run_learn('--habit-only', '--rewards', 'r.json', to='a dir/x', domain='the desk',
                       err=b'stretto: wrote a dir/x: the the desk flow, learned from 3 sessions '
                           b'(2 tools)\n')
        flow = json.loads(self.read('a dir/x'))
        self.assertEqual(flow['manifest']['domain'], 'the desk')
        self.assertEqual(os.listdir(self.path('a dir')), ['x'])

    def test_an_umask_that_takes_more(self):
        self.run_learn('--habit-only', umask=0o277)
        self.assertEqual(mode_of(self.path('o.json')), 0o400)

    def test_an_output_that_is_there(self):
        self.write('o.json', b'x' * 100000)
        flow = self.habit()
        self.assertEqual(flow['stretto_flow'], 1)


class Failures(Learns):
    def setUp(self):
        super().setUp()
        header = tickets.stories()[0].log.bytes().split(b'\n')[0]
        self.write('bad/a.jsonl', self.read('S/s1.jsonl'))
        self.write('bad/b.jsonl', header + b'\noops\n{}\n')
        self.write('new/n.jsonl', header.replace(b'"stretto_mcp_log": 2', b'"stretto_mcp_log": 3')
                   + b'\n')
        self.write('void/v.jsonl', b'\n\n')
        self.write('one/s1.jsonl', self.read('S/s1.jsonl'))
        os.mkdir(self.path('empty'))
        tools = {'find_tickets': 'read', 'get_ticket': 'read'}
        short = {key: value for key, value in MORE_LISTED.items() if key != 'question'}
        half = arbiter()
        del half['fitted']
        for name, value in (
                ('list', []), ('empty', {}), ('words', {'s1': 'good'}),
                ('none', {'s1': 0, 's2': 0.999, 's3': -1}), ('held', {'s1': 0, 's3': 0}),
                ('kind', {'tools': {**tools, 'get_ticket': 'delete'}}),
                ('doc', {'tools': tools, 'docs': {'get_ticket': {'summary': 'x'}}}),
                ('flow', tickets.flow()), ('half', half),
                ('arbiter-2', {**arbiter(), 'stretto_arbiter': 2}),
                ('word', {'stretto_arbiter': 'one'}),
                ('short', {'predicates': [short]}),
                ('favor', {'predicates': [{**MORE_LISTED, 'favors': 'nobody'}]})):
            self.write(name + '.json', json.dumps(value).encode())
        self.write('no.json', b'{"s1":1')

    def fails(self, args, message):
        """The command fails so, and all files are left as they are."""
        self.write('o.json', b'what was there before')
        before = self.files()
        said = self.run_learn(*args, code=1, out=b'').err.decode()
        if message is None:
            message = args[-1] + ': '
        # A whole message ends its line.
        if message.endswith('\n'):
            self.assertTrue(said.endswith('Error: ' + message), said)
        else:
            self.assertIn('Error: ' + message, said)
        self.assertRegex(said, r'(\A|\n)Error: [^\n]+\n\Z')
        self.assertEqual(self.files(), before)

    def files(self):
        found = {}
        for folder, _, names in os.walk(self.tmp):
            found[folder] = None
            for name in names:
                path = os.path.join(folder, name)
                found[path] = (self.read(path), mode_of(path))
        return found

    @rows(*FAILURES)
    def test_of_a_habit(self, args, message):
        self.fails([*(() if args[0] == '--arbiter-from' else ['--habit-only']), *args], message)

    @rows(*FITTED_FAILURES)
    def test_of_a_fit(self, args, message):
        self.fails([*MOCK, *args], message)

    @rows(('an arbiter without its fit', 'half.json', 'fitted'),
          ('one of another version', 'arbiter-2.json',
           'arbiter format 2 is not one this build reads (1)'),
          ('what is none', 'word.json', 'not a stretto arbiter: '),
          ('a flow that is none', 'empty.json', 'not a stretto flow: '))
    def test_an_arbiter_from(self, name, message):
        self.assertRegex(self.run_learn('--arbiter-from', name, code=1).err.decode(),
                         r'\AError: [^\n]*%s[^\n]*\n\Z' % re.escape(message))

    def test_a_disk_that_is_full(self):
        self.run_learn('--habit-only', to='/dev/full', code=1,
                       err=b'Error: creating /dev/full: No space left on device\n')


class Worked(Learns):
    """§13 and the file of chapter 20 §7."""

    def test_the_file(self):
        self.habit()
        with open(tickets.TICKETS, 'rb') as f:
            wanted = f.read()
        version = self.run_stretto('--version').out.decode().split()[1]
        text = self.stable()
        self.assertIn(b'"provenance":{"stretto":"%s",' % version.encode(), text)
        self.same(VERSION.sub(b'', text),
                  VERSION.sub(b'', COMPILED.sub(b'"compiled_unix_ms":0', wanted)), 'the flow')
        with open(self.path('o.json'), 'rb') as f:
            self.assertNotIn(b'\n', f.read())

    def test_when_it_was_made(self):
        before = os.stat(self.path('S/s1.jsonl')).st_mtime_ns // 10 ** 6
        made = self.habit()['provenance']['compiled_unix_ms']
        after = os.stat(self.path('o.json')).st_mtime_ns // 10 ** 6
        self.assertTrue(before <= made <= after + 1000, (before, made, after))

    def test_alpha(self):
        reference = Quadrature(4, *STEPS)
        for alpha, wanted in ((1, -15.18548733), (0.1, -23.03632274), (10, -15.65245031)):
            self.assertAlmostEqual(sum(map(math.log, reference.probabilities(alpha))), wanted,
                                   delta=1e-8)
        self.assertAlmostEqual(reference.median(0.005), 2.3210005, delta=1e-6)
        flow = self.learned('--habit-only')
        alpha = flow['habit']['base']['alpha']
        self.assertAlmostEqual(alpha / 2.3210005, 1, delta=1e-3)
        self.assertEqual((flow['habit']['beta'], flow['reach']['alpha']), (alpha, alpha))
        # All else does not depend on it.
        fixed = self.habit()
        for model in (flow['habit']['base'], flow['reach'], fixed['habit']['base'],
                      fixed['reach']):
            model['alpha'] = None
        for one in (flow, fixed):
            one['habit']['beta'] = None
            one['provenance']['compiled_unix_ms'] = None
        self.assertEqual(flow, fixed)

    @rows(('by default', [], 2.3210005), ('any number of samples', ['--alpha-samples', '7'],
                                           2.3210005),
          ('with an alpha that is not used', ['--alpha', '5'], 2.3210005),
          ('given', ['--alpha-samples', '0', '--alpha', '0.25'], 0.25),
          ('the default', ['--alpha-samples', '0'], 1.0))
    def test_alpha_is(self, args, wanted):
        alpha = self.learned('--habit-only', *args)['habit']['base']['alpha']
        self.assertAlmostEqual(alpha / wanted, 1, delta=1e-3)
        if wanted != 2.3210005:
            self.assertEqual(alpha, wanted)

    @rows(('alpha of 1', ALPHA_1,
           [(0.980654762, 0.971726190, 0.817212302), (0.328794643, 0.333035714, 0.273995536)]),
          ('alpha inferred', [],
           [(0.911771017, 0.912208111, 0.759809181), (0.320897746, 0.357094384, 0.267414788)]))
    def test_decides_with(self, alpha, wanted):
        self.learned('--habit-only', *alpha)
        accuracy = 1e-9 if alpha else 1e-3
        session = Story('t1').says('user', 'Where is my ticket?').find('dee@example.com', 'dee',
                                                                       'T-41', 'T-42')
        self.write('l.jsonl', session.get('T-41').get('T-42').says('assistant', 'x').log.bytes())
        for i, decider in enumerate(('habit', 'reach')):
            out = self.run_stretto('replay', '--json', '--flow', 'o.json', '--sessions', 'l.jsonl',
                                   '--threshold', '0.2', '--decider', decider, err=None).out
            first, second = list(map(json.loads, out.splitlines()))[:2]
            for line, ticket, numbers in zip((first, second), ('T-41', 'T-42'), wanted):
                self.assertEqual(line['arguments'], {'ticket_id': ticket})
                self.assertAlmostEqual(line['prob'], numbers[i], delta=accuracy)
                self.assertAlmostEqual(line['binding'], 5 / 6, delta=1e-9)
                if decider == 'habit':
                    self.assertAlmostEqual(line['prob'] * line['binding'], numbers[2],
                                           delta=accuracy)

    def test_rewards(self):
        self.write('r.json', b'{"s1": 0.5}')
        whole, flow = self.habit(), self.habit('--rewards', 'r.json')
        self.assertEqual(flow['provenance']['habit_episodes'], 2)
        self.assertEqual(flow['sites']['next'], [[['find_tickets', False], {'get_ticket': 2}]])
        self.assertEqual(flow['provenance']['sources'], whole['provenance']['sources'])
        self.assertEqual(flow['vocab'], whole['vocab'])
        self.assertEqual(flow['bindings']['args'],
                         {'find_tickets': [3, {'email': 3}], 'get_ticket': [2, {'ticket_id': 2}]})

    @rows(('a reward of 1 but little', {'s1': 1 - 1e-10}, 3), ('more than 1', {'s1': 7}, 3),
          ('a little too little', {'s1': 1 - 1e-8}, 2), ('an integer', {'s1': 0, 's2': 1}, 2),
          ('a session that is not there', {'s9': 0}, 3), ('nobody', {}, 3),
          ('below 0', {'s1': -1e300, 's3': -1}, 1))
    def test_who_succeeds_with(self, rewards, n):
        self.write('r.json', json.dumps(rewards).encode())
        self.assertEqual(self.habit('--rewards', 'r.json')['provenance']['habit_episodes'], n)

    def test_replayed(self):
        """The recorded sessions, as chapter 42 C5 has them."""
        self.habit()
        out = self.run_stretto('replay', '--json', '--flow', 'o.json', '--sessions', 'S',
                               '--threshold', '0.25', err=None).out
        total = json.loads(out.splitlines()[-1])
        self.assertEqual((total['lookups'], total['hits'], total['detours'], total['saved']),
                         (5, 4, 1, 4))


class Inputs(Learns):
    """§§3 to 5, 9, 12: what is read, and what is the same again."""

    def test_the_same_again(self):
        for args in (['--habit-only'], ['--oracle', 'mock'], ['--oracle', 'mock', '--refit-habit']):
            self.run_learn(*args, to='a.json')
            self.run_learn(*args, to='b.json')
            self.same(self.stable('b.json'), self.stable('a.json'), 'the flow')

    def test_names_of_files_do_not_count(self):
        self.habit()
        wanted = self.stable()
        self.put(*reversed(self.worked()), folder='T')
        self.habit(sessions='T')
        self.same(self.stable(), wanted, 'the flow')
        self.habit(sessions='T/')
        self.same(self.stable(), wanted, 'the flow')

    def test_other_files_and_folders_are_not_read(self):
        self.habit()
        wanted = self.stable()
        for name in ('x.flow.jsonl', 'x.confirm.jsonl', 'x.json', 'jsonl', 'sub/s4.jsonl'):
            self.write('S/' + name, b'oops\n')
        self.habit()
        self.same(self.stable(), wanted, 'the flow')

    def test_a_torn_last_line(self):
        self.habit()
        wanted = self.stable()
        self.write('S/s1.jsonl', self.read('S/s1.jsonl') + b'{"t_ms":99999,"from":"serv')
        self.habit()
        self.same(self.stable(), wanted, 'the flow')

    def test_sources_of_all_sessions(self):
        headers = ['"agent_model": "zeta"', '"agent_model": null', '"agent_model": "alpha"']
        for story, header in zip(self.worked(), headers):
            text = story.log.bytes().replace(b'"agent_model": "glm-5"', header.encode())
            name = json.loads(text.split(b'\n')[0])['session']
            self.write('S/%s.jsonl' % name, text)
        self.write('r.json', b'{"s1": 0}')
        flow = self.habit('--rewards', 'r.json')
        self.assertEqual(flow['provenance']['sources'], ['alpha', 'unknown', 'zeta'])

    def test_lookups_of_the_proxy_are_calls(self):
        self.habit()
        wanted = self.stable()
        for name in ('s1', 's2', 's3'):
            lines = []
            for line in self.read('S/%s.jsonl' % name).decode().splitlines():
                entry = json.loads(line)
                message = entry.get('message', {})
                # Both of a call's lines name the argument or the result's member.
                if 'ticket_id' in line and message.get('id', 0) > 1:
                    message['id'] = 'stretto-%d' % message['id']
                    entry['from'] = {'client': 'proxy', 'server': 'server'}[entry['from']]
                lines.append(json.dumps(entry) + '\n')
            self.write('S/%s.jsonl' % name, ''.join(lines).encode())
        self.assertIn(b'"from": "proxy"', self.read('S/s1.jsonl'))
        self.habit()
        self.same(self.stable(), wanted, 'the flow')

    def test_kinds_of_tools(self):
        tools = [described('find_tickets', 'email'),
                 described('get_ticket', 'ticket_id', read=None),
                 described('close_ticket', 'ticket_id', read=False),
                 described('never', 'x', ('', ' Some\n  text. '))]
        self.put(*[listed(story, *tools) for story in tickets.stories()])
        flow = self.habit(err=re.compile(rb'[^\n]*\(4 tools\)\n'))
        self.assertEqual(flow['manifest']['tools'], {
            'find_tickets': 'read', 'get_ticket': 'generic', 'close_ticket': 'write',
            'never': 'read'})
        self.assertEqual(flow['manifest']['docs'], {'never': {'summary': '',
                                                              'args': {'x': 'Some text.'}}})
        self.assertEqual(flow['sites'], {'reads': ['find_tickets', 'never'], 'next': [],
                                         'feeds': {}})
        self.assertEqual(flow['vocab'], ['Respond'] + [
            {'Tool': name} for name in ('close_ticket', 'find_tickets', 'get_ticket', 'never')])
        self.assertEqual(flow['bindings'], {
            'args': {'find_tickets': [4, {'email': 4}]},
            'sources': [[['find_tickets', 'email'], {'values': 4, 'found': []}]], 'agreed': {}})
        # What is neither a lookup nor a write ends no count of what came before one.
        self.assertEqual(flow['reach']['levels'][0][0][1],
                         {'by_action': [[0, 13.0], [2, 5.0], [3, 9.0]], 'total': 13.0})
        self.assertEqual(sorted(flow['contracts']), ['close_ticket', 'find_tickets', 'get_ticket',
                                                     'never'])

    def test_a_write_ends_what_is_reached(self):
        tools = [described('find_tickets', 'email'), described('get_ticket', 'ticket_id',
                                                               read=False)]
        self.put(*[listed(story, *tools) for story in tickets.stories()])
        reach = self.habit()['reach']['levels']
        self.assertEqual(reach[1][-1], [[PADDING], {'by_action': [[0, 1.0], [1, 3.0]],
                                                       'total': 3.0}])
        self.assertIn([[16384], {'by_action': [], 'total': 3.0}], reach[1])

    def test_tools_that_are_called_and_not_listed(self):
        story = Tale('s1', described('a', 'x')).call('zeta', {'y': 'y'}, 'text') \
            .call('a', {'x': 'x'}, 'text').call('a', {'x': 'x'}, 'text')
        failed = Tale('s2', described('b', 'x')).call('only_here', {'y': 'y'}, 'text')
        self.put(story, failed)
        self.write('r.json', b'{"s2":0}')
        flow = self.habit('--rewards', 'r.json')
        self.assertEqual([action['Tool'] for action in flow['vocab'][1:]],
                         ['a', 'b', 'only_here', 'zeta'])
        self.assertEqual(flow['manifest']['tools'], {'a': 'read', 'b': 'read'})
        self.assertEqual(flow['sites']['next'],
                         [[['a', False], {'a': 1}], [['zeta', False], {'a': 1}]])

    def test_a_later_listing_wins(self):
        first, second = Tale('s1', described('a', 'x', ('One.', None))), \
            Tale('s2', described('a', 'y', read=False))
        for story in (first, second):
            story.call('a', {'x': 'x'}, 'text')
        self.put(first, second)
        flow = self.habit()
        self.assertEqual(flow['manifest']['tools'], {'a': 'write'})
        self.assertEqual(flow['manifest']['docs'], {'a': {'summary': 'One.', 'args': {}}})
        self.assertEqual(flow['contracts'], {'a': 'y:string!'})

    def test_contracts(self):
        """Chapter 40 §5.2."""
        schema = {'properties': {'b': {'type': ['integer', 'null']}, 'a': {'type': 'string'},
                                 'x': {'enum': [1]}}, 'required': ['a', 'gone']}
        hint = {'readOnlyHint': True}
        first = [{'name': 'all', 'annotations': hint, 'inputSchema': schema},
                 {'name': 'none', 'annotations': hint, 'inputSchema': {'type': 'object'}},
                 {'name': 'open', 'annotations': hint}]
        later = [{'name': 'all', 'annotations': hint}]
        self.put(*[Tale('s%d' % i, *tools).call('all', {'a': 'x'}, 'text')
                   for i, tools in enumerate((first, later))])
        self.assertEqual(self.habit()['contracts'],
                         {'all': 'a:string!, b:integer|null, x:any', 'none': ''})

    def test_a_manifest(self):
        value = {'domain': 5, 'tools': {'find_tickets': 'write', 'get_ticket': 'read',
                                        'more': 'read'},
                 'docs': {'more': {'summary': 'More.', 'args': {'n': 'A number.'}}}, 'x': 1}
        self.write('m.json', json.dumps(value, indent=2).encode())
        flow = self.habit('--manifest', 'm.json', err=re.compile(rb'[^\n]*\(3 tools\)\n'))
        self.assertEqual(flow['manifest'], {'domain': 'tickets', 'tools': value['tools'],
                                            'docs': value['docs']})
        self.assertEqual(flow['sites'], {
            'reads': ['get_ticket', 'more'], 'feeds': {}, 'next': [
                [['find_tickets', False], {'get_ticket': 3}],
                [['get_ticket', False], {'get_ticket': 1}]]})
        self.assertEqual(len(flow['vocab']), 4)
        self.assertEqual(flow['habit']['base']['vocab_size'], 5)
        # The sessions' listings are the contracts all the same.
        self.assertEqual(flow['contracts'], tickets.flow()['contracts'])
        self.assertEqual(sorted(flow['bindings']['args']), ['get_ticket'])
        # find_tickets comes first in every session, so nothing comes before a write there.
        self.assertIn([[PADDING], {'by_action': [], 'total': 3.0}], flow['reach']['levels'][1])

    def test_a_manifest_without_docs_or_tools(self):
        self.write('m.json', b'{"tools":{}}')
        flow = self.habit('--manifest', 'm.json', err=re.compile(rb'[^\n]*\(0 tools\)\n'))
        self.assertEqual(flow['manifest'], {'domain': 'tickets', 'tools': {}, 'docs': {}})
        self.assertEqual(flow['sites'], {'reads': [], 'next': [], 'feeds': {}})
        self.assertEqual(flow['bindings'], {'args': {}, 'sources': [], 'agreed': {}})

    def test_the_manifest_that_stretto_prints(self):
        self.habit()
        wanted = self.stable()
        self.write('m.json', self.run_stretto('manifest', '--domain', 'x', 'S').out)
        self.habit('--manifest', 'm.json')
        self.same(self.stable(), wanted, 'the flow')

    def test_a_redacted_copy(self):
        stories = self.worked() + features(20, 'u')
        self.put(*stories)
        self.run_stretto('redact', '--sessions', 'S', '--out', 'R', err=None,
                         env=self.environment(STRETTO_REDACT_SALT='pepper'))
        self.assertNotIn(b'ann@example.com', self.read('R/' + os.listdir(self.path('R'))[0]))
        self.run_learn('--habit-only', to='a.json')
        self.run_learn('--habit-only', to='b.json', sessions='R')
        self.assertTrue(json.loads(self.read('a.json'))['map']['fields'])
        self.same(self.stable('b.json'), self.stable('a.json'), 'the flow')

    def test_it_loads_and_is_itself(self):
        self.run_learn('--habit-only')
        self.run_stretto('flow-show', 'o.json')
        self.run_stretto('flow-diff', '--tolerance', '0', 'o.json', 'o.json')


def features(n, name='s'):
    """The sessions of vector 8."""
    made = []
    for i in range(1, n + 1):
        status = 'pending' if i % 2 else 'delivered'
        items = ['a'] if i % 3 == 0 else ['a', 'b']
        story = Tale('%s%d' % (name, i), *[described(tool, 'order') for tool in
                                           ('get_order', 'cancel', 'return')])
        story.call('get_order', {'order': 'W%d' % i},
                   {'items': items, 'order': 'W%d' % i, 'status': status})
        made.append(story.call('cancel' if i % 2 else 'return', {'order': 'W%d' % i}, 'done')
                    .says('assistant', 'Done.'))
    return made


class Vectors(Learns):
    """§14.1 to §14.8."""

    def test_1_named_other(self):
        def story(name, says, *listed):
            return Tale(name, described('find_tickets', 'email'),
                        described('get_ticket', 'ticket_id')).says('user', says) \
                .call('find_tickets', {'email': 'a@b.cc'}, {'tickets': listed})
        self.put(*[story('s%d' % i, 'T-52, any news?', 'T-51', 'T-52', 'T-53').get('T-52')
                   for i in range(3)])
        flow = self.habit()
        self.assertEqual(flow['stretto_flow'], 2)
        self.assertEqual(flow['bindings']['agreed'], {'get_ticket': [[0, 0], [3, 3]]})
        self.assertEqual(flow['bindings']['named_other'], {'get_ticket': [0, 3]})
        self.assertNotIn('described_read', flow['bindings'])

        def new():
            return story('t', 'How is T-82?', 'T-81', 'T-82', 'T-83').get('T-82')
        wanted = [({'ticket_id': 'T-82'}, 0.8), ({'ticket_id': 'T-81'}, 0.2)]
        self.offer(flow, 'get_ticket', 'get_ticket')
        self.assertEqual(self.picks(new(), flow='edited.json'), wanted)
        del flow['bindings']['named_other']
        self.offer(flow, 'get_ticket', 'get_ticket')
        self.assertEqual(self.picks(new(), flow='edited.json')[1], ({'ticket_id': 'T-81'}, 0.5))

    def offer(self, flow, after, *lookups):
        """The flow as edited.json, with lookups offered after a call that were not in training."""
        flow['sites']['next'] = sorted([site for site in flow['sites']['next']
                                        if site[0] != [after, False]] +
                                       [[[after, False], {name: 1 for name in lookups}]])
        self.save(flow)

    def test_2_described_read(self):
        def story(name, phone='555-0102'):
            return Tale(name, described('find_customer', 'phone'), described('get_line', 'line')) \
                .call('find_customer', {'phone': phone},
                      {'customer': 'C1', 'lines': ['L1', 'L2', 'L3'], 'phone': phone}) \
                .call('get_line', {'line': 'L1'}, {'line': 'L1', 'number': '555-0101'}) \
                .call('get_line', {'line': 'L2'}, {'line': 'L2', 'number': '555-0102'})
        self.put(*[story('s%d' % i) for i in range(3)])
        bindings = self.habit()['bindings']
        self.assertEqual(bindings['agreed'], {'get_line': [[6, 6], [0, 0]]})
        self.assertEqual(bindings['described_read'], {'get_line': [0, 3]})
        self.assertNotIn('named_other', bindings)
        before = [({'line': 'L1'}, 0.875), ({'line': 'L2'}, 0.875)]
        self.assertEqual(self.picks(story('t')), [*before, ({'line': 'L3'}, 0.35)])
        self.assertEqual(self.picks(story('t', '555-0103')), [*before, ({'line': 'L3'}, 0.875)])

    def test_3_site_sources(self):
        def story(name, orders, first, related):
            return Tale(name, described('get_user', 'user'), described('get_order', 'order')) \
                .says('user', 'my orders').call('get_user', {'user': 'ann'}, {'orders': orders}) \
                .call('get_order', {'order': first}, {'order': first, 'related': related})
        self.put(*[story('s%d' % i, ['W1', 'W2', 'W3'], 'W1', 'W9')
                   .call('get_order', {'order': x}, {'order': x, 'related': 'W0'})
                   for i, x in enumerate(['W2'] * 7 + ['W9'] * 3)])
        flow = self.habit()
        user, related = ['get_user', '$.orders[*]'], ['get_order', '$.related']
        self.assertIn([['get_order', 'order'], {'values': 20, 'found': [[related, 3], [user, 17]]}],
                      flow['bindings']['sources'])
        self.assertEqual(flow['bindings']['site_sources'], [
            {'tool': 'get_order', 'arg': 'order', 'site': site, 'source': source, 'values': n}
            for site, source, n in (('get_order', related, 3), ('get_order', user, 7),
                                    ('get_user', user, 10))])
        self.assertEqual(flow['bindings']['agreed'], {'get_order': [[17, 20], [0, 0]]})

        def new():
            return story('t', ['W7', 'W8'], 'W7', 'W5')
        chance = round(18 / 22, 9)
        self.assertEqual(self.picks(new()), [({'order': 'W7'}, chance), ({'order': 'W8'}, chance)])
        del flow['bindings']['site_sources']
        self.assertEqual(self.picks(new(), flow=self.save(flow))[1], ({'order': 'W5'}, chance))

    def test_4_lists(self):
        def story(name, *names):
            return Tale(name, described('city_hotels', 'x'), described('hotel_prices', 'hotels')) \
                .call('city_hotels', {}, {'names': names}) \
                .call('hotel_prices', {'hotels': list(names)}, {})
        self.put(story('s1', 'Alba', 'Brio'), story('s2', 'Cove', 'Dune'))
        bindings = self.habit()['bindings']
        self.assertEqual(bindings['lists'], [[['hotel_prices', 'hotels'], {
            'values': 2, 'found': [[['city_hotels', '$.names[*]'], 2]]}]])
        self.assertEqual(bindings['sources'], [])
        self.assertEqual(bindings['agreed'], {'hotel_prices': [[2, 2], [0, 0]]})
        self.assertNotIn('bare', bindings)
        new = story('t', 'Elm', 'Fjord', 'Glen').call('city_hotels', {},
                                                      {'names': ['Elm', 'Fjord', 'Glen']})
        found, read, again = self.picks(new)
        self.assertEqual(found, ({'hotels': ['Elm', 'Fjord', 'Glen']}, 0.75))
        self.assertEqual(read, 'no lookups followed here in training')
        self.assertEqual(again, 'hotel_prices: no list left to pass as `hotels`')

    def test_5_bare(self):
        self.put(*[Tale('s%d' % i, described('today', 'x'), described('search', 'x'))
                   .call('today', {}, '"2026-01-02"').call('search', {key: 'x'}, [])
                   for i, key in enumerate(('name', 'owner', 'board'))])
        flow = self.habit()
        self.assertEqual(flow['bindings']['bare'], {'search': 0})
        self.assertEqual(flow['bindings']['args'],
                         {'search': [3, {'board': 1, 'name': 1, 'owner': 1}], 'today': [3, {}]})
        self.assertEqual(flow['stretto_flow'], 2)

        def new():
            return Tale('t', described('today', 'x'), described('search', 'x'))
        self.assertEqual(self.picks(new().call('today', {}, '"2026-02-03"')), [({}, 0.2)])
        self.offer(flow, 'search', 'today')
        self.assertEqual(self.picks(new().call('search', {}, []), flow='edited.json'),
                         [({}, 1.0)])
        self.assertEqual(self.picks(new().call('today', {}, '1').call('search', {'x': 'x'}, []),
                                    flow='edited.json')[-1], 'today: already looked up')

    def test_6_lines_of_text(self):
        def story(name, folder):
            paths = ['/n/%s/%s.md' % (folder, x) for x in 'ab']
            return Tale(name, described('list_files', 'dir'), described('read_file', 'path')) \
                .call('list_files', {'dir': '/n'}, ''.join(path + '\n' for path in paths)) \
                .call('read_file', {'path': paths[0]}, '# A') \
                .call('read_file', {'path': paths[1]}, '# B')
        self.put(story('s1', 'p'), story('s2', 'q'))
        flow = self.habit()
        self.assertEqual(flow['bindings']['sources'], [
            [['list_files', 'dir'], {'values': 2, 'found': []}],
            [['read_file', 'path'], {'values': 4, 'found': [[['list_files', '$[*]'], 4]]}]])
        self.assertEqual(flow['bindings']['agreed'], {'read_file': [[4, 4], [0, 0]]})
        new = Tale('t', described('list_files', 'dir')).call(
            'list_files', {'dir': '/m'}, '/n/r/c.md\r\n\r\n  /n/r/d.md  ')
        self.offer(flow, 'read_file', 'list_files')
        chance = round(5 / 6, 9)
        self.assertEqual(self.picks(new, flow='edited.json'), [({'path': '/n/r/c.md'}, chance)])
        again = Tale('t', described('read_file', 'path')).call('read_file', {'path': '/x'}, '# C')
        self.assertEqual(self.picks(again, flow='edited.json'), [
            'list_files: no source for `dir`, so it is left to the agent'])

    def test_7_reach(self):
        def story(name):
            return Tale(name, described('get_order', 'order'),
                        described('cancel', 'order', read=False)) \
                .call('get_order', {'order': 'W1'}, 'text')
        session = story('s1').says('assistant', 'Shall I?').says('user', 'Yes.') \
            .call('get_order', {'order': 'W1'}, 'text').call('cancel', {'order': 'W1'}, 'text') \
            .call('get_order', {'order': 'W1'}, 'text').says('assistant', 'Done.')
        self.put(session)
        flow = self.habit()
        levels = [{tuple(history): counts for history, counts in level}
                  for level in flow['reach']['levels']]
        self.assertEqual(levels[0][()], {'by_action': [[0, 4.0], [2, 4.0]], 'total': 6.0})
        self.assertEqual(levels[1][32768,], {'by_action': [[0, 2.0], [2, 1.0]], 'total': 3.0})
        self.assertEqual(levels[2][8192, 32768], {'by_action': [], 'total': 1.0})
        self.assertEqual(flow['sites']['next'], [[['cancel', False], {'get_order': 1}]])
        flow['sites']['every_read'] = True
        self.save(flow)
        for decider, wanted in (('reach', 0.700893), ('habit', 0.058036 / 2)):
            line, = self.decisions(story('t'), '--threshold', '2', '--decider', decider,
                                   flow='edited.json')
            self.assertAlmostEqual(line['probs']['get_order'], wanted, delta=1e-6)
        flow['habit']['top'] = []
        self.save(flow)
        line, = self.decisions(story('t'), '--threshold', '2', '--decider', 'habit',
                               flow='edited.json')
        self.assertAlmostEqual(line['probs']['get_order'], 0.058036, delta=1e-6)

    def test_8_features(self):
        self.put(*features(20))
        flow = self.habit()
        self.assertEqual(flow['map'], {'fields': {'get_order': [{'Scalar': 'status'}]}, 'ids': [
            [['get_order', ['delivered']], 1], [['get_order', ['pending']], 2]]})
        order = {i: (2 * 4) << 12 | i for i in (1, 2)}
        self.assertEqual(flow['habit']['base']['levels'][1][1:3], [
            [[order[1]], {'by_action': [[3, 10.0]], 'total': 10.0}],
            [[order[2]], {'by_action': [[1, 10.0]], 'total': 10.0}]])
        # With features alpha is inferred from the symbols that have them.
        reference = Quadrature(5, *[
            [(2, order[2 if i % 2 else 1]), (1, 1 << 14) if i % 2 else (3, 3 << 14), (0, 12288)]
            for i in sorted(range(1, 21), key=str)])
        flow = self.learned('--habit-only')
        self.assertTrue(flow['map']['fields'])
        self.assertAlmostEqual(flow['habit']['base']['alpha'] / reference.median(), 1, delta=1e-3)

    def test_8_too_few_for_features(self):
        self.put(*features(4))
        self.assertEqual(self.habit()['map'], {'fields': {}, 'ids': []})


def arbiter():
    """An arbiter file."""
    return {'stretto_arbiter': 1, 'domain': 'elsewhere', 'provenance': {
        'stretto': '0.1.0', 'sources': ['zeta', 'beta'], 'habit_episodes': 3, 'arbiter_cases': 41,
        'compiled_unix_ms': 1}, 'predicates': [MORE_LISTED, HAND_BACK], 'weighed': [MORE_LISTED],
        'fitted': FOLD, 'model': 'jev-9'}


class Arbiter(Learns):
    """--arbiter-from."""

    def base(self):
        flow = self.habit()
        flow['provenance']['compiled_unix_ms'] = 0
        return flow

    def taken(self, value):
        self.write('from.json', json.dumps(value).encode())
        flow = self.learned('--arbiter-from', 'from.json', *ALPHA_1, err=(
            b'stretto: wrote o.json: the tickets flow, learned from 3 sessions (2 tools)\n'))
        flow['provenance']['compiled_unix_ms'] = 0
        return flow

    def test_a_file(self):
        wanted = self.base()
        wanted['provenance'].update(arbiter_cases=41, sources=[
            'glm-5', 'arbiter (elsewhere): zeta', 'arbiter (elsewhere): beta'])
        wanted.update(predicates=[MORE_LISTED, HAND_BACK], weighed=[MORE_LISTED], model='jev-9',
                      folds=[FOLD] * 5)
        self.assertEqual(self.taken(arbiter()), wanted)

    def flow(self, **more):
        flow = tickets.flow()
        flow['provenance'].update(sources=['zeta', 'alpha'], arbiter_cases=17)
        flow.update(predicates=[HAND_BACK, MORE_LISTED], weighed=[MORE_LISTED], model='jev-8',
                    folds=[{**FOLD, 'weights': [i + 0.5] * 6} for i in range(5)], **more)
        return flow

    def test_a_flow(self):
        given, wanted = self.flow(), self.base()
        wanted['provenance'].update(arbiter_cases=17, sources=[
            'glm-5', 'arbiter: zeta', 'arbiter: alpha'])
        wanted.update({name: given[name] for name in ('predicates', 'weighed', 'model', 'folds')})
        self.assertEqual(self.taken(given), wanted)

    def test_a_flow_that_offers_every_read_tool(self):
        given = self.flow()
        given['sites']['every_read'] = True
        flow, plain = self.taken(given), self.taken(self.flow())
        self.assertIs(flow['sites'].pop('every_read'), True)
        self.assertEqual(flow, plain)

    def test_a_promoted_flow_gives_no_more_than_its_arbiter(self):
        site = {'decisions': 1, 'lookups': 1, 'used': 1, 'tasks': 1, 'lower': 0.2, 'promoted': True}
        given = self.flow(stretto_flow=2, thresholds={'find_tickets': 0.9}, promoted={
            'bar': {'threshold': 0.3, 'min_used': 0.7, 'min_lower': 0.5, 'min_tasks': 3},
            'sites': {'find_tickets': site}})
        flow = self.taken(given)
        self.assertEqual(flow, self.taken(self.flow()))
        self.assertNotIn('promoted', flow)
        self.assertNotIn('thresholds', flow)

    def test_what_was_learned_with_one(self):
        self.taken(arbiter())
        os.rename(self.path('o.json'), self.path('first.json'))
        flow = self.learned('--arbiter-from', 'first.json', *ALPHA_1)
        self.assertEqual(flow['provenance']['sources'], [
            'glm-5', 'arbiter: glm-5', 'arbiter: arbiter (elsewhere): zeta',
            'arbiter: arbiter (elsewhere): beta'])

    def test_no_key_is_needed_and_nobody_is_asked(self):
        self.taken(arbiter())
        self.assertFalse(os.path.exists(self.path('.oracle-cache')))

    def test_it_decides(self):
        self.taken(arbiter())
        lines = self.decisions(self.worked()[0], '--oracle', 'mock')
        self.assertEqual(lines[0]['predicates'], {'more_listed': 0.5, 'ask_back': 0.5})
        self.assertEqual((lines[0]['action'], lines[0]['tool']), ('lookup', 'get_ticket'))


def rank(text):
    """R of §11."""
    z = 1469598103934665603
    for byte in text.encode():
        z = (z ^ byte) * 1099511628211 % (1 << 64)
    for shift, factor in ((30, 0xbf58476d1ce4e5b9), (27, 0x94d049bb133111eb)):
        z = (z ^ z >> shift) * factor % (1 << 64)
    return z ^ z >> 31


class Fits(Learns):
    """§11: an arbiter of one's own."""

    def fitted(self, *args, **kw):
        return self.learned(*ALPHA_1, *args, **kw)

    def test_the_worked_sessions(self):
        self.fitted(*MOCK, err=re.compile(
            ESTIMATE % 2 + b'stretto: wrote o.json: the tickets flow, learned from 3 sessions '
            rb'\(2 tools\)\n'))
        flow = json.loads(self.read('o.json'))
        self.assertEqual(flow['provenance']['habit_episodes'], 2)
        self.assertEqual(flow['provenance']['arbiter_cases'], 2)
        self.assertEqual(flow['provenance']['sources'], ['glm-5'])
        self.assertEqual((flow['predicates'], flow['weighed'], flow['model']),
                         ([], [], 'jev-latest'))
        self.assertEqual(len(flow['folds']), 5)
        self.assertEqual(flow['folds'], flow['folds'][:1] * 5)
        self.assertEqual(flow['folds'][0]['rates'], {'sites': [
            ['find_tickets', [1.0, 1.0, 1.0]], ['get_ticket', [1.0, 0.0, 1.0]]],
            'agree': 0.5, 'cover': 1.0})
        self.assertNotIn('every_read', flow['sites'])
        self.assertFalse(os.path.exists(self.path('.oracle-cache')))

    def test_the_weights_are_the_optimum(self):
        """The objective's slope is 0 there, by what the habit says in a replay."""
        self.write('p.json', json.dumps({'predicates': [MORE_LISTED, HAND_BACK]}).encode())
        weights = self.fitted(*MOCK, '--predicates', 'p.json')['folds'][0]['weights']
        for name in ('s1', 's3'):
            self.write('T/%s.jsonl' % name, self.read('S/%s.jsonl' % name))
        self.habit(sessions='T', to='habit.json')
        out = self.run_stretto('replay', '--json', '--flow', 'habit.json', '--sessions',
                               'S/s2.jsonl', '--decider', 'habit', '--threshold', '2', err=None).out
        habits = [line['probs'] for line in map(json.loads, out.splitlines()) if 'action' in line]
        self.assertEqual(len(habits), 2)

        def logit(p):
            p = min(max(p, 1e-4), 1 - 1e-4)
            return math.log(p / (1 - p))

        # Of both cases the mock picks the lookup, which the agent made in the first; a predicate
        # has 0.5, so that it says nothing. The rates are those of the test before.
        slopes = [-w for w in weights]
        for probs, chosen, (decided, agreed) in zip(habits, ('get_ticket', 'respond'),
                                                    ((1, 1), (1, 0))):
            record = logit((agreed + 10 * 0.5) / (decided + 10))
            x = {'get_ticket': [math.log(probs['get_ticket']), math.log(0.6), math.log(0.5), 0.0,
                                0.0, 0.0, record],
                 'respond': [math.log(probs['respond']), math.log(0.4), math.log(0.5), 1.0, 0.0,
                             0.0, 0.0]}
            score = {o: math.exp(sum(w * v for w, v in zip(weights, x[o]))) for o in x}
            for i in range(7):
                mean = sum(score[o] * x[o][i] for o in x) / sum(score.values())
                slopes[i] += x[chosen][i] - mean
        for slope in slopes:
            self.assertAlmostEqual(slope, 0, delta=1e-5)
        self.assertEqual(weights[4:6], [0.0, 0.0])

    @rows(*[('%d' % n, n) for n in (2, 3, 5, 8, 15)])
    def test_who_is_held_out_of(self, n):
        """Vector 9, and how many of how many."""
        def story(i):
            return Story('s%d' % i).says('user', 'Hi.').find('a@b.cc', 'a', 'T-%d' % i) \
                .get('T-%d' % i).says('assistant', 'x' * i)
        order = sorted(range(1, n + 1), key=lambda i: rank('learn-split/s%d' % i))
        held = order[:{2: 1, 3: 1, 5: 2, 8: 2, 15: 5}[n]]
        if n == 5:
            self.assertEqual([rank('learn-split/s%d' % i) for i in range(1, 6)], [
                12211400150050633668, 4547027961427322942, 6632676367998867627,
                11605426214623403948, 9847020842502938392])
            self.assertEqual(order, [2, 3, 5, 4, 1])
        self.put(*[story(i) for i in range(1, n + 1)])
        self.put(*[story(i) for i in range(1, n + 1) if i not in held], folder='T')
        flow, rest = self.fitted(*MOCK), self.habit(sessions='T', to='rest.json')
        for name in ('habit', 'reach', 'sites', 'bindings', 'map', 'vocab'):
            self.assertEqual(flow[name], rest[name], name)
        self.assertEqual(flow['provenance']['habit_episodes'], n - len(held))
        # Of each session find_tickets and get_ticket; after the latter nothing is offered.
        self.assertEqual(flow['provenance']['arbiter_cases'], len(held))

    def test_held_out_sessions_need_not_succeed(self):
        self.write('r.json', b'{"s2":0}')
        flow = self.fitted(*MOCK, '--rewards', 'r.json')
        self.assertEqual((flow['provenance']['habit_episodes'],
                          flow['provenance']['arbiter_cases']), (2, 2))

    def test_training_sessions_have_to(self):
        self.write('r.json', b'{"s3":0}')
        flow = self.fitted(*MOCK, '--rewards', 'r.json')
        self.assertEqual(flow['provenance']['habit_episodes'], 1)
        self.assertEqual(flow['habit']['base']['levels'][0][0][1]['total'], 5.0)

    def test_the_habit_again(self):
        for rewards in (b'{}', b'{"s2":0}', b'{"s3":0}'):
            self.write('r.json', rewards)
            args = ['--rewards', 'r.json']
            whole = self.habit(*args)
            fitted, again = self.fitted(*MOCK, *args), self.fitted(*MOCK, '--refit-habit', *args)
            for name in ('vocab', 'manifest', 'map', 'group', 'habit', 'sites', 'bindings',
                         'program', 'contracts', 'reach'):
                self.assertEqual(again[name], whole[name], name)
            for name in ('predicates', 'weighed', 'folds', 'model'):
                self.assertEqual(again[name], fitted[name], name)
            self.assertEqual(again['provenance']['habit_episodes'],
                             whole['provenance']['habit_episodes'])
            self.assertEqual(again['provenance']['arbiter_cases'], 2)

    def test_predicates(self):
        value = {'predicates': [MORE_LISTED, {**HAND_BACK, 'favors': {'lookup': 'get_ticket'}}],
                 'weighed': 5, 'notes': []}
        self.write('p.json', json.dumps(value).encode())
        flow = self.fitted(*MOCK, '--predicates', 'p.json')
        self.assertEqual(flow['predicates'], value['predicates'])
        self.assertEqual(flow['weighed'], value['predicates'])
        self.assertEqual(len(flow['folds'][0]['weights']), 7)

    def test_no_predicates_in_the_file(self):
        self.write('p.json', b'{"predicates":[]}')
        self.fitted(*MOCK)
        wanted = self.stable()
        self.fitted(*MOCK, '--predicates', 'p.json')
        self.same(self.stable(), wanted, 'the flow')

    def test_every_read_tool_is_offered(self):
        plain = self.fitted(*MOCK)
        flow = self.fitted(*MOCK, '--manifest-options')
        self.assertIs(flow['sites'].pop('every_read'), True)
        self.assertEqual(flow['sites'], plain['sites'])
        # At every call of the session that is held out, and the mock picks find_tickets.
        self.assertEqual(flow['folds'][0]['rates'], {'sites': [
            ['find_tickets', [1.0, 0.0, 1.0]], ['get_ticket', [1.0, 0.0, 1.0]]],
            'agree': 0.0, 'cover': 1.0})
        again = self.fitted(*MOCK, '--manifest-options', '--refit-habit')
        self.assertIs(again['sites']['every_read'], True)

    def test_sites_of_failed_calls(self):
        """With every read tool offered, a case after a call that failed is its site's."""
        lost = Story('s2').says('user', 'Hi.') \
            .call('find_tickets', {'email': 'x'}, 'no', error=True).find('y@y.yy', 'y', 'T-1')
        self.put(self.worked()[0], lost, self.worked()[2])
        flow = self.fitted(*MOCK, '--manifest-options')
        self.assertEqual(flow['folds'][0]['rates']['sites'],
                         [['find_tickets (error)', [1.0, 1.0, 1.0]]])
        self.assertIn(b'Error: no held-out decision was answered',
                      self.run_learn(*MOCK, code=1).err)

    def test_steps_of_one_turn(self):
        """Each call of a turn is a step: its case has the results of those before it."""
        story = Story('s2').says('user', 'Hi.').find('a@b.cc', 'a', 'T-1', 'T-2', 'T-3')
        Tale.at_once(story, *[('get_ticket', {'ticket_id': 'T-%d' % i}, 'ticket %d' % i)
                              for i in (1, 2, 3)])
        self.put(self.worked()[0], story.says('assistant', 'x'), self.worked()[2])
        flow = self.fitted(*MOCK, err=re.compile(ESTIMATE % 4 + b'[^\n]*\n'))
        self.assertEqual(flow['provenance']['arbiter_cases'], 4)
        self.assertEqual(flow['folds'][0]['rates']['sites'], [
            ['find_tickets', [1.0, 1.0, 1.0]], ['get_ticket', [3.0, 2.0, 3.0]]])

    def test_a_step_that_is_not_offered(self):
        """It is a decision, neither agreed nor covered, and has no part in the weights."""
        story = Story('s2').says('user', 'Hi.').find('a@b.cc', 'a', 'T-1', 'T-2') \
            .find('b@b.cc', 'b', 'T-3').get('T-3').says('assistant', 'x')
        self.put(self.worked()[0], story, self.worked()[2])
        flow = self.fitted(*MOCK)
        self.assertEqual(flow['folds'][0]['rates'], {'sites': [
            ['find_tickets', [2.0, 1.0, 1.0]], ['get_ticket', [1.0, 0.0, 1.0]]],
            'agree': 1 / 3, 'cover': 2 / 3})
        self.assertEqual(flow['provenance']['arbiter_cases'], 3)

    def test_a_step_that_is_no_lookup(self):
        """Whatever the agent does instead is handing back, if it is no read tool."""
        tools = [described('find_tickets', 'email'), described('get_ticket', 'ticket_id'),
                 described('think', 'thought', read=None),
                 described('close_ticket', 'ticket_id', read=False)]
        story = Story('s2').says('user', 'Hi.')
        for tool in ('think', 'close_ticket'):
            story.find('a@b.cc', 'a', 'T-1').call(tool, {'thought': 'x'}, 'text')
        self.put(*[listed(one, *tools) for one in (tickets.stories()[0], story,
                                                   tickets.stories()[2])])
        flow = self.fitted(*MOCK)
        self.assertEqual(flow['folds'][0]['rates'], {
            'sites': [['find_tickets', [2.0, 0.0, 2.0]]], 'agree': 0.0, 'cover': 1.0})

    def test_no_case(self):
        quiet = Story('s2').says('user', 'Hi.').says('assistant', 'Hello.')
        self.put(self.worked()[0], quiet, self.worked()[2])
        said = self.run_learn(*MOCK, code=1).err.decode()
        self.assertTrue(said.endswith(
            'Error: no held-out decision was answered, so there is no arbiter to fit\n'), said)

    def test_questions_that_are_alike_are_asked_once(self):
        self.put(*[Story('s%d' % i).says('user', 'Hi.').find('a@b.cc', 'a', 'T-1').get('T-1')
                   .says('assistant', 'x') for i in range(1, 6)])
        flow = self.fitted(*MOCK, err=re.compile(ESTIMATE % 1 + b'[^\n]*\n'))
        self.assertEqual(flow['provenance']['arbiter_cases'], 2)


class Asked(Learns):
    """§11 and chapter 31 §7: who answers."""

    def keys(self):
        """Of the worked sessions' questions, in their order."""
        self.run_learn(*MOCK, *ALPHA_1, to='mock.json')
        out = self.run_stretto('replay', '--json', '--flow', 'mock.json', '--sessions',
                               'S/s2.jsonl', '--threshold', '2', err=None).out
        return [line['key'] for line in map(json.loads, out.splitlines()) if line.get('key')]

    def answer(self, key, get=0.9, **more):
        """Puts an answer into the cache."""
        answers = {'go_on': {'type': 'noul', 'noul': 0.5},
                   'next': {'type': 'choice', 'choice': 'get_ticket' if get > 0.5 else 'respond',
                            'probabilities': {'get_ticket': get, 'respond': 1 - get},
                            'confidence': 0.9}, **more}
        value = {'model': 'jev-1', 'usage': {'input_tokens': 1, 'output_tokens': 1},
                 'answers': {id: answer for id, answer in answers.items() if answer}}
        self.write('cache/%s/%s.json' % (key[:2], key), json.dumps(value).encode())

    def test_cached_answers(self):
        first, second = self.keys()
        self.answer(first)
        self.answer(second, 0.2)
        flow = self.learned(*REPLAY, *ALPHA_1, err=re.compile(
            ESTIMATE % 2 + b'stretto: wrote .*\n'))
        self.assertEqual(flow['folds'][0]['rates'], {'sites': [
            ['find_tickets', [1.0, 1.0, 1.0]], ['get_ticket', [1.0, 1.0, 1.0]]],
            'agree': 1.0, 'cover': 1.0})

    def test_the_answers_of_the_mock(self):
        for key in self.keys():
            self.answer(key, 0.6)
        self.run_learn(*REPLAY, *ALPHA_1)
        self.same(self.stable(), self.stable('mock.json'), 'the flow')

    def test_a_question_without_an_answer(self):
        self.answer(self.keys()[0])
        flow = self.learned(*REPLAY, *ALPHA_1, err=re.compile(
            ESTIMATE % 2 + b'stretto: warning: 1 of 2 questions had no answer; the arbiter was '
            b'fitted without them\nstretto: wrote .*\n'))
        self.assertEqual(flow['provenance']['arbiter_cases'], 1)
        self.assertEqual(flow['folds'][0]['rates']['sites'], [['find_tickets', [1.0, 1.0, 1.0]]])

    def test_an_answer_that_is_damaged(self):
        first, second = self.keys()
        self.answer(first)
        self.write('cache/%s/%s.json' % (second[:2], second), b'{"model":')
        self.learned(*REPLAY, *ALPHA_1, err=re.compile(
            ESTIMATE % 2 + b'stretto: warning: 1 of 2 questions .*\nstretto: wrote .*\n'))

    @rows(('the choice', {'next': None}), ('going on', {'go_on': None}),
          ('a choice', {'next': {'type': 'noul', 'noul': 0.5}}))
    def test_an_answer_without(self, more):
        """It is an answer, so nothing is told, but there is no case."""
        first, second = self.keys()
        self.answer(first, **more)
        self.answer(second)
        flow = self.learned(*REPLAY, *ALPHA_1, err=re.compile(
            ESTIMATE % 2 + b'stretto: wrote .*\n'))
        self.assertEqual(flow['folds'][0]['rates']['sites'], [['get_ticket', [1.0, 0.0, 1.0]]])

    def test_no_answers(self):
        self.run_learn(*REPLAY, code=1, err=re.compile(
            ESTIMATE % 2 + b'Error: no held-out decision was answered, so there is no arbiter to '
            b'fit\n'))
        self.assertFalse(os.path.exists(self.path('cache')))
        self.assertFalse(os.path.exists(self.path('o.json')))

    def test_most_without_answers(self):
        story = Story('s2').says('user', 'Hi.').find('a@b.cc', 'a', *map(str, range(30)))
        for i in range(30):
            story.get(str(i))
        self.put(self.worked()[0], story.says('assistant', 'x'), self.worked()[2])
        said = self.run_learn(*REPLAY, code=1, out=b'').err.decode()
        self.assertRegex(said, r'\nError: [^\n]*\b20\b[^\n]*no cached answer for request '
                               r'[0-9a-f]{64}[^\n]*\n\Z')

    def test_another_model(self):
        env = {'TYPESAFE_DEFAULT_MODEL': 'jev-7'}
        self.assertEqual(self.learned(*MOCK, env=env)['model'], 'jev-7')
        for key in self.keys():
            self.answer(key)
        self.run_learn(*REPLAY, code=1, env=env)
        self.assertEqual(self.learned(*REPLAY)['model'], 'jev-latest')
        self.assertEqual(self.learned(*MOCK, env={'TYPESAFE_DEFAULT_MODEL': ''})['model'],
                         'jev-latest')

    @rows(('by default', []), ('asked for', ['--oracle', 'jev']),
          ('with its answers there', ['--oracle-cache', 'cache']))
    def test_no_key(self, args):
        for key in self.keys():
            self.answer(key)
        self.run_learn(*args, code=1, out=b'', err=b'Error: no TypeSafe key: set TYPESAFE_API_KEY '
                       b'or TYPESAFE_API_KEY_FILE\n')

    def service(self):
        """A service that answers like the mock; the environment to ask it."""
        service = http_server.Server()
        self.addCleanup(service.stop)

        def answer(x):
            answers = {}
            for id, question in x.message['questions'].items():
                if question['type'] == 'noul':
                    answers[id] = {'type': 'noul', 'noul': 0.5}
                    continue
                options = sorted(question['criteria'])
                rest = (1 - 0.6) / max(1, len(options) - 1)
                answers[id] = {'type': 'choice', 'choice': options[0], 'confidence': 0.6,
                               'probabilities': {o: 0.6 if o == options[0] else rest
                                                 for o in options}}
            x.json({'model': 'jev-1', 'answers': answers})
        service.on('*', answer)
        return service, {'TYPESAFE_API_KEY': KEY, 'TYPESAFE_BASE_URL': service.url('/'),
                         'no_proxy': '*'}

    def test_the_service(self):
        self.run_learn(*MOCK, to='mock.json')
        service, env = self.service()
        result = self.run_learn(env=env)
        self.assertNotIn(KEY.encode(), result.err + self.read('o.json'))
        self.same(self.stable(), self.stable('mock.json'), 'the flow')
        requests = service.got()
        self.assertEqual(len(requests), 2)
        for request in requests:
            self.assertEqual((request.target, request.header('Authorization')),
                             ('/v1/systemone', 'Bearer ' + KEY))
            self.assertEqual(request.message['model'], 'jev-latest')
            self.assertEqual(sorted(request.message['questions']), ['go_on', 'next'])
        # All answers are kept, so that nobody has to be asked again.
        self.run_learn(env=env)
        self.assertEqual(len(service.got()), 2)
        self.run_learn('--oracle', 'replay')
        self.same(self.stable(), self.stable('mock.json'), 'the flow')

    def test_the_service_refuses(self):
        service, env = self.service()
        service.on('*', lambda x: x.reply(400, b'no such model'))
        self.run_learn(env=env, code=1, err=re.compile(
            ESTIMATE % 2 + b'Error: no held-out decision was answered[^\n]*\n'))
        self.assertEqual(os.path.exists(self.path('o.json')), False)

    def test_budget(self):
        service, env = self.service()
        said = self.run_learn('--oracle-budget', '0', env=env, code=1, out=b'').err.decode()
        self.assertRegex(said, r'\Astretto: [^\n]*2 questions[^\n]*\nError: [^\n]*'
                               r'--oracle-budget[^\n]*\n\Z')
        self.assertEqual(service.got(), [])
        self.assertFalse(os.path.exists(self.path('o.json')))
        self.assertFalse(os.path.exists(self.path('.oracle-cache')))
        self.run_learn('--oracle-budget', '0.01', env=env)
        # Only the service costs anything.
        self.run_learn('--oracle', 'mock', '--oracle-budget', '0')
        self.run_learn('--oracle', 'replay', '--oracle-budget', '0')


if __name__ == '__main__':
    harness.main([harness.STRETTO])
