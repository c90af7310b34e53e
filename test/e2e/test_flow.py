#!/usr/bin/env python3
"""Flows in the proxy: chapter 10 §§1, 7 to 11, 13 and 15; chapter 12 §6; rulings R3, R4, R9."""

import json
import os
import re
import signal

import active
import flows
import harness
import http_server
from active import ActiveCase, call, commit, own, request, result, said
from harness import rows

ANSWERS = [('get_customer', {'customer_id': 'cust_7'}, '{"id":"cust_7","orders":["o-1"]}', False),
           ('get_order', {'order_id': 'o-1'}, 'Order not found', True)]
FIND = call(3, 'find_customer', {'email': 'ana@example.com'})
FOUND = result(3, 'cust_7')
HEAD = '--- Also looked up automatically (current results; no need to repeat these calls) ---'
NOTHING_FOLLOWED = 'no lookups followed here in training'
NO_KEY = {'TYPESAFE_API_KEY': None, 'TYPESAFE_API_KEY_FILE': None}

PROBS = {'get_customer': 0.9917275552196188, 'get_order': 0.9937431762828588}
SITES = ['find_customer', 'get_customer', 'get_order (error)']
OK, FAILED = -0.10536051565782628, -2.302585092994046


def told(*lookups):
    """The text that the agent gets of lookups: (tool, arguments, text, failed) each."""
    return HEAD + ''.join('\n\n%s %s%s:\n%s' % (
        tool, json.dumps(arguments, separators=(',', ':')), ' (error)' if failed else '', text)
        for tool, arguments, text, failed in lookups)


def looked_up(i, after=3, **more):
    """The decision for the session's i-th lookup."""
    tool, arguments = ANSWERS[i][:2]
    return {'action': 'lookup', 'address': 'decide#%d' % i, 'after': after, 'arguments': arguments,
            'binding': 0.9, 'key': None, 'oracle': {}, 'predicates': {}, 'prob': PROBS[tool],
            'probs': {tool: PROBS[tool], 'respond': 0.0}, 'site': SITES[i], 'tool': tool, **more}


def handed_back(i, site, reason=NOTHING_FOLLOWED, after=3, **more):
    return {'action': 'hand_back', 'address': 'decide#%d' % i, 'after': after, 'binding': None,
            'key': None, 'oracle': {}, 'predicates': {}, 'prob': None, 'probs': {},
            'reason': reason, 'site': site, **more}


def ran(*sites, call='find_customer', failed=False, most=8, after=3):
    surprise = -sum(site[2] for site in sites)
    return {'after': after, 'run': {'call': call, 'failed': failed, 'max_lookups': most,
                                    'sites': [list(site) for site in sites],
                                    'surprise': surprise + 0.0}}


def extended(response, *lookups):
    """A response with what was looked up, as the proxy writes it."""
    value = json.loads(json.dumps(response))
    value['result']['content'].append({'type': 'text', 'text': told(*lookups)})
    return value


ALL = [looked_up(0), looked_up(1), handed_back(2, SITES[2]),
       ran(('decide#0', 2, 0.0), ('outcome#0', True, OK), ('decide#1', 3, 0.0),
           ('outcome#1', False, FAILED), ('decide#2', 0, 0.0))]
NOTHING = ran(('decide#0', 0, 0.0))


class FlowCase(ActiveCase):
    def put_flow(self, value=None, name='desk.flow.json'):
        self.write(name, json.dumps(flows.flow() if value is None else value).encode())
        return name

    def serve(self, *options, value=None, log='f.jsonl', **kw):
        """A session with the desk's flow, unless another is given."""
        logged = ['--flow-log', log] if log else []
        return self.session('--flow', self.put_flow(value), *logged, *options, **kw)

    def flow_log(self, name='f.jsonl'):
        return flows.read_log(self, self.path(name))

    def serving(self, decider='reach', more='', path='desk.flow.json', domain='desk'):
        """What stderr says of the flow, as a pattern."""
        return re.escape(('serving the %s flow from %s, deciding with %s%s' % (
            domain, path, decider, more)).encode())

    def look_up(self, session, n, start=1):
        """The server answers the first n lookups of the session."""
        for i, (tool, arguments, text, failed) in enumerate(ANSWERS[:n]):
            session.server(own(start + i, tool, arguments))
            session.put(result('stretto-%d' % (start + i), text, error=failed))


