#!/usr/bin/env python3
"""The confirmation judge in a session: chapter 32 §§1 to 6, chapter 31 §§3 to 6; rulings R3 to R6,
R9."""

import json
import os
import re
import signal

import active
import flows
import harness
import http_server
from active import (ActiveCase, Lines, call, commit, line_of, notification, own, refusal,
                    refused_line, request, result, said)
from harness import mode_of, recording, rows
from sessions import canonical

NO_KEY = {'TYPESAFE_API_KEY': None, 'TYPESAFE_API_KEY_FILE': None, 'TYPESAFE_DEFAULT_MODEL': None,
          'TYPESAFE_BASE_URL': None}
RETAIL = ['--guards', '--domain', 'retail', '--context', 'C']
AIRLINE = ['--guards', '--domain', 'airline', '--context', 'C']
ENFORCE = [*RETAIL, '--confirm-judge', 'enforce']
LOG = [*RETAIL, '--confirm-judge', 'log']
REPLAY = ['--oracle', 'replay', '--oracle-cache', 'cache']

# §3: the keys of the worked session's questions.
FIRST = '22517a8287113a5be8380c7758143416f1615c72a10b7eb2606879820190ecd1'
PROPOSED = 'dd872ac4e003dac2841fe27ba891e40e3f1c30b45ed5eeb4ac5db358d193690b'
DESCRIBED = '4100958d3768c055e950736cb2fa474b8fec3ab8a4c46bb2e1e6f7d214c7f275'
SECOND = 'e68845308a92d885a46bd77ed0832b6b7ed82e015110f26848483697c1a2f06d'
THIRD = '74d18862204ee0b23d6e54e7e8e6f23a99697f8933aed9de9f634e3a4315bdd4'
NOTHING_SAID = 'aaa08b74bab630f9f8d222e99c1fb949eded94e84c84fac7ac1a88e3c39146e3'
CACHED = {FIRST: 0.92, SECOND: 0.15}
MISSING = 'no cached answer for request ' + THIRD

# §3: the example of canonical bytes.
ASKED = (
    b'{"model":"jev-latest","state":{"agent_said_last":"I can cancel order #W7a because you no '
    b'longer need it. Shall I go ahead?","call_about_to_be_made":{"arguments":{"order_id":"#W7a",'
    b'"reason":"no longer needed"},"tool":"cancel_pending_order"},"customer_replied":"Yes, please '
    b'go ahead."},"questions":{"confirmed":{"type":"noul","instructions":"A customer-service agent '
    b'wants to make the change given in call_about_to_be_made. Before such a change it must tell '
    b'the customer what it will do and hear a clear yes. Read customer_replied as the answer to '
    b'agent_said_last: does the customer clearly agree to this change?","criteria":{"true":"The '
    b'customer accepts this very change, as the agent had set it out: a plain yes, or words to '
    b'that effect.","false":"Anything else: the customer asks something, supplies details, turns the '
    b'change down or accepts another one, or the agent had not set this change out."}}}}')

# §5: the worked session's log.
WORKED = [
    '{"arguments":{"order_id":"#W7a","reason":"no longer needed"},"enforced":true,"fails":false,'
    '"key":"' + FIRST + '","ms":0,"p_yes":0.92,"proposal_check":[],"tool":"cancel_pending_order",'
    '"unknown":false,"word_list":true}\n',
    '{"arguments":{"order_id":"#W7b","reason":"no longer needed"},"enforced":true,"fails":true,'
    '"key":"' + SECOND + '","ms":0,"p_yes":0.15,"proposal_check":[],"tool":"cancel_pending_order",'
    '"unknown":false,"word_list":false}\n',
    '{"arguments":{"order_id":"#W7b","reason":"no longer needed"},"enforced":true,"error":"' +
    MISSING + '","fails":false,"key":"' + THIRD + '","ms":0,"proposal_check":[],"tool":'
    '"cancel_pending_order","unknown":true,"word_list":true}\n']
WITH_SECOND = (
    '{"arguments":{"order_id":"#W7a","reason":"no longer needed"},"enforced":true,"fails":false,'
    '"key":"' + FIRST + '","ms":0,"p_second":0.1,"p_yes":0.92,"proposal_check":[],"second_key":"' +
    PROPOSED + '","second_shadow":true,"tool":"cancel_pending_order","unknown":false,'
    '"word_list":true}\n')


def reasons(fails):
    return ('the customer has not explicitly agreed to this exact change (confirmation judge: %s); '
            'describe the change and ask the customer to confirm it first' % fails)


def cannot(error):
    """What stderr says of a question without an answer, as a pattern."""
    return re.escape(('the confirmation judge cannot answer: ' + error).encode())


def response(p, id='confirmed', model='jev-1.13.0'):
    return {'model': model, 'answers': {id: {'type': 'noul', 'noul': p}},
            'usage': {'input_tokens': 296, 'output_tokens': 20}}


def book(id, n, **more):
    """A write that the airline's guards let pass without knowing anything of the session."""
    return call(id, 'book_reservation', {'n': n}, **more)


class Shop:
    """The demo's retail world behind a proxy, and an agent that talks and calls."""

    def __init__(self, case, *options, record='L', **kw):
        self.case = case
        recording = ['--record', record] if record else []
        self.process = case.proxy(*recording, *options, '--', *case.retail(), **kw)
        self.lines = Lines(case, self.process.stdout, 'the host')
        self.id = 0

    def call(self, tool, **arguments):
        """The line that answers a call of the agent."""
        self.id += 1
        self.process.send(line_of(call(self.id, tool, arguments)))
        return self.lines.next()

    def cancel(self, order):
        return self.call('cancel_pending_order', order_id=order, reason='no longer needed')

    def begin(self):
        """The customer asks for two cancellations; the agent finds the customer and the orders."""
        self.case.say(said('user', "I'm c7@example.com, cancel #W7a and #W7b, I need neither."))
        self.call('find_user_id_by_email', email='c7@example.com')
        self.call('get_order_details', order_id='#W7a')
        self.call('get_order_details', order_id='#W7b')
        return self

    def first(self):
        self.case.say(said('assistant', 'I can cancel order #W7a because you no longer need it. '
                                        'Shall I go ahead?'),
                      said('user', 'Yes, please go ahead.'))
        return self.cancel('#W7a')

    def second(self):
        self.case.say(said('assistant', 'Done: #W7a is cancelled. Anything else?'),
                      said('user', 'Also cancel #W7b.'))
        return self.cancel('#W7b')

    def third(self):
        self.case.say(said('assistant', 'Shall I cancel order #W7b because you no longer need it?'),
                      said('user', 'Yes, cancel it.'))
        return self.cancel('#W7b')

    def finish(self, *err, code=0):
        """Ends the session; stderr has these lines, patterns, behind what it says of the log."""
        more = b''.join(b'stretto-proxy: ' + one + b'\n' for one in err)
        self.process.finish(code, None, recording('L', more))
        self.case.assertEqual(self.lines.rest(), b'')


