#!/usr/bin/env python3
"""stretto audit: chapter 44 §3."""

import copy
import json
import math
import os
import re

import harness
import tickets
from harness import Case, mode_of, rows
from tickets import Story

NOTE = re.compile(rb'stretto: [^\n]*\n')
MEMBERS = ['domain', 'episodes', 'decisions', 'unanswered', 'log_prob', 'mean_log_prob',
           'agreement', 'expected_agreement', 'ece', 'calibration', 'sites', 'surprising']

# The chances of get_ticket after the calls of the stories s1 and s2, in the order of the calls
# (chapter 21, section 14); what is left hands back.
FOUND, READ, READ_AGAIN = 0.980654762, 0.328794643, 0.065178571
REACHED, REACHED_AGAIN = 0.971726190, 0.333035714
FLOOR = 1e-6

FOLD = {'weights': [0.5, 0.3, 0.2, 0.1, 0.4],
        'rates': {'sites': [], 'agree': 0.7, 'cover': 0.95}}

MISUSES = [
    ('no flow', ['--sessions', 'S']),
    ('an unknown decider', ['--flow', 'f.json', '--sessions', 'S', '--decider', 'coin']),
    ('an unknown oracle', ['--flow', 'f.json', '--sessions', 'S', '--oracle', 'coin']),
    ('a threshold', ['--flow', 'f.json', '--sessions', 'S', '--threshold', '0.3']),
    ('task ids', ['--flow', 'f.json', '--sessions', 'S', '--task-ids', '1']),
    ('two directories', ['--flow', 'f.json', '--sessions', 'S', '--sessions', 'S']),
    ('an argument', ['--flow', 'f.json', '--sessions', 'S', 'S']),
]

# (label, arguments, what the message names).
FAILURES = [
    ('no such flow', ['--flow', 'gone.json', '--sessions', 'S'], ['reading gone.json']),
    ('no flow', ['--flow', 'S/s1.jsonl', '--sessions', 'S'], ['not a stretto flow']),
    ('nothing to read', ['--flow', 'f.json'], ['no episodes', 'tickets']),
    ('no such sessions', ['--flow', 'f.json', '--sessions', 'gone'], ['gone']),
    ('no sessions in there', ['--flow', 'f.json', '--sessions', 'empty'],
     ['no episodes', 'tickets', 'empty']),
    ('a bad log', ['--flow', 'f.json', '--sessions', 'bad'], ['bad.jsonl', 'line 2']),
    ('results of another domain', ['--flow', 'f.json', '--results', 'air.json'],
     ['no episodes', 'tickets']),
    ('results that are none', ['--flow', 'f.json', '--results', 'f.json'], ['f.json']),
    ('no split', ['--flow', 'f.json', '--results', 'r.json', '--tau2', 'gone'],
     ['gone/data/tau2/domains/tickets/split_tasks.json']),
    ('no arbiter', ['--flow', 'f.json', '--sessions', 'S', '--decider', 'arbiter'],
     ['has no arbiter']),
    ('no reach counts', ['--flow', 'plain.json', '--sessions', 'S', '--decider', 'reach'],
     ['no reach counts']),
    ('--json cannot be written', ['--flow', 'f.json', '--sessions', 'S', '--json', 'f.json/a'],
     ['f.json/a']),
    ('--out cannot be written', ['--flow', 'f.json', '--sessions', 'S', '--out', 'f.json/a'],
     ['f.json/a']),
]


def results(domain, *tasks):
    """An episode for each task: a search, a ticket, an answer."""
    def simulation(task):
        def call(id, tool):
            return [{'role': 'assistant', 'tool_calls': [
                {'id': id, 'name': tool, 'arguments': {}}]},
                    {'role': 'tool', 'id': id, 'content': '{}'}]
        return {'id': 'r' + task, 'task_id': task, 'messages': [
            {'role': 'user', 'content': 'Hi'}, *call('1', 'find_tickets'),
            *call('2', 'get_ticket'), {'role': 'assistant', 'content': 'Open.'}]}
    return json.dumps({'info': {'environment_info': {'domain_name': domain}, 'agent_info': {}},
                       'simulations': [simulation(task) for task in tasks]}).encode()


