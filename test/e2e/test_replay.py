#!/usr/bin/env python3
"""stretto replay: chapter 42, part C."""

import copy
import json
import os
import re

import harness
import tickets
from harness import Case, rows
from tickets import Story

HEAD = ('| Session | Calls | Turns | Lookups | Hits | Detours | Turns saved |\n'
        '|---|---|---|---|---|---|---|\n')
NOTE = re.compile(rb'stretto: [^\n]*\n')

# lookups, hits, detours, saved of s1, s2, s3 and in total, by the options.
AT_ONE_EACH = [(1, 1, 0, 1)] * 3 + [(3, 3, 0, 3)]
AT_A_QUARTER = [(2, 2, 0, 2), (2, 1, 1, 1), (1, 1, 0, 1), (5, 4, 1, 4)]
RECORDED = [(3, 5), (2, 3), (3, 5), (8, 13)]
WORKED = [
    ('reach', ['--decider', 'reach'], AT_ONE_EACH),
    ('habit', ['--decider', 'habit', '--threshold', '0.3'], AT_ONE_EACH),
    ('as it is served', [], AT_ONE_EACH),
    ('reach at a quarter', ['--decider', 'reach', '--threshold', '0.25'], AT_A_QUARTER),
    ('habit at a quarter', ['--decider', 'habit', '--threshold=0.25'], AT_A_QUARTER),
    ('one a call', ['--threshold', '0.25', '--per-call', '1'], AT_ONE_EACH),
    ('none a call', ['--threshold', '0.25', '--per-call', '0'], [(0, 0, 0, 0)] * 4),
    ('never', ['--threshold', '2'], [(0, 0, 0, 0)] * 4),
]

MISUSES = [
    ('no flow', ['--sessions', 'S']),
    ('no sessions', ['--flow', 'f.json']),
    ('an unknown decider', ['--flow', 'f.json', '--sessions', 'S', '--decider', 'coin']),
    ('the service', ['--flow', 'f.json', '--sessions', 'S', '--oracle', 'jev']),
    ('a threshold that is none', ['--flow', 'f.json', '--sessions', 'S', '--threshold', 'x']),
    ('an argument', ['--flow', 'f.json', '--sessions', 'S', 'S']),
]

# (label, arguments, what the message names).
FAILURES = [
    ('no such flow', ['--flow', 'gone.json', '--sessions', 'S'], ['reading gone.json']),
    ('no flow', ['--flow', 'S/s1.jsonl', '--sessions', 'S'], ['not a stretto flow']),
    ('no such sessions', ['--flow', 'f.json', '--sessions', 'gone'], ['reading gone']),
    ('a bad log', ['--flow', 'f.json', '--sessions', 'S', '--sessions', 'bad.jsonl'],
     ['bad.jsonl', 'line 2']),
    ('no sessions in there', ['--flow', 'f.json', '--sessions', 'empty'],
     ['tickets', '--sessions', 'empty']),
    ('no arbiter', ['--flow', 'f.json', '--sessions', 'S', '--decider', 'arbiter'],
     ['--decider reach']),
    ('no arbiter and no reach counts',
     ['--flow', 'plain.json', '--sessions', 'S', '--decider', 'arbiter'], ['--decider habit']),
    ('no reach counts', ['--flow', 'plain.json', '--sessions', 'S', '--decider', 'reach'],
     ['learn it again']),
]

FOLD = {'weights': [0.5, 0.3, 0.2, 0.1, 0.4],
        'rates': {'sites': [], 'agree': 0.7, 'cover': 0.95}}


def row(session, counts):
    return '| %s | %s |\n' % (session, ' | '.join(str(n) for n in counts))


class Replays(Case):

    def setUp(self):
        super().setUp()
        flow = tickets.flow()
        self.write('f.json', json.dumps(flow).encode())
        del flow['reach']
        self.write('plain.json', json.dumps(flow).encode())
        for story, name in zip(tickets.stories(), ('s1', 's2', 's3')):
            self.write('S/%s.jsonl' % name, story.log.bytes())
        self.write('bad.jsonl', tickets.stories()[0].log.bytes().split(b'\n')[0] + b'\noops\n{}\n')
        os.mkdir(self.path('empty'))

    def replay(self, *args, sessions='S', flow='f.json', err=NOTE):
        return self.run_stretto('replay', '--flow', flow, '--sessions', sessions, *args,
                                err=err).out.decode()

    def lines(self, *args, **kw):
        text = self.replay('--json', *args, **kw)
        lines = [json.loads(line) for line in text.splitlines()]
        self.assertEqual(text, ''.join(tickets.canonical(line) + '\n' for line in lines))
        return lines