class Judged(ActiveCase):
    def env(self, **changes):
        return self.environment(**{**NO_KEY, **changes})

    def merged(self, env, changes):
        """An environment with some variables changed; None unsets one."""
        return {name: value for name, value in {**env, **changes}.items() if value is not None}

    def shop(self, *options, env=None, **kw):
        return Shop(self, *options, env=env or self.env(), **kw).begin()

    def answer(self, answers, cache='cache', id='confirmed'):
        """Puts answers into a cache: key to probability."""
        process = self.stretto('import-answers', '--oracle-cache', cache, stdin='pipe')
        process.send(b''.join(line_of({'key': key, 'response': response(p, id)})
                              for key, p in answers.items()))
        process.finish(0, None, None)

    def confirm_path(self, folder='L'):
        """The confirmation log beside the session log."""
        return self.logs(folder)[0][:-len('.jsonl')] + '.confirm.jsonl'

    def judgments(self, path=None):
        """The confirmation log, with 0 for the milliseconds that each took."""
        with open(path or self.confirm_path(), encoding='utf-8') as f:
            text = f.read()
        for line in text.splitlines():
            self.assertEqual(canonical(json.loads(line)), line)
            self.assertIsInstance(json.loads(line)['ms'], int)
        return re.sub(r'"ms":[0-9]+,', '"ms":0,', text)

    def values(self, path=None):
        return [json.loads(line) for line in self.judgments(path).splitlines()]

    def service(self, *handlers):
        """A service, and the environment to ask it; the last handler answers from then on."""
        service = http_server.Server()
        self.addCleanup(service.stop)
        self.addCleanup(lambda: self.assertEqual(service.failures, []))
        service.on('*', *(handlers or [says(0.9)]))
        return service, self.env(TYPESAFE_API_KEY='sesame-key', no_proxy='*',
                                 TYPESAFE_BASE_URL=service.url(''))

    def export(self, cache='cache'):
        """The answers of a cache by their keys."""
        text = self.run_stretto('export-answers', '--oracle-cache', cache).out
        return {value['key']: value['response'] for value in map(json.loads, text.splitlines())}


def says(p):
    """A service that says the same of everything."""
    def handler(x):
        id, = x.message['questions']
        x.json(response(p, id))
    return handler


def stalls(name, p):
    """The same once the test has released the name."""
    def handler(x):
        x.wait_for(name)
        says(p)(x)
    return handler


