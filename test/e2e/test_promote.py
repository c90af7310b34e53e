#!/usr/bin/env python3
"""stretto promote: chapter 42, part A."""

import copy
import json
import os
import re

import harness
import tickets
from harness import Case, mode_of, rows
from tickets import Story

NOTE = re.compile(rb'stretto: [^\n]*\n')
NOTES = re.compile(rb'stretto: [^\n]*\nstretto: [^\n]*no site[^\n]*\n')
HEAD = ('| After | Decisions | Lookups | Used | Lower bound | Tasks | Promoted |\n'
        '|---|---|---|---|---|---|---|\n')
BAR = {'threshold': 0.3, 'min_used': 0.7, 'min_lower': 0.5, 'min_tasks': 3}
LOWER_OF_3 = 0.5258

# By site: decisions, lookups, used, tasks. Behind a search a ticket is looked up; then, and behind
# the agent's own tickets, the flow hands back.
WORKED = {'find_tickets': (3, 3, 3, 3), 'find_tickets (error)': (1, 0, 0, 0),
          'get_ticket': (7, 0, 0, 0)}

# At a quarter the second ticket is looked up as well: of s1 in the chain and behind the first
# ticket, of s2 as a detour from both. That is no share to promote, so in the end only searches are.
AT_A_QUARTER = {'find_tickets': (3, 3, 3, 3), 'find_tickets (error)': (1, 0, 0, 0),
                'get_ticket': (7, 4, 2, 2)}

# What follows find_tickets with T-1 in a session, and the decisions, lookups and used lookups there
# and the decisions at get_ticket.
LATER = [
    ('the same call', lambda s: s.get('T-1').says('assistant', 'x'), (1, 1, 1), 2),
    ('a call with more', lambda s: s.call('get_ticket', {'full': True, 'ticket_id': 'T-1'}, 'x')
     .says('assistant', 'x'), (1, 1, 1), 2),
    ('another call', lambda s: s.get('T-2').says('assistant', 'x'), (1, 1, 0), 1),
    ('a reply', lambda s: s.says('assistant', 'x'), (1, 1, 0), 0),
    ('nothing', lambda s: s, (0, 0, 0), 0),
    ('a call without an answer', lambda s: unanswered(s).says('assistant', 'x'), (1, 1, 1), 0),
]

MISUSES = [
    ('no flow', ['--out', 'o.json', '--sessions', 'S']),
    ('no output', ['--flow', 'f.json', '--sessions', 'S']),
    ('an unknown decider', ['--flow', 'f.json', '--out', 'o.json', '--decider', 'coin']),
    ('an unknown oracle', ['--flow', 'f.json', '--out', 'o.json', '--oracle', 'coin']),
    ('a threshold that is none', ['--flow', 'f.json', '--out', 'o.json', '--threshold', 'x']),
    ('a threshold that a file cannot hold',
     ['--flow', 'f.json', '--out', 'o.json', '--sessions', 'S', '--threshold', 'inf']),
    ('a share that a file cannot hold',
     ['--flow', 'f.json', '--out', 'o.json', '--sessions', 'S', '--min-used', 'nan']),
    ('tasks that are no number', ['--flow', 'f.json', '--out', 'o.json', '--min-tasks', '-1']),
    ('a checkout without results',
     ['--flow', 'f.json', '--out', 'o.json', '--sessions', 'S', '--tau2', 'C']),
    ('an argument', ['--flow', 'f.json', '--out', 'o.json', '--sessions', 'S', 'S']),
]

# (label, arguments, what the message names).
FAILURES = [
    ('no such flow', ['--flow', 'gone.json', '--sessions', 'S'], ['reading gone.json']),
    ('no flow', ['--flow', 'S/s1.jsonl', '--sessions', 'S'], ['not a stretto flow']),
    ('no such sessions', ['--flow', 'f.json', '--sessions', 'gone'], ['reading gone']),
    ('a bad log', ['--flow', 'f.json', '--sessions', 'bad'], ['bad.jsonl', 'line 2']),
    ('nothing to judge by', ['--flow', 'f.json'], ['tickets', '--sessions', '--results']),
    ('no sessions in there', ['--flow', 'f.json', '--sessions', 'empty'],
     ['tickets', '--sessions empty', '--results']),
    ('results of another domain', ['--flow', 'f.json', '--results', 'air.json'],
     ['tickets', '--sessions', '--results air.json']),
    ('none of the tasks', ['--flow', 'f.json', '--results', 'r.json', '--task-ids', '7,8'],
     ['tickets', '--task-ids 7, 8']),
    ('no results', ['--flow', 'f.json', '--results', 'f.json'], ['f.json']),
    ('no split', ['--flow', 'f.json', '--results', 'r.json', '--tau2', 'gone'],
     ['gone/data/tau2/domains/tickets/split_tasks.json']),
    ('no arbiter', ['--flow', 'f.json', '--sessions', 'S', '--decider', 'arbiter'],
     ['--decider reach']),
    ('no arbiter and no reach counts',
     ['--flow', 'plain.json', '--sessions', 'S', '--decider', 'arbiter'], ['--decider habit']),
    ('no reach counts', ['--flow', 'plain.json', '--sessions', 'S', '--decider', 'reach'],
     ['learn it again']),
]