class Counts(Replays):

    @rows(*WORKED)
    def test_worked(self, args, wanted):
        table = HEAD
        names = ['`s1`', '`s2`', '`s3`', '**Total**']
        for name, recorded, counts in zip(names, RECORDED, wanted):
            table += row(name, recorded + counts)
        self.assertEqual(self.replay(*args), table)

    @rows(*WORKED)
    def test_worked_as_json(self, args, wanted):
        sums = [line for line in self.lines(*args) if 'calls' in line]
        self.assertEqual(sums, [
            dict(zip(('calls', 'turns', 'lookups', 'hits', 'detours', 'saved'), recorded + counts),
                 session=name)
            for name, recorded, counts in zip(('s1', 's2', 's3', None), RECORDED, wanted)])

    def test_logs_of_all_paths_in_order_of_their_sessions(self):
        os.rename(self.path('S/s1.jsonl'), self.path('z.log'))
        text = self.run_stretto('replay', '--flow', 'f.json', '--sessions', 'S', '--sessions',
                                'z.log', '--sessions', 'S/s3.jsonl', err=NOTE).out.decode()
        self.assertEqual(re.findall('`(.*?)`', text), ['s1', 's2', 's3', 's3'])

    def test_what_it_tells(self):
        self.replay('--threshold', '0.25', err=re.compile(
            rb'stretto: [^\n]*3 sessions[^\n]*reach[^\n]*0\.25[^\n]* 0 questions[^\n]*\n'))


class Lines(Replays):

    def test_first_session(self):
        lines = [line for line in self.lines('--threshold', '0.25') if line['session'] == 's1']
        decisions, [run, counts] = lines[:3], lines[3:]
        self.assertEqual([(d['after'], d['address'], d['action'], d.get('hit'),
                           d.get('arguments'), d.get('reason')) for d in decisions], [
            ('2', 'decide#0', 'lookup', True, {'ticket_id': 'T-11'}, None),
            ('2', 'decide#1', 'lookup', True, {'ticket_id': 'T-12'}, None),
            ('2', 'decide#2', 'hand_back', None, None, 'get_ticket at 0.17, below 0.25')])
        self.assertEqual(sorted(decisions[0]), [
            'action', 'address', 'after', 'arguments', 'binding', 'hit', 'key', 'oracle',
            'predicates', 'prob', 'probs', 'session', 'site', 'tool'])
        self.assertEqual(sorted(run), ['after', 'run', 'session'])
        self.assertEqual((run['after'], run['run']['call'], run['run']['surprise']),
                         ('2', 'find_tickets', 0.3646431135879092))
        self.assertEqual([site[:2] for site in run['run']['sites']], [
            ['decide#0', 2], ['outcome#0', True], ['decide#1', 2], ['outcome#1', True],
            ['decide#2', 0]])
        self.assertEqual(counts['lookups'], 2)

    def test_a_detour_ends_its_run(self):
        lines = [line for line in self.lines('--threshold', '0.25') if line['session'] == 's2']
        self.assertEqual([line.get('hit') for line in lines], [True, False, None])
        self.assertNotIn('run', lines[1])
        self.assertIn('calls', lines[2])

    def test_runs_without_lookups(self):
        lines = self.lines('--per-call', '0')
        self.assertEqual([line['run']['sites'] for line in lines if 'run' in line], [[]] * 8)
        self.assertFalse([line for line in lines if 'action' in line])

    def test_nothing_is_decided_at_the_end_of_a_session(self):
        self.write('one.jsonl', Story('s9').find('a@x.com', 'a', 'T-1').log.bytes())
        self.assertEqual(len(self.lines(sessions='one.jsonl')), 2)