class Start(FlowCase):
    """§1.1."""

    def fails(self, *options, err, code=125, env=None):
        """The start fails with this one line, or what a pattern has; no log, no server."""
        wanted = err if not isinstance(err, bytes) else re.compile(
            b'stretto-proxy: ' + err + b'\n')
        self.run_proxy('--record', 'L', *options, '--', *self.server("note('started')"), code=code,
                       out=b'', err=wanted, env=self.environment(**NO_KEY, **(env or {})))
        self.assertIsNone(self.noted('started'))
        self.assertFalse(os.path.exists(self.path('L')))

    @rows(('no program', {'fugue_program': 2, 'body': [], 'ret': {'op': 'int', 'value': 0}}),
          ('a program that fails its checks', {'fugue_program': 1, 'body': [],
                                               'ret': {'op': 'var', 'name': 'x'}}))
    def test_a_program_that_does_not_load(self, program):
        self.fails('--flow', self.put_flow(flows.flow(program=program)),
                   err=rb'desk\.flow\.json: [^\n]+')

    @rows(('that has reach', flows.flow(), b'reach'), ('without', flows.without_reach(), b'habit'))
    def test_no_arbiter(self, value, fallback):
        self.fails('--flow', self.put_flow(value), '--flow-decider', 'arbiter', '--oracle', 'mock',
                   err=b'[^\n]*' + fallback + b'[^\n]*')

    def test_no_reach(self):
        self.fails('--flow', self.put_flow(flows.without_reach()), '--flow-decider', 'reach',
                   err=b'[^\n]*learn it again[^\n]*')

    @rows(*[(value, value) for value in ('1.5', '-0.1', 'nan', 'inf', '-inf', '1.0000001')])
    def test_exploration_outside(self, value):
        self.fails('--flow', self.put_flow(), '--flow-explore=' + value,
                   err=rb'[^\n]*--flow-explore[^\n]*')

    @rows(('by default', []), ('asked for', ['--flow-decider', 'arbiter', '--oracle', 'jev']))
    def test_an_arbiter_without_a_key(self, options):
        self.fails('--flow', self.put_flow(flows.flow(arbiter=True)), *options,
                   err=rb'[^\n]*TYPESAFE_API_KEY[^\n]*')

    def test_the_flow_before_its_oracle(self):
        self.fails('--flow', self.put_flow(flows.flow(arbiter=True)), '--flow-explore', '2',
                   err=rb'[^\n]*TYPESAFE_API_KEY[^\n]*')

    def test_guards_after_the_flow(self):
        """What was found ready before is said first."""
        self.fails('--flow', self.put_flow(), '--guards', err=re.compile(
            b'stretto-proxy: ' + self.serving() +
            rb'\nstretto-proxy: --guards needs --domain [^\n]*\n'))

    @rows(('tools', ['--flow-tools', 'a']), ('shadow', ['--flow-shadow']),
          ('explore', ['--flow-explore', '0.5']),
          ('a seed', ['--flow', 'desk.flow.json', '--flow-explore-seed', '1']),
          ('decider', ['--flow', 'desk.flow.json', '--flow-decider', 'coin']),
          ('per call', ['--flow', 'desk.flow.json', '--flow-per-call', '-1']))
    def test_usage(self, options):
        self.put_flow()
        self.fails(*options, code=2, err=re.compile(b'.+', re.DOTALL))

    @rows(('all', ['--flow-decider', 'reach', '--flow-threshold', 'nan', '--flow-per-call', '1',
                   '--flow-per-session', '1', '--flow-questions', '1', '--flow-log', 'x/f',
                   '--task-id', 't', '--oracle', 'jev', '--oracle-cache', 'x']),)
    def test_unused_without_a_flow(self, options):
        self.run_proxy(*options, '--', 'cat', input=b'x\n', out=b'x\n')
        self.assertEqual(os.listdir(self.tmp), [])

    def test_a_server_that_cannot_be_started(self):
        self.run_proxy('--record', 'L', '--flow', self.put_flow(), '--', '/no/such', code=125,
                       out=b'', err=re.compile(b'stretto-proxy: ' + self.serving() + b'\n' +
                                               harness.message('starting /no/such')))
        self.assertEqual(os.listdir(os.path.join(self.tmp, 'L')), [])


