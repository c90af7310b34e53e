#!/usr/bin/env python3
"""From recorded sessions to an agent that makes fewer calls: every program, one after the other.

Sessions are recorded in front of the demo's shop; a flow is learned of them, shown, compared and
replayed, served in shadow, promoted by what it would have done, and served. The agent is told what
its calls return and asks for nothing that it was already told. Chapters 04, 10, 12, 23, 42, 44.
"""

import json
import re

import active
import flows
import harness
from active import ActiveCase, Lines, call, request, said
from harness import rows
from sessions import canonical

FIND, USER, ORDER, CANCEL = ('find_user_id_by_email', 'get_user_details', 'get_order_details',
                             'cancel_pending_order')
HEAD = '--- Also looked up automatically (current results; no need to repeat these calls) ---'
LOOKED_UP = re.compile(r'\n\n(\w+) (\{[^\n]*\}):\n([^\n]*)')
COMPILED = re.compile(rb'"compiled_unix_ms":[0-9]+')
NOTE = re.compile(rb'stretto: [^\n]*\n')
SALT = 'pepper'

# Of a session without a flow: search, customer, order, cancellation.
CALLS = 4


class Agent:
    """An agent at a proxy's host end, with a customer who wants an order cancelled."""

    def __init__(self, case, process, context):
        self.case = case
        self.process = process
        self.context = context
        self.lines = Lines(case, process.stdout, 'the agent')
        self.n = 0
        self.calls = 0
        self.results = {}
        self.answer(request(0, 'initialize', protocolVersion='2025-06-18', capabilities={},
                            clientInfo={'name': 'agent', 'version': '1'}))
        self.process.send(active.line_of(active.notification('notifications/initialized')))
        self.answer(request('list', 'tools/list'))

    def says(self, role, text):
        self.case.say(said(role, text), name=self.context)

    def answer(self, message):
        self.process.send(active.line_of(message))
        answer = json.loads(self.lines.next())
        self.case.assertEqual(answer['id'], message['id'])
        return answer['result']

    def get(self, tool, **arguments):
        """What a call returns, from what was told already or by making it."""
        key = tool, canonical(arguments)
        if key not in self.results:
            self.make(tool, arguments)
        return self.results[key]

    def make(self, tool, arguments):
        self.n += 1
        self.calls += 1
        first, *more = self.answer(call(self.n, tool, arguments))['content']
        self.results[tool, canonical(arguments)] = first['text']
        for item in more:
            self.case.assertTrue(item['text'].startswith(HEAD), item)
            told = LOOKED_UP.findall(item['text'])
            self.case.assertEqual(item['text'], HEAD + ''.join(
                '\n\n%s %s:\n%s' % lookup for lookup in told))
            for name, made_with, text in told:
                self.results[name, made_with] = text

    def serve(self, number):
        """Serves a customer; even ones name their order, others mean their first.

        They spell it in their own way. A call that passes nothing but what was said or known before
        may belong to the turn before it, which here depends on how fast the agent is.
        """
        named = '#W%db' % number if number % 2 == 0 else None
        self.says('user', "Hi, I'm c%d@example.com and want to cancel %s." %
                  (number, 'order w%db' % number if named else 'an order'))
        user = self.get(FIND, email='c%d@example.com' % number)
        orders = json.loads(self.get(USER, user_id=user))['orders']
        order = named if named in orders else orders[0]
        status = json.loads(self.get(ORDER, order_id=order))['status']
        self.says('assistant', 'Order %s is %s. Shall I cancel it?' % (order, status))
        self.says('user', 'Yes, please.')
        done = json.loads(self.get(CANCEL, order_id=order, reason='no longer needed'))
        self.says('assistant', 'Order %s is %s.' % (done['order_id'], done['status']))


