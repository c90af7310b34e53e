#!/usr/bin/env python3
"""stretto confirm: chapter 32 §8; chapter 31 §7; the common rules of chapter 44."""

import hashlib
import json
import os
import re
import tarfile

import harness
import http_server
from harness import Case, mode_of, rows
from test_guards_cmd import FINAL, results

NO_KEY = {'TYPESAFE_API_KEY': None, 'TYPESAFE_API_KEY_FILE': None, 'TYPESAFE_DEFAULT_MODEL': None,
          'TYPESAFE_BASE_URL': None}
KEY = 'key-4711'
ARCHIVE = os.path.join(harness.HERE, '..', 'data', 'airline.tar.xz')
CANCEL = 'cancel_pending_order'

ROW_1 = 'I can cancel order #W7a because you no longer need it. Shall I go ahead?'
ROW_4 = 'Done: #W7a is cancelled. Anything else?'
ROW_5 = 'Shall I cancel order #W7b because you no longer need it?'

# The keys that chapter 32 fixes for what is said in WORKED.
CONFIRMED = ['22517a8287113a5be8380c7758143416f1615c72a10b7eb2606879820190ecd1',
             'e68845308a92d885a46bd77ed0832b6b7ed82e015110f26848483697c1a2f06d',
             '74d18862204ee0b23d6e54e7e8e6f23a99697f8933aed9de9f634e3a4315bdd4']
SECOND = {'proposed': 'dd872ac4e003dac2841fe27ba891e40e3f1c30b45ed5eeb4ac5db358d193690b',
          'described': '4100958d3768c055e950736cb2fa474b8fec3ab8a4c46bb2e1e6f7d214c7f275'}
BYTES = [902, 865, 880]

AUDIT_MEMBERS = ['domain', 'episodes', 'episodes_judge', 'episodes_two', 'episodes_word_list',
                 'groups', 'judge_only', 'second', 'second_only', 'threshold', 'word_list_only']

# Command lines that are wrong: (label, arguments).
MISUSES = [
    ('nothing to read', []),
    ('only a domain', ['--domain', 'retail']),
    ('an unknown option', ['--source', 'r.json', '--second', 'proposed']),
    ('the first question as the second', ['--source', 'r.json', '--second-question', 'confirmed']),
    ('an unknown oracle', ['--source', 'r.json', '--oracle', 'coin']),
    ('a threshold that is a word', ['--source', 'r.json', '--threshold', 'half']),
    ('a threshold that is no number', ['--source', 'r.json', '--threshold', 'nan']),
    ('a threshold without end', ['--source', 'r.json', '--threshold', 'inf']),
    ('a budget below 0', ['--source', 'r.json', '--oracle-budget=-1']),
    ('a budget that is no number', ['--source', 'r.json', '--oracle-budget', 'nan']),
    ('examples below 0', ['--source', 'r.json', '--examples=-1']),
    ('half an example', ['--source', 'r.json', '--examples', '0.5']),
    ('an argument', ['--source', 'r.json', 'r.json']),
    ('--json without a value', ['--source', 'r.json', '--json']),
    ('--out twice', ['--source', 'r.json', '--out', 'a', '--out', 'b']),
]

# What fails: (label, arguments, what the message names).
FAILURES = [
    ('a domain without guards', ['--source', 'r.json', '--domain', 'telecom'],
     ['no guards for telecom']),
    ('a missing source', ['--source', 'r.json', '--source', 'x=gone.json'],
     ['gone.json', 'No such file']),
    ('a source that is none', ['--source', 'bad.json'], ['bad.json']),
    ('no checkout', ['--tau2', 'gone'], ['gone/data/tau2/results/final', 'No such file']),
    ('a checkout without results of a domain', ['--tau2', 'C'], ['airline', FINAL]),
    ('--json cannot be written', ['--source', 'r.json', '--json', 'r.json/a.json'],
     ['r.json/a.json', 'Not a directory']),
    ('--out cannot be written', ['--source', 'r.json', '--out', 'r.json/a.md'],
     ['r.json/a.md', 'Not a directory']),
    ('--oracle-dump cannot be written', ['--source', 'r.json', '--oracle-dump', 'r.json/d'],
     ['r.json/d-retail', 'Not a directory']),
]

