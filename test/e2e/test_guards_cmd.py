#!/usr/bin/env python3
"""stretto guards: chapter 30 §8."""

import json
import os
import resource

import harness
from harness import Case, mode_of, rows

FINAL = 'C/data/tau2/results/final'
GOOD = 'no longer needed'
BAD = 'found it cheaper'
REASON = "'found it cheaper' is not an accepted reason"
ORDER = {'order_id': '#W100', 'user_id': 'mia_7', 'status': 'pending'}
MEMBERS = ['domain', 'episodes', 'writes', 'refused', 'rules', 'tasks']
RULE_MEMBERS = ['rule', 'policy', 'enforced', 'successful', 'failed', 'refused_by_tool',
                'episodes_failed', 'false_alarms']

# Command lines that are wrong: (label, arguments).
MISUSES = [
    ('nothing to read', []),
    ('only a domain', ['--domain', 'retail']),
    ('an unknown option', ['--source', 'r.json', '--results', 'r.json']),
    ('an argument', ['--source', 'r.json', 'r.json']),
    ('--json without a value', ['--source', 'r.json', '--json']),
    ('--out twice', ['--source', 'r.json', '--out', 'a', '--out', 'b']),
]

# What fails: (label, arguments, what the message names).
FAILURES = [
    ('a domain without guards', ['--source', 'r.json', '--domain', 'telecom'],
     ['no guards for telecom']),
    ('one of two domains without guards',
     ['--source', 'r.json', '--domain', 'retail', '--domain', 'Airline'],
     ['no guards for Airline']),
    ('a missing source', ['--source', 'r.json', '--source', 'x=gone.json'],
     ['gone.json', 'No such file']),
    ('a source that is none', ['--source', 'bad.json'], ['bad.json']),
    ('no checkout', ['--tau2', 'gone'], ['gone/data/tau2/results/final', 'No such file']),
    ('a checkout without results of a domain', ['--tau2', 'C'], ['airline', FINAL]),
    ('--json cannot be written', ['--source', 'r.json', '--json', 'r.json/a.json'],
     ['r.json/a.json', 'Not a directory']),
    ('--out cannot be written', ['--source', 'r.json', '--out', 'r.json/a.md'],
     ['r.json/a.md', 'Not a directory']),
]


def results(domain, *simulations):
    return json.dumps({'info': {'environment_info': {'domain_name': domain},
                                'agent_info': {'llm': 'm'}},
                       'tasks': [], 'simulations': list(simulations)}).encode()


def simulation(name, reward, *steps, task='1'):
    """An episode; a step is a text of the customer's, or (tool, arguments, result, error)."""
    messages = [{'role': 'assistant', 'content': 'Hi!'}]
    for i, step in enumerate(steps):
        if isinstance(step, str):
            messages.append({'role': 'user', 'content': step})
            continue
        tool, arguments, text, error = step
        call = {'id': 'c%d' % i, 'name': tool, 'arguments': arguments}
        messages.append({'role': 'assistant', 'content': None, 'tool_calls': [call]})
        messages.append({'role': 'tool', 'id': 'c%d' % i, 'error': error, 'content': text})
    return {'id': name, 'task_id': task, 'trial': 0, 'reward_info': {'reward': reward},
            'messages': messages}


def cancellation(name, reward, reason, error=False, task='1'):
    """A proper session that cancels an order."""
    return simulation(
        name, reward,
        "Cancel #W100, I'm mia@x.com",
        ('find_user_id_by_email', {'email': 'mia@x.com'}, 'mia_7', False),
        ('get_order_details', {'order_id': '#W100'}, json.dumps(ORDER), False),
        'Yes, please cancel it.',
        ('cancel_pending_order', {'order_id': '#W100', 'reason': reason},
         'not possible' if error else json.dumps({**ORDER, 'status': 'cancelled'}), error),
        task=task)


WORKED = [cancellation('a', 1.0, GOOD), cancellation('b', 1.0, BAD), cancellation('c', 0.0, BAD),
          cancellation('d', 0.0, BAD, error=True)]
BAGS = simulation('e', 1.0, 'Take out a bag.',
                  ('get_user_details', {'user_id': 'u1'}, '{"user_id":"u1"}', False),
                  ('get_reservation_details', {'reservation_id': 'R1'},
                   '{"reservation_id":"R1","user_id":"u1","total_baggages":2}', False),
                  ('update_reservation_baggages', {'reservation_id': 'R1', 'total_baggages': 1},
                   'done', False))