class Windows(Replays):
    """The flow looks up T-1 after find_tickets; what the agent does decides what that was."""

    def setUp(self):
        super().setUp()
        flow = tickets.flow()
        flow['manifest']['tools']['close_ticket'] = 'write'
        flow['sites']['next'] = flow['sites']['next'][:1]
        self.write('f.json', json.dumps(flow).encode())

    def counts(self, story):
        self.write('one.jsonl', story.log.bytes())
        totals = self.lines(sessions='one.jsonl')[-1]
        return tuple(totals[name] for name in ('lookups', 'hits', 'detours', 'saved'))

    def story(self):
        return Story('s9').find('a@x.com', 'a', 'T-1')

    def test_an_equal_call(self):
        self.assertEqual(self.counts(self.story().get('T-1').says('assistant', 'x')), (1, 1, 0, 1))

    def test_a_call_with_more(self):
        story = self.story().call('get_ticket', {'ticket_id': 'T-1', 'full': True}, 'x')
        self.assertEqual(self.counts(story.says('assistant', 'x')), (1, 0, 1, 0))

    def test_a_call_after_a_write(self):
        story = self.story().call('close_ticket', {'ticket_id': 'T-9'}, 'x').get('T-1')
        self.assertEqual(self.counts(story.says('assistant', 'x')), (1, 0, 1, 0))

    def test_a_call_after_a_message(self):
        story = self.story().says('user', 'x').get('T-1')
        self.assertEqual(self.counts(story.says('assistant', 'x')), (1, 1, 0, 1))

    def test_a_call_without_an_answer(self):
        story = self.story()
        story.log.call(story.t_ms, 77, 'get_ticket', {'ticket_id': 'T-1'})
        story.t_ms += 10
        self.assertEqual(self.counts(story.says('assistant', 'x')), (1, 0, 1, 0))

    def test_one_of_two_calls_of_a_turn(self):
        story = self.story()
        story.log.call(3000, 77, 'get_ticket', {'ticket_id': 'T-1'})
        story.log.call(3001, 78, 'close_ticket', {'ticket_id': 'T-9'})
        story.log.result(3002, 77, '{"ticket_id":"T-1"}').result(3003, 78, 'x')
        story.t_ms = 5000
        # The write is in the call's own turn, which is no longer in the window.
        self.assertEqual(self.counts(story.says('assistant', 'x')), (1, 0, 1, 0))

    def test_promotion_and_thresholds_count(self):
        flow = tickets.flow()
        flow['stretto_flow'] = 2
        flow['thresholds'] = {'find_tickets': 1.5}
        self.write('f.json', json.dumps(flow).encode())
        self.assertEqual(self.counts(self.story().get('T-1').says('assistant', 'x')), (0, 0, 0, 0))
        reasons = [line['reason'] for line in self.lines(sessions='one.jsonl') if 'reason' in line]
        self.assertEqual(reasons[0], 'the site is switched off')

    @rows(('that the manifest does not have', {'find_tickets': 'read'}),
          ('that may write', {'find_tickets': 'read', 'get_ticket': 'generic'}))
    def test_no_lookup_of_a_tool(self, tools):
        flow = tickets.flow()
        flow['manifest']['tools'] = tools
        self.write('f.json', json.dumps(flow).encode())
        self.assertEqual(self.counts(self.story().get('T-1').says('assistant', 'x')), (0, 0, 0, 0))
        lines = self.lines(sessions='one.jsonl')
        self.assertEqual(lines[0]['action'], 'lookup')
        self.assertNotIn('hit', lines[0])
        self.assertEqual(lines[1]['run']['sites'], [['decide#0', 0, 0.0]])


class Arbiter(Replays):

    def setUp(self):
        super().setUp()
        flow = tickets.flow()
        flow['folds'] = [copy.deepcopy(FOLD) for _ in range(5)]
        flow['model'] = 'jev-latest'
        self.write('f.json', json.dumps(flow).encode())

    def decisions(self, *args, **kw):
        return [line for line in self.lines(*args, **kw) if 'action' in line]

    def test_without_answers(self):
        decisions = self.decisions(err=re.compile(
            rb'stretto: [^\n]*arbiter[^\n]* [1-9][0-9]* questions?[^\n]*\n'))
        for decision in decisions:
            if decision['key'] is None:
                self.assertIn('no lookups', decision['reason'])
            else:
                self.assertRegex(decision['key'], '^[0-9a-f]{64}$')
                self.assertEqual(decision['reason'],
                                 'the System-One model failed: no cached answer for request '
                                 + decision['key'])
        self.assertFalse(os.path.exists(self.path('.oracle-cache')))

    def test_a_mock(self):
        decisions = self.decisions('--oracle', 'mock', '--threshold', '0.1')
        self.assertTrue(any(d['oracle'] for d in decisions))

    def test_cached_answers(self):
        asked = [d for d in self.decisions() if d['key']]
        answer = {'model': 'jev-1', 'usage': {'input_tokens': 1, 'output_tokens': 1}, 'answers': {
            'next': {'type': 'choice', 'choice': 'get_ticket', 'confidence': 1.0,
                     'probabilities': {'get_ticket': 0.9, 'respond': 0.1}},
            'go_on': {'type': 'noul', 'noul': 0.9}}}
        key = asked[0]['key']
        self.write('cache/%s/%s.json' % (key[:2], key), json.dumps(answer).encode())
        decisions = self.decisions('--oracle-cache', 'cache')
        self.assertEqual((decisions[0]['key'], decisions[0]['action']), (key, 'lookup'))
        self.assertEqual(decisions[0]['oracle'], {'get_ticket': 0.9, 'respond': 0.1})


class Errors(Replays):

    @rows(*MISUSES)
    def test_misused(self, args):
        self.run_stretto('replay', *args, code=2, out=b'', err=re.compile(b'Error: .*', re.S))

    @rows(*FAILURES)
    def test_fails(self, args, names):
        message = self.run_stretto('replay', *args, code=1, out=b'', err=None).err.decode()
        self.assertTrue(message.startswith('Error: '), message)
        for name in names:
            self.assertIn(name, message)


if __name__ == '__main__':
    harness.main([harness.STRETTO])