class Worked(Judged):
    """§5."""

    def play(self, *options):
        shop = self.shop(*options)
        return shop, [shop.first(), shop.second(), shop.third()]

    def test_enforced(self):
        self.answer(CACHED)
        shop, (first, second, third) = self.play(*ENFORCE, *REPLAY)
        self.assertIn(b'"isError":false', first)
        self.same(second, line_of(refusal(5, 'cancel_pending_order', reasons('p_yes 0.15'))),
                  'the refusal')
        self.assertIn(b'"isError":false', third)
        shop.finish(refused_line('cancel_pending_order', reasons('p_yes 0.15')), cannot(MISSING))
        self.same(self.judgments(), ''.join(WORKED), 'the confirmation log')
        self.assertEqual(mode_of(self.confirm_path()), 0o600)
        sent = [json.loads(line)['id'] for line in self.read('to-server').splitlines()]
        self.assertEqual(sent, [1, 2, 3, 4, 6])
        log = self.log()
        self.assertEqual(log.senders(), ['context', *['client', 'server'] * 3,
                                         'context', 'context', 'client', 'server',
                                         'context', 'context', 'client', 'proxy',
                                         'context', 'context', 'client', 'server'])
        log.same('proxy', [second])
        # Nothing is written into a cache that is only replayed.
        self.assertEqual(sorted(self.export()), sorted(CACHED))

    def test_logged(self):
        self.answer(CACHED)
        shop, (_, second, third) = self.play(*LOG, *REPLAY)
        self.assertIn(b'"isError":false', second)
        self.assertIn(b'policy check retail.pending', third)
        shop.finish(refused_line('cancel_pending_order',
                                 "the order's status is cancelled, not pending "
                                 '(policy check retail.pending)'))
        self.same(self.judgments(), ''.join(WORKED[:2]).replace('"enforced":true',
                                                                '"enforced":false'), 'the log')

    def first(self, *options, cached=None, **kw):
        """The first write alone, and its answer."""
        self.answer(cached or CACHED)
        self.answer({PROPOSED: 0.1}, id='proposed')
        self.answer({DESCRIBED: 0.1}, id='described')
        shop = self.shop(*ENFORCE, *REPLAY, *options, **kw)
        return shop, shop.first()

    def test_with_a_second_question_in_shadow(self):
        shop, answer = self.first('--confirm-second', 'proposed', '--confirm-second-shadow')
        self.assertIn(b'"isError":false', answer)
        shop.finish()
        self.same(self.judgments(), WITH_SECOND, 'the log')

    @rows(('proposed', 'proposed', PROPOSED), ('described', 'described', DESCRIBED))
    def test_with_a_second_question(self, kind, key):
        shop, answer = self.first('--confirm-second', kind)
        self.same(answer, line_of(refusal(4, 'cancel_pending_order', reasons('p_second 0.10'))),
                  'the refusal')
        shop.finish(refused_line('cancel_pending_order', reasons('p_second 0.10')))
        self.same(self.judgments(), WITH_SECOND.replace(PROPOSED, key)
                  .replace(',"second_shadow":true', '').replace('"fails":false', '"fails":true'),
                  'the log')

    def test_both_fail(self):
        shop, answer = self.first('--confirm-second', 'proposed', cached={FIRST: 0.149})
        both = reasons('p_yes 0.15, p_second 0.10')
        self.same(answer, line_of(refusal(4, 'cancel_pending_order', both)), 'the refusal')
        shop.finish(refused_line('cancel_pending_order', both))

    def test_with_one_question_a_session(self):
        shop, answer = self.first('--confirm-second', 'proposed', '--confirm-questions', '1')
        self.assertIn(b'"isError":false', answer)
        self.assertIn(b'"isError":false', shop.second())
        shop.finish()
        first, second = self.values()
        self.assertEqual(first, {**json.loads(WITH_SECOND.replace('"second_shadow":true,', '')
                                              .replace('"p_second":0.1,', '')),
                                 'skipped': 'question budget spent', 'unknown': True})
        self.assertEqual((second['key'], second['skipped'], second['unknown']),
                         (SECOND, 'question budget spent', True))
        self.assertNotIn('second_key', second)
        self.assertNotIn('p_yes', second)

    @rows(('at its threshold', [], True), ('below', ['--confirm-threshold', '0.6'], False),
          ('below a whole number', ['--confirm-threshold=2'], False),
          ('no number', ['--confirm-threshold', 'nan'], True),
          ('above a negative one', ['--confirm-threshold=-1e3'], True))
    def test_the_stand_in(self, options, passes):
        shop = self.shop(*ENFORCE, '--oracle', 'mock', *options)
        answer = shop.first()
        if passes:
            self.assertIn(b'"isError":false', answer)
            shop.finish()
        else:
            self.assertIn(b'(confirmation judge: p_yes 0.50)', answer)
            shop.finish(refused_line('cancel_pending_order', reasons('p_yes 0.50')))
        logged, = self.values()
        self.assertEqual((logged['key'], logged['p_yes']), (FIRST, 0.5))
        self.assertIs(logged['fails'], not passes)
        self.assertFalse(os.path.exists(self.path('.stretto')))

    def test_nothing_was_said(self):
        shop = Shop(self, *ENFORCE, *REPLAY, env=self.env())
        shop.call('find_user_id_by_email', email='c7@example.com')
        shop.call('get_order_details', order_id='#W7a')
        self.assertIn(b'"isError":false', shop.cancel('#W7a'))
        shop.finish(cannot('no cached answer for request ' + NOTHING_SAID))
        self.assertEqual(self.values()[0]['key'], NOTHING_SAID)

    def test_in_a_commit(self):
        self.answer(CACHED)
        shop = self.shop(*ENFORCE, *REPLAY, '--commit')
        self.say(said('assistant', 'I can cancel order #W7a because you no longer need it. Shall I '
                                   'go ahead?'), said('user', 'Yes, please go ahead.'))
        cancels = [('cancel_pending_order', {'order_id': order, 'reason': 'no longer needed'})
                   for order in ('#W7a', '#W7b')]
        shop.process.send(line_of(commit(9, cancels[0], ('get_order_details',
                                                         {'order_id': '#W7a'}))))
        report = json.loads(shop.lines.next())['result']
        self.assertIs(report['isError'], False)
        self.say(said('assistant', 'Done: #W7a is cancelled. Anything else?'),
                 said('user', 'Also cancel #W7b.'))
        shop.process.send(line_of(commit(10, cancels[1], ('get_order_details',
                                                          {'order_id': '#W7b'}))))
        self.assertEqual(json.loads(shop.lines.next())['result'], {'isError': True, 'content': [{
            'type': 'text', 'text':
                'cancel_pending_order {"order_id":"#W7b","reason":"no longer needed"} was refused '
                'by the policy check: ' + reasons('p_yes 0.15') +
                '\n\nget_order_details {"order_id":"#W7b"} was not run'}]})
        shop.finish()
        self.same(self.judgments(), ''.join(WORKED[:2]), 'the log')


class Usage(Judged):
    """§1."""

    @rows(('another judge', ['--confirm-judge', 'on']),
          ('no judge named', ['--confirm-judge']),
          ('an empty one', ['--confirm-judge=']),
          ('another second question', ['--confirm-judge', 'log', '--confirm-second', 'confirmed']),
          ('a threshold that is no number', ['--confirm-judge', 'log', '--confirm-threshold', 'p']),
          ('no threshold', ['--confirm-judge', 'log', '--confirm-threshold=']),
          ('fewer than no questions', ['--confirm-judge', 'log', '--confirm-questions=-1']),
          ('half a question', ['--confirm-judge', 'log', '--confirm-questions', '0.5']),
          ('an empty log', ['--confirm-judge', 'log', '--confirm-log=']),
          ('a shadow of nothing', ['--confirm-judge', 'log', '--confirm-second-shadow']),
          ('a shadow with a value', ['--confirm-judge', 'log', '--confirm-second', 'proposed',
                                     '--confirm-second-shadow=yes']),
          ('an unknown oracle', ['--confirm-judge', 'log', '--oracle', 'coin']))
    def test_bad(self, options):
        self.run_proxy('--record', 'L', *RETAIL, *options, '--', *self.server("note('started')"),
                       code=2, out=b'', err=re.compile(b'.+', re.DOTALL))
        self.assertIsNone(self.noted('started'))
        self.assertFalse(os.path.exists(self.path('L')))

    @rows(('guards', ['--context', 'C', '--confirm-judge', 'log'], '--guards'),
          ('context', ['--guards', '--domain', 'retail', '--confirm-judge', 'log'], '--context'),
          ('judge of a second', [*RETAIL, '--confirm-second', 'proposed'], '--confirm-judge'),
          ('judge of a shadow', [*RETAIL, '--confirm-second', 'proposed',
                                 '--confirm-second-shadow'], '--confirm-judge'),
          ('judge of a threshold', [*RETAIL, '--confirm-threshold', '0.5'], '--confirm-judge'),
          ('judge of questions', [*RETAIL, '--confirm-questions', '1'], '--confirm-judge'),
          ('judge of a log', [*RETAIL, '--confirm-log', 'l'], '--confirm-judge'))
    def test_missing(self, options, named):
        got = self.run_proxy(*options, '--', *self.server("note('started')"), code=2, out=b'',
                             err=None)
        self.assertIn(named.encode(), got.err)
        self.assertIsNone(self.noted('started'))

    @rows(('no such domain', ['--guards', '--domain', 'desk', '--context', 'C'],
           b'no guards for desk'),
          ('no domain', ['--guards', '--context', 'C'], b'--guards needs --domain [^\n]*'))
    def test_the_guards_come_first(self, options, err):
        self.run_proxy('--record', 'L', *options, '--confirm-judge', 'log', '--', 'cat', code=125,
                       out=b'', err=re.compile(b'stretto-proxy: ' + err + b'\n'), env=self.env())
        self.assertFalse(os.path.exists(self.path('L')))

    @rows(('the base', {'TYPESAFE_BASE_URL': 'ftp://h'}),
          ('the trust store', {'SSL_CERT_FILE': '/no/such/file'}))
    def test_a_setting_of_no_use(self, changes):
        self.run_proxy('--record', 'L', *ENFORCE, '--', *self.server("note('started')"), code=125,
                       out=b'', err=re.compile(b'stretto-proxy: [^\n]+\n'),
                       env=self.env(TYPESAFE_API_KEY='sesame-key', **changes))
        self.assertIsNone(self.noted('started'))
        self.assertFalse(os.path.exists(self.path('L')))