class Audits(Case):

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
        self.write('r.json', results('tickets', '1', '2', '3'))
        self.write('air.json', results('airline', '1'))
        os.mkdir(self.path('empty'))

    def audit(self, *args, flow='f.json', err=NOTE):
        """What the command writes as JSON."""
        out = self.run_stretto('audit', '--flow', flow, '--json', 'a.json', *args, err=err).out
        self.assertTrue(out.startswith(b'# Flow audit: tickets\n\n'), out)
        return json.loads(self.read('a.json'))

    def check_logs(self, audit, *probs):
        """The steps of an audit of one session had these probabilities before the floor's share."""
        self.assertEqual(audit['decisions'], len(probs))
        log_prob = sum(math.log(p / (1 + FLOOR)) for p in probs)
        self.assertAlmostEqual(audit['log_prob'], log_prob, delta=1e-7)
        self.assertAlmostEqual(audit['mean_log_prob'], log_prob / len(probs), delta=1e-7)
        self.assertAlmostEqual(audit['expected_agreement'],
                               sum(probs) / (1 + FLOOR) / len(probs), delta=1e-7)

    def write_one(self, story):
        self.write('one/s.jsonl', story.log.bytes())
        return ['--sessions', 'one']


class Numbers(Audits):

    def test_of_the_sessions_it_was_learned_from(self):
        audit = self.audit('--sessions', 'S')
        self.assertEqual(list(audit), MEMBERS)
        self.assertEqual([audit[name] for name in MEMBERS[:4]], ['tickets', 3, 7, 0])
        self.assertAlmostEqual(audit['agreement'], 6 / 7)
        self.assertEqual([(site['site'], site['decisions'], site['agreement'])
                          for site in audit['sites']],
                         [('get_ticket', 4, 0.75), ('find_tickets', 3, 1.0)])
        self.assertEqual([(bin['from'], bin['decisions']) for bin in audit['calibration']],
                         [(0.6, 3), (0.9, 4)])
        self.assertEqual([(e['episode'], e['task'], e['decisions']) for e in audit['surprising']],
                         [('s1', 's1', 3), ('s3', 's3', 2), ('s2', 's2', 2)])
        for entry, names in ((audit['calibration'][0], ['from', 'decisions', 'mean_prob',
                                                        'agreement']),
                             (audit['sites'][0], ['site', 'decisions', 'agreement',
                                                  'mean_log_prob']),
                             (audit['surprising'][0], ['episode', 'task', 'decisions',
                                                       'mean_log_prob'])):
            self.assertEqual(list(entry), names)
        off = [bin['decisions'] / 7 * abs(bin['mean_prob'] - bin['agreement'])
               for bin in audit['calibration']]
        self.assertAlmostEqual(audit['ece'], sum(off))

    def test_first_session_by_habit(self):
        audit = self.audit(*self.write_one(tickets.stories()[0]))
        self.check_logs(audit, FOUND, READ, 1 - READ_AGAIN)

    def test_second_session_by_habit(self):
        audit = self.audit(*self.write_one(tickets.stories()[1]))
        self.check_logs(audit, FOUND, 1 - READ)

    def test_second_session_by_reach(self):
        audit = self.audit(*self.write_one(tickets.stories()[1]), '--decider', 'reach')
        self.check_logs(audit, REACHED, FLOOR)
        self.assertEqual(audit['agreement'], 0.5)

    def test_habit_is_the_default_without_an_arbiter(self):
        by_default = self.audit('--sessions', 'S')
        self.assertEqual(by_default, self.audit('--sessions', 'S', '--decider', 'habit'))
        self.assertEqual(by_default, self.audit('--sessions', 'S', flow='plain.json'))

    @rows(('a lookup that is not offered', 'find_tickets', FLOOR),
          ('a tool that nobody knows', 'close_ticket', 1 - FOUND))
    def test_step(self, tool, prob):
        story = Story('s').says('user', 'x').find('a@x.com', 'a', 'T-1')
        story.log.call(story.t_ms, 77, tool, {})
        self.check_logs(self.audit(*self.write_one(story)), prob)

    def test_no_decision(self):
        story = Story('s').says('user', 'x').find('a@x.com', 'a', 'T-1')
        audit = self.audit(*self.write_one(story))
        self.assertEqual(audit, {**{name: 0 for name in MEMBERS[2:9]}, 'domain': 'tickets',
                                 'episodes': 1, 'calibration': [], 'sites': [], 'surprising': []})
        self.assertIn(b'"ece": 0.0,\n', self.read('a.json'))

    def test_a_site_that_is_not_promoted_is_none(self):
        flow = tickets.flow()
        site = {'decisions': 9, 'lookups': 8, 'used': 8, 'tasks': 6, 'lower': 0.7}
        flow['promoted'] = {
            'bar': {'threshold': 0.3, 'min_used': 0.7, 'min_lower': 0.5, 'min_tasks': 3},
            'sites': {'find_tickets': {**site, 'promoted': True},
                      'get_ticket': {**site, 'promoted': False}}}
        self.write('f.json', json.dumps(flow).encode())
        audit = self.audit('--sessions', 'S')
        self.assertEqual([site['site'] for site in audit['sites']], ['find_tickets'])
        self.assertEqual(audit['unanswered'], 0)