class Notice(FlowCase):
    """§1.1 and chapter 01 §2: what stderr says, and where."""

    @rows(('reach', None, [], 'reach', ''),
          ('habit', 'without reach', [], 'habit', ''),
          ('arbiter', 'arbiter', ['--oracle', 'mock'], 'arbiter', ''),
          ('arbiter from the cache', 'arbiter', ['--oracle', 'replay'], 'arbiter', ''),
          ('named habit', None, ['--flow-decider', 'habit'], 'habit', ''),
          ('named reach', 'arbiter', ['--flow-decider', 'reach'], 'reach', ''),
          ('named arbiter', 'arbiter', ['--flow-decider', 'arbiter', '--oracle', 'mock'],
           'arbiter', ''),
          ('shadow', None, ['--flow-shadow'], 'reach', ', in shadow'),
          ('an oracle that is not asked', None, ['--oracle', 'jev'], 'reach', ''))
    def test_of(self, kind, options, decider, more):
        value = {None: flows.flow, 'without reach': flows.without_reach,
                 'arbiter': lambda: flows.flow(arbiter=True)}[kind]()
        self.run_proxy('--flow', self.put_flow(value), *options, '--', 'cat', input=b'x\n',
                       out=b'x\n', env=self.environment(**NO_KEY), err=re.compile(
                           b'stretto-proxy: ' + self.serving(decider, more) + b'\n'))

    def test_behind_the_log_and_what_was_deleted(self):
        old = self.write('L/20260923T212000.123Z-4242.flow.jsonl', b'x')
        os.utime(old, (0, 0))
        self.run_proxy('--record', 'L', '--retain-days', '7', '--flow', self.put_flow(), '--',
                       'cat', out=b'', err=harness.recording('L', re.escape(
                           b'stretto-proxy: deleted 1 files older than 7 days from L\n') +
                           b'stretto-proxy: ' + self.serving() + b'\n'))

    def test_a_path_below_home(self):
        self.put_flow(name='h.flow.json')
        self.run_proxy('--flow', '~/h.flow.json', '--', 'cat', out=b'', err=re.compile(
            b'stretto-proxy: ' + self.serving(path=self.path('h.flow.json')) + b'\n'))