class Key(Judged):
    """Ruling R9, chapter 31 §4."""

    NOTICE = rb'no TypeSafe key: the confirmation judge has only its cache'
    NEEDS_KEY = 'no TypeSafe key: set TYPESAFE_API_KEY or TYPESAFE_API_KEY_FILE'

    @rows(('none', {}), ('an empty one', {'TYPESAFE_API_KEY': ''}),
          ('an empty file name', {'TYPESAFE_API_KEY_FILE': ''}))
    def test_none(self, changes):
        self.answer({SECOND: 0.15}, cache='.stretto/oracle-cache')
        service, env = self.service()
        shop = self.shop(*ENFORCE, env=self.merged(env, {'TYPESAFE_API_KEY': None, **changes}))
        self.assertIn(b'"isError":false', shop.first())
        self.assertIn(b'(confirmation judge: p_yes 0.15)', shop.second())
        shop.finish(self.NOTICE, cannot(self.NEEDS_KEY),
                    refused_line('cancel_pending_order', reasons('p_yes 0.15')))
        self.assertEqual([value.get('error') for value in self.values()], [self.NEEDS_KEY, None])
        self.assertEqual(service.got(), [])

    @rows(('missing', None), ('empty', b' \n\t'), ('with a control character', b'a\x01b'))
    def test_a_file_of_no_use(self, data):
        if data is not None:
            self.write('key', data)
        shop = self.shop(*ENFORCE, env=self.env(TYPESAFE_API_KEY_FILE='key'))
        self.assertIn(b'"isError":false', shop.first())
        shop.finish(self.NOTICE + rb'[^\n]*', cannot('') + rb'[^\n]*key[^\n]*')
        self.assertIn('key', self.values()[0]['error'])

    @rows(('the variable', {'TYPESAFE_API_KEY': 'sesame-a'}, 'sesame-a'),
          ('the variable before a file', {'TYPESAFE_API_KEY': 'sesame-a',
                                          'TYPESAFE_API_KEY_FILE': 'key'}, 'sesame-a'),
          ('a file', {'TYPESAFE_API_KEY': None, 'TYPESAFE_API_KEY_FILE': 'key'}, 'sesame-b'),
          ('an empty variable', {'TYPESAFE_API_KEY': '', 'TYPESAFE_API_KEY_FILE': 'key'},
           'sesame-b'))
    def test_from(self, changes, key):
        self.write('key', b' sesame-b\n')
        service, env = self.service()
        shop = self.shop(*ENFORCE, env=self.merged(env, changes))
        self.assertIn(b'"isError":false', shop.first())
        shop.finish()
        asked, = service.got()
        self.assertEqual(asked.line, 'POST /v1/systemone HTTP/1.1')
        self.assertEqual(asked.header('Authorization'), 'Bearer ' + key)
        self.assertEqual(asked.header('Content-Type'), 'application/json')
        self.same(asked.body, ASKED, 'the question')
        self.assertEqual(self.export('.stretto/oracle-cache'), {FIRST: response(0.9)})

    @rows(('the default', None, 'jev-latest'), ('the default for an empty one', '', 'jev-latest'),
          ('another', 'jev-2', 'jev-2'))
    def test_model(self, model, asked):
        service, env = self.service()
        env = self.merged(env, {'TYPESAFE_DEFAULT_MODEL': model})
        shop = self.shop(*ENFORCE, env=env)
        shop.first()
        shop.finish()
        self.assertEqual(service.got()[0].message['model'], asked)
        self.assertEqual(self.values()[0]['key'] == FIRST, asked == 'jev-latest')

    @rows(('replay', REPLAY), ('mock', ['--oracle', 'mock']))
    def test_nobody_who_needs_one(self, options):
        self.answer(CACHED)
        shop = self.shop(*ENFORCE, *options)
        self.assertIn(b'"isError":false', shop.first())
        shop.finish()

    def test_a_flow_that_needs_one(self):
        self.write('f.json', json.dumps(flows.flow(arbiter=True)).encode())
        self.run_proxy('--record', 'L', '--flow', 'f.json', *ENFORCE, '--', 'cat', code=125,
                       out=b'', env=self.env(), err=re.compile(
                           rb'stretto-proxy: [^\n]*TYPESAFE_API_KEY[^\n]*\n'))
        self.assertFalse(os.path.exists(self.path('L')))