class Inputs(Audits):

    def test_sessions_come_before_results(self):
        audit = self.audit('--results', 'r.json', '--sessions', 'S', '--results', 'air.json',
                           '--results', 'r.json')
        self.assertEqual(audit['episodes'], 9)
        # Equals stand in the order of reading.
        self.assertEqual([(e['episode'], e['task']) for e in audit['surprising']],
                         [('s1', 's1'), ('s3', 's3'), ('s2', 's2'),
                          *[('r' + task, task) for task in '123123']])

    def test_only_the_test_split(self):
        self.write('T/data/tau2/domains/tickets/split_tasks.json',
                   json.dumps({'train': ['1'], 'test': ['2', '4']}).encode())
        audit = self.audit('--results', 'r.json', '--tau2', 'T')
        self.assertEqual([e['episode'] for e in audit['surprising']], ['r2'])
        audit = self.audit('--results', 'r.json', '--tau2', 'T', '--sessions', 'S')
        self.assertEqual(audit['episodes'], 4)

    def test_ten_episodes_are_named(self):
        self.write('r.json', results('tickets', *(str(i) for i in range(12))))
        audit = self.audit('--results', 'r.json')
        self.assertEqual([e['task'] for e in audit['surprising']], [str(i) for i in range(10)])


class Arbiter(Audits):

    def setUp(self):
        super().setUp()
        flow = tickets.flow()
        flow['folds'] = [copy.deepcopy(FOLD) for _ in range(5)]
        flow['model'] = 'jev-latest'
        self.write('f.json', json.dumps(flow).encode())

    def test_is_the_default(self):
        mock = self.audit('--sessions', 'S', '--oracle', 'mock')
        self.assertEqual(mock, self.audit('--sessions', 'S', '--oracle', 'mock', '--decider',
                                          'arbiter'))
        self.assertNotEqual(mock, self.audit('--sessions', 'S', '--decider', 'habit'))
        self.assertEqual(mock['decisions'], 7)

    def test_what_nobody_answers_is_left_out(self):
        audit = self.audit('--sessions', 'S', err=re.compile(
            rb'stretto: [^\n]* 0 decisions of 3 episodes by arbiter[^\n]* 7 left [^\n]*\n'))
        self.assertEqual((audit['decisions'], audit['unanswered']), (0, 7))
        self.assertEqual(audit['surprising'], [])
        self.assertFalse(os.path.exists(self.path('.oracle-cache')))

    def test_cached_answers(self):
        asked = self.run_stretto('replay', '--json', '--flow', 'f.json', '--sessions', 'S',
                                 err=NOTE).out.decode().splitlines()
        key = next(line['key'] for line in map(json.loads, asked) if line.get('key'))
        answer = {'model': 'jev-1', 'usage': {'input_tokens': 1, 'output_tokens': 1}, 'answers': {
            'next': {'type': 'choice', 'choice': 'get_ticket', 'confidence': 1.0,
                     'probabilities': {'get_ticket': 0.9, 'respond': 0.1}},
            'go_on': {'type': 'noul', 'noul': 0.9}}}
        self.write('cache/%s/%s.json' % (key[:2], key), json.dumps(answer).encode())
        audit = self.audit('--sessions', 'S', '--oracle-cache', 'cache')
        self.assertEqual((audit['decisions'], audit['unanswered']), (1, 6))
        # The coverage is 0.95, so that another step has 0.05 and nothing has to be raised.
        scores = [0.5 * math.log(FOUND) + 0.5 * math.log(0.9) + 0.4 * math.log(0.7 / 0.3),
                  0.5 * math.log(1 - FOUND) + 0.5 * math.log(0.1) + 0.1]
        p = 0.95 / (1 + math.exp(scores[1] - scores[0]))
        self.assertAlmostEqual(audit['log_prob'], math.log(p), delta=1e-7)

    def test_the_service_needs_a_key(self):
        message = self.run_stretto('audit', '--flow', 'f.json', '--sessions', 'S', '--oracle',
                                   'jev', code=1, out=b'', err=None).err.decode()
        self.assertIn('TYPESAFE_API_KEY', message)
        self.audit('--sessions', 'S', '--oracle', 'jev', '--decider', 'habit')