class Learning(ActiveCase):
    def setUp(self):
        super().setUp()
        self.n_sessions = 0

    def sessions(self, folder, numbers, *options):
        """Serves customers, each in a session of its own; how many calls the agent made."""
        calls = 0
        for number in numbers:
            self.n_sessions += 1
            context = 'context-%d' % self.n_sessions
            process = self.proxy('--record', folder, '--context', context, '--domain', 'retail',
                                 '--agent-model', 'agent-1', *options, '--', harness.DEMO,
                                 '--world', 'retail')
            agent = Agent(self, process, context)
            agent.serve(number)
            process.finish(err=None)
            self.assertEqual(agent.lines.rest(), b'')
            calls += agent.calls
        return calls

    def learn(self, sessions, to, *args, n=6):
        self.run_stretto('learn', '--sessions', sessions, '--domain', 'retail', '--out', to, *args,
                         err=re.compile(
                             (r'(stretto: [^\n]* questions?[^\n]*\n)?stretto: wrote %s: the retail '
                              r'flow, learned from %d sessions \(4 tools\)\n' % (to, n)).encode()))
        return json.loads(self.read(to))

    def stable(self, name):
        return COMPILED.sub(b'', self.read(name))

    def said(self, folder):
        """What was said in the sessions of a folder, a list a session."""
        return [[json.loads(body[len(b'"message":'):])['content']
                 for body in active.Log(self, path).bodies('context')]
                for path in self.logs(folder)]

    def totals(self, flow, sessions, *args):
        out = self.run_stretto('replay', '--json', '--flow', flow, '--sessions', sessions, *args,
                               err=NOTE).out
        total = json.loads(out.splitlines()[-1])
        return tuple(total[name] for name in ('calls', 'lookups', 'hits', 'detours', 'saved'))

    def flow_logs(self, folder):
        """The decisions and runs of all sessions of a folder."""
        return [line for path in self.logs(folder)
                for line in flows.read_log(self, path[:-len('.jsonl')] + '.flow.jsonl')]