FOLD = {'weights': [0.5, 0.3, 0.2, 0.1, 0.4],
        'rates': {'sites': [], 'agree': 0.7, 'cover': 0.95}}


def unanswered(story):
    story.log.call(story.t_ms, 77, 'get_ticket', {'ticket_id': 'T-1'})
    story.t_ms += 10
    return story


def results(domain, *tasks):
    """An episode for each task: a search that finds a ticket, that ticket, an answer."""
    def call(id, name, **arguments):
        return {'role': 'assistant', 'tool_calls': [
            {'id': id, 'name': name, 'arguments': arguments}]}

    def simulation(number, task):
        return {'id': 'r%d' % number, 'task_id': task, 'messages': [
            {'role': 'user', 'content': 'Hi'},
            call('1', 'find_tickets', email='a@x.com'),
            {'role': 'tool', 'id': '1', 'content': '{"owner":"a","tickets":["T-1"]}'},
            call('2', 'get_ticket', ticket_id='T-1'),
            {'role': 'tool', 'id': '2', 'content': '{"state":"open","ticket_id":"T-1"}'},
            {'role': 'assistant', 'content': 'Open.'}]}

    return json.dumps({'info': {'environment_info': {'domain_name': domain}},
                       'simulations': [simulation(*each) for each in enumerate(tasks)]}).encode()


class Promotions(Case):

    def setUp(self):
        super().setUp()
        flow = tickets.flow()
        self.write('f.json', json.dumps(flow).encode())
        del flow['reach']
        self.write('plain.json', json.dumps(flow).encode())
        for story, name in zip(tickets.stories(), ('s1', 's2', 's3')):
            self.write('S/%s.jsonl' % name, story.log.bytes())
        self.write('bad/bad.jsonl',
                   tickets.stories()[0].log.bytes().split(b'\n')[0] + b'\noops\n{}\n')
        self.write('r.json', results('tickets', '1', '2', '3', '1'))
        self.write('air.json', results('airline', '1', '2', '3'))
        os.mkdir(self.path('empty'))

    def run_promote(self, *args, flow='f.json', out='o.json', err=NOTE, **kw):
        return self.run_stretto('promote', '--flow', flow, '--out', out, *args, err=err, **kw)

    def promoted(self, *args, out='o.json', **kw):
        """What the flow that is written is promoted for."""
        self.run_promote(*args, out=out, **kw)
        return json.loads(self.read(out))['promoted']

    def counts(self, *args, **kw):
        return {site: (r['decisions'], r['lookups'], r['used'], r['tasks'])
                for site, r in self.promoted(*args, **kw)['sites'].items()}

    def acts_at(self, *args, **kw):
        return [site for site, r in self.promoted(*args, **kw)['sites'].items() if r['promoted']]