class Place(Judged):
    """§5: where the log is."""

    OPTIONS = [*ENFORCE, '--oracle', 'mock']

    def test_named(self):
        self.write('sub/c.jsonl', b'{"before":1}\n', 0o640)
        shop = self.shop(*self.OPTIONS, '--confirm-log', '~/sub/c.jsonl')
        shop.first()
        shop.finish()
        self.assertEqual(len(self.read('sub/c.jsonl').splitlines()), 2)
        self.assertTrue(self.read('sub/c.jsonl').startswith(b'{"before":1}\n{"arguments":'))
        self.assertEqual(mode_of(self.path('sub/c.jsonl')), 0o640)
        self.assertEqual(os.listdir(self.path('L')), [os.path.basename(self.logs()[0])])

    def test_named_without_a_session_log(self):
        shop = Shop(self, *self.OPTIONS, '--confirm-log=c', record=None, env=self.env(),
                    umask=0o177).begin()
        shop.first()
        shop.process.finish()
        self.assertEqual(self.values(self.path('c'))[0]['key'], FIRST)
        self.assertEqual(mode_of(self.path('c')), 0o600)

    def test_beside_a_session_log_without_a_judgment(self):
        shop = self.shop(*self.OPTIONS)
        shop.finish()
        self.assertEqual(self.judgments(), '')
        self.assertEqual(mode_of(self.confirm_path()), 0o600)

    def test_none(self):
        shop = Shop(self, *self.OPTIONS, '--confirm-threshold', '1', record=None,
                    env=self.env()).begin()
        self.assertIn(b'(confirmation judge: p_yes 0.50)', shop.first())
        shop.process.finish(err=None)
        self.assertEqual(sorted(os.listdir(self.tmp)), ['C', 'to-server'])

    def test_none_without_a_judge(self):
        shop = self.shop(*RETAIL)
        shop.first()
        shop.finish()
        self.assertFalse(os.path.exists(self.confirm_path()))

    @rows(('a directory that is missing', 'no/c.jsonl'), ('a directory', 'dir'))
    def test_that_cannot_be_opened(self, path):
        os.mkdir(self.path('dir'))
        shop = self.shop(*self.OPTIONS, '--confirm-log', path)
        self.assertIn(b'"isError":false', shop.first())
        shop.finish(rb'no confirmation log: [^\n]*' + re.escape(path.encode()) + rb'[^\n]*')
        self.assertEqual(os.listdir(self.path('dir')), [])
        self.assertFalse(os.path.exists(self.path('no')))

    def test_that_cannot_be_written(self):
        shop = self.shop(*self.OPTIONS, '--confirm-log', '/dev/full')
        self.assertIn(b'"isError":false', shop.first())
        self.assertIn(b'"isError":false', shop.second())
        shop.process.finish(err=None)
        self.log()

    def test_of_a_session_that_cannot_start(self):
        self.run_proxy('--record', 'L', *self.OPTIONS, '--', '/no/such', code=125, out=b'',
                       err=re.compile(harness.message('starting /no/such')), env=self.env())
        self.assertEqual(os.listdir(self.path('L')), [])

    def test_is_written_before_the_call_goes_on(self):
        """The line is there when the server has the call, however the proxy ends then."""
        session = self.session(*AIRLINE, '--confirm-judge', 'log', '--oracle', 'mock')
        session.send(book(1, 1)).server(book(1, 1))
        self.until(lambda: self.judgments() != '', 'the judgment')
        os.kill(session.pid, signal.SIGKILL)
        session.process.wait()
        self.assertEqual(self.values()[0]['arguments'], {'n': 1})