class Chain(Learning):

    def test_from_sessions_to_a_promoted_flow(self):
        self.assertEqual(self.sessions('recorded', range(1, 7)), 6 * CALLS)
        self.check_learned(self.learn('recorded', 'f.json', '--habit-only'))
        self.check_reviewed()
        self.assertEqual(self.totals('f.json', 'recorded'), (24, 12, 12, 0, 12))
        self.check_shadow()
        self.run_stretto('promote', '--flow', 'f.json', '--sessions', 'shadow', '--out', 'p.json',
                         err=NOTE)
        self.check_promoted(json.loads(self.read('p.json')))
        self.check_served()

    def check_learned(self, flow):
        self.assertEqual(flow['provenance']['sources'], ['agent-1'])
        self.assertEqual(flow['manifest']['tools'],
                         {FIND: 'read', USER: 'read', ORDER: 'read', CANCEL: 'write'})
        self.assertEqual(flow['sites']['next'], sorted([[[FIND, False], {USER: 6}],
                                                        [[USER, False], {ORDER: 6}]]))
        self.assertEqual(flow['bindings']['sources'], sorted([
            [[FIND, 'email'], {'values': 6, 'found': []}],
            [[ORDER, 'order_id'], {'values': 6, 'found': [[[USER, '$.orders[*]'], 6]]}],
            [[USER, 'user_id'], {'values': 6, 'found': [[[FIND, '$'], 6]]}]]))
        # Three named their order, which was not their first one.
        self.assertEqual(flow['bindings']['agreed'], {ORDER: [[3, 3], [3, 3]],
                                                      USER: [[6, 6], [0, 0]]})
        self.assertEqual(flow['bindings']['named_other'], {ORDER: [0, 3]})

    def check_reviewed(self):
        shown = self.run_stretto('flow-show', 'f.json').out.decode()
        self.assertTrue(shown.startswith('# Flow: retail\n'))
        for tool in (USER, ORDER):
            self.assertIn('looks up `%s`' % tool, shown)
        compared = self.run_stretto('flow-diff', '--tolerance', '0', 'f.json', 'f.json').out
        self.assertRegex(compared.decode(), r'\A# Flow diff: retail\n\nNothing needs review')

    def check_shadow(self):
        """The agent makes all calls, and the flow says what it would have looked up."""
        calls = self.sessions('shadow', range(11, 15), '--flow', 'f.json', '--flow-shadow')
        self.assertEqual(calls, 4 * CALLS)
        for path in self.logs('shadow'):
            self.assertNotIn('proxy', active.Log(self, path).senders())
        decisions = [line for line in self.flow_logs('shadow') if 'action' in line]
        self.assertEqual([line['shadow'] for line in decisions], [True] * len(decisions))
        looked_up = [(line['site'], line['tool'], line['arguments'])
                     for line in decisions if line['action'] == 'lookup']
        self.assertEqual(looked_up, [one for number in range(11, 15) for one in (
            (FIND, USER, {'user_id': 'user_%d' % number}),
            (USER, ORDER, {'order_id': '#W%d%s' % (number, 'ab'[number % 2 == 0])}))])

    def check_promoted(self, flow):
        sites = {site: (r['decisions'], r['lookups'], r['used'], r['tasks'], r['promoted'])
                 for site, r in flow['promoted']['sites'].items()}
        # The order that follows the customer is decided on in the chain and behind the agent's own
        # call; behind the order, in both chains too.
        self.assertEqual(sites, {FIND: (4, 4, 4, 4, True), USER: (8, 8, 8, 4, True),
                                 ORDER: (12, 0, 0, 0, False), CANCEL: (4, 0, 0, 0, False)})
        rest = json.loads(self.read('f.json'))
        del flow['promoted']
        self.assertEqual(flow, rest)

    def check_served(self):
        """New customers get the same, by fewer calls of the agent and as many of the server."""
        numbers = range(21, 25)
        self.assertEqual(self.sessions('plain', numbers), 4 * CALLS)
        self.assertEqual(self.sessions('served', numbers, '--flow', 'p.json'), 4 * (CALLS - 2))
        self.assertEqual(self.said('served'), self.said('plain'))
        for path in self.logs('served'):
            self.assertEqual(active.Log(self, path).senders().count('server'), 2 + CALLS)
        lookups = [line for line in self.flow_logs('served') if line.get('action') == 'lookup']
        self.assertEqual(len(lookups), 8)
        # A lookup is a call like the agent's, so what is learned next is the same.
        self.learn('plain', 'plain.json', '--habit-only', n=4)
        self.learn('served', 'served.json', '--habit-only', n=4)
        self.same(self.stable('served.json'), self.stable('plain.json'), 'the flow')

    def test_a_redacted_copy_teaches_the_same(self):
        """Of customers who name no order: all spellings of one have the same pseudonym."""
        self.sessions('recorded', range(1, 12, 2))
        self.run_stretto('redact', '--sessions', 'recorded', '--out', 'redacted', err=None,
                         env=self.environment(STRETTO_REDACT_SALT=SALT))
        for path in self.logs('redacted'):
            with open(path, 'rb') as f:
                self.assertNotIn(b'@example.com', f.read())
        for sessions in ('recorded', 'redacted'):
            self.learn(sessions, sessions + '.json', '--habit-only')
        self.same(self.stable('redacted.json'), self.stable('recorded.json'), 'the flow')
        # And it serves customers whom it was never told of.
        self.assertEqual(self.sessions('served', [31, 32], '--flow', 'redacted.json'),
                         2 * (CALLS - 2))

    @rows(('fitted', [], 4), ('fitted, the habit again', ['--refit-habit'], 6))
    def test_with_an_arbiter(self, args, n):
        self.sessions('recorded', range(1, 7))
        flow = self.learn('recorded', 'f.json', '--oracle', 'mock', *args)
        self.assertEqual(flow['provenance']['habit_episodes'], n)
        # Of each session that is held out the steps after the search and after the customer.
        self.assertEqual(flow['provenance']['arbiter_cases'], 4)
        self.assertEqual(self.totals('f.json', 'recorded', '--oracle', 'mock'),
                         (24, 12, 12, 0, 12))
        self.run_stretto('promote', '--flow', 'f.json', '--sessions', 'recorded', '--out',
                         'p.json', '--oracle', 'mock', err=NOTE)
        self.assertEqual(self.sessions('served', [31, 32], '--flow', 'p.json', '--oracle', 'mock'),
                         2 * (CALLS - 2))
        asked = [line['key'] for line in self.flow_logs('served')
                 if line.get('action') == 'lookup']
        self.assertEqual(len(set(asked)), 4)

    def test_an_arbiter_from_elsewhere(self):
        self.sessions('recorded', range(1, 7))
        self.learn('recorded', 'first.json', '--oracle', 'mock')
        flow = self.learn('recorded', 'f.json', '--arbiter-from', 'first.json')
        self.assertEqual(flow['provenance']['sources'], ['agent-1', 'arbiter: agent-1'])
        self.assertEqual(self.sessions('served', [33], '--flow', 'f.json', '--oracle', 'mock'),
                         CALLS - 2)

    def test_a_threshold_that_nothing_reaches(self):
        self.sessions('recorded', range(1, 7))
        self.learn('recorded', 'f.json', '--habit-only')
        self.assertEqual(self.sessions('served', [35], '--flow', 'f.json', '--flow-threshold',
                                       '0.99'), CALLS)


if __name__ == '__main__':
    harness.main([harness.PROXY, harness.DEMO, harness.STRETTO])