class Guards(Case):

    def guards(self, *args, code=0, err=b''):
        """Runs the command; what it said on stdout."""
        process = self.start(harness.WRAPPER + [harness.STRETTO, 'guards', *args],
                             env=self.environment())
        return process.finish(code, None if code == 0 else b'', err)

    def audits(self, *args):
        """What the command writes as JSON, by domain."""
        self.guards('--json', self.path('a.json'), *args)
        audits = json.loads(self.read('a.json'))
        self.assertEqual(len({audit['domain'] for audit in audits}), len(audits))
        return {audit['domain']: audit for audit in audits}

    def rule(self, audit, name):
        [rule] = [rule for rule in audit['rules'] if rule['rule'] == name]
        return rule

    def setUp(self):
        super().setUp()
        self.write('r.json', results('retail', *WORKED))
        self.write('air.json', results('airline', BAGS))


class Counts(Guards):

    def test_worked_example(self):
        audit = self.audits('--source', self.path('r.json'), '--domain', 'retail')['retail']
        self.assertEqual(list(audit), MEMBERS)
        self.assertEqual((audit['episodes'], audit['writes'], audit['refused']),
                         ([2, 2], [3, 1], [1, 1]))
        self.assertEqual(audit['tasks'], {'1': [2, 2, 1, 1]})
        rule = self.rule(audit, 'retail.cancel_reason')
        self.assertEqual(list(rule), RULE_MEMBERS)
        self.assertEqual(rule, {
            'rule': 'retail.cancel_reason', 'policy': 'accepted cancellation reasons only',
            'enforced': True, 'successful': [1, 1, 0], 'failed': [0, 1, 0],
            'refused_by_tool': [0, 1, 0], 'episodes_failed': [1, 1],
            'false_alarms': [['b', '1', REASON]]})
        self.assertIs(self.rule(audit, 'retail.confirmed')['enforced'], False)
        names = [rule['rule'] for rule in audit['rules']]
        self.assertEqual(names, sorted(names))
        self.assertEqual(len(names), 12)

    def test_json_is_indented_by_two(self):
        self.guards('--source', self.path('r.json'), '--json', self.path('a.json'))
        text = self.read('a.json').decode()
        self.assertEqual(text, json.dumps(json.loads(text), indent=2, ensure_ascii=False) + '\n')

    def test_every_domain_unless_named(self):
        audits = self.audits('--source', self.path('air.json'), '--source', self.path('r.json'))
        self.assertEqual(list(audits), ['retail', 'airline'])
        self.assertEqual(audits['retail']['episodes'], [2, 2])
        self.assertEqual(audits['airline']['episodes'], [1, 0])
        self.assertEqual(self.rule(audits['airline'], 'airline.keep_bags')['false_alarms'],
                         [['e', '1', '2 bags would become 1']])

    def test_other_domains_are_skipped(self):
        self.write('shop.json', results('shop', *WORKED))
        audits = self.audits('--domain', 'airline', '--source', self.path('r.json'),
                             '--source', self.path('shop.json'))
        self.assertEqual(list(audits), ['airline'])
        self.assertEqual(audits['airline']['episodes'], [0, 0])
        self.assertEqual(audits['airline']['tasks'], {})

    def test_domains_as_they_are_named(self):
        audits = self.audits('--domain', 'airline', '--domain=retail', '--source',
                             'old runs=' + self.path('r.json'))
        self.assertEqual(list(audits), ['airline', 'retail'])
        self.assertEqual(audits['retail']['episodes'], [2, 2])

    def test_a_domain_named_twice(self):
        self.write('%s/a_retail_base_u.json' % FINAL, results('retail', *WORKED))
        audits = self.audits('--domain', 'retail', '--domain', 'retail', '--tau2', self.path('C'))
        self.assertEqual(list(audits), ['retail'])
        self.assertEqual(audits['retail']['episodes'], [2, 2])

    def test_a_checkout(self):
        for name, task in (('z_retail_default_u', 'z'), ('a_retail_base_u', 'a')):
            self.write('%s/%s.json' % (FINAL, name),
                       results('retail', *[cancellation(task + str(i), 1, BAD, task=task)
                                           for i in range(2)]))
        self.write('%s/b_retail_default_u.json' % FINAL, results('airline', BAGS))
        self.write('%s/retail_other.json' % FINAL, b'not read')
        self.write('%s/a_retail_base_u.txt' % FINAL, b'not read')
        audit = self.audits('--tau2', self.path('C'), '--domain', 'retail',
                            '--source', self.path('r.json'))['retail']
        self.assertEqual(audit['episodes'], [6, 2])
        self.assertEqual(audit['tasks'], {'1': [2, 2, 1, 1], 'a': [2, 0, 2, 0], 'z': [2, 0, 2, 0]})
        self.assertEqual([alarm[0] for alarm in
                          self.rule(audit, 'retail.cancel_reason')['false_alarms']],
                         ['a0', 'a1', 'z0', 'z1', 'b'])