class Worked(FlowCase):
    """§15.1."""

    def test_the_session(self):
        session = self.serve()
        session.send(FIND).server(FIND).put(FOUND)
        self.look_up(session, 2)
        session.host(extended(FOUND, *ANSWERS))
        log = session.finish(err=[self.serving()])
        self.assertEqual(log.senders(), ['client', 'server', 'proxy', 'server', 'proxy', 'server',
                                         'proxy'])
        log.same('proxy', [own(1, *ANSWERS[0][:2]), own(2, *ANSWERS[1][:2]),
                           extended(FOUND, *ANSWERS)])
        self.assertEqual(self.flow_log(), ALL)

    @rows(('one a call', ['--flow-per-call', '1'], 1,
           [looked_up(0), ran(('decide#0', 2, 0.0), ('outcome#0', True, OK), most=1)]),
          ('none a call', ['--flow-per-call', '0'], 0, [ran(most=0)]),
          ('one a session', ['--flow-per-session', '1'], 1,
           [looked_up(0), ran(('decide#0', 2, 0.0), ('outcome#0', True, OK),
                              ('decide#1', 0, 0.0))]),
          ('none a session', ['--flow-per-session', '0'], 0, []),
          ('no questions', ['--flow-questions', '0'], 0, []),
          ('another tool', ['--flow-tools', 'get_order'], 0, [looked_up(0), NOTHING]),
          ('tools in lists', ['--flow-tools', 'x,get_order', '--flow-tools', 'get_customer'], 2,
           ALL),
          ('a list with a space', ['--flow-tools', 'get_order, get_customer'], 0,
           [looked_up(0), NOTHING]),
          ('shadow', ['--flow-shadow'], 0, [looked_up(0, shadow=True), NOTHING]),
          ('a threshold', ['--flow-threshold', '0.95'], 0, [
              {**handed_back(0, SITES[0], 'get_customer at 0.99, times 0.90 for its arguments, '
                             'below 0.95'), 'binding': 0.9, 'prob': PROBS['get_customer'],
               'probs': looked_up(0)['probs']}, NOTHING]))
    def test_with(self, options, n, wanted):
        session = self.serve(*options)
        session.send(FIND).server(FIND).put(FOUND)
        self.look_up(session, n)
        session.host(extended(FOUND, *ANSWERS[:n]) if n else FOUND)
        more = ', in shadow' if '--flow-shadow' in options else ''
        log = session.finish(err=[self.serving(more=more)])
        self.assertEqual(log.senders(), ['client', 'server'] + ['proxy', 'server'] * n +
                         ['proxy'] * (n > 0))
        self.assertEqual(self.flow_log(), wanted)

    @rows(('a write', {'get_customer': {'annotations': {'readOnlyHint': False}}}, None, False),
          ('missing', {'get_customer': None}, None, False),
          ('no hint', {'get_customer': {}}, None, True),
          ('another input', {}, 'customer_id:integer!', False),
          ('the same input', {}, 'customer_id:string!', True))
    def test_tools_listed_with(self, changes, pinned, is_made):
        kinds = {'annotations': {'readOnlyHint': True},
                 'inputSchema': {'type': 'object', 'required': ['customer_id'],
                                 'properties': {'customer_id': {'type': 'string'}}}}
        tools = [{'name': name, **changes.get(name, kinds)} for name in (
            'find_customer', 'get_customer', 'get_order') if changes.get(name, kinds) is not None]
        contracts = {'contracts': {'get_customer': pinned}} if pinned else {}
        session = self.serve('--flow-per-call', '1', value=flows.flow(**contracts))
        session.done(request(1, 'tools/list'),
                     {'jsonrpc': '2.0', 'id': 1, 'result': {'tools': tools}})
        for id in (3, 4):
            ask, found = {**FIND, 'id': id}, {**FOUND, 'id': id}
            session.send(ask).server(ask).put(found)
            if is_made and id == 3:
                self.look_up(session, 1)
                session.host(extended(found, ANSWERS[0]))
            else:
                session.host(found)
        err = [self.serving()]
        if pinned and not is_made:
            err.append(b'[^\n]*get_customer[^\n]*customer_id:integer![^\n]*'
                       b'customer_id:string![^\n]*')
        session.finish(err=err)

    @rows(('a write', 'cancel_order'), ('a tool that it does not know', 'ping'))
    def test_behind(self, tool):
        session = self.serve()
        session.done(call(3, tool, {}), result(3, 'x'))
        session.finish(err=[self.serving()])
        self.assertEqual(self.flow_log(), [handed_back(0, tool),
                                           ran(('decide#0', 0, 0.0), call=tool)])

    def test_an_error_and_a_failure(self):
        session = self.serve()
        session.done(FIND, {'jsonrpc': '2.0', 'id': 3, 'error': {'code': -1, 'message': 'no'}})
        session.done(FIND, result(3, 'cust_7', error=True))
        session.finish(err=[self.serving()])
        self.assertEqual(self.flow_log(), [handed_back(0, 'find_customer (error)'),
                                           ran(('decide#0', 0, 0.0), failed=True)])

    def test_a_lookup_that_gets_an_error(self):
        session = self.serve()
        session.send(FIND).server(FIND).put(FOUND).server(own(1, *ANSWERS[0][:2]))
        session.put({'jsonrpc': '2.0', 'id': 'stretto-1', 'error': {'code': -1, 'message': 'no'}})
        session.host(extended(FOUND, (*ANSWERS[0][:2], 'no', True)))
        session.finish(err=[self.serving()])
        self.assertEqual(self.flow_log(), [
            looked_up(0), handed_back(1, 'get_customer (error)'),
            ran(('decide#0', 2, 0.0), ('outcome#0', False, FAILED), ('decide#1', 0, 0.0))])

    def test_other_traffic_meanwhile(self):
        session = self.serve()
        session.send(FIND).server(FIND).put(FOUND).server(own(1, *ANSWERS[0][:2]))
        session.done(call(4, 'find_customer', {}), result(4, 'cust_8'))
        session.fence()
        session.put(result('stretto-1', 'x')).host(extended(FOUND, (*ANSWERS[0][:2], 'x', False)))
        session.finish(err=[self.serving()])

    def test_a_call_that_is_pending(self):
        session = self.serve()
        pending = call(5, 'get_order', {'order_id': 'o-1'})
        session.send(FIND, pending).server(FIND, pending).put(FOUND)
        self.look_up(session, 1)
        session.host(extended(FOUND, ANSWERS[0]))
        session.finish(err=[self.serving()])
        self.assertEqual(self.flow_log()[1]['reason'],
                         'get_order: nothing left to pass as `order_id`')

    def test_the_agent_has_spoken(self):
        """Chapter 12 §6, the ninth."""
        session = self.serve('--context', 'C')
        session.send(FIND).server(FIND)
        self.say(said('assistant', 'One moment.'))
        session.put(FOUND).host(FOUND)
        log = session.finish(err=[self.serving()])
        self.assertEqual(log.senders(), ['client', 'server', 'context'])
        self.assertEqual(self.flow_log(), [
            handed_back(0, None, 'the last step is not a tool call'), NOTHING])

    @rows(('0', '0', 'hand_back', 0.8, None), ('3', '3', 'lookup', 0.2, True))
    def test_exploration_with_seed(self, seed, action, propensity, explored):
        """§15.2."""
        session = self.serve('--task-id', 'task-1', '--flow-threshold', '0.95', '--flow-explore',
                             '0.2', '--flow-explore-seed', seed, '--flow-per-call', '1')
        session.send(FIND).server(FIND).put(FOUND)
        if explored:
            self.look_up(session, 1)
        session.host(extended(FOUND, ANSWERS[0]) if explored else FOUND)
        session.finish(err=[self.serving()])
        decision = self.flow_log()[0]
        self.assertEqual(decision['action'], action)
        policy = decision['policy']
        self.assertEqual((policy['explored'], policy['greedy'], policy['propensity']),
                         (bool(explored), None, propensity))
        self.assertEqual((policy['task_id'], policy['events'], policy['threshold']),
                         ('task-1', 2, 0.95))
        self.assertEqual(policy['options'], [{
            'arguments': {'customer_id': 'cust_7'}, 'binding': 0.9, 'habit': 0.998856881572931,
            'p': PROBS['get_customer'], 'tool': 'get_customer'}])

    def test_with_guards_and_commits(self):
        """A commit has the same numbers, and its answer does not end the flow's run."""
        session = self.serve('--commit')
        session.send(FIND).server(FIND).put(FOUND).server(own(1, *ANSWERS[0][:2]))
        session.send(commit(4, ('t', {}))).server(own(2, 't')).put(result('stretto-2', 'T'))
        session.host(result(4, 't {}:\nT'))
        session.put(result('stretto-1', 'x')).host(extended(FOUND, (*ANSWERS[0][:2], 'x', False)))
        session.finish(err=[self.serving()])