class Written(Promotions):

    def test_the_flow(self):
        self.run_promote('--sessions', 'S')
        before, after = self.read('f.json').decode(), self.read('o.json').decode()
        promoted = json.loads(after)['promoted']
        self.assertEqual(promoted['bar'], BAR)
        self.assertAlmostEqual(promoted['sites']['find_tickets'].pop('lower'), LOWER_OF_3,
                               delta=5e-5)
        self.assertEqual(promoted['sites'], {
            'find_tickets': {'decisions': 3, 'lookups': 3, 'used': 3, 'tasks': 3,
                             'promoted': True},
            'find_tickets (error)': {'decisions': 1, 'lookups': 0, 'used': 0, 'tasks': 0,
                                     'lower': 0.0, 'promoted': False},
            'get_ticket': {'decisions': 7, 'lookups': 0, 'used': 0, 'tasks': 0, 'lower': 0.0,
                           'promoted': False}})
        # All else is what it was.
        rest = json.loads(after)
        del rest['promoted']
        self.assertEqual(rest, json.loads(before))
        self.assertIn('"bar":{"threshold":0.3,"min_used":0.7,"min_lower":0.5,"min_tasks":3},'
                      '"sites":{"find_tickets":{"decisions":3,"lookups":3,"used":3,"tasks":3,'
                      '"lower":0.52', after)
        self.assertEqual(mode_of(self.path('o.json')), 0o600)

    def test_the_report(self):
        out = self.run_promote('--sessions', 'S').out.decode()
        bar, empty, table = out.split('\n', 2)
        for part in ('0.3', '70%', '0.50', ' 3 ', '90%'):
            self.assertIn(part, bar)
        self.assertEqual(empty, '')
        self.assertEqual(table, HEAD
                         + '| `find_tickets` | 3 | 3 | 3 (100%) | 0.53 | 3 | yes |\n'
                         + '| `find_tickets (error)` | 1 | 0 | — | 0.00 | 0 | no |\n'
                         + '| `get_ticket` | 7 | 0 | — | 0.00 | 0 | no |\n')
        shown = self.run_stretto('flow-show', 'o.json').out.decode()
        self.assertIn('## Promotion\n\n' + out, shown)

    def test_a_report_to_a_file(self):
        out = self.run_promote('--sessions', 'S').out
        self.assertEqual(self.run_promote('--sessions', 'S', '--report', 'a/b/r.md').out, b'')
        self.assertEqual(self.read('a/b/r.md'), out)
        for path, mode in (('a', 0o700), ('a/b', 0o700), ('a/b/r.md', 0o600)):
            self.assertEqual(mode_of(self.path(path)), mode)

    def test_what_it_tells(self):
        self.run_promote('--sessions', 'S', err=re.compile(
            rb'stretto: [^\n]* 3 episodes; 0 decisions [^\n]* 1 of 3 sites promoted\n'))
        self.run_promote('--sessions', 'S', '--threshold', '2', err=re.compile(
            rb'stretto: [^\n]* 3 episodes; 0 decisions [^\n]* 0 of 3 sites promoted\n'
            rb'stretto: [^\n]*hands back after every call\n'))

    def test_an_earlier_promotion_is_set_aside_and_replaced(self):
        flow = tickets.flow()
        flow['promoted'] = {'bar': {**BAR, 'min_tasks': 9}, 'sites': {
            'gone': {'decisions': 1, 'lookups': 1, 'used': 1, 'tasks': 1, 'lower': 0.2,
                     'promoted': True}}}
        self.write('p.json', json.dumps(flow).encode())
        self.assertEqual(self.promoted('--sessions', 'S', flow='p.json'),
                         self.promoted('--sessions', 'S'))
        self.run_promote('--sessions', 'S', out='f.json')  # over the flow itself
        self.assertEqual(self.read('f.json'), self.read('o.json'))

    def test_it_acts_there_only(self):
        flow = tickets.flow()
        flow['sites']['every_read'] = True
        self.write('f.json', json.dumps(flow).encode())
        self.assertEqual(self.acts_at('--sessions', 'S', '--threshold', '0.3'), ['find_tickets'])
        lines = self.run_stretto('replay', '--json', '--flow', 'o.json', '--sessions', 'S',
                                 err=NOTE).out.decode().splitlines()
        reasons = [(d['site'], d.get('reason')) for d in map(json.loads, lines) if 'site' in d]
        self.assertIn(('get_ticket', 'the site is not promoted'), reasons)
        self.assertIn(('find_tickets', None), reasons)

    def test_a_directory_that_is_not_there(self):
        for out in ('gone/o.json', 'f.json/o.json'):
            message = self.run_promote('--sessions', 'S', out=out, code=1, err=None)
            self.assertEqual(message.out, b'')
            self.assertIn(out.split('/')[0].encode(), message.err)
        self.assertFalse(os.path.exists(self.path('gone')))

    def test_a_report_that_cannot_be_written(self):
        message = self.run_promote('--sessions', 'S', '--report', 'f.json/r.md', code=1, err=None)
        self.assertTrue(message.err.startswith(b'Error: '), message.err)
        self.assertIn(b'f.json/r.md', message.err)