class Report(Guards):

    def test_markdown(self):
        text = self.guards('--source', self.path('r.json')).out.decode()
        self.assertRegex(text, r'\A# [^\n]+\n\n[^\n]+\n\n## retail\n\n')
        retail, airline = text.split('\n## ')[1:]
        lines = retail.split('\n')
        self.assertEqual(lines[2], '4 episodes: 2 successful, 2 failed. Writes: 3 accepted by the '
                         'tool, 1 refused by it. Accepted writes an enforced rule would refuse: in '
                         '**1 of 2** successful episodes and **1 of 2** failed ones.')
        self.assertEqual(lines[4], '| Rule | Enforced | Successful: pass / fail / unknown '
                         '| Failed: pass / fail / unknown '
                         '| Refused by the tool: pass / fail / unknown '
                         '| Episodes: successful / failed |')
        self.assertEqual(lines[5], '|---|---|---|---|---|---|')
        self.assertIn('| `retail.cancel_reason` | yes | 1 / 1 / 0 | 0 / 1 / 0 | 0 / 1 / 0 '
                      '| 1 / 1 |', lines)
        self.assertIn('| `retail.confirmed` | logged | 2 / 0 / 0 | 1 / 0 / 0 | 1 / 0 / 0 '
                      '| 0 / 0 |', lines)
        self.assertIn('- `retail.cancel_reason`, task 1 (b): ' + REASON, lines)
        self.assertNotIn('\n- ', airline)
        self.assertTrue(text.endswith(' |\n'))

    def test_files_are_private(self):
        self.write('r.md', b'x' * 100000, mode=0o644)
        process = self.guards('--source', self.path('r.json'), '--out', self.path('a.md'),
                              '--json', self.path('a.json'))
        self.assertEqual(process.out, b'')
        umask = os.umask(0)
        os.umask(umask)
        for name in ('a.md', 'a.json'):
            self.assertEqual(mode_of(self.path(name)), 0o600 & ~umask)
        self.guards('--source', self.path('r.json'), '--out', self.path('r.md'))
        self.assertEqual(self.read('r.md'), self.read('a.md'))

    def test_directories_are_created(self):
        self.guards('--source', self.path('r.json'), '--out', self.path('new/a/a.md'),
                    '--json', self.path('new/b/a.json'))
        umask = os.umask(0)
        os.umask(umask)
        for name in ('new', 'new/a', 'new/b'):
            self.assertEqual(mode_of(self.path(name)), 0o700 & ~umask)
        self.assertGreater(len(self.read('new/a/a.md')), 0)
        self.assertGreater(len(self.read('new/b/a.json')), 0)

    def test_a_report_that_cannot_be_written_whole(self):
        old = self.write('a.md', b'old')
        self.run_stretto('guards', '--source', self.path('r.json'), '--out', old, code=1, out=b'',
                         err=('Error: writing %s: File too large\n' % old).encode(),
                         preexec=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
        self.assertEqual(self.read('a.md'), b'old')

    def test_a_report_to_what_is_no_file(self):
        self.guards('--source', self.path('r.json'), '--out', '/dev/stdout', '--json', '/dev/null')


class Errors(Guards):

    def setUp(self):
        super().setUp()
        self.write('bad.json', b'{"simulations":7}')
        self.write('%s/a_retail_base_u.json' % FINAL, results('retail', *WORKED))

    @rows(*MISUSES)
    def test_misuse(self, args):
        result = self.guards(*args, code=2, err=None)
        self.assertRegex(result.err.decode(), r'\AError: [^\n]+\nUsage: stretto guards [^\n]+\n( +[^\n]+\n)*\Z')

    @rows(*FAILURES)
    def test_failure(self, args, names):
        args = [arg.replace('r.json', self.path('r.json')) for arg in args]
        result = self.guards(*args, code=1, err=None)
        self.assertRegex(result.err.decode(), r'\AError: [^\n]+\n\Z')
        for name in names:
            self.assertIn(name, result.err.decode())

    def test_help(self):
        text = self.guards('--help').out.decode()
        self.assertTrue(text.startswith('Usage: stretto guards '))
        for option in ('--tau2', '--domain', '--source', '--out', '--json'):
            self.assertIn(option, text)


if __name__ == '__main__':
    harness.main()