class Ends(FlowCase):
    """§13 and ruling R4."""

    def at_second(self, **kw):
        """A session whose second lookup waits."""
        session = self.serve(**kw)
        session.send(FIND).server(FIND).put(FOUND)
        self.look_up(session, 1)
        session.server(own(2, *ANSWERS[1][:2]))
        return session

    def no_run(self, n=2):
        self.assertEqual(self.flow_log(), [looked_up(0), looked_up(1)][:n])

    def test_the_servers_output(self):
        session = self.at_second()
        session.hang_up()
        session.host(extended(FOUND, ANSWERS[0]))
        log = session.ended(err=[self.serving()])
        self.assertEqual(log.senders(), ['client', 'server', 'proxy', 'server', 'proxy', 'proxy'])
        self.no_run()

    def test_the_host_closes_its_end(self):
        session = self.serve()
        session.send(FIND).server(FIND).put(FOUND).server(own(1, *ANSWERS[0][:2]))
        session.process.close_stdin()
        session.inward.wait(lambda data, ended: ended)
        session.put(result('stretto-1', ANSWERS[0][2]))
        session.host(extended(FOUND, ANSWERS[0]))
        session.finish(err=[self.serving()])
        self.no_run()

    @rows(('TERM', signal.SIGTERM), ('HUP', signal.SIGHUP))
    def test_a_signal(self, number):
        session = self.at_second()
        os.kill(session.pid, number)
        session.host(FOUND)
        session.inward.wait(lambda data, ended: ended)
        session.hang_up()
        session.ended(-number, err=[self.serving()])
        self.no_run()


