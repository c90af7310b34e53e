#!/usr/bin/env python3
"""stretto export-answers, import-answers, ask and jev-check: chapter 31."""

import hashlib
import json
import os
import re

import harness
import http_server
from harness import Case, mode_of, rows

NO_KEY = {'TYPESAFE_API_KEY': None, 'TYPESAFE_API_KEY_FILE': None, 'TYPESAFE_DEFAULT_MODEL': None,
          'TYPESAFE_BASE_URL': None}
KEY = 'key-4711-never-to-be-shown'
SAYS_NO_KEY = b'Error: no TypeSafe key: set TYPESAFE_API_KEY or TYPESAFE_API_KEY_FILE\n'

A = 'aa' + 62 * '0'
B = 'ab' + 62 * '1'
C = 'b' + 63 * '2'

CHOICE = {'type': 'choice', 'choice': 'é', 'probabilities': {'é': 0.6, 'a': 0.4},
          'confidence': 0.6}
SCORE = {'type': 'score', 'score': 1.5, 'probabilities': {'1': 0.5, '0': 0.1, '10': 0.4},
         'confidence': 1, 'legend': {'b': [1, 2.5], 'a': None}}

# The file of a cached answer, byte for byte.
NOUL_FILE = b'''{
  "model": "jev-1.13.0",
  "answers": {
    "confirmed": {
      "type": "noul",
      "noul": 0.92
    }
  },
  "usage": {
    "input_tokens": 296,
    "output_tokens": 20
  }
}'''

# Answers as they come, and as they are kept: (label, response, the same as it is exported).
RESPONSES = [
    ('a yes or no', {'model': 'm', 'answers': {'q': {'type': 'noul', 'noul': 0.25}}},
     '{"answers":{"q":{"noul":0.25,"type":"noul"}},"model":"m",'
     '"usage":{"input_tokens":0,"output_tokens":0}}'),
    ('a whole number', {'model': 'm', 'answers': {'q': {'type': 'noul', 'noul': 1}},
                        'usage': {'input_tokens': 3, 'output_tokens': 4}},
     '{"answers":{"q":{"noul":1.0,"type":"noul"}},"model":"m",'
     '"usage":{"input_tokens":3,"output_tokens":4}}'),
    ('a choice', {'answers': {'q': CHOICE}, 'model': 'm', 'more': 1},
     '{"answers":{"q":{"choice":"é","confidence":0.6,"probabilities":{"a":0.4,"é":0.6},'
     '"type":"choice"}},"model":"m","usage":{"input_tokens":0,"output_tokens":0}}'),
    ('a score', {'answers': {'q': SCORE}, 'model': 'm'},
     '{"answers":{"q":{"confidence":1.0,"legend":{"a":null,"b":[1,2.5]},'
     '"probabilities":{"0":0.1,"1":0.5,"10":0.4},"score":1.5,"type":"score"}},"model":"m",'
     '"usage":{"input_tokens":0,"output_tokens":0}}'),
    ('no answers', {'model': '', 'answers': {}},
     '{"answers":{},"model":"","usage":{"input_tokens":0,"output_tokens":0}}'),
]

# Keys that are none, among them ways to other directories: (label, the key).
BAD_KEYS = [
    ('empty', ''), ('two digits', 'ab'), ('no digit', 'abcg'), ('a slash', 'ab/cd'),
    ('the parent', '../../abc'), ('an absolute path', '/tmp/abc'), ('dots', '...'),
    ('NUL', 'abc\0'), ('a space', 'abc '), ('a newline', 'abc\n'), ('an ending', 'abc.json'),
    ('a full-width digit', '\uff11\uff12\uff13'),
]