# (label, what is given, the file of a domain)
DUMPS = [
    ('an extension', 'dump.jsonl', 'dump-retail.jsonl'),
    ('none', 'dump', 'dump-retail'),
    ('two', 'a.b.jsonl', 'a.b-retail.jsonl'),
    ('a name that begins with a dot', '.dump', '.dump-retail'),
    ('a directory with a dot', './dump', './dump-retail'),
    ('a dot at the end', 'dump.', 'dump-retail.'),
]


def simulation(name, reward, *steps, task='1'):
    """An episode; a step is what the customer says, ('agent', what it says), or a call: (tool,
    arguments, whether it is an error, and perhaps what the agent says with it).
    """
    messages = [{'role': 'assistant', 'content': 'Hi!'}]
    for i, step in enumerate(steps):
        if isinstance(step, str):
            messages.append({'role': 'user', 'content': step})
        elif step[0] == 'agent':
            messages.append({'role': 'assistant', 'content': step[1]})
        else:
            tool, arguments, error, *said = step
            call = {'id': 'c%d' % i, 'name': tool, 'arguments': arguments}
            messages.append({'role': 'assistant', 'content': said[0] if said else None,
                             'tool_calls': [call]})
            messages.append({'role': 'tool', 'id': 'c%d' % i, 'error': error, 'content': 'done'})
    return {'id': name, 'task_id': task, 'trial': 0, 'reward_info': {'reward': reward},
            'messages': messages}


def cancel(order, error=False, *said):
    return (CANCEL, {'reason': 'no longer needed', 'order_id': order}, error, *said)


WORKED = simulation('e1', 1.0,
                    ('get_order_details', {'order_id': '#W7a'}, False),
                    ('agent', ROW_1), 'Yes, please go ahead.', cancel('#W7a', False, 'Doing it.'),
                    ('agent', ROW_4), 'Also cancel #W7b.', cancel('#W7b'),
                    ('agent', ROW_5), 'Yes, cancel it.', cancel('#W7b', True), task='7')
BAGS = simulation('e2', 0.0, 'My "bag",\nplease.',
                  ('send_certificate', {'user_id': 'u1'}, False),
                  ('update_reservation_baggages', {'reservation_id': 'R1'}, False))


def response(kind, p, type='noul'):
    answer = {'type': 'noul', 'noul': p} if type == 'noul' else \
        {'type': 'score', 'score': p, 'probabilities': {}, 'confidence': 1}
    return {'model': 'jev-1', 'answers': {kind: answer}}


def group(writes=0, word_list=0, judge=0, two_questions=0, both=0, unanswered=0):
    return {'both': both, 'judge': judge, 'two_questions': two_questions,
            'unanswered': unanswered, 'word_list': word_list, 'writes': writes}