class Log(FlowCase):
    """§11: where the flow's log is."""

    def one_run(self, *options, err=(), **kw):
        session = self.serve('--flow-shadow', *options, log=None, **kw)
        session.done(FIND, FOUND)
        session.finish(err=[self.serving(more=', in shadow'), *err])

    wanted = [looked_up(0, shadow=True), NOTHING]

    def test_beside_the_session_log(self):
        self.one_run()
        path = self.logs()[0][:-len('.jsonl')] + '.flow.jsonl'
        self.assertEqual(flows.read_log(self, path), self.wanted)
        self.assertEqual(harness.mode_of(path), 0o600)
        self.assertEqual(len(os.listdir(self.path('L'))), 2)

    def test_where_it_is_asked_for(self):
        """Sessions append to it, and it has its mode whatever the umask."""
        for _ in range(3):
            self.one_run('--flow-log', 'f.jsonl', record=None, umask=0o022)
        self.assertEqual(self.flow_log(), self.wanted * 3)
        self.assertEqual(harness.mode_of(self.path('f.jsonl')), 0o600)

    def test_below_home(self):
        self.one_run('--flow-log', '~/h.jsonl', record=None)
        self.assertEqual(self.flow_log('h.jsonl'), self.wanted)

    def test_instead_of_the_one_beside(self):
        self.one_run('--flow-log', 'f.jsonl')
        self.assertEqual(self.flow_log(), self.wanted)
        self.assertEqual(len(os.listdir(self.path('L'))), 1)

    def test_none(self):
        self.one_run(record=None)
        self.assertEqual([name for name in os.listdir(self.tmp) if 'jsonl' in name], [])

    def test_empty_when_nothing_was_decided(self):
        self.run_proxy('--record', 'L', '--flow', self.put_flow(), '--flow-log', 'f.jsonl', '--',
                       'cat', input=b'x\n', out=b'x\n', err=None)
        self.assertEqual(self.flow_log(), [])

    def test_none_without_a_flow(self):
        self.run_proxy('--commit', '--flow-log', 'f.jsonl', '--', 'cat', out=b'')
        self.assertFalse(os.path.exists(self.path('f.jsonl')))

    @rows(('no folder', 'no/f.jsonl'), ('a folder', '.'))
    def test_one_that_cannot_be_opened(self, path):
        """One line on stderr, whose place is free, and the session goes on."""
        session = self.serve('--flow-log', path, log=None)
        session.send(FIND).server(FIND).put(FOUND)
        self.look_up(session, 2)
        session.host(extended(FOUND, *ANSWERS))
        session.finish(err=None)
        lines = session.process.err().decode().splitlines()
        self.assertEqual(len(lines), 3, lines)
        self.assertEqual(sum(path in line for line in lines), 1 if path != '.' else 3)
        self.assertFalse(os.path.exists(self.path('no')))

    def test_one_that_cannot_be_written(self):
        session = self.serve('--flow-log', '/dev/full', log=None)
        session.send(FIND).server(FIND).put(FOUND)
        self.look_up(session, 2)
        session.host(extended(FOUND, *ANSWERS))
        session.finish(err=[self.serving()])

    def test_written_whole_as_it_happens(self):
        session = self.serve()
        session.send(FIND).server(FIND).put(FOUND).server(own(1, *ANSWERS[0][:2]))
        self.until(lambda: self.read('f.jsonl').endswith(b'}\n'), 'the first decision')
        self.assertEqual(self.flow_log(), [looked_up(0)])
        os.kill(session.pid, signal.SIGKILL)
        session.process.wait()