# Lines that are no answers: (label, the line, what is said of it).
BAD_LINES = [
    ('not JSON', b'oops', 'it is not a JSON object'),
    ('an array', b'[]', 'it is not a JSON object'),
    ('two values', b'{} {}', 'it is not a JSON object'),
    ('bad UTF-8', b'{"key":"abc","response":{"model":"\xff","answers":{}}}',
     'it is not a JSON object'),
    ('nothing in it', b'{}', 'it needs a key, a string, and a response'),
    ('no response', b'{"key":"abc"}', 'it needs a key, a string, and a response'),
    ('no key', b'{"response":{"model":"m","answers":{}}}',
     'it needs a key, a string, and a response'),
    ('a number for a key', b'{"key":123,"response":{"model":"m","answers":{}}}',
     'it needs a key, a string, and a response'),
    ('an error for a response', b'{"key":"abc","error":"no"}',
     'it needs a key, a string, and a response'),
    ('a response without a model', b'{"key":"abc","response":{"answers":{}}}', 'response: '),
    ('a response without answers', b'{"key":"abc","response":{"model":"m"}}', 'response: '),
    ('a response that is null', b'{"key":"abc","response":null}', 'response: '),
    ('an unknown type of answer',
     b'{"key":"abc","response":{"model":"m","answers":{"q":{"type":"guess"}}}}', 'response: '),
    ('an answer that lacks its number',
     b'{"key":"abc","response":{"model":"m","answers":{"q":{"type":"noul"}}}}', 'response: '),
]


def line(key, response):
    return json.dumps({'key': key, 'response': response}).encode() + b'\n'


def noul(p):
    return {'model': 'm', 'answers': {'q': {'type': 'noul', 'noul': p}}}


def canonical(request):
    """The canonical bytes of a request whose state has no number that Python spells otherwise."""
    def text(value):
        return json.dumps(value, sort_keys=True, separators=(',', ':'), ensure_ascii=False)
    questions = []
    for id, q in sorted(request['questions'].items()):
        parts = ['"type":' + text(q['type']), '"instructions":' + text(q['instructions'])]
        if q.get('criteria') is not None:
            parts.append('"criteria":' + (
                '{"true":%s,"false":%s}' % tuple(text(q['criteria'][side])
                                                 for side in ('true', 'false'))
                if q['type'] == 'noul' else text(q['criteria'])))
        questions.append('%s:{%s}' % (text(id), ','.join(parts)))
    return '{"model":%s,"state":%s,"questions":{%s}}' % (
        text(request['model']), text(request['state']), ','.join(questions))


def key_of(request):
    return hashlib.sha256(canonical(request).encode()).hexdigest()


def question(n=1):
    return {'model': 'm', 'state': {'n': n, 'a': 'é'},
            'questions': {'q': {'type': 'noul', 'instructions': '?'}}}


class Answers(Case):

    def run_in(self, *args, code=0, out=None, err=b'', env=None):
        return self.run_stretto(*args, code=code, out=out, err=err,
                                env=self.environment(**{**NO_KEY, **(env or {})}))

    def import_answers(self, data, *args, code=0, err=None):
        process = self.stretto('import-answers', *args, stdin='pipe')
        process.send(data, gone_is_fine=True)
        return process.finish(code, b'', err)

    def exported(self, *args, code=0, err=b''):
        return self.run_in('export-answers', *args, code=code, err=err).out.decode()

    def cached(self, key, cache='.oracle-cache'):
        return '%s/%s/%s.json' % (cache, key[:2], key)

    def files(self, cache='.oracle-cache'):
        return sorted(os.path.relpath(os.path.join(folder, name), self.path(cache))
                      for folder, _, names in os.walk(self.path(cache)) for name in names)