class Scores(Promotions):

    @rows(('as it is served', []), ('habit', ['--decider', 'habit']),
          ('reach', ['--decider', 'reach']))
    def test_worked(self, args):
        self.assertEqual(self.counts('--sessions', 'S', *args), WORKED)

    @rows(('habit', ['--decider', 'habit']), ('reach', []))
    def test_worked_at_a_quarter(self, args):
        self.assertEqual(self.counts('--sessions', 'S', '--threshold', '0.25', *args),
                         AT_A_QUARTER)

    def test_chains_that_go_on_everywhere(self):
        # All that is looked up is promoted, so that s1 is followed to its second ticket: a decision
        # more than with chains that end at the first.
        counts = self.counts('--sessions', 'S', '--threshold', '0.25', '--min-used', '0',
                             '--min-lower', '0', '--min-tasks', '1')
        self.assertEqual(counts['get_ticket'], (9, 4, 2, 2))

    def test_per_call(self):
        bar = ['--min-used', '0', '--min-lower', '0', '--min-tasks', '1', '--threshold', '0.25']
        self.assertEqual(self.counts('--sessions', 'S', '--per-call', '1', *bar)['get_ticket'],
                         (4, 2, 1, 2))

    @rows(*LATER)
    def test_what_comes_later(self, later, wanted, at_ticket):
        flow = tickets.flow()
        flow['sites']['next'] = flow['sites']['next'][:1]
        self.write('f.json', json.dumps(flow).encode())
        self.write('one/s.jsonl', later(Story('s9').find('a@x.com', 'a', 'T-1')).log.bytes())
        counts = self.counts('--sessions', 'one', '--min-used', '0', '--min-lower', '0',
                             '--min-tasks', '0', err=re.compile(rb'(stretto: [^\n]*\n){1,2}'))
        self.assertEqual(counts.get('find_tickets', (0, 0, 0))[:3], wanted)
        self.assertEqual(counts.get('get_ticket', (0,))[0], at_ticket)

    @rows(('three of three', 3, 3, 3, [], True), ('of two tasks', 3, 3, 2, [], False),
          ('two of two', 2, 2, 2, [], False), ('seven of ten', 7, 10, 10, [], False),
          ('fourteen of twenty', 14, 20, 3, [], True),
          ('a share of more', 14, 20, 3, ['--min-used', '0.71'], False),
          ('a bound of less', 7, 10, 10, ['--min-lower', '0.44'], True),
          ('a bar of its own', 36, 40, 12, ['--min-used', '0.6', '--min-lower', '0.6'], True),
          ('three under it', 3, 3, 3, ['--min-used', '0.6', '--min-lower', '0.6'], False),
          ('fewer tasks', 3, 3, 1, ['--min-tasks', '1'], True))
    def test_the_bar(self, used, n, n_tasks, args, wanted):
        tasks = ['t%d' % (i % n_tasks) for i in range(n)]
        made = json.loads(results('tickets', *tasks))
        for simulation in made['simulations'][used:]:
            del simulation['messages'][3:5]
        self.write('r.json', json.dumps(made).encode())
        site = self.promoted('--results', 'r.json', *args,
                             err=NOTE if wanted else NOTES)['sites']['find_tickets']
        self.assertEqual((site['lookups'], site['used'], site['tasks'], site['promoted']),
                         (n, used, n_tasks, wanted))

    def test_calls_that_were_asked_for(self):
        # T-1 was asked for in the same turn; what is then looked up is the other ticket.
        story = Story('s9')
        story.log.call(1000, 7, 'find_tickets', {'email': 'a@x.com'})
        story.log.call(1001, 8, 'get_ticket', {'ticket_id': 'T-1'})
        story.log.result(1005, 7, '{"owner":"a","tickets":["T-1","T-2"]}')
        story.log.result(1009, 8, '{"state":"open","ticket_id":"T-1"}')
        story.t_ms = 3000
        self.write('one/s.jsonl', story.get('T-2').says('assistant', 'x').log.bytes())
        self.assertEqual(self.counts('--sessions', 'one', err=NOTES)['find_tickets'], (1, 1, 1, 1))

    def test_thresholds_of_sites_stay(self):
        flow = tickets.flow()
        flow.update(stretto_flow=2, thresholds={'find_tickets': 1.5, 'get_ticket': 0.2})
        self.write('f.json', json.dumps(flow).encode())
        counts = self.counts('--sessions', 'S', err=NOTES)
        self.assertEqual(counts['find_tickets'], (3, 0, 0, 0))
        self.assertEqual(counts['get_ticket'][1:], (2, 1, 2))