def notes(*domains):
    """The lines on stderr: (domain, writes, episodes, questions, canonical bytes of each)."""
    text = ''
    for name, writes, episodes, sizes in domains:
        tokens = sum(size // 4 for size in sizes)
        text += 'stretto: %s: %d write%s to judge in %d episode%s\n' % (
            name, writes, '' if writes == 1 else 's', episodes, '' if episodes == 1 else 's')
        text += 'stretto: %d question%s, %.3f million tokens: at most $%.4f\n' % (
            len(sizes), '' if len(sizes) == 1 else 's', tokens / 1e6, tokens / 1e6 * 0.042)
    return text.encode()


class Confirm(Case):

    def setUp(self):
        super().setUp()
        self.write('r.json', results('retail', WORKED))
        self.write('air.json', results('airline', BAGS))
        self.write('bad.json', b'{"simulations":7}')

    def confirm(self, *args, code=0, err=None, env=None, **kw):
        """Runs the command in the test's folder; what it said."""
        return self.run_stretto('confirm', *args, code=code, out=None if code == 0 else b'',
                                err=err, env=self.environment(**{**NO_KEY, **(env or {})}), **kw)

    def answer(self, *lines, cache='cache'):
        """Puts answers into a cache: (key, response)."""
        process = self.stretto('import-answers', '--oracle-cache', cache, stdin='pipe')
        process.send(b''.join(json.dumps({'key': key, 'response': value}).encode() + b'\n'
                              for key, value in lines))
        process.finish(0, b'', None)

    def judged(self, *args, source='r.json', domain='retail', **kw):
        """The JSON of a run on one domain, checked for its form."""
        self.confirm('--source', source, '--domain', domain, '--json', 'a.json', '--out', 'a.md',
                     *args, **kw)
        text = self.read('a.json').decode()
        report = json.loads(text)
        self.assertEqual(text, json.dumps(report, indent=2, sort_keys=True,
                                          ensure_ascii=False) + '\n')
        self.assertEqual(list(report), ['audits', 'writes'])
        [audit] = report['audits']
        self.assertEqual(list(audit), AUDIT_MEMBERS)
        self.assertEqual(audit['domain'], domain)
        return audit, report['writes']


REPLAY = ('--oracle-cache', 'cache')


class Counts(Confirm):

    def test_cached_answers(self):
        self.answer((CONFIRMED[0], response('confirmed', 0.92)),
                    (CONFIRMED[1], response('confirmed', 0.15)),
                    (CONFIRMED[2], response('confirmed', 0.25)))
        audit, writes = self.judged(*REPLAY, err=notes(('retail', 3, 1, BYTES)))
        self.assertEqual(audit, {
            'domain': 'retail', 'threshold': 0.5, 'episodes': [1, 0], 'second': None,
            'groups': [group(2, word_list=1, judge=1, two_questions=1, both=1), group(),
                       group(1, judge=1, two_questions=1)],
            'episodes_word_list': [1, 0], 'episodes_judge': [1, 0], 'episodes_two': [1, 0],
            'judge_only': [], 'word_list_only': [], 'second_only': []})
        common = {'episode': 'e1', 'task_id': '7', 'tool': CANCEL, 'success': True}
        self.assertEqual(writes, [
            {**common, 'refused': False, 'word_list': True, 'p_yes': 0.92,
             'customer': 'Yes, please go ahead.', 'key': CONFIRMED[0]},
            {**common, 'refused': False, 'word_list': False, 'p_yes': 0.15,
             'customer': 'Also cancel #W7b.', 'key': CONFIRMED[1]},
            {**common, 'refused': True, 'word_list': True, 'p_yes': 0.25,
             'customer': 'Yes, cancel it.', 'key': CONFIRMED[2]}])

    @rows(('proposed', 'proposed'), ('described', 'described'))
    def test_second_question(self, which):
        self.answer((CONFIRMED[0], response('confirmed', 0.92)),
                    (CONFIRMED[1], response('confirmed', 0.75)),
                    (SECOND[which], response(which, 0.1)))
        audit, writes = self.judged(*REPLAY, '--second-question', which)
        self.assertEqual(audit['second'], which)
        self.assertEqual(audit['groups'], [
            group(2, word_list=1, two_questions=1), group(), group(1, unanswered=1)])
        self.assertEqual((audit['episodes_judge'], audit['episodes_two']), ([0, 0], [1, 0]))
        self.assertEqual(writes[0]['second_key'], SECOND[which])
        self.assertEqual(writes[0]['p_second'], 0.1)
        self.assertEqual([write['p_yes'] for write in writes], [0.92, 0.75, None])
        for write in writes[1:]:
            self.assertNotIn('p_second', write)
            self.assertRegex(write['second_key'], r'\A[0-9a-f]{64}\Z')
        common = {'task_id': '7', 'tool': CANCEL, 'success': True}
        self.assertEqual(audit['second_only'], [
            {**common, 'p_yes': 0.92, 'p_second': 0.1, 'customer': 'Yes, please go ahead.'}])
        self.assertEqual(audit['word_list_only'], [
            {**common, 'p_yes': 0.75, 'customer': 'Also cancel #W7b.'}])

    @rows(('an answer of another kind', response('confirmed', 0.1, 'score')),
          ('an answer to another question', response('proposed', 0.1)),
          ('no answer', {'model': 'm', 'answers': {}}))
    def test_no_yes_or_no(self, given):
        self.answer((CONFIRMED[0], given))
        audit, writes = self.judged(*REPLAY)
        self.assertEqual([write['p_yes'] for write in writes], [None] * 3)
        self.assertEqual([g['unanswered'] for g in audit['groups']], [2, 0, 1])

    def test_a_spoilt_answer_is_none(self):
        self.answer((CONFIRMED[0], response('confirmed', 0.92)))
        path = 'cache/%s/%s.json' % (CONFIRMED[0][:2], CONFIRMED[0])
        self.write(path, self.read(path)[:40])
        audit, writes = self.judged(*REPLAY)
        self.assertEqual(writes[0]['p_yes'], None)

    def test_no_cache_at_all(self):
        audit, writes = self.judged(err=notes(('retail', 3, 1, BYTES)) +
                                    b'stretto: warning: 3 of 3 questions had no answer\n')
        self.assertEqual([g['unanswered'] for g in audit['groups']], [2, 0, 1])
        self.assertFalse(os.path.exists(self.path('.oracle-cache')))

    def test_default_cache(self):
        self.answer((CONFIRMED[0], response('confirmed', 1)), cache='.oracle-cache')
        self.assertEqual(self.judged()[1][0]['p_yes'], 1.0)
        self.assertIn(b'"p_yes": 1.0', self.read('a.json'))

    @rows(('by default', [], 0), ('equal', ['--threshold', '0.5'], 0),
          ('above', ['--threshold', '0.6'], 3), ('out of range', ['--threshold=-7'], 0))
    def test_mock(self, args, n_failing):
        audit, writes = self.judged('--oracle', 'mock', *args)
        self.assertEqual([write['p_yes'] for write in writes], [0.5] * 3)
        self.assertEqual(sum(g['judge'] for g in audit['groups']), n_failing)
        self.assertEqual([write['key'] for write in writes], CONFIRMED)
        self.assertEqual(audit['threshold'], float(args[-1].rpartition('=')[2]) if args else 0.5)
        self.assertFalse(os.path.exists(self.path('.oracle-cache')))

    def test_a_question_of_two_writes_is_asked_once(self):
        twice = [simulation(name, 1.0, ('agent', ROW_1), 'Yes, please go ahead.', cancel('#W7a'))
                 for name in 'ab']
        self.write('r.json', results('retail', *twice))
        self.answer((CONFIRMED[0], response('confirmed', 0.1)))
        audit, writes = self.judged(*REPLAY, err=notes(('retail', 2, 2, BYTES[:1])))
        self.assertEqual([write['p_yes'] for write in writes], [0.1, 0.1])
        self.assertEqual(audit['episodes_judge'], [2, 0])

    def test_parallel_calls_do_not_see_each_other(self):
        episode = simulation('e', 1.0, ('agent', ROW_1), 'Yes, please go ahead.',
                             cancel('#W7a', False, 'All right, both.'))
        turn = episode['messages'][-2]
        turn['tool_calls'].append({**turn['tool_calls'][0], 'id': 'other'})
        self.write('r.json', results('retail', episode))
        writes = self.judged('--oracle', 'mock')[1]
        self.assertEqual([write['key'] for write in writes], [CONFIRMED[0]] * 2)

    def test_model(self):
        default = [write['key'] for write in self.judged('--oracle', 'mock')[1]]
        for name, is_default in (('jev-2', False), ('', True), ('jev-latest', True)):
            keys = [write['key'] for write in self.judged(
                '--oracle', 'mock', env={'TYPESAFE_DEFAULT_MODEL': name})[1]]
            self.assertEqual(keys == default, is_default)

    @rows(('by default', [], 8), ('none', ['--examples', '0'], 0), ('two', ['--examples=2'], 2),
          ('more than there are', ['--examples', '100'], 12))
    def test_examples(self, args, n):
        self.write('r.json', results('retail', *[
            simulation(str(i), 1.0, 'ok', cancel('#W%d' % i, i % 2 == 1), task=str(i))
            for i in range(24)]))
        audit, writes = self.judged('--oracle', 'mock', '--threshold', '0.6', *args)
        self.assertEqual(len(writes), 24)
        self.assertEqual([e['task_id'] for e in audit['judge_only']],
                         [str(2 * i) for i in range(n)])
        self.assertEqual(len(re.findall(r'(?m)^- task ', self.read('a.md').decode())), n)

    def test_an_example_is_short(self):
        said = 'ok\r\n"' + 200 * 'ü'
        self.write('r.json', results('retail', simulation('e', 1.0, said, cancel('#W1'))))
        audit, writes = self.judged('--oracle', 'mock', '--threshold', '1')
        self.assertEqual(writes[0]['customer'], said)
        self.assertEqual(audit['judge_only'][0]['customer'], 'ok\r "' + 155 * 'ü')
        self.assertIn('successful episode: "ok  \'%s"\n' % (155 * 'ü'),
                      self.read('a.md').decode())

    def test_recorded_conversations(self):
        with tarfile.open(ARCHIVE) as archive:
            member = archive.extractfile('airline/results.json')
            self.write('air.json', member.read())
        audit, writes = self.judged('--oracle', 'mock', source='air.json', domain='airline')
        self.assertEqual(audit['episodes'], [31, 69])
        self.assertEqual(audit['groups'], [group(16, word_list=1), group(69, word_list=13),
                                           group(63, word_list=19)])
        self.assertEqual(audit['episodes_word_list'], [1, 12])
        keys = sorted({write['key'] for write in writes})
        self.assertEqual(len(keys), 141)
        # The same with cached answers: every third is a no, and the last one is missing.
        said = {key: 0.1 if i % 3 == 0 else 0.9 for i, key in enumerate(keys[:-1])}
        self.answer(*[(key, {'model': 'm', 'answers': {'confirmed': {'type': 'noul', 'noul': p}}})
                      for key, p in said.items()])
        audit, writes = self.judged(*REPLAY, source='air.json', domain='airline')
        self.assertEqual([w['p_yes'] for w in writes], [said.get(w['key']) for w in writes])
        self.assertEqual(sum(g['judge'] for g in audit['groups']),
                         sum(said.get(w['key'], 1) < 0.5 for w in writes))
        self.assertEqual(sum(g['unanswered'] for g in audit['groups']),
                         sum(w['key'] == keys[-1] for w in writes))


class Domains(Confirm):

    def test_every_domain_unless_named(self):
        self.confirm('--source', 'air.json', '--source', 'old=r.json', '--json', 'a.json',
                     '--oracle', 'mock')
        report = json.loads(self.read('a.json'))
        self.assertEqual([(a['domain'], a['episodes']) for a in report['audits']],
                         [('retail', [1, 0]), ('airline', [0, 1])])
        self.assertEqual([w['tool'] for w in report['writes']],
                         [CANCEL] * 3 + ['update_reservation_baggages'])

    def test_as_they_are_named(self):
        self.confirm('--source', 'air.json', '--source', 'r.json', '--json', 'a.json', '--oracle',
                     'mock', '--domain', 'airline', '--domain', 'retail', '--domain=airline')
        self.assertEqual([a['domain'] for a in json.loads(self.read('a.json'))['audits']],
                         ['airline', 'retail'])

    def test_other_domains_are_skipped(self):
        self.write('shop.json', results('shop', WORKED))
        audit, writes = self.judged('--oracle', 'mock', '--source', 'shop.json', '--source',
                                    'air.json')
        self.assertEqual(audit['episodes'], [1, 0])

    def test_a_checkout(self):
        for name in ('z_retail_default_u', 'a_retail_base_u'):
            self.write('%s/%s.json' % (FINAL, name), results('retail', {**WORKED, 'id': name}))
        self.write('%s/b_retail_default_u.json' % FINAL, results('airline', BAGS))
        self.write('%s/retail_other.json' % FINAL, b'not read')
        audit, writes = self.judged('--oracle', 'mock', '--tau2', 'C')
        self.assertEqual([w['episode'] for w in writes],
                         ['a_retail_base_u'] * 3 + ['z_retail_default_u'] * 3 + ['e1'] * 3)

    def test_one_batch_a_domain(self):
        self.confirm('--source', 'r.json', '--source', 'air.json', '--oracle', 'mock',
                     '--oracle-dump', 'd.jsonl',
                     err=re.compile(rb'stretto: retail: 3 writes to judge in 1 episode\n'
                                    rb'stretto: 3 questions, [^\n]+\n'
                                    rb'stretto: airline: 1 write to judge in 1 episode\n'
                                    rb'stretto: 1 question, [^\n]+\n'))
        self.assertEqual([self.read('d-%s.jsonl' % name).count(b'\n')
                          for name in ('retail', 'airline')], [3, 1])


class Dumps(Confirm):

    @rows(*DUMPS)
    def test_name(self, given, name):
        self.confirm('--source', 'r.json', '--domain', 'retail', '--oracle-dump', given)
        self.assertEqual(self.read(name).count(b'\n'), 3)
        self.assertFalse(os.path.exists(self.path(given)))

    def test_lines(self):
        self.write('d-retail.jsonl', b'old\n' * 9999, mode=0o644)
        self.confirm('--source', 'r.json', '--domain', 'retail', '--oracle-dump', 'd.jsonl')
        lines = self.read('d-retail.jsonl').decode().split('\n')
        self.assertEqual(lines.pop(), '')
        dumped = [json.loads(line) for line in lines]
        self.assertEqual([line['key'] for line in dumped], sorted(CONFIRMED))
        for line, one in zip(lines, dumped):
            self.assertEqual(line, json.dumps(one, sort_keys=True, separators=(',', ':'),
                                              ensure_ascii=False))
        [first] = [one['request'] for one in dumped if one['key'] == CONFIRMED[0]]
        self.assertEqual(first['state'], {
            'agent_said_last': ROW_1, 'customer_replied': 'Yes, please go ahead.',
            'call_about_to_be_made': {'tool': CANCEL, 'arguments': {
                'order_id': '#W7a', 'reason': 'no longer needed'}}})
        question = first['questions']['confirmed']
        text = '{"model":%s,"state":%s,"questions":{"confirmed":{"type":"noul",' \
            '"instructions":%s,"criteria":{"true":%s,"false":%s}}}}' % tuple(
                json.dumps(part, sort_keys=True, separators=(',', ':')) for part in (
                    first['model'], first['state'], question['instructions'],
                    question['criteria']['true'], question['criteria']['false']))
        self.assertEqual(hashlib.sha256(text.encode()).hexdigest(), CONFIRMED[0])

    def test_can_be_asked(self):
        """What is dumped goes to `stretto ask`, and its answers into a cache."""
        self.confirm('--source', 'r.json', '--domain', 'retail', '--oracle-dump', 'd.jsonl',
                     '--second-question', 'proposed')
        self.run_stretto('ask', '--requests', 'd-retail.jsonl', '--out', 'a.jsonl', '--oracle',
                         'mock', err=None)
        process = self.stretto('import-answers', '--oracle-cache', 'cache', stdin='pipe')
        process.send(self.read('a.jsonl'))
        process.finish(0, b'', b'stretto: stored 6 answers in cache\n')
        audit, writes = self.judged(*REPLAY, '--second-question', 'proposed')
        self.assertEqual([(w['p_yes'], w['p_second']) for w in writes], [(0.5, 0.5)] * 3)


class Asking(Confirm):

    def service(self, p=0.25):
        """A service that says the same of everything; the environment to ask it."""
        service = http_server.Server()
        self.addCleanup(service.stop)
        service.on('*', lambda x: x.json({'model': 'jev-1', 'answers': {
            id: {'type': 'noul', 'noul': p} for id in x.message['questions']}}))
        return service, {'TYPESAFE_API_KEY': KEY, 'TYPESAFE_BASE_URL': service.url('/'),
                         'no_proxy': '*'}

    def test_the_service(self):
        service, env = self.service()
        audit, writes = self.judged('--oracle', 'jev', '--second-question', 'described', env=env)
        self.assertEqual([(w['p_yes'], w['p_second']) for w in writes], [(0.25, 0.25)] * 3)
        requests = service.got()
        self.assertEqual(len(requests), 6)
        for request in requests:
            self.assertEqual((request.target, request.header('Authorization')),
                             ('/v1/systemone', 'Bearer ' + KEY))
        self.assertEqual(sorted(hashlib.sha256(request.body).hexdigest() for request in requests),
                         sorted(w[k] for w in writes for k in ('key', 'second_key')))
        self.assertNotIn(KEY.encode(), self.read('a.json') + self.read('a.md'))
        # All answers are kept.
        self.judged('--oracle', 'jev', '--second-question', 'described', env=env)
        self.assertEqual(len(service.got()), 6)
        self.assertEqual(self.judged()[1][0]['p_yes'], 0.25)

    def test_two_domains_of_the_service(self):
        service, env = self.service()
        self.confirm('--source', 'r.json', '--source', 'air.json', '--oracle', 'jev', '--json',
                     'a.json', env=env)
        self.assertEqual([w['p_yes'] for w in json.loads(self.read('a.json'))['writes']],
                         [0.25] * 4)

    @rows(('with a cache', [CONFIRMED[0]]), ('without one', []))
    def test_no_key(self, cached):
        self.answer(*[(key, response('confirmed', 0.9)) for key in cached], cache='.oracle-cache')
        self.confirm('--source', 'r.json', '--oracle', 'jev', '--json', 'a.json', '--oracle-dump',
                     'd', code=1, err=b'Error: no TypeSafe key: set TYPESAFE_API_KEY or '
                     b'TYPESAFE_API_KEY_FILE\n')
        for name in ('a.json', 'd-retail', 'd-airline'):
            self.assertFalse(os.path.exists(self.path(name)))

    def test_budget(self):
        service, env = self.service()
        said = self.confirm('--source', 'r.json', '--domain', 'retail', '--oracle', 'jev',
                            '--oracle-budget', '0', '--json', 'a.json', env=env, code=1)
        self.assertRegex(said.err.decode(),
                         r'\Astretto: [^\n]+\nstretto: 3 questions, [^\n]+\n'
                         r'Error: retail: [^\n]*--oracle-budget 0\n\Z')
        self.assertEqual(service.got(), [])
        self.assertFalse(os.path.exists(self.path('a.json')))
        # Only the service costs anything, and by default it may cost two dollars.
        self.judged('--oracle-budget', '0')
        self.judged('--oracle', 'mock', '--oracle-budget', '0')
        self.judged('--oracle', 'jev', env=env)

    @rows(('as good as all', 25, 0, '20 of 20'), ('nearly all', 25, 3, '20 of 2[0-3]'))
    def test_most_fail(self, n, n_cached, counts):
        self.write('r.json', results('retail', *[
            simulation(str(i), 1.0, 'ok', cancel('#W%d' % i)) for i in range(n)]))
        keys = [write['key'] for write in self.judged('--oracle', 'mock')[1]]
        self.answer(*[(key, response('confirmed', 0.9)) for key in keys[:n_cached]])
        os.unlink(self.path('a.json'))
        said = self.confirm('--source', 'r.json', *REPLAY, '--json', 'a.json', code=1)
        self.assertRegex(said.err.decode(), r'\nError: retail: %s questions failed, the first one: '
                         r'no cached answer for request [0-9a-f]{64}\n\Z' % counts)
        self.assertFalse(os.path.exists(self.path('a.json')))

    def test_half_fail(self):
        self.write('r.json', results('retail', *[
            simulation(str(i), 1.0, 'ok', cancel('#W%d' % i)) for i in range(40)]))
        keys = sorted(write['key'] for write in self.judged('--oracle', 'mock')[1])
        self.answer(*[(key, response('confirmed', 0.9)) for key in keys[:20]])
        audit, writes = self.judged(*REPLAY)
        self.assertEqual(audit['groups'][0], group(40, unanswered=20))

    def test_the_service_refuses(self):
        service, env = self.service()
        service.on('*', lambda x: x.reply(400, b'no such model'))
        audit, writes = self.judged(
            '--oracle', 'jev', env=env, err=notes(('retail', 3, 1, BYTES)) +
            b'stretto: warning: 3 of 3 questions had no answer\n')
        self.assertEqual([w['p_yes'] for w in writes], [None] * 3)


class Report(Confirm):

    def test_markdown(self):
        self.answer((CONFIRMED[0], response('confirmed', 0.15)),
                    (CONFIRMED[1], response('confirmed', 0.6)),
                    (CONFIRMED[2], response('confirmed', 0.2)))
        text = self.confirm('--source', 'r.json', '--source', 'air.json', *REPLAY,
                            '--threshold', '0.55').out.decode()
        self.assertRegex(text, r'\A# [^\n]+\n\n[^\n]+\n\n## retail\n\n')
        retail, airline = text.split('\n## ')[1:]
        lines = retail.split('\n')
        self.assertRegex(lines[2], r'1 episodes.*1 successful.*0 failed.*0\.55')
        self.assertEqual(lines[3:9], [
            '',
            '| Writes | Checked | Word list fails | Judge fails | Both fail | Unanswered |',
            '|---|---|---|---|---|---|',
            '| Accepted, successful episodes | 2 | 1 (50.0%) | 1 (50.0%) | 0 (0.0%) | 0 |',
            '| Accepted, failed episodes | 0 | – | – | – | 0 |',
            '| Refused by the tool | 1 | 0 (0.0%) | 1 (100.0%) | 0 (0.0%) | 0 |'])
        self.assertEqual([line for line in lines if line.startswith('- ')], [
            '- task 7, `cancel_pending_order`, P(yes) = 0.15, successful episode: '
            '"Yes, please go ahead."',
            '- task 7, `cancel_pending_order`, P(yes) = 0.60, successful episode: '
            '"Also cancel #W7b."'])
        self.assertIn('| Accepted, failed episodes | 1 | 1 (100.0%) | 0 (0.0%) | 0 (0.0%) | 1 |',
                      airline)
        self.assertNotIn('\n- ', airline)
        self.assertTrue(text.endswith('\n') and not text.endswith('\n\n'))

    @rows(('proposed', 'proposed'), ('described', 'described'))
    def test_markdown_with_a_second_question(self, which):
        self.answer((CONFIRMED[0], response('confirmed', 0.92)),
                    (SECOND[which], response(which, 0.2)))
        text = self.confirm('--source', 'r.json', '--domain', 'retail', *REPLAY,
                            '--second-question', which).out.decode()
        self.assertRegex(text, r'\A# [^\n]+\n\n[^\n]+\n\n[^\n]*%s[^\n]*\n\n## retail\n\n' % which)
        self.assertIn(
            '\n| Writes | Checked | Word list fails | Judge fails | Two questions fail | Both fail '
            '| Unanswered |\n|---|---|---|---|---|---|---|\n'
            '| Accepted, successful episodes | 2 | 1 (50.0%) | 0 (0.0%) | 1 (50.0%) | 0 (0.0%) '
            '| 1 |\n', text)
        self.assertIn('\n- task 7, `cancel_pending_order`, P(yes) = 0.92, P(%s) = 0.20, '
                      'successful episode: "Yes, please go ahead."\n' % which, text)

    def test_a_quoted_text(self):
        text = self.confirm('--source', 'air.json', '--domain', 'airline', '--oracle', 'mock',
                            '--threshold', '0.5').out.decode()
        self.assertIn('\n- task 1, `update_reservation_baggages`, P(yes) = 0.50, failed episode: '
                      '"My \'bag\', please."\n', text)

    def test_files_are_private(self):
        self.write('r.md', b'x' * 100000, mode=0o644)
        process = self.confirm('--source', 'r.json', '--out', 'new/a/a.md', '--json',
                               'new/b/a.json')
        self.assertEqual(process.out, b'')
        umask = os.umask(0)
        os.umask(umask)
        for name in ('new/a/a.md', 'new/b/a.json'):
            self.assertEqual(mode_of(self.path(name)), 0o600 & ~umask)
        for name in ('new', 'new/a', 'new/b'):
            self.assertEqual(mode_of(self.path(name)), 0o700 & ~umask)
        self.confirm('--source', 'r.json', '--out', 'r.md')
        self.assertEqual(self.read('r.md'), self.read('new/a/a.md'))


class Errors(Confirm):

    def setUp(self):
        super().setUp()
        self.write('%s/a_retail_base_u.json' % FINAL, results('retail', WORKED))

    @rows(*MISUSES)
    def test_misuse(self, args):
        result = self.confirm(*args, code=2)
        self.assertRegex(result.err.decode(),
                         r'\AError: [^\n]+\nUsage: stretto confirm [^\n]+\n( +[^\n]+\n)*\Z')

    @rows(*FAILURES)
    def test_failure(self, args, names):
        result = self.confirm(*args, '--oracle', 'mock', code=1)
        self.assertRegex(result.err.decode(), r'\A(stretto: [^\n]+\n)*Error: [^\n]+\n\Z')
        for name in names:
            self.assertIn(name, result.err.decode())

    def test_help(self):
        text = self.confirm('--help', err=b'').out.decode()
        self.assertTrue(text.startswith('Usage: stretto confirm '))
        for option in ('--tau2', '--domain', '--source', '--oracle', '--oracle-cache',
                       '--oracle-budget', '--threshold', '--second-question', '--examples',
                       '--oracle-dump', '--out', '--json'):
            self.assertIn(option, text)


if __name__ == '__main__':
    harness.main([harness.STRETTO])