class Cache(Answers):

    def test_an_answer_that_has_gone(self):
        """Its file was listed, and then somebody deleted it."""
        os.makedirs(self.path('.oracle-cache/aa'))
        os.symlink('gone', self.path('.oracle-cache/aa/aab.json'))
        self.assertEqual(self.exported(), '')

    @rows(*RESPONSES)
    def test_round_trip(self, response, text):
        self.import_answers(line(A, response))
        exported = self.exported()
        self.assertEqual(exported, '{"key":"%s","response":%s}\n' % (A, text))
        self.import_answers(exported.encode(), '--oracle-cache', 'other')
        self.assertEqual(self.read(self.cached(A, 'other')), self.read(self.cached(A)))
        self.assertEqual(self.exported('--oracle-cache', 'other'), exported)

    def test_the_file_of_an_answer(self):
        self.import_answers(line(A, json.loads(NOUL_FILE)))
        self.assertEqual(self.read(self.cached(A)), NOUL_FILE)

    def test_sorted_by_key(self):
        keys = [C, A, B, 'B' + 63 * '3', 'abc', 'ABC']
        self.import_answers(b''.join(line(key, noul(0.5)) for key in keys), '--oracle-cache=c',
                            err=b'stretto: stored 6 answers in c\n')
        exported = [json.loads(text)['key'] for text in
                    self.exported('--oracle-cache', 'c').splitlines()]
        self.assertEqual(exported, sorted(keys))

    def test_lines_of_any_form(self):
        self.import_answers(b'\n \t\r\n{ "response" : {"answers":{},"model":"x"}, "model": 1,\r'
                            b'"key":"\\u0061bc" , "key" : "abd" }\r\n\n' + line(A, noul(0))[:-1],
                            err=b'stretto: stored 2 answers in .oracle-cache\n')
        self.assertEqual(self.files(), ['aa/%s.json' % A, 'ab/abd.json'])

    def test_the_last_of_a_key_counts(self):
        self.import_answers(line(A, noul(0.1)) + line(A, noul(0.2)))
        self.assertIn('"noul":0.2', self.exported())

    def test_nothing_to_import(self):
        self.import_answers(b'', err=b'stretto: stored 0 answers in .oracle-cache\n')
        self.assertFalse(os.path.exists(self.path('.oracle-cache')))
        self.import_answers(line(A, noul(1)),
                            err=b'stretto: stored 1 answer in .oracle-cache\n')

    @rows(('missing', 'gone'), ('below what is missing', 'gone/too'), ('empty', 'empty'))
    def test_no_cache(self, cache):
        os.mkdir(self.path('empty'))
        self.assertEqual(self.exported('--oracle-cache', cache), '')
        self.assertEqual(sorted(os.listdir(self.tmp)), ['empty'])

    def test_private(self):
        self.import_answers(line(A, noul(1)), '--oracle-cache', 'new/cache')
        umask = os.umask(0)
        os.umask(umask)
        for name in ('new', 'new/cache', 'new/cache/aa'):
            self.assertEqual(mode_of(self.path(name)), 0o700 & ~umask)
        self.assertEqual(mode_of(self.path('new/cache/aa/%s.json' % A)), 0o600 & ~umask)

    @rows(*BAD_KEYS)
    def test_bad_key(self, key):
        before = sorted(os.listdir(self.tmp))
        self.import_answers(line(key, noul(1)), '--oracle-cache', 'a/b/c', code=1,
                            err=b'Error: line 1: the key must be 3 or more hexadecimal digits '
                            b'(0 answers before it are stored)\n')
        self.assertEqual(sorted(os.listdir(self.tmp)), before)

    @rows(*BAD_LINES)
    def test_bad_line(self, bad, said):
        result = self.import_answers(line(A, noul(1)) + b'\n' + bad + b'\n' + line(B, noul(1)),
                                     code=1)
        self.assertRegex(result.err.decode(), r'\AError: line 3: %s[^\n]*'
                         r'\(1 answers before it are stored\)\n\Z' % re.escape(said))
        self.assertEqual(self.files(), ['aa/%s.json' % A])

    def test_what_is_no_answer_is_not_exported(self):
        self.import_answers(line(A, noul(1)))
        for name in ('aa/%s.tmp1-0' % A, 'aa/notes.json', 'aa/%s.jsonl' % A, 'ab/%s.json' % A,
                     'aa/sub/%s.json' % A, '%s.json' % A, 'long/%s.json' % A, 'aa/.json',
                     'aa/aa.json'):
            self.write('.oracle-cache/' + name, NOUL_FILE)
        self.assertEqual([json.loads(text)['key'] for text in self.exported().splitlines()], [A])

    @rows(('half', NOUL_FILE[:60]), ('empty', b''), ('not JSON', b'oops'), ('bad UTF-8', b'"\xff"'),
          ('no response', b'{"model":"m"}'))
    def test_a_spoilt_answer(self, text):
        self.import_answers(line(A, noul(1)) + line(B, noul(0)) + line(C, noul(1)))
        self.write(self.cached(B), text)
        exported = self.exported(code=1, err=re.compile(
            rb'stretto: reading the cached answer \.oracle-cache/ab/%s\.json: [^\n]+\n'
            rb'Error: 1 of 3 answers could not be read\n' % B.encode()))
        self.assertEqual([json.loads(text)['key'] for text in exported.splitlines()], [A, C])
        self.assertEqual(self.read(self.cached(B)), text)
        self.import_answers(line(B, noul(0.5)), err=re.compile(
            rb'stretto: replacing an answer: reading the cached answer '
            rb'\.oracle-cache/ab/%s\.json: [^\n]+\nstretto: stored 1 answer in \.oracle-cache\n'
            % B.encode()))
        self.assertEqual(len(self.exported().splitlines()), 3)

    def test_a_good_answer_is_replaced_quietly(self):
        for p in (0.25, 0.75):
            self.import_answers(line(A, noul(p)),
                                err=b'stretto: stored 1 answer in .oracle-cache\n')
        self.assertIn('"noul":0.75', self.exported())

    def test_a_cache_that_cannot_be_written(self):
        self.write('file')
        result = self.import_answers(line(A, noul(1)), '--oracle-cache', 'file/cache', code=1)
        self.assertRegex(result.err, rb'\AError: line 1: [^\n]*file/cache[^\n]*Not a directory')

    def test_many(self):
        """More than what waits in memory."""
        long = {'model': 'm', 'answers': {}, 'usage': {}}
        keys = sorted(hashlib.sha256(b'%d' % i).hexdigest() for i in range(60))
        self.import_answers(b''.join(line(key, {**long, 'model': key + 100000 * 'x'})
                                     for key in keys))
        lines = self.exported().splitlines()
        self.assertEqual([json.loads(text)['key'] for text in lines], keys)
        self.assertTrue(all(json.loads(text)['response']['model'] == key + 100000 * 'x'
                            for key, text in zip(keys, lines)))

    @rows(('export, an argument', ['export-answers', 'x']),
          ('import, a file', ['import-answers', 'lines.jsonl']),
          ('an empty directory', ['export-answers', '--oracle-cache', '']),
          ('an unknown option', ['import-answers', '--out', 'x']))
    def test_misuse(self, args):
        result = self.run_in(*args, code=2, out=b'', err=None)
        self.assertRegex(result.err.decode(),
                         r'\AError: [^\n]+\nUsage: stretto %s [^\n]+\n\Z' % args[0])