class Arbiter(FlowCase):
    """§8.3, chapter 31 §6."""

    def ask(self, *options, kw=None):
        return self.serve('--flow-decider', 'arbiter', *options, value=flows.flow(arbiter=True),
                          **(kw or {}))

    def test_the_stand_in(self):
        session = self.ask('--oracle', 'mock')
        session.send(FIND).server(FIND).put(FOUND)
        self.look_up(session, 2)
        session.host(extended(FOUND, *ANSWERS))
        session.finish(err=[self.serving('arbiter')])
        first, second, last, run = self.flow_log()
        for decision, tool in ((first, 'get_customer'), (second, 'get_order')):
            self.assertEqual((decision['action'], decision['tool']), ('lookup', tool))
            self.assertRegex(decision['key'], '^[0-9a-f]{64}$')
            self.assertEqual(decision['oracle'], {tool: 0.6, 'respond': 0.4})
        self.assertNotEqual(first['key'], second['key'])
        # Where nothing followed in training, nobody is asked.
        self.assertEqual(last, handed_back(2, SITES[2]))
        self.assertEqual(run['run'], ALL[-1]['run'])

    def test_questions_are_counted(self):
        session = self.ask('--oracle', 'mock', '--flow-questions', '1')
        session.send(FIND).server(FIND).put(FOUND)
        self.look_up(session, 1)
        session.host(extended(FOUND, ANSWERS[0]))
        session.done({**FIND, 'id': 4}, {**FOUND, 'id': 4})
        session.finish(err=[self.serving('arbiter')])
        self.assertEqual(len(self.flow_log()), 2)

    def test_no_cached_answer(self):
        session = self.ask('--oracle', 'replay', '--oracle-cache', 'none')
        session.send(FIND).server(FIND).put(FOUND).host(FOUND)
        session.finish(err=None)
        decision, run = self.flow_log()
        self.assertRegex(decision['reason'], '^the System-One model failed: ')
        self.assertRegex(decision['key'], '^[0-9a-f]{64}$')
        self.assertEqual(run, NOTHING)
        self.assertFalse(os.path.exists(self.path('none')))


class Demo(FlowCase):
    """In front of the demo's retail world: §7's example."""

    def check(self, send, answer_of):
        send(call(1, 'find_user_id_by_email', {'email': 'c7@example.com'}))
        texts = [item['text'] for item in answer_of(1)['result']['content']]
        self.assertEqual(texts, ['user_7', HEAD + '''

get_user_details {"user_id":"user_7"}:
{"user_id":"user_7","orders":["#W7a","#W7b"],"email":"c7@example.com","payment_methods":''' + '''\
{"credit_card_7":{"source":"credit_card"}}}

get_order_details {"order_id":"#W7a"}:
{"order_id":"#W7a","user_id":"user_7","status":"pending","items":[{"item_id":"1",''' + '''\
"product_id":"p1","name":"Desk lamp"}],"payment_history":[{"payment_method_id":"credit_card_7"}]}\
'''])

    def options(self):
        return ['--flow', self.put_flow(flows.flow(flows.RETAIL)), '--flow-log', 'f.jsonl',
                '--commit']

    def test_as_a_child(self):
        process = self.proxy('--record', 'L', *self.options(), '--', *self.retail())

        def answer_of(id):
            self.until(lambda: b'"id":%d,' % id in process.out() and process.out()[-1:] == b'\n',
                       'the answer')
            return next(value for value in map(json.loads, process.out().splitlines())
                        if value['id'] == id)

        process.send(active.line_of(request(0, 'tools/list')))
        self.assertEqual(len(answer_of(0)['result']['tools']), 5)
        self.check(lambda message: process.send(active.line_of(message)), answer_of)
        process.finish(err=None)
        self.assertEqual(self.log().senders(), ['client', 'server', 'proxy', 'client', 'server',
                                                'proxy', 'server', 'proxy', 'server', 'proxy'])
        self.assertEqual(len(self.flow_log()), 4)


class Upstream(http_server.UpstreamCase, Demo):
    """The same over HTTP."""

    test_as_a_child = None

    def test_the_demo(self):
        demo = self.start([harness.DEMO, '--http', '127.0.0.1:0', '--world', 'retail'])
        demo.stdout.wait(lambda data, ended: b'\n' in data or ended)
        session = http_server.Session(self, demo.out().decode().strip(), *self.options())
        session.open()
        self.check(session.send, session.answer)
        session.process.close_stdin()
        self.assertEqual(session.process.wait(), 0)
        self.assertEqual(len(flows.read_log(self, self.path('f.jsonl'))), 4)

    def test_a_lookup_that_gets_no_answer(self):
        """The error that the proxy makes up is the lookup's answer."""
        server = self.serve()
        server.on('tools/call', lambda x: x.json({**FOUND, 'id': x.message['id']}),
                  lambda x: x.reply(202))
        self.put_flow()
        session = http_server.Session(self, server.url(), '--flow', 'desk.flow.json',
                                      '--flow-log', 'f.jsonl')
        session.open()
        session.send(FIND)
        error = 'stretto-proxy: the server gave no answer'
        self.assertEqual(session.answer(3), extended(FOUND, (*ANSWERS[0][:2], error, True)))
        session.process.close_stdin()
        self.assertEqual(session.process.wait(), 0)


if __name__ == '__main__':
    harness.main()