class Waiting(Judged):
    """§6, ruling R6."""

    def begin(self, *handlers, options=(), **kw):
        """A session whose first write is under judgment."""
        service, env = self.service(*(handlers or [stalls('first', 0.9), stalls('second', 0.1)]))
        session = self.session(*AIRLINE, '--confirm-judge', 'enforce', *options, env=env, **kw)
        return service, session

    def hold(self, service, session, *messages, n=1):
        session.send(*messages)
        service.wait_got('response', n)

    def test_what_goes_on_and_what_waits(self):
        service, session = self.begin(options=['--commit'])
        session.send(call(1, 'get_user_details')).server(call(1, 'get_user_details'))
        self.hold(service, session, book(2, 2))
        ping, note = request('p', 'ping'), notification('notifications/message', data='x')
        session.put(ping).host(ping).put(note).host(note)
        session.put(result(1, 'u1')).host(result(1, 'u1'))
        later = [{'jsonrpc': '2.0', 'id': 'p', 'result': {}}, request(3, 'ping'),
                 notification('notifications/progress'), call(4, 'get_user_details')]
        session.send(*later)
        session.put(note).host(note)
        self.assertEqual(session.server_lines.rest(), b'')
        service.release('first')
        session.server(book(2, 2), *later)
        # The second one is refused; what waits behind it goes on then.
        self.hold(service, session, book(5, 5), n=2)
        session.send(request(6, 'ping'), b'not json\n')
        session.put(note).host(note)
        service.release('second')
        session.host(refusal(5, 'book_reservation', reasons('p_yes 0.10')))
        session.server(request(6, 'ping'))
        session.host({'error': {'code': -32700, 'message': 'Parse error'}, 'id': None,
                      'jsonrpc': '2.0'})
        log = session.finish(err=None)
        self.assertEqual(log.senders(), [
            'client', 'server', 'server', 'server', 'server', *['client'] * 5, 'server',
            'client', 'proxy', 'client', 'client', 'proxy'])
        self.assertEqual([value['fails'] for value in self.values()], [False, True])

    def test_a_batch_around_the_call(self):
        service, session = self.begin()
        parts = [request(1, 'ping'), book(2, 2), request(3, 'ping'), book(4, 4), request(5, 'ping')]
        self.hold(service, session, [*parts])
        session.server(parts[0])
        session.send(request(6, 'ping'))
        service.release('first')
        session.server(*parts[1:3])
        service.wait_got('response', 2)
        session.send(request(7, 'ping'))
        service.release('second')
        session.host(refusal(4, 'book_reservation', reasons('p_yes 0.10')))
        session.server(parts[4], request(6, 'ping'), request(7, 'ping'))
        session.finish(err=None, client=[*parts, request(6, 'ping'), request(7, 'ping')])

    def test_the_host_closes_its_side(self):
        service, session = self.begin()
        self.hold(service, session, book(1, 1), request(2, 'ping'), book(3, 3))
        session.process.close_stdin()
        note = notification('notifications/message')
        session.put(note).host(note)
        self.assertFalse(session.inward.ended)
        service.release('first')
        session.server(book(1, 1), request(2, 'ping'))
        service.wait_got('response', 2)
        session.put(note).host(note)
        self.assertFalse(session.inward.ended)
        self.say(said('user', 'Bye'))
        service.release('second')
        session.host(refusal(3, 'book_reservation', reasons('p_yes 0.10')))
        session.inward.wait(lambda data, ended: ended)
        session.put(result(1, 'x')).host(result(1, 'x'))
        log = session.finish(err=None)
        self.assertIn('context', log.senders())

    def test_the_host_closes_its_side_behind_a_call_without_a_newline(self):
        service, session = self.begin()
        unfinished = line_of(book(1, 1))[:-1]
        session.process.send(unfinished)
        session.process.close_stdin()
        service.wait_got('response')
        note = notification('notifications/message')
        session.put(note).host(note)
        self.assertFalse(session.inward.ended)
        service.release('first')
        self.assertTrue(session.inward.wait(lambda data, ended: ended))
        self.same(session.inward.bytes(), unfinished, 'what the server got')
        session.server_lines.at = len(unfinished)
        session.put(result(1, 'x')).host(result(1, 'x'))
        session.finish(client=[unfinished])

    def test_a_call_without_an_id(self):
        service, session = self.begin()
        silent = notification('tools/call', name='book_reservation', arguments={'n': 1})
        self.hold(service, session, silent)
        service.release('first')
        session.server(silent)
        self.hold(service, session, silent, n=1)
        session.server(silent)
        other = notification('tools/call', name='book_reservation', arguments={'n': 2})
        self.hold(service, session, other, n=2)
        service.release('second')
        session.fence()
        session.finish(err=[refused_line('book_reservation', reasons('p_yes 0.10'))])

    def test_a_commit(self):
        service, session = self.begin(options=['--commit'])
        one = commit(1, ('book_reservation', {'n': 1}), ('get_user_details',))
        two = commit(2, ('book_reservation', {'n': 2}))
        self.hold(service, session, one, two, request(3, 'ping'))
        service.release('first')
        session.server(own(1, 'book_reservation', {'n': 1}))
        service.wait_got('response', 2)
        session.put(result('stretto-1', 'A')).server(own(2, 'get_user_details'))
        session.put(result('stretto-2', 'B'))
        session.host(result(1, 'book_reservation {"n":1}:\nA\n\nget_user_details {}:\nB'))
        service.release('second')
        session.host(result(2, 'book_reservation {"n":2} was refused by the policy check: ' +
                            reasons('p_yes 0.10'), error=True))
        session.server(request(3, 'ping'))
        session.finish(err=None)

    def test_a_signal(self):
        service, env = self.service(stalls('never', 0.9))
        process = self.proxy('--record', 'L', *AIRLINE, '--commit', '--confirm-judge', 'log', '--',
                             *self.server("trap(signal.SIGTERM)\nnote('ready')\n"
                                          "note('got', get_all())"), env=env)
        self.wait_note('ready')
        lines = [book(1, 1), request(2, 'ping'), book(3, 3), commit(4, ('book_reservation', {})),
                 call(5, 'get_user_details')]
        process.send(b''.join(map(line_of, lines)))
        service.wait_got('response')
        os.kill(process.pid, signal.SIGTERM)
        process.finish(-signal.SIGTERM, line_of(
            result(4, 'book_reservation {} was not run', error=True)), None)
        self.same(self.noted('got'), line_of(lines[1]) + line_of(lines[4]), 'what the server got')
        self.log().same('client', lines)
        self.assertEqual(self.judgments(), '')
        self.assertEqual(self.export('.stretto/oracle-cache'), {})

    def test_the_server_ends(self):
        service, session = self.begin(stalls('never', 0.9), options=['--commit'])
        self.hold(service, session, book(1, 1), request(2, 'ping'),
                  commit(3, ('get_user_details',)))
        session.hang_up()
        log = session.ended(err=(), client=[])
        self.assertEqual(log.entries, [])
        self.assertEqual(self.judgments(), '')

    def test_the_server_ends_under_a_commit(self):
        service, session = self.begin(stalls('never', 0.9), options=['--commit'])
        one = commit(1, ('get_user_details',), ('book_reservation', {'n': 1}))
        session.send(one).server(own(1, 'get_user_details')).put(result('stretto-1', 'A'))
        service.wait_got('response')
        session.hang_up()
        session.host(result(1, 'get_user_details {}:\nA\n\nbook_reservation {"n":1} was not run',
                            error=True))
        session.ended()

    def test_many_lines_behind_a_call(self):
        service, session = self.begin()
        lines = [request(n, 'ping', filler='x' * 1000) for n in range(2, 1502)]
        self.hold(service, session, book(1, 1))
        session.process.case.assertLess(sum(len(line_of(line)) for line in lines), 1 << 21)
        os.set_blocking(session.process.stdin, False)
        writer = harness.threading.Thread(target=session.send, args=lines)
        writer.start()
        note = notification('notifications/message')
        session.put(note).host(note)
        service.release('first')
        session.server(book(1, 1), *lines)
        writer.join()
        session.finish(err=None)