# Lines of requests that are refused: (label, the line, what is said of it).
BAD_REQUESTS = [
    ('not JSON', b'oops', 'it is not a JSON object'),
    ('an array', b'[]', 'it is not a JSON object'),
    ('nothing in it', b'{}', 'model: is missing'),
    ('a request that is none', b'{"key":"x","request":7}', 'the document: must be an object'),
    ('a question that is none', b'{"model":"m","state":1,"questions":{"q":{"type":"noul"}}}',
     'questions.q.instructions: is missing'),
    ('a wrong key', json.dumps({'key': A, 'request': question()}).encode(),
     'the key is not the request\'s, ' + key_of(question())),
    ('an empty key', json.dumps({'key': '', 'request': question()}).encode(),
     'the key is not the request\'s, ' + key_of(question())),
    ('a key in capitals',
     json.dumps({'key': key_of(question()).upper(), 'request': question()}).encode(),
     'the key is not the request\'s, ' + key_of(question())),
    ('a number for a key', json.dumps({'key': 7, 'request': question()}).encode(),
     'the key must be a string'),
    ('null for a key', json.dumps({'key': None, 'request': question()}).encode(),
     'the key must be a string'),
]


class Ask(Answers):

    def ask(self, *requests, args=('--oracle', 'mock'), code=0, err=None, env=None):
        """Puts requests, as values or as lines; the lines of the answers, taken apart."""
        self.write('r.jsonl', b''.join(
            r if isinstance(r, bytes) else json.dumps(r).encode() + b'\n' for r in requests))
        result = self.run_in('ask', '--requests', 'r.jsonl', '--out', 'o.jsonl', *args,
                             code=code, out=b'', err=err, env=env)
        if code != 0:
            self.assertFalse(os.path.exists(self.path('o.jsonl')))
            return result
        lines = self.read('o.jsonl').decode().split('\n')
        self.assertEqual(lines.pop(), '')
        answers = [json.loads(text) for text in lines]
        for text, answer in zip(lines, answers):
            self.assertEqual(text, json.dumps(answer, sort_keys=True, separators=(',', ':'),
                                              ensure_ascii=False))
        return answers

    def test_mock(self):
        options = {'tech': 'Bugs', 'billing': 'Money'}
        asked = {'model': 'm', 'state': None, 'questions': {
            'n': {'type': 'noul', 'instructions': '?'},
            'c': {'type': 'choice', 'instructions': '?', 'criteria': options},
            's': {'type': 'score', 'instructions': '?', 'criteria': ['a', 'b', 'c']}}}
        [answer] = self.ask(asked, err=re.compile(rb'stretto: 1 question, [^\n]+\n'))
        self.assertEqual(answer, {'key': key_of(asked), 'response': {
            'model': 'mock', 'usage': {'input_tokens': 0, 'output_tokens': 0}, 'answers': {
                'n': {'type': 'noul', 'noul': 0.5},
                'c': {'type': 'choice', 'choice': 'billing', 'confidence': 0.6,
                      'probabilities': {'billing': 0.6, 'tech': 0.4}},
                's': {'type': 'score', 'score': 0.0, 'confidence': 1.0, 'legend': None,
                      'probabilities': {'0': 1.0, '1': 0.0, '2': 0.0}}}}})

    def test_bare_and_with_keys(self):
        requests = [question(n) for n in range(4)]
        lines = [requests[0], {'key': key_of(requests[1]), 'request': requests[1]}, b'\n \t\r\n',
                 {'request': requests[2], 'more': 1}, requests[0],
                 json.dumps(requests[3]).encode()]
        answers = self.ask(*lines, err=re.compile(rb'stretto: 4 questions, [^\n]+\n'))
        self.assertEqual([a['key'] for a in answers],
                         [key_of(requests[n]) for n in (0, 1, 2, 0, 3)])

    def test_cached_answers_and_errors(self):
        requests = [question(n) for n in range(3)]
        spoilt = key_of(requests[2])
        self.import_answers(line(key_of(requests[1]), noul(0.25)) + line(spoilt, noul(1)))
        self.write(self.cached(spoilt), b'{')
        answers = self.ask(*requests, args=())
        missing = key_of(requests[0])
        self.assertEqual(answers[0], {'key': missing,
                                      'error': 'no cached answer for request ' + missing})
        self.assertEqual(answers[1]['response']['answers'], {'q': {'type': 'noul', 'noul': 0.25}})
        self.assertEqual(list(answers[2]), ['error', 'key'])
        self.assertIn(self.cached(spoilt), answers[2]['error'])
        self.assertEqual(self.read(self.cached(spoilt)), b'{')

    def test_most_fail(self):
        result = self.ask(*[question(n) for n in range(30)], args=('--oracle-cache', 'gone'),
                          code=1)
        self.assertRegex(result.err.decode(), r'\Astretto: 30 questions, [^\n]+\nError: 20 of 20 '
                         r'questions failed, the first one: no cached answer for request '
                         r'[0-9a-f]{64}\n\Z')

    def test_no_requests(self):
        self.assertEqual(self.ask(), [])

    def test_answers_of_many_megabytes(self):
        options = {'%03d' % i + 4000 * 'x': 'o' for i in range(255)}
        requests = [{'model': 'm', 'state': n, 'questions': {
            'q': {'type': 'choice', 'instructions': '?', 'criteria': options}}} for n in range(5)]
        answers = self.ask(*requests)
        self.assertEqual([a['key'] for a in answers], [key_of(r) for r in requests])
        self.assertGreater(len(self.read('o.jsonl')), 5000000)

    @rows(*BAD_REQUESTS)
    def test_bad_line(self, bad, said):
        result = self.ask(question(1), b'\n', bad + b'\n', question(2), code=1)
        self.same(result.err, b'Error: r.jsonl:3: %s\n' % said.encode(), 'stderr')

    def test_what_it_writes_can_be_imported(self):
        requests = [question(n) for n in range(3)]
        self.ask(*requests)
        self.import_answers(self.read('o.jsonl'),
                            err=b'stretto: stored 3 answers in .oracle-cache\n')
        again = self.ask(*requests, args=('--oracle', 'replay'))
        self.assertEqual([a['response']['model'] for a in again], ['mock'] * 3)
        self.assertEqual(self.exported().splitlines(),
                         sorted(self.read('o.jsonl').decode().splitlines()))

    def test_output(self):
        self.run_in('ask', '--requests', self.write('r.jsonl'), '--out', 'new/dir/o.jsonl',
                    '--oracle', 'mock', err=None)
        umask = os.umask(0)
        os.umask(umask)
        self.assertEqual(mode_of(self.path('new/dir')), 0o700 & ~umask)
        self.assertEqual(mode_of(self.path('new/dir/o.jsonl')), 0o600 & ~umask)

    def service(self, *handlers):
        service = http_server.Server()
        self.addCleanup(service.stop)
        service.on('*', *handlers)
        return service, {'TYPESAFE_API_KEY': KEY, 'TYPESAFE_BASE_URL': service.url('//'),
                         'no_proxy': '*'}

    def test_the_service(self):
        requests = [question(n) for n in range(12)]

        def answer(x):
            n = x.message['state']['n']
            if n == 3:
                x.reply(400, b'no such model')
            elif n == 5:
                x.json(b'not json')
            else:
                x.json(noul(n / 16))
        service, env = self.service(answer)
        args = ('--oracle', 'jev', '--oracle-cache', 'cache', '--oracle-concurrency', '3')
        answers = self.ask(*requests, *requests, args=args, env=env)
        self.assertEqual(len(answers), 24)
        for n, (request, one) in enumerate(zip(requests, answers)):
            self.assertEqual(one['key'], key_of(request))
            if n == 3:
                self.assertEqual(one['error'], 'Jev answered 400: no such model')
            elif n == 5:
                self.assertIn("Jev's answer could not be read: ", one['error'])
            else:
                self.assertEqual(one['response']['answers']['q']['noul'], n / 16)
        self.assertEqual(answers[:12], answers[12:])
        got = service.got()
        self.assertEqual(sorted(r.body.decode() for r in got),
                         sorted(canonical(r) for r in requests))
        for request in got:
            self.assertEqual((request.method, request.target, request.header('Authorization'),
                              request.header('Content-Type')),
                             ('POST', '/v1/systemone', 'Bearer ' + KEY, 'application/json'))
        # What failed is not kept, and asked again.
        self.assertEqual(len(self.files('cache')), 10)
        self.ask(*requests, args=args, env=env)
        self.assertEqual(sorted(r.message['state']['n'] for r in service.got()[12:]), [3, 5])

    def test_the_service_is_not_needed(self):
        service, env = self.service(lambda x: x.reply(400))
        self.ask(question(), env=env)
        self.ask(question(), args=(), env=env)
        self.assertEqual(service.got(), [])

    def test_budget(self):
        service, env = self.service(lambda x: x.json(noul(1)))
        args = ('--oracle', 'jev', '--oracle-budget')
        result = self.ask(question(), args=(*args, '0'), env=env, code=1)
        self.assertRegex(result.err.decode(), r'\Astretto: 1 question, 0\.000 million tokens: at '
                         r'most \$0\.0000\nError: [^\n]*--oracle-budget 0\n\Z')
        self.assertEqual(service.got(), [])
        self.ask(question(), args=(*args, '0.01'), env=env)
        self.assertEqual(len(service.got()), 1)

    def test_no_key(self):
        service, env = self.service(lambda x: x.json(noul(1)))
        self.ask(question(), args=('--oracle', 'jev'), env={**env, 'TYPESAFE_API_KEY': None},
                 code=1, err=SAYS_NO_KEY)
        self.assertEqual(service.got(), [])

    @rows(('no requests', ['--out', 'o']), ('no output', ['--requests', 'r']),
          ('an unknown oracle', ['--requests', 'r', '--out', 'o', '--oracle', 'x']),
          ('a budget below 0', ['--requests', 'r', '--out', 'o', '--oracle-budget=-1']),
          ('a budget that is no number', ['--requests', 'r', '--out', 'o', '--oracle-budget',
                                          'nan']),
          ('nobody at work', ['--requests', 'r', '--out', 'o', '--oracle-concurrency', '0']),
          ('too many at work', ['--requests', 'r', '--out', 'o', '--oracle-concurrency', '9999']),
          ('an argument', ['--requests', 'r', '--out', 'o', 'x']))
    def test_misuse(self, args):
        result = self.run_in('ask', *args, code=2, out=b'', err=None)
        self.assertRegex(result.err.decode(), r'\AError: [^\n]+\nUsage: stretto ask [^\n]+\n'
                         r'( +[^\n]+\n)*\Z')

    @rows(('missing requests', ['--requests', 'gone', '--out', 'o'], ['gone', 'No such file']),
          ('an output in a file', ['--requests', 'r', '--out', 'r/o'], ['r/o', 'Not a directory']))
    def test_failure(self, args, names):
        self.write('r')
        said = self.run_in('ask', *args, code=1, out=b'', err=None).err.decode()
        self.assertRegex(said, r'(\A|\n)Error: [^\n]+\n\Z')
        for name in names:
            self.assertIn(name, said)