class Material(Promotions):

    def searches(self, *args, err=NOTE):
        """Lookups behind searches, and their tasks."""
        return self.counts(*args, err=err)['find_tickets'][1::2]

    def test_results(self):
        self.assertEqual(self.searches('--results', 'r.json'), (4, 3))

    def test_results_and_sessions(self):
        self.assertEqual(self.searches('--results', 'r.json', '--sessions', 'S', '--results',
                                       'r.json', '--results', 'air.json'), (11, 6))

    def test_some_tasks(self):
        self.assertEqual(self.searches('--results', 'r.json', '--task-ids', '1', err=NOTES),
                         (2, 1))
        self.assertEqual(self.searches('--results', 'r.json', '--task-ids', '1,9', '--task-ids=3',
                                       '--sessions', 'S'), (6, 5))

    def test_the_test_split(self):
        self.write('C/data/tau2/domains/tickets/split_tasks.json',
                   b'{"train": ["1"], "test": ["2", "3", "4"]}')
        self.assertEqual(self.searches('--results', 'r.json', '--tau2', 'C', err=NOTES), (2, 2))
        self.assertEqual(self.searches('--results', 'r.json', '--tau2', 'C', '--task-ids', '1,2',
                                       err=NOTES), (1, 1))

    def test_results_know_of_no_time(self):
        # All calls of a turn count as sent: the ticket is not looked up again.
        made = json.loads(results('tickets', '1'))
        messages = made['simulations'][0]['messages']
        messages[1]['tool_calls'] += messages[3]['tool_calls']
        del messages[3]
        self.write('r.json', json.dumps(made).encode())
        self.assertEqual(self.counts('--results', 'r.json', err=NOTES)['find_tickets'],
                         (1, 0, 0, 0))


class Arbiter(Promotions):

    def setUp(self):
        super().setUp()
        flow = tickets.flow()
        flow['folds'] = [copy.deepcopy(FOLD) for _ in range(5)]
        flow['model'] = 'jev-latest'
        self.write('f.json', json.dumps(flow).encode())

    def test_without_answers(self):
        counts = self.counts('--sessions', 'S', err=re.compile(
            rb'stretto: [^\n]* 3 episodes; 7 decisions [^\n]* 0 of 1 site promoted\nstretto: .*\n'))
        self.assertEqual(counts, {'find_tickets (error)': (1, 0, 0, 0)})
        self.assertFalse(os.path.exists(self.path('.oracle-cache')))

    def test_a_mock(self):
        counts = self.counts('--sessions', 'S', '--oracle', 'mock')
        self.assertEqual(counts['find_tickets'], (3, 3, 3, 3))

    def test_cached_answers(self):
        asked = self.run_stretto('replay', '--json', '--flow', 'f.json', '--sessions', 'S',
                                 err=NOTE).out.decode().splitlines()
        key = next(line['key'] for line in map(json.loads, asked) if line.get('key'))
        answer = {'model': 'jev-1', 'usage': {'input_tokens': 1, 'output_tokens': 1}, 'answers': {
            'next': {'type': 'choice', 'choice': 'get_ticket', 'confidence': 1.0,
                     'probabilities': {'get_ticket': 0.9, 'respond': 0.1}},
            'go_on': {'type': 'noul', 'noul': 0.9}}}
        self.write('cache/%s/%s.json' % (key[:2], key), json.dumps(answer).encode())
        # The lookup of s1 is used; the chain behind it, once it is not promoted, asks no more.
        counts = self.counts('--sessions', 'S', '--oracle-cache', 'cache', err=re.compile(
            rb'stretto: [^\n]* 3 episodes; 6 decisions [^\n]*\nstretto: .*\n'))
        self.assertEqual(counts['find_tickets'], (1, 1, 1, 1))

    def test_the_service_needs_a_key(self):
        message = self.run_promote('--sessions', 'S', '--oracle', 'jev', code=1,
                                   err=None).err.decode()
        self.assertIn('TYPESAFE_API_KEY', message)
        self.run_promote('--sessions', 'S', '--oracle', 'jev', '--decider', 'reach')


class Errors(Promotions):

    @rows(*MISUSES)
    def test_misused(self, args):
        self.run_stretto('promote', *args, code=2, out=b'', err=re.compile(b'Error: .*', re.S))
        self.assertFalse(os.path.exists(self.path('o.json')))

    @rows(*FAILURES)
    def test_fails(self, args, names):
        message = self.run_stretto('promote', '--out', 'o.json', *args, code=1, out=b'',
                                   err=None).err.decode()
        self.assertTrue(message.startswith('Error: '), message)
        for name in names:
            self.assertIn(name, message)
        self.assertFalse(os.path.exists(self.path('o.json')))


if __name__ == '__main__':
    harness.main([harness.STRETTO])