class Service(Judged):
    """Chapter 31 §§3 to 6 under the judge."""

    @rows(('a refusal', lambda x: x.reply(400, b'no such model'),
           r'Jev answered 400: no such model'),
          ('no JSON', lambda x: x.reply(200, b'not json'), r"Jev's answer could not be read: .+"))
    def test_an_error(self, handler, error):
        service, env = self.service(handler)
        session = self.session(*AIRLINE, '--confirm-judge', 'enforce', env=env)
        session.send(book(1, 1)).server(book(1, 1))
        session.finish(err=[rb'the confirmation judge cannot answer: ' + error.encode()])
        self.assertRegex(self.values()[0]['error'], '^' + error + '$')
        self.assertEqual(len(service.got()), 1)
        self.assertEqual(self.export('.stretto/oracle-cache'), {})

    @rows(('nothing', {}), ('another question', {'proposed': {'type': 'noul', 'noul': 0.1}}),
          ('a choice', {'confirmed': {'type': 'choice', 'choice': 'a', 'confidence': 1,
                                      'probabilities': {'a': 1}}}))
    def test_an_answer_without(self, answers):
        _, env = self.service(lambda x: x.json({'model': 'jev-1', 'answers': answers}))
        session = self.session(*AIRLINE, '--confirm-judge', 'enforce', env=env)
        session.send(book(1, 1)).server(book(1, 1))
        session.finish()
        self.assertEqual(self.values()[0]['error'], 'no yes/no answer to confirmed')

    def test_a_cached_answer_that_is_cut_off(self):
        self.answer(CACHED)
        path = self.path('cache', FIRST[:2], FIRST + '.json')
        with open(path, 'r+b') as f:
            f.truncate(os.path.getsize(path) // 2)
        service, env = self.service()
        shop = self.shop(*ENFORCE, '--oracle-cache', 'cache', env=env)
        self.assertIn(b'"isError":false', shop.first())
        shop.finish(cannot('') + rb'[^\n]*' + FIRST.encode() + rb'[^\n]*')
        self.assertEqual(service.got(), [])

    def test_asked_once(self):
        service, env = self.service()
        session = self.session(*AIRLINE, '--confirm-judge', 'log', env=env)
        for id in range(1, 4):
            session.send(book(id, 1)).server(book(id, 1))
        session.finish()
        self.assertEqual(len(service.got()), 1)
        self.assertEqual([value['p_yes'] for value in self.values()], [0.9] * 3)
        for folder, names, files in os.walk(self.path('.stretto')):
            self.assertEqual({mode_of(os.path.join(folder, name)) for name in names} |
                             {mode_of(folder)}, {0o700})
            self.assertLessEqual({mode_of(os.path.join(folder, name)) for name in files}, {0o600})

    def test_a_cache_that_cannot_be_written(self):
        self.write('cache')
        _, env = self.service()
        session = self.session(*AIRLINE, '--confirm-judge', 'enforce', '--oracle-cache', 'cache',
                               env=env)
        session.send(book(1, 1)).server(book(1, 1))
        session.finish(err=[cannot('') + rb'[^\n]+'])
        self.assertIs(self.values()[0]['unknown'], True)

    def play(self, *options, **kw):
        """A session with all that the judge does in it."""
        session = self.session(*AIRLINE, '--commit', '--confirm-judge', 'enforce',
                               '--confirm-second', 'proposed', *options, **kw)
        self.say(said('user', 'Book both'), said('assistant', 'Shall I?'))
        session.send(book(1, 1))
        session.server(book(1, 1)).put(result(1, 'done')).host(result(1, 'done'))
        self.say(said('user', 'Yes'))
        session.send(book(2, 2)).host(refusal(2, 'book_reservation', reasons('p_second 0.20')))
        session.send(commit(3, ('book_reservation', {'n': 3})))
        session.server(own(1, 'book_reservation', {'n': 3})).put(result('stretto-1', 'done'))
        session.host(result(3, 'book_reservation {"n":3}:\ndone'))
        session.finish(err=None)

    def test_a_copied_cache_replays_a_session(self):
        def handler(x):
            id, = x.message['questions']
            n = x.message['state']['call_about_to_be_made']['arguments']['n']
            x.json(response(0.2 if (id, n) == ('proposed', 2) else 0.8, id))
        service, env = self.service(handler)
        self.play('--oracle-cache', 'cache', env=env, record='L')
        self.assertEqual(len(service.got()), 6)
        os.rename(self.path('cache'), self.path('elsewhere'))
        os.remove(self.path('C'))
        self.play('--oracle', 'replay', '--oracle-cache', 'elsewhere', env=self.env(), record='M')
        self.assertEqual(len(service.got()), 6)
        self.assertEqual(self.log('M').entries, self.log('L').entries)
        self.same(self.judgments(self.confirm_path('M')), self.judgments(self.confirm_path('L')),
                  'the confirmation log')


class Sharing(Judged):
    """Chapter 31 §3: a cache that is shared, and one whose writer is killed."""

    def calls(self, numbers):
        return b''.join(line_of(book(n, n)) for n in numbers)

    def start_judged(self, env, log, *options):
        return self.proxy(*AIRLINE, '--confirm-judge', 'log', '--confirm-questions', '100000',
                          '--oracle-cache', 'cache', '--confirm-log', log, *options, '--',
                          *self.server("note(sys.argv[1], get_all())", 'to-' + log), env=env)

    def check_cache(self):
        """Everything in the cache can be read, and is what the service said."""
        answers = self.export()
        self.assertLessEqual({canonical(value) for value in answers.values()},
                             {canonical(response(0.9))})
        return answers

    def test_killed_while_it_writes(self):
        n_calls = 400
        service, env = self.service()
        for run in range(5):
            process = self.start_judged(env, 'c%d' % run)
            process.send(self.calls(range(n_calls)), gone_is_fine=True)
            wanted = len(service.got()) + 7 + 11 * run
            service.wait(lambda wanted=wanted: len(service.requests) >= wanted)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            self.assertGreaterEqual(len(self.check_cache()) + run + 1, 7 * (run + 1))
        # The next session takes it from there.
        process = self.start_judged(env, 'last')
        process.send(self.calls(range(n_calls)))
        process.finish()
        self.same(self.read('to-last'), self.calls(range(n_calls)), 'what the server got')
        self.assertEqual(len(self.check_cache()), n_calls)
        self.assertEqual([value['p_yes'] for value in self.values(self.path('last'))],
                         [0.9] * n_calls)

    def test_shared_by_eight(self):
        n_calls = 40
        service, env = self.service()
        orders = [[*range(5 * i, n_calls), *range(5 * i)] for i in range(8)]
        processes = [self.start_judged(env, 'c%d' % i) for i in range(8)]
        for process, order in zip(processes, orders):
            process.send(self.calls(order))
        for i, (process, order) in enumerate(zip(processes, orders)):
            process.finish()
            self.same(self.read('to-c%d' % i), self.calls(order), 'what the server got')
            values = self.values(self.path('c%d' % i))
            self.assertEqual([value['arguments']['n'] for value in values], order)
            self.assertEqual([value['p_yes'] for value in values], [0.9] * n_calls)
        self.assertEqual(len(self.check_cache()), n_calls)
        self.assertIn(len(service.got()), range(n_calls, 8 * n_calls + 1))
        left = [name for _, _, files in os.walk(self.path('cache')) for name in files]
        self.assertEqual({name[64:] for name in left}, {'.json'})


class WithFlow(Judged):
    """A flow with an arbiter and the judge ask one oracle."""

    FIND = call(3, 'find_customer', {'email': 'ana@example.com'})

    def serve(self, *options, **kw):
        self.write('f.json', json.dumps(flows.flow(arbiter=True)).encode())
        return self.session('--flow', 'f.json', '--flow-log', 'f.jsonl', *AIRLINE,
                            '--confirm-judge', 'enforce', *options, **kw)

    def test_both_questions_are_out(self):
        def handler(x):
            if 'confirmed' in x.message['questions']:
                stalls('judge', 0.9)(x)
                return
            x.wait_for('flow')
            x.json({'model': 'jev-1', 'answers': {
                id: {'type': 'noul', 'noul': 0.9} if one['type'] == 'noul' else
                    {'type': 'choice', 'choice': 'get_customer', 'confidence': 1, 'probabilities': {
                        name: float(name == 'get_customer') for name in one['criteria']}}
                for id, one in x.message['questions'].items()}})
        service, env = self.service(handler)
        session = self.serve(env=env)
        found = result(3, 'cust_7')
        session.send(self.FIND).server(self.FIND).put(found)
        service.wait_got('response')
        session.send(book(4, 1), request(5, 'ping'))
        service.wait_got('response', 2)
        note = notification('notifications/message')
        session.put(note).host(note)
        service.release('judge')
        session.server(book(4, 1), request(5, 'ping'))
        service.release('flow')
        session.server(own(1, 'get_customer', {'customer_id': 'cust_7'}))
        session.put(result('stretto-1', 'Customer not found', error=True))
        self.assertEqual(len(session.host_value()['result']['content']), 2)
        session.finish(err=None)
        self.assertEqual([value['p_yes'] for value in self.values()], [0.9])
        decision = json.loads(self.read('f.jsonl').splitlines()[0])
        self.assertEqual(sorted(self.export('.stretto/oracle-cache')),
                         sorted([decision['key'], self.values()[0]['key']]))

    def test_the_flow_waits_for_the_judge_no_longer_than_its_answer(self):
        """The judge's question is out first; the flow's run starts and ends meanwhile."""
        def handler(x):
            if 'confirmed' in x.message['questions']:
                stalls('judge', 0.1)(x)
            else:
                x.reply(400, b'no')
        service, env = self.service(handler)
        session = self.serve(env=env)
        found = result(3, 'cust_7')
        session.send(self.FIND).server(self.FIND)
        session.send(book(4, 1))
        service.wait_got('response')
        session.put(found).host(found)
        service.release('judge')
        session.host(refusal(4, 'book_reservation', reasons('p_yes 0.10')))
        session.finish(err=None)

    @rows(('the stand-in', ['--oracle', 'mock'], True), ('a cache', REPLAY, False))
    def test_of_one_kind(self, options, looks_up):
        session = self.serve(*options, env=self.env())
        session.send(self.FIND).server(self.FIND).put(result(3, 'cust_7'))
        if looks_up:
            session.server(own(1, 'get_customer', {'customer_id': 'cust_7'}))
            session.put(result('stretto-1', 'Customer not found', error=True))
        self.assertEqual(len(session.host_value()['result']['content']), 1 + looks_up)
        session.send(book(4, 1)).server(book(4, 1))
        session.finish(err=None)
        self.assertEqual(len(self.values()), 1)


class Upstream(http_server.UpstreamCase, Judged):
    """In front of a server over HTTP."""

    service = Judged.service

    def test_the_worked_session(self):
        self.answer(CACHED)
        demo = self.start([harness.DEMO, '--http', '127.0.0.1:0', '--world', 'retail'])
        demo.stdout.wait(lambda data, ended: b'\n' in data or ended)
        session = http_server.Session(self, demo.out().decode().strip(), *ENFORCE, *REPLAY)
        session.open()
        ids = iter(range(100, 200))

        def ask(tool, **arguments):
            id = next(ids)
            session.send(call(id, tool, arguments))
            return session.answer(id)['result']

        def cancel(order):
            return ask('cancel_pending_order', order_id=order, reason='no longer needed')

        self.say(said('user', "I'm c7@example.com, cancel #W7a and #W7b, I need neither."))
        ask('find_user_id_by_email', email='c7@example.com')
        ask('get_order_details', order_id='#W7a')
        ask('get_order_details', order_id='#W7b')
        self.say(said('assistant', 'I can cancel order #W7a because you no longer need it. Shall I '
                                   'go ahead?'), said('user', 'Yes, please go ahead.'))
        self.assertIs(cancel('#W7a')['isError'], False)
        self.say(said('assistant', 'Done: #W7a is cancelled. Anything else?'),
                 said('user', 'Also cancel #W7b.'))
        self.assertIs(cancel('#W7b')['isError'], True)
        session.process.close_stdin()
        self.assertEqual(session.process.wait(), 0)
        path, = (os.path.join(folder, name) for folder, _, files in os.walk(self.tmp)
                 for name in files if name.endswith('.confirm.jsonl'))
        self.same(self.judgments(path), ''.join(WORKED[:2]), 'the confirmation log')


if __name__ == '__main__':
    harness.main(programs=(harness.PROXY, harness.DEMO, harness.STRETTO))