class JevCheck(Answers):

    def check(self, *handlers, code=0, out=rb'\A\Z', err=b'', env=None):
        """Runs the check against a service; the requests that came."""
        service = http_server.Server()
        self.addCleanup(service.stop)
        service.on('*', *handlers)
        result = self.run_in('jev-check', code=code, out=None, err=err, env={
            'TYPESAFE_API_KEY': KEY, 'TYPESAFE_BASE_URL': service.url('/'), 'no_proxy': '*',
            **(env or {})})
        self.assertNotIn(KEY.encode(), result.out + result.err)
        self.assertRegex(result.out, out)
        self.assertEqual(os.listdir(self.tmp), [])
        return service.got()

    def says(self, p=0.97, model='jev-1.13.0', type='noul'):
        def answer(x):
            [id] = x.message['questions']
            value = {'type': 'noul', 'noul': p} if type == 'noul' else \
                {'type': type, 'score': p, 'probabilities': {}, 'confidence': 1}
            x.json({'model': model, 'answers': {id: value},
                    'usage': {'input_tokens': 3, 'output_tokens': 1}})
        return answer

    def test_answer(self):
        [request] = self.check(self.says(),
                               out=rb'\AJev answered: P\(yes\) = 0\.97, by jev-1\.13\.0 in '
                                   rb'[0-9]+ ms\n\Z')
        self.assertEqual((request.method, request.target, request.header('Authorization')),
                         ('POST', '/v1/systemone', 'Bearer ' + KEY))
        self.assertEqual(request.body.decode(), canonical(request.message))
        self.assertEqual(request.message['model'], 'jev-latest')
        self.assertLess(len(request.body), 300)

    def test_model(self):
        [request] = self.check(self.says(), out=rb'\AJev answered', env={
            'TYPESAFE_DEFAULT_MODEL': 'jev-2'})
        self.assertEqual(request.message['model'], 'jev-2')

    def test_a_model_with_control_characters(self):
        self.check(self.says(model='j\n\x1b[2J'), out=rb'\AJev answered: P\(yes\) = 0\.97, by '
                                                    rb'j [^\x00-\x1f]* in [0-9]+ ms\n\Z')

    def test_tried_again(self):
        requests = self.check(lambda x: x.reply(503), self.says(), out=rb'\AJev answered')
        self.assertEqual(len(requests), 2)

    @rows(('a key file', ' %s\n' % KEY), ('with carriage returns', '\r\n%s\r\n\n' % KEY))
    def test_key_file(self, text):
        path = self.write('key', text.encode())
        service = http_server.Server()
        self.addCleanup(service.stop)
        service.on('*', self.says())
        result = self.run_in('jev-check', env={
            'TYPESAFE_API_KEY_FILE': path, 'TYPESAFE_BASE_URL': service.url('/'),
            'no_proxy': '*'})
        self.assertNotIn(KEY.encode(), result.out)
        self.assertEqual(service.got()[0].header('Authorization'), 'Bearer ' + KEY)

    @rows(('400', lambda x: x.reply(400, b'no such model'), rb'Jev answered 400: no such model'),
          ('401', lambda x: x.reply(401, b''), rb'Jev answered 401[^\n]*'),
          ('404 that says the key', lambda x: x.reply(404, b'no ' + KEY.encode()),
           rb'Jev answered 404[^\n]*'),
          ('not JSON', lambda x: x.json(b'not json'), rb"Jev's answer could not be read: [^\n]+"),
          ('no response', lambda x: x.json({'model': 'm'}),
           rb"Jev's answer could not be read: [^\n]+"),
          ('no answer', lambda x: x.json({'model': 'm', 'answers': {}}),
           rb"Jev's answer has no yes/no answer to the question"))
    def test_failure(self, handler, said):
        requests = self.check(handler, code=1, err=re.compile(rb'Error: ' + said + rb'\n'))
        self.assertEqual(len(requests), 1)

    def test_an_answer_of_another_kind(self):
        self.check(self.says(type='score'), code=1,
                   err=b"Error: Jev's answer has no yes/no answer to the question\n")

    def test_no_key(self):
        self.assertEqual(self.check(self.says(), code=1, err=SAYS_NO_KEY,
                                    env={'TYPESAFE_API_KEY': None}), [])
        self.assertEqual(self.check(self.says(), code=1, err=SAYS_NO_KEY,
                                    env={'TYPESAFE_API_KEY': ''}), [])

    @rows(('missing', None, rb'reading TYPESAFE_API_KEY_FILE [^\n]*keys/key: No such file[^\n]*'),
          ('white space alone', b' \n\t', rb'TYPESAFE_API_KEY_FILE [^\n]*keys/key is empty'),
          ('two lines', b'a\nb', rb'[^\n]*control character'))
    def test_no_usable_key(self, text, said):
        path = self.path('keys/key')
        if text is not None:
            self.write('keys/key', text)
        self.run_in('jev-check', code=1, out=b'', err=re.compile(rb'Error: ' + said + rb'\n'),
                    env={'TYPESAFE_API_KEY_FILE': path})

    @rows(('an argument', ['x']), ('an option', ['--oracle', 'jev']))
    def test_misuse(self, args):
        result = self.run_in('jev-check', *args, code=2, out=b'', err=None,
                             env={'TYPESAFE_API_KEY': KEY})
        self.assertRegex(result.err.decode(), r'\AError: [^\n]+\nUsage: stretto jev-check ?\n\Z')

    @rows(*[(name, name) for name in ('ask', 'export-answers', 'import-answers', 'jev-check')])
    def test_help(self, name):
        text = self.run_in(name, '--help').out.decode()
        self.assertTrue(text.startswith('Usage: stretto %s' % name))
        if name != 'jev-check':
            self.assertIn('--oracle-cache', text)


if __name__ == '__main__':
    harness.main([harness.STRETTO])