class Output(Audits):

    def test_report(self):
        out = self.run_stretto('audit', '--flow', 'f.json', '--sessions', 'S', err=re.compile(
            rb'stretto: [^\n]* 7 decisions of 3 episodes by habit [^\n]*[0-9]\.[0-9] seconds'
            rb'[^\n]*\n')).out.decode()
        self.assertIn('3 episodes, 7 decisions', out)
        self.assertIn('0.294 nats per decision', out)
        self.assertEqual(re.findall('^#+ .*', out, re.M), [
            '# Flow audit: tickets', '## Sites', '## Calibration', '## Least expected episodes'])
        for row in ('| `get_ticket` | 4 | 75.0% | 0.494 |', '| 0.6–0.7 | 3 | 67.1% | 66.7% |',
                    '| `s1` | `s1` | 3 | 0.400 |'):
            self.assertIn('\n%s\n' % row, out)

    def test_files(self):
        out = self.run_stretto('audit', '--flow', 'f.json', '--sessions', 'S', err=NOTE).out
        self.run_stretto('audit', '--flow', 'f.json', '--sessions', 'S', '--out', 'o/p/a.md',
                         '--json', 'j/a.json', out=b'', err=NOTE)
        self.assertEqual(self.read('o/p/a.md'), out)
        for path, mode in (('o', 0o700), ('o/p', 0o700), ('o/p/a.md', 0o600), ('j', 0o700),
                           ('j/a.json', 0o600)):
            self.assertEqual(mode_of(self.path(path)), mode, path)

    def test_json_is_indented_by_two(self):
        text = self.audit('--sessions', 'S') and self.read('a.json').decode()
        self.assertEqual(text, json.dumps(json.loads(text), indent=2) + '\n')

    def test_names_stay_in_their_cells(self):
        flow = tickets.flow()
        flow['sites']['every_read'] = True
        self.write('f.json', json.dumps(flow).encode())
        story = Story('s').call('a|b\n# c', {}, 'x').says('assistant', 'y')
        out = self.run_stretto('audit', '--flow', 'f.json', *self.write_one(story),
                               err=NOTE).out.decode()
        self.assertIn('\n| `a\\|b # c` | 1 |', out)


class Errors(Audits):

    @rows(*MISUSES)
    def test_misused(self, args):
        self.run_stretto('audit', *args, code=2, out=b'', err=re.compile(b'Error: .*', re.S))

    @rows(*FAILURES)
    def test_fails(self, args, names):
        message = self.run_stretto('audit', *args, code=1, out=b'', err=None).err.decode()
        self.assertTrue(message.startswith('Error: '), message)
        for name in names:
            self.assertIn(name, message)


if __name__ == '__main__':
    harness.main([harness.STRETTO])
