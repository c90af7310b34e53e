#!/usr/bin/env python3
"""The session log: chapter 02, rulings R2, R3 and R8."""

import calendar
import json
import os
import re
import resource
import signal
import time

import harness
import log_model
from harness import Case, message, mode_of, recording, rows

DAY = 86400
STEM = '20260923T212000.123Z-4242'
OLD = STEM + '.jsonl'
KEY = '0123456789abcdef' * 4

# The vectors of §11: (label, line, what follows the sender in the entry).
VECTORS = [
    ('spaces and CRLF', b' {"jsonrpc":"2.0","id":1,"method":"ping"}\r\n',
     b'"message":{"jsonrpc":"2.0","id":1,"method":"ping"}'),
    ('as sent, no LF', '{"z":1.50,"a":"café","batch":[1e3]}'.encode(),
     '"message":{"z":1.50,"a":"café","batch":[1e3]}'.encode()),
    ('batch', b'[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]\n',
     b'"message":[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]'),
    ('tab and a key twice', b'{"a":\t1,"a":2}\n', b'"message":{"a":\t1,"a":2}'),
    ('long integer and NUL escape', b'{"n":123456789012345678901234567890,"s":"\\u0000"}\n',
     b'"message":{"n":123456789012345678901234567890,"s":"\\u0000"}'),
    ('null', b'null\n', b'"message":null'),
    ('42', b'42\n', b'"message":42'),
    ('string', b'"s"\n', b'"message":"s"'),
    ('text', b'Listening on stdio\n', b'"raw":"Listening on stdio"'),
    ('LF', b'\n', b'"raw":""'),
    ('CRLF', b'\r\n', b'"raw":""'),
    ('two spaces', b'  \n', b'"raw":"  "'),
    ('not JSON, CRLF', b'not json\r\n', b'"raw":"not json"'),
    ('two CR', b'x\r\r\n', b'"raw":"x\\r"'),
    ('forged', b'1,"raw":"forged"', b'"raw":"1,\\"raw\\":\\"forged\\""'),
    ('two values', b'{"a":1}{"b":2}\n', b'"raw":"{\\"a\\":1}{\\"b\\":2}"'),
    ('lone high surrogate', b'{"text":"\\ud83d"}', b'"raw":"{\\"text\\":\\"\\\\ud83d\\"}"'),
    ('1e999', b'{"n":1e999}\n', b'"raw":"{\\"n\\":1e999}"'),
    ('FF FE', b'\xff\xfe not UTF-8\n', '"raw":"\ufffd\ufffd not UTF-8"'.encode()),
    ('controls', b'a\0b\x1f\x7f\b\f\n', b'"raw":"a\\u0000b\\u001f\x7f\\b\\f"'),
    ('byte-order mark', b'\xef\xbb\xbf{}\n', b'"raw":"\xef\xbb\xbf{}"'),
    ('depth 126', b'[' * 126 + b']' * 126, b'"message":' + b'[' * 126 + b']' * 126),
    ('depth 127', b'[' * 127 + b']' * 127, b'"raw":"' + b'[' * 127 + b']' * 127 + b'"'),
    ('depth 200', b'[' * 200 + b']' * 200, b'"raw":"' + b'[' * 200 + b']' * 200 + b'"'),
    ('NaN', b'{"a":NaN}', b'"raw":"{\\"a\\":NaN}"'),
    ('01', b'{"a":01}', b'"raw":"{\\"a\\":01}"'),
    ('trailing comma', b'{"a":1,}', b'"raw":"{\\"a\\":1,}"'),
    ('single quotes', b"{'a':1}", b'"raw":"{\'a\':1}"'),
    ('tab in a string', b'"a\tb"', b'"raw":"\\"a\\tb\\""'),
    # §4, decoding.
    ('61 E2 82 41', b'\x61\xe2\x82\x41\n', '"raw":"a\ufffdA"'.encode()),
    ('F0 9F 92', b'\xf0\x9f\x92\n', '"raw":"\ufffd"'.encode()),
    ('C0 AF', b'\xc0\xaf\n', '"raw":"\ufffd\ufffd"'.encode()),
    ('ED A0 80', b'\xed\xa0\x80\n', '"raw":"\ufffd\ufffd\ufffd"'.encode()),
    ('F4 90 80 80', b'\xf4\x90\x80\x80\n', '"raw":"\ufffd\ufffd\ufffd\ufffd"'.encode()),
    ('78 80 80 79', b'\x78\x80\x80\x79\n', '"raw":"x\ufffd\ufffdy"'.encode()),
    ('F0 9F 92 A9 F0', b'\xf0\x9f\x92\xa9\xf0\n', '"raw":"\U0001f4a9\ufffd"'.encode()),
    ('bad UTF-8 in JSON', b'{"a":"\xff"}\n', '"raw":"{\\"a\\":\\"\ufffd\\"}"'.encode()),
    ('surrogate bytes in JSON', b'"\xed\xa0\xbd\xed\xb2\xa9"\n',
     ('"raw":"\\"' + '\ufffd' * 6 + '\\""').encode()),
    # §4, escapes.
    ('all escapes', b'\x01\x08\x09\x0b\x0c\x0d\x0e\x1b"\\/\x7f\n',
     b'"raw":"\\u0001\\b\\t\\u000b\\f\\r\\u000e\\u001b\\"\\\\/\x7f"'),
    ('line separators', '\u2028\u2029\u0085\n'.encode(), '"raw":"\u2028\u2029\u0085"'.encode()),
    # §3, more of what is JSON and what is not.
    ('white space around', b'\t [1] \r \n', b'"message":[1]'),
    ('white space inside', b'[ 1 ,\t2 ]\n', b'"message":[ 1 ,\t2 ]'),
    ('CR inside', b'[1,\r2]\n', b'"message":[1,\r2]'),
    ('form feed around', b'\f1\n', b'"raw":"\\f1"'),
    ('no-break space around', b'\xc2\xa01\n', b'"raw":"\xc2\xa01"'),
    ('surrogate pair', b'"\\ud83d\\udca9"\n', b'"message":"\\ud83d\\udca9"'),
    ('upper-case pair', b'"\\uD83D\\uDCA9"\n', b'"message":"\\uD83D\\uDCA9"'),
    ('low before high', b'"\\udca9\\ud83d"\n', b'"raw":"\\"\\\\udca9\\\\ud83d\\""'),
    ('lone surrogate in a key', b'{"\\udca9":1}\n', b'"raw":"{\\"\\\\udca9\\":1}"'),
    ('escaped backslash, then u', b'"\\\\ud83d"\n', b'"message":"\\\\ud83d"'),
    ('high, then a character', b'"\\ud83dx\\udca9"\n', b'"raw":"\\"\\\\ud83dx\\\\udca9\\""'),
    ('NUL in a key', b'{"\\u0000":1}\n', b'"message":{"\\u0000":1}'),
    ('largest double', b'1.7976931348623157e308\n', b'"message":1.7976931348623157e308'),
    ('just below infinity', b'1.7976931348623158e308\n', b'"message":1.7976931348623158e308'),
    ('rounds to infinity', b'1.7976931348623159e308\n', b'"raw":"1.7976931348623159e308"'),
    ('negative infinity', b'-1e309\n', b'"raw":"-1e309"'),
    ('underflow', b'1e-999\n', b'"message":1e-999'),
    ('zero with a huge exponent', b'0e999\n', b'"message":0e999'),
    ('309 digits, finite', b'1' + b'0' * 308 + b'\n', b'"message":1' + b'0' * 308),
    ('310 digits', b'1' + b'0' * 309 + b'\n', b'"raw":"1' + b'0' * 309 + b'"'),
    ('many digits after the point', b'0.' + b'1' * 5000 + b'\n', b'"message":0.' + b'1' * 5000),
    ('digits undone by the exponent', b'1' + b'0' * 400 + b'e-400\n',
     b'"message":1' + b'0' * 400 + b'e-400'),
    ('-0', b'-0\n', b'"message":-0'),
    ('-', b'-\n', b'"raw":"-"'),
    ('+1', b'+1\n', b'"raw":"+1"'),
    ('.5', b'.5\n', b'"raw":".5"'),
    ('5.', b'5.\n', b'"raw":"5."'),
    ('1e', b'1e\n', b'"raw":"1e"'),
    ('00', b'00\n', b'"raw":"00"'),
    ('0x1', b'0x1\n', b'"raw":"0x1"'),
    ('Infinity', b'Infinity\n', b'"raw":"Infinity"'),
    ('True', b'True\n', b'"raw":"True"'),
    ('nul', b'nul\n', b'"raw":"nul"'),
    ('nulll', b'nulll\n', b'"raw":"nulll"'),
    ('truefalse', b'truefalse\n', b'"raw":"truefalse"'),
    ('comment', b'1 // x\n', b'"raw":"1 // x"'),
    ('open array', b'[1\n', b'"raw":"[1"'),
    ('closed twice', b'[]]\n', b'"raw":"[]]"'),
    ('crossed', b'[{]}\n', b'"raw":"[{]}"'),
    ('no colon', b'{"a" 1}\n', b'"raw":"{\\"a\\" 1}"'),
    ('key is a number', b'{1:2}\n', b'"raw":"{1:2}"'),
    ('comma first', b'[,1]\n', b'"raw":"[,1]"'),
    ('array, trailing comma', b'[1,]\n', b'"raw":"[1,]"'),
    ('bad escape', b'"\\x"\n', b'"raw":"\\"\\\\x\\""'),
    ('short \\u', b'"\\u12"\n', b'"raw":"\\"\\\\u12\\""'),
    ('unterminated', b'"abc\n', b'"raw":"\\"abc"'),
    ('ends in a backslash', b'"abc\\"\n', b'"raw":"\\"abc\\\\\\""'),
    ('NUL after a value', b'1\0\n', b'"raw":"1\\u0000"'),
    ('NUL in a string', b'"\0"\n', b'"raw":"\\"\\u0000\\""'),
    ('DEL in a string', b'"\x7f"\n', b'"message":"\x7f"'),
    ('objects, depth 126', b'{"a":' * 126 + b'1' + b'}' * 126, b'"message":' + b'{"a":' * 126 +
     b'1' + b'}' * 126),
    ('objects, depth 127', b'{"a":' * 127 + b'1' + b'}' * 127,
     b'"raw":"' + b'{\\"a\\":' * 127 + b'1' + b'}' * 127 + b'"'),
    ('very deep', b'[' * 300000 + b'\n', b'"raw":"' + b'[' * 300000 + b'"'),
    ('wide', b'[' + b'1,' * 100000 + b'1]\n', b'"message":[' + b'1,' * 100000 + b'1]'),
    ('JSON with CR CR', b'1\r\r\n', b'"message":1'),
    ('CR only, no LF', b'\r', b'"raw":""'),
]

# §6: (what follows the program, how it is shown).
REDACTIONS = [
    (['-y', 'some-mcp-server', '--api-key', 'sk-123', '--token=abc', 'GITHUB_TOKEN=ghp_456'],
     ['-y', 'some-mcp-server', '--api-key', '<redacted>', '--token=<redacted>',
      'GITHUB_TOKEN=<redacted>']),
    (['--header', 'Authorization: Bearer xyz'], ['--header', '<redacted>']),
    (['--no-auth', '--port', '8080'], ['--no-auth', '--port', '8080']),
    (['--no-auth', '8080'], ['--no-auth', '<redacted>']),
    (['https://example.com/mcp?access_token=789'],
     ['https://example.com/mcp?access_token=<redacted>']),
    (['https://h/p?region=eu&access_token=789'], ['https://h/p?region=eu&access_token=789']),
    (['--token', '--verbose', 'x'], ['--token', '--verbose', 'x']),
    (['--token', '-abc'], ['--token', '-abc']),
    (['--token', '--secret', 'abc'], ['--token', '--secret', '<redacted>']),
    (['--API-KEY', 'a', 'b'], ['--API-KEY', '<redacted>', 'b']),
    (['--password', ''], ['--password', '<redacted>']),
    (['--token', 'Authorization: Basic q', 'next'], ['--token', '<redacted>', 'next']),
    (['--header=Authorization: Bearer x'], ['<redacted>']),
    (['-H', 'authorization:Basic abc'], ['-H', '<redacted>']),
    (['-H', 'Proxy-Authorization: Basic abc'], ['-H', 'Proxy-Authorization: Basic abc']),
    (['-H', 'X-Api-Key: abc'], ['-H', 'X-Api-Key: abc']),
    (['--keyfile=/a=b'], ['--keyfile=<redacted>']),
    (['--api-key=', 'tail'], ['--api-key=<redacted>', 'tail']),
    (['--monkey', 'banana', '--tokenizer=bert', '--author', 'Ann'],
     ['--monkey', '<redacted>', '--tokenizer=<redacted>', '--author', '<redacted>']),
    (['-p', 'secret', 'key', 'value'], ['-p', 'secret', 'key', 'value']),
    # Each word that makes a name secret, and nothing else.
    (['--Key', 'a', '--toKen', 'b', '--SECRET', 'c', '--Password', 'd', '--passwd', 'e',
      '--credentials', 'f', '--OAuth2', 'g', '--pass', 'h'],
     ['--Key', '<redacted>', '--toKen', '<redacted>', '--SECRET', '<redacted>', '--Password',
      '<redacted>', '--passwd', '<redacted>', '--credentials', '<redacted>', '--OAuth2',
      '<redacted>', '--pass', 'h']),
    (['x-BEARER abc', 'bearer', 'bearerx'], ['<redacted>', 'bearer', 'bearerx']),
    (['AUTHORIZATION: x', ' authorization: x'], ['<redacted>', ' authorization: x']),
    (['-k', 'a', '-key', 'b'], ['-k', 'a', '-key', '<redacted>']),
    (['--token', 'a', 'b', '--token'], ['--token', '<redacted>', 'b', '--token']),
    (['--token', 'x=y', 'secret=z=w', '=token', 'a=token'],
     ['--token', '<redacted>', 'secret=<redacted>', '=token', 'a=token']),
    (['--x=token', 'next'], ['--x=token', 'next']),
    (['-', '--', 'a'], ['-', '--', 'a']),
    (['--clé', 'a', '--KEYé', 'b'], ['--clé', 'a', '--KEYé', '<redacted>']),
    (['say "hi"\\\t\n\x01\x7f/é'], ['say "hi"\\\t\n\x01\x7f/é']),
]


def all_rows(table):
    return rows(*[(' '.join(row[0])[:40].encode('ascii', 'replace').decode().replace('\n', ' '),
                   *row) for row in table])


class Model(Case):
    """The tests' own model of an entry, held against the vectors."""

    @rows(*VECTORS)
    def test_vector(self, line, wanted):
        self.same(log_model.body(line), wanted, 'the model')


class Entries(Case):
    @rows(*VECTORS)
    def test_from_server(self, line, wanted):
        path = self.write('line', line)
        self.run_proxy('--record', 'L', '--', 'cat', path, stdin='null', out=line,
                       err=recording('L'))
        log = self.log()
        self.assertEqual(len(log.entries), 1)
        self.assertEqual(log.entries[0][1], 'server')
        self.same(log.entries[0][2], wanted, 'the entry')

    @rows(*VECTORS)
    def test_from_client(self, line, wanted):
        self.run_proxy('--record', 'L', '--', 'sh', '-c', 'cat > got', input=line, out=b'',
                       err=recording('L'))
        log = self.log()
        self.assertEqual([entry[1] for entry in log.entries], ['client'])
        self.same(log.entries[0][2], wanted, 'the entry')
        self.same(self.read('got'), line, 'what the server got')

    def test_all_vectors_in_one_session(self):
        lines = [line if line.endswith(b'\n') else line + b'\n' for _, line, _ in VECTORS]
        data = b''.join(lines)
        self.run_proxy('--record', 'L', '--', 'cat', input=data, out=data, err=recording('L'))
        self.log().check(lines, lines)

    def test_echo_session(self):
        lines = [b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n', b'not json\r\n',
                 b'\xff\xfe not UTF-8\n',
                 b'[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]\n',
                 b'{"no":"final newline"}']
        data = b''.join(lines)
        self.run_proxy('--record', 'L', '--', 'cat', input=data, out=data, err=recording('L'))
        log = self.log()
        self.assertEqual(len(log.entries), 10)
        log.check(lines, lines)
        for who in ('client', 'server'):
            self.assertEqual([body.startswith(b'"raw"') for body in log.bodies(who)],
                             [False, True, True, False, False])
        for i in range(5):
            where = [j for j, entry in enumerate(log.entries) if entry[2] == log_model.body(
                lines[i])]
            self.assertEqual([log.entries[j][1] for j in where], ['client', 'server'])

    def test_every_line_ends_in_one_newline(self):
        self.run_proxy('--record', 'L', '--', 'cat', input=b'a\n\nb', out=b'a\n\nb',
                       err=recording('L'))
        text = self.log().text
        self.assertTrue(text.endswith(b'\n'))
        self.assertNotIn(b'\n\n', text)
        self.assertEqual(text.count(b'\n'), 7)

    def test_no_lines(self):
        self.run_proxy('--record', 'L', '--', 'true', stdin='null', out=b'', err=recording('L'))
        log = self.log()
        self.assertEqual(log.entries, [])
        self.assertEqual(log.text, log.header)

    def test_request_precedes_its_answer(self):
        process = self.proxy('--record', 'L', '--', 'cat')
        sent = b''
        for i in range(300):
            process.send(b'%d\n' % i)
            sent += b'%d\n' % i
            process.expect(sent)
        process.finish(0, sent, recording('L'))
        self.assertEqual([(who, body) for _, who, body in self.log().entries],
                         [(who, b'"message":%d' % i) for i in range(300)
                          for who in ('client', 'server')])

    def test_request_precedes_its_answer_in_a_burst(self):
        lines = [b'{"id":%d}\n' % i for i in range(20000)]
        data = b''.join(lines)
        self.run_proxy('--record', 'L', '--', 'cat', input=data, out=data, err=recording('L'))
        log = self.log()
        log.check(lines, lines)
        seen = {'client': 0, 'server': 0}
        for _, who, _ in log.entries:
            seen[who] += 1
            self.assertLessEqual(seen['server'], seen['client'])

    def test_times(self):
        """Whole milliseconds since the start: never more than has passed, never less."""
        begun = time.monotonic()
        process = self.proxy('--record', 'L', '--', 'cat')
        process.send(b'1\n')
        process.expect(b'1\n')
        answered = time.monotonic()
        time.sleep(0.25)
        process.send(b'2\n')
        process.expect(b'1\n2\n')
        passed = time.monotonic() - begun
        between = time.monotonic() - answered
        process.finish(0, b'1\n2\n', recording('L'))
        times = [t for t, _, _ in self.log().entries]
        self.assertLessEqual(times[-1], passed * 1000 + 1)
        self.assertGreaterEqual(times[2] - times[1], 248)
        self.assertLessEqual(times[2] - times[1], (between + answered - begun) * 1000 + 1)


class Header(Case):
    def header(self, *args, command=('true',), **kw):
        process = self.proxy(*args, '--record', 'L', '--', *command, stdin='null', **kw)
        process.finish(0, b'', recording('L'))
        return process, self.log()

    def test_exact(self):
        before = time.time()
        process, log = self.header('--domain', 'orders')
        after = time.time()
        started = json.loads(log.header)['started_unix_ms']
        self.assertGreaterEqual(started, int(before * 1000) - 1)
        self.assertLessEqual(started, int(after * 1000) + 1)
        at = time.gmtime(started // 1000)
        session = time.strftime('%Y%m%dT%H%M%S', at) + '.%03dZ-%d' % (started % 1000, process.pid)
        self.assertEqual(calendar.timegm(at), started // 1000)
        self.same(log.header, log_model.header(session, started, ['true'], 'orders'), 'header')
        self.assertEqual(os.path.basename(log.path), session + '.jsonl')

    @rows(
        ('neither', [], None, None),
        ('domain', ['--domain', 'd'], 'd', None),
        ('model', ['--agent-model', 'm'], None, 'm'),
        ('both', ['--agent-model', 'm', '--domain', 'd'], 'd', 'm'),
        ('both empty', ['--agent-model=', '--domain='], '', ''),
        ('escapes', ['--domain', '"\\/\b\t\n\f\r\x01\x1f\x7fé\U0001f4a9'],
         '"\\/\b\t\n\f\r\x01\x1f\x7fé\U0001f4a9', None),
    )
    def test_domain_and_model(self, args, domain, model):
        _, log = self.header(*args)
        fields = json.loads(log.header)
        self.same(log.header, log_model.header(fields['session'], fields['started_unix_ms'],
                                               ['true'], domain, model), 'header')

    def command_shown(self, command):
        self.write('bin/srv', b'#!/bin/sh\nexit 0\n', 0o755)
        env = self.environment(PATH=self.path('bin') + ':' + os.environ['PATH'])
        _, log = self.header(command=command, env=env)
        return log

    @all_rows(REDACTIONS)
    def test_redaction(self, args, shown):
        log = self.command_shown(['srv', *args])
        fields = json.loads(log.header)
        self.assertEqual(fields['server_command'], ['srv', *shown])
        self.same(log.header, log_model.header(fields['session'], fields['started_unix_ms'],
                                               ['srv', *shown]), 'header')

    def test_program_is_redacted_too(self):
        self.write('bin/token=x', b'#!/bin/sh\nexit 0\n', 0o755)
        log = self.command_shown(['token=x', 'a'])
        self.assertEqual(json.loads(log.header)['server_command'], ['token=<redacted>', 'a'])

    def test_command_that_is_not_utf8(self):
        log = self.command_shown(['srv', b'a\xe2\x82A', b'--key\xff', b's', b'\xc0\xaf'])
        self.assertEqual(json.loads(log.header)['server_command'],
                         ['srv', 'a\ufffdA', '--key\ufffd', '<redacted>', '\ufffd\ufffd'])

    def test_nothing_of_the_environment(self):
        process = self.proxy('--record', 'L', '--', 'true', stdin='null',
                             env=self.environment(SOME_API_KEY='sesame-in-the-environment',
                                                  STRETTO_SESSION=None))
        process.finish(0, b'', recording('L'))
        self.assertNotIn(b'sesame', self.log().text)
        self.assertEqual(list(json.loads(self.log().header)),
                         ['stretto_mcp_log', 'session', 'started_unix_ms', 'server_command',
                          'domain', 'agent_model'])

    def test_server_gets_the_secrets(self):
        self.run_proxy('--record', 'L', '--', 'echo', '--token', 'abc', out=b'--token abc\n',
                       err=recording('L'))
        self.assertEqual(json.loads(self.log().header)['server_command'],
                         ['echo', '--token', '<redacted>'])


class Files(Case):
    @rows(
        ('0', 0, 0o700, 0o600), ('022', 0o022, 0o700, 0o600), ('077', 0o077, 0o700, 0o600),
        ('027', 0o027, 0o700, 0o600), ('007', 0o007, 0o700, 0o600),
    )
    def test_modes(self, umask, folder_mode, file_mode):
        self.run_proxy('--record', 'a/b/c', '--', 'true', umask=umask, err=recording('a/b/c'))
        for folder in ('a', 'a/b', 'a/b/c'):
            self.assertEqual(oct(mode_of(self.path(folder))), oct(folder_mode), folder)
        self.assertEqual(oct(mode_of(self.logs('a/b/c')[0])), oct(file_mode))

    @rows(('0200', 0o200, 0o400), ('0400', 0o400, 0o200), ('0777', 0o777, 0))
    def test_umask_takes_from_the_owner_too(self, umask, file_mode):
        os.mkdir(self.path('L'), 0o755)
        self.run_proxy('--record', 'L', '--', 'cat', input=b'1\n', out=b'1\n', umask=umask,
                       err=recording('L'))
        self.assertEqual(oct(mode_of(self.logs()[0])), oct(file_mode))
        os.chmod(self.logs()[0], 0o600)
        self.log().check([b'1\n'], [b'1\n'])

    @rows(('755', 0o755), ('711', 0o711), ('700', 0o700))
    def test_folder_that_exists_keeps_its_mode(self, mode):
        os.mkdir(self.path('L'))
        os.chmod(self.path('L'), mode)
        self.run_proxy('--record', 'L', '--', 'true', umask=0, err=recording('L'))
        self.assertEqual(oct(mode_of(self.path('L'))), oct(mode))

    def test_parents_that_exist_keep_their_modes(self):
        os.mkdir(self.path('a'))
        os.chmod(self.path('a'), 0o755)
        self.run_proxy('--record', 'a/b/c', '--', 'true', umask=0, err=recording('a/b/c'))
        self.assertEqual(oct(mode_of(self.path('a'))), oct(0o755))

    def test_folder_is_a_link(self):
        os.mkdir(self.path('real'))
        os.symlink('real', self.path('L'))
        self.run_proxy('--record', 'L', '--', 'true', err=recording('L'))
        self.assertEqual(len(self.logs('real')), 1)

    def test_absolute_path(self):
        self.run_proxy('--record', self.path('a/L'), '--', 'true', err=recording(self.path('a/L')))

    def test_current_folder(self):
        os.mkdir(self.path('here'))
        self.run_proxy('--record', '.', '--', 'true', cwd=self.path('here'), err=recording('.'))
        self.assertEqual(len(self.logs('here')), 1)

    def test_name_that_exists(self):
        """The log of each instant to come exists: the start fails and no other name is tried."""
        os.mkdir(self.path('L'))
        kept = self.write('kept', b'keep')
        span = int(15000 * max(1, harness.SLOW))

        def fill():
            first = int(time.time() * 1000)
            pid = os.getpid()
            folder = self.path('L')
            for ms in range(first, first + span):
                at = time.gmtime(ms // 1000)
                os.link(kept, '%s/%04d%02d%02dT%02d%02d%02d.%03dZ-%d.jsonl' % (
                    folder, *at[:6], ms % 1000, pid))

        result = self.run_proxy('--record', 'L', '--', 'sh', '-c', 'touch ran', preexec=fill,
                                stdin='null', code=125, out=b'', err=None)
        self.assertRegex(result.err, rb'\Astretto-proxy: creating L/' + harness.SESSION +
                         rb'\.jsonl: [^\n]+\n\Z')
        self.assertEqual(self.read('kept'), b'keep')
        self.assertEqual(len(os.listdir(self.path('L'))), span)
        self.assertFalse(os.path.exists(self.path('ran')))

    def test_starts_in_the_same_instant(self):
        processes = [self.proxy('--record', 'L', '--', 'cat') for _ in range(20)]
        for i, process in enumerate(processes):
            process.send(b'%d\n' % i)
        for i, process in enumerate(processes):
            process.finish(0, b'%d\n' % i, recording('L'))
        found = self.logs()
        self.assertEqual(len(found), 20)
        pids = {int(path.rpartition('-')[2][:-len('.jsonl')]) for path in found}
        self.assertEqual(pids, {process.pid for process in processes})
        for path in found:
            log = harness.Log(self, path)
            pid = int(path.rpartition('-')[2][:-len('.jsonl')])
            i = [process.pid for process in processes].index(pid)
            log.check([b'%d\n' % i], [b'%d\n' % i])

    def test_first_line_on_stderr(self):
        """It comes once the server is started, before what the server says is sure to follow."""
        process = self.proxy('--record', 'L', '--', 'sh', '-c', 'read x; echo said >&2')
        process.expect_err(b'\n')
        process.send(b'x\n')
        process.finish(0, b'', recording('L', b'said\n'))

    def test_start_failure_leaves_no_log(self):
        self.run_proxy('--record', 'a/L', '--', '/no/such', code=125, out=b'',
                       err=re.compile(message('starting /no/such')))
        self.assertEqual(os.listdir(self.path('a/L')), [])

    def test_readable_while_running(self):
        process = self.proxy('--record', 'L', '--', 'cat')
        process.expect_err(b'\n')
        path = self.logs()[0]
        self.assertEqual(harness.Log(self, path).entries, [])
        for i in range(20):
            process.send(b'%d\n' % i)
            self.until(lambda: self.size(path) == 1 + 2 * (i + 1), 'the entries of line %d' % i)
            self.assertEqual(harness.Log(self, path).bodies('client')[-1], b'"message":%d' % i)
        process.finish(0, None, recording('L'))

    def size(self, path):
        with open(path, 'rb') as f:
            return f.read().count(b'\n')

    def test_no_entry_before_the_line_is_complete(self):
        process = self.proxy('--record', 'L', '--', 'cat')
        process.expect_err(b'\n')
        process.send(b'a\npart')
        self.until(lambda: self.size(self.logs()[0]) == 3, 'the first line')
        self.assertNotIn(b'part', self.log().text)
        process.send(b'ial')
        process.finish(0, b'a\npartial', recording('L'))
        self.log().check([b'a\n', b'partial'], [b'a\n', b'partial'])

    def test_killed_proxy(self):
        """What is in the file then is the beginning of the session, and one line may be torn."""
        lines = [b'{"id":%d,"text":"%s"}\n' % (i, b'x' * (i % 300)) for i in range(30000)]
        process = self.proxy('--record', 'L', '--', 'cat')
        process.send(b''.join(lines[:15000]))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        log = self.log(torn=True)
        self.assertGreater(len(log.entries), 0)
        for who in ('client', 'server'):
            got = log.bodies(who)
            self.assertEqual(got, [log_model.body(line) for line in lines[:len(got)]])

    def test_what_was_seen_is_in_the_file_soon(self):
        """A line that crossed while nothing else happened is not lost with a kill."""
        process = self.proxy('--record', 'L', '--', 'cat')
        process.send(b'1\n')
        process.expect(b'1\n')
        self.until(lambda: self.size(self.logs()[0]) == 3, 'both entries')
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        self.log().check([b'1\n'], [b'1\n'])

    def test_log_removed_while_running(self):
        process = self.proxy('--record', 'L', '--', 'cat')
        process.send(b'1\n')
        process.expect(b'1\n')
        os.unlink(self.logs()[0])
        process.send(b'2\n')
        process.finish(0, b'1\n2\n', recording('L'))
        self.assertEqual(self.logs(), [])

    def test_folder_of_the_server_is_not_the_logs(self):
        """A server that writes to its own descriptors cannot reach the log."""
        server = self.server('''
for fd in range(3, 1024):
    try:
        os.write(fd, b'intruder')
    except OSError:
        pass
put(get_all())
''')
        self.run_proxy('--record', 'L', '--', *server, input=b'1\n', out=b'1\n',
                       err=recording('L'))
        self.log().check([b'1\n'], [b'1\n'])


class FullDisk(Case):
    """A write fails: §5.6 and §5.7. A limit of the file's size does what a full disk does."""

    def limit(self, size):
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    @rows(('1000', 1000, 0), ('4096', 4096, 0), ('100000', 100000, 0), ('status kept', 5000, 9))
    def test_recording_stops(self, size, code):
        lines = [b'{"id":%d}\n' % i for i in range(5000)]
        data = b''.join(lines)
        process = self.proxy('--record', 'L', '--', 'sh', '-c', 'cat; exit %d' % code,
                             preexec=self.limit(size))
        process.send(data)
        process.finish(code, data, recording('L', b'stretto-proxy: recording stopped: writing L/',
                                             harness.SESSION, rb'\.jsonl: [^\n]+\n'))
        log = self.log(torn=True)
        self.assertLessEqual(len(log.text), size)
        self.assertGreater(len(log.text), size - 200)
        for who in ('client', 'server'):
            got = log.bodies(who)
            self.assertEqual(got, [log_model.body(line) for line in lines[:len(got)]])

    def test_message_names_the_log(self):
        process = self.proxy('--record', 'L', '--', 'cat', preexec=self.limit(1000))
        process.send(b'x' * 2000 + b'\n')
        result = process.finish(0, b'x' * 2000 + b'\n', None)
        path = os.fsencode('L/' + os.path.basename(self.logs()[0]))
        self.assertTrue(result.err.startswith(
            b'stretto-proxy: recording to ' + path + b'\nstretto-proxy: recording stopped: writing '
            + path + b': '), result.err)

    def test_goes_on_for_long_after_it_stopped(self):
        """Forwarding never waits, and what is not recorded takes no memory."""
        line = b'x' * 999 + b'\n'
        process = self.proxy('--record', 'L', '--', 'cat', preexec=self.limit(2000))
        process.send(line * 10)
        self.until(lambda: len(process.out()) == 10000, 'the first lines')
        process.expect_err(b'recording stopped')
        base = harness.memory(process.pid)
        for _ in range(100):
            process.send(line * 1000)
        self.until(lambda: len(process.out()) == 10000 + 100 * 1000000, 'all of it')
        self.assertLess(harness.memory(process.pid) - base, harness.MEMORY_BOUND)
        process.finish(0, None, None)

    @rows(('nothing fits', 0), ('a part fits', 10), ('all but the newline', None))
    def test_header_cannot_be_written(self, size):
        if size is None:
            # One byte less than the header of a session like this one.
            self.run_proxy('--record', 'probe', '--', 'true', err=recording('probe'))
            size = os.path.getsize(self.logs('probe')[0]) - 4
        result = self.run_proxy('--record', 'L', '--', 'sh', '-c', 'touch ran', code=125, out=b'',
                                preexec=self.limit(size), err=None)
        self.assertRegex(result.err, rb'\Astretto-proxy: writing L/' + harness.SESSION +
                         rb'\.jsonl: [^\n]+\n\Z')
        self.assertEqual(os.listdir(self.path('L')), [])
        self.assertFalse(os.path.exists(self.path('ran')))

    def test_limit_does_not_concern_pipes(self):
        data = b'y' * 5000 + b'\n'
        self.run_proxy('--', 'cat', input=data, out=data, preexec=self.limit(100))


class Retention(Case):
    """§8 and ruling R8."""

    def aged(self, name, days, data=b'x'):
        path = self.write(name, data)
        self.age(path, days)
        return path

    def age(self, path, days):
        at = time.time() - days * DAY
        os.utime(path, (at, at), follow_symlinks=False)

    def prune(self, *args, days='7', folder='L', err=b'', code=0, command=('true',), **kw):
        record = ['--record', folder] if folder else []
        return self.run_proxy('--retain-days', days, *record, *args, '--', *command, stdin='null',
                              out=b'', code=code,
                              err=recording(folder, err) if folder else re.compile(err), **kw)

    def deleted(self, n, folder='L', days=7):
        return re.escape(b'stretto-proxy: deleted %d files older than %d days from %s\n' %
                         (n, days, os.fsencode(folder)))

    def test_table(self):
        gone = [OLD, STEM + '.flow.jsonl', 'ab/' + STEM + '.confirm.jsonl']
        for name in gone:
            self.aged('L/' + name, 10)
        self.prune(err=self.deleted(3))
        for name in gone:
            self.assertFalse(os.path.exists(self.path('L', name)), name)
        self.assertTrue(os.path.isdir(self.path('L/ab')), 'folders stay')

    def test_new_file_stays(self):
        self.write('L/' + OLD, b'x')
        self.prune()
        self.assertEqual(self.read('L/' + OLD), b'x')

    @rows(*[(name, name) for name in (
        's1.jsonl', 'notes.txt', STEM + '.json', STEM + '.flow.json', '.json', STEM + '.jsonl.gz',
        STEM, STEM + '.', '.jsonl', STEM + '.jsonl~', STEM + '.JSONL', STEM + '.flow.jsonl.bak',
        STEM + '.flow.flow.jsonl', STEM + '.redacted.jsonl', 'x' + OLD, ' ' + OLD,
        '20260923T212000.123Z-.jsonl', '20260923T212000.123Z-4242x.jsonl',
        '20260923T212000.123Z-x.jsonl', '20260923T212000.123Z4242.jsonl',
        '20260923T212000.123-4242.jsonl', '20260923T212000.12Z-4242.jsonl',
        '20260923T212000.1234Z-4242.jsonl', '20260923T212000Z-4242.jsonl',
        '20260923T21200.123Z-4242.jsonl', '2026092T212000.123Z-4242.jsonl',
        '20260923t212000.123Z-4242.jsonl', '20260923T212000.123z-4242.jsonl',
        '20260923 212000.123Z-4242.jsonl', '20260923T212000,123Z-4242.jsonl',
        '20260923T212000.123Z--4242.jsonl', '2026O923T212000.123Z-4242.jsonl',
        KEY + '.json', KEY + '.jsonl', 'config.json')])
    def test_other_name_stays(self, name):
        self.aged('L/' + name, 10)
        self.prune()
        self.assertTrue(os.path.exists(self.path('L', name)))

    @rows(*[(name, name) for name in (
        OLD, STEM + '.flow.jsonl', STEM + '.confirm.jsonl', '00000000T000000.000Z-1.jsonl',
        '20260923T212000.123Z-1.jsonl', '20260923T212000.123Z-4194304.flow.jsonl')])
    def test_own_name_goes(self, name):
        self.aged('L/' + name, 10)
        self.prune(err=self.deleted(1).replace(b'files', b'files?'))
        self.assertFalse(os.path.exists(self.path('L', name)))

    def test_deep_below(self):
        self.aged('L/a/b/c/d/' + OLD, 10)
        self.aged('L/a/b/' + OLD, 10)
        self.prune(err=self.deleted(2))
        self.assertTrue(os.path.isdir(self.path('L/a/b/c/d')))

    @rows(('an hour before', 7 - 1 / 24, True), ('an hour after', 7 + 1 / 24, False))
    def test_age(self, days, stays):
        self.aged('L/' + OLD, days)
        self.aged('L/' + STEM + '.flow.jsonl', 30)
        self.prune(err=self.deleted(1 if stays else 2))
        self.assertEqual(os.path.exists(self.path('L', OLD)), stays)

    def test_zero_days(self):
        self.aged('L/' + OLD, 1 / 24)
        self.aged('L/' + STEM + '.flow.jsonl', 1 / 24)
        self.prune(days='0', err=self.deleted(2, days=0))
        self.assertEqual(len(self.logs()), 1, 'the new log stays')

    def test_file_of_the_future(self):
        self.aged('L/' + OLD, -5)
        self.prune(days='0')
        self.assertTrue(os.path.exists(self.path('L', OLD)))

    @rows(*[(days, days) for days in ('18446744073709551615', '213503982334602',
                                      '106751991167301', '106751991167300', '9223372036854775807',
                                      '9223372036854775808', '100000000000', '20800', '200000')])
    def test_huge_age(self, days):
        """Nothing is that old, whatever the arithmetic."""
        path = self.aged('L/' + OLD, 0)
        os.utime(path, (1, 1))
        if days == '20800':
            os.utime(path, (time.time() - 20000 * DAY,) * 2)
        self.prune(days=days)
        self.assertTrue(os.path.exists(path))

    def test_year_1970(self):
        path = self.aged('L/' + OLD, 0)
        os.utime(path, (0, 0))
        self.aged('L/' + STEM + '.flow.jsonl', 0)
        os.utime(self.path('L', STEM + '.flow.jsonl'), (-DAY, -DAY))
        self.prune(days='10000', err=self.deleted(2, days=10000))

    def test_link_to_an_old_file(self):
        target = self.aged('elsewhere/target', 10)
        os.mkdir(self.path('L'))
        os.symlink(target, self.path('L', OLD))
        self.age(self.path('L', OLD), 10)
        self.prune()
        self.assertTrue(os.path.islink(self.path('L', OLD)))
        self.assertTrue(os.path.exists(target))

    def test_link_to_a_session_log(self):
        target = self.aged('elsewhere/' + OLD, 10)
        os.mkdir(self.path('L'))
        os.symlink(target, self.path('L', OLD))
        self.age(self.path('L', OLD), 10)
        self.prune()
        self.assertTrue(os.path.islink(self.path('L', OLD)))
        self.assertTrue(os.path.exists(target))

    def test_dangling_link(self):
        os.mkdir(self.path('L'))
        os.symlink('nowhere', self.path('L', OLD))
        self.age(self.path('L', OLD), 10)
        self.prune()
        self.assertTrue(os.path.islink(self.path('L', OLD)))

    def test_link_to_a_folder_is_not_entered(self):
        kept = self.aged('elsewhere/' + OLD, 10)
        os.mkdir(self.path('L'))
        os.symlink(self.path('elsewhere'), self.path('L/link'))
        self.prune()
        self.assertTrue(os.path.exists(kept))

    def test_link_back_to_the_folder(self):
        os.mkdir(self.path('L'))
        os.symlink('.', self.path('L/again'))
        self.aged('L/' + OLD, 10)
        self.aged('L/' + STEM + '.flow.jsonl', 10)
        self.prune(err=self.deleted(2))

    def test_named_folder_is_a_link(self):
        self.aged('real/' + OLD, 10)
        self.aged('real/' + STEM + '.flow.jsonl', 10)
        os.symlink('real', self.path('L'))
        self.prune(err=self.deleted(2))
        self.assertFalse(os.path.exists(self.path('real', OLD)))

    def test_other_types_stay(self):
        os.makedirs(self.path('L', OLD))
        os.mkfifo(self.path('L', STEM + '.flow.jsonl'))
        self.age(self.path('L', OLD), 10)
        self.age(self.path('L', STEM + '.flow.jsonl'), 10)
        self.prune()
        self.assertTrue(os.path.isdir(self.path('L', OLD)))
        self.assertTrue(os.path.exists(self.path('L', STEM + '.flow.jsonl')))

    def test_folder_with_a_logs_name_is_entered(self):
        self.aged('L/%s/%s' % (OLD, OLD), 10)
        self.aged('L/%s/%s.flow.jsonl' % (OLD, STEM), 10)
        self.prune(err=self.deleted(2))
        self.assertTrue(os.path.isdir(self.path('L', OLD)))

    def test_hidden_folder_is_entered(self):
        self.aged('L/.hidden/' + OLD, 10)
        self.aged('L/.hidden/%s.flow.jsonl' % STEM, 10)
        self.prune(err=self.deleted(2))

    def test_empty_folder_stays(self):
        os.makedirs(self.path('L/empty'))
        self.age(self.path('L/empty'), 10)
        self.prune()
        self.assertTrue(os.path.isdir(self.path('L/empty')))

    def test_missing_folders(self):
        self.prune('--oracle-cache', 'no-such-cache')
        self.assertFalse(os.path.exists(self.path('no-such-cache')))
        self.assertFalse(os.path.exists(self.path('.stretto')))

    def test_outside_stays(self):
        kept = self.aged('other/' + OLD, 10)
        self.aged('L/' + OLD, 10)
        self.aged('L/' + STEM + '.flow.jsonl', 10)
        self.prune(err=self.deleted(2))
        self.assertTrue(os.path.exists(kept))

    def test_without_the_option_nothing_goes(self):
        self.aged('L/' + OLD, 10000)
        self.aged('.stretto/oracle-cache/%s.json' % KEY, 10000)
        self.run_proxy('--record', 'L', '--', 'true', err=recording('L'))
        self.assertTrue(os.path.exists(self.path('L', OLD)))
        self.assertTrue(os.path.exists(self.path('.stretto/oracle-cache/%s.json' % KEY)))

    OTHER_KEYS = [KEY[:-1] + '.json', KEY + '0.json', KEY.upper() + '.json', KEY[:-1] + 'g.json',
                  KEY + '.jsonl', KEY, KEY + '.json.tmp', 'a.json', '.json', 'x' + KEY + '.json',
                  OLD, STEM + '.flow.jsonl']

    @rows(*[(name, name) for name in OTHER_KEYS])
    def test_other_name_in_the_cache_stays(self, name):
        self.aged('cache/' + name, 10)
        self.prune('--oracle-cache', 'cache')
        self.assertTrue(os.path.exists(self.path('cache', name)))

    def test_cache(self):
        self.aged('cache/%s.json' % KEY, 10)
        self.aged('cache/ab/%s.json' % ('f' * 64), 10)
        self.write('cache/%s.json' % ('0' * 64))
        self.prune('--oracle-cache', 'cache', err=self.deleted(2, 'cache'))
        self.assertEqual(os.listdir(self.path('cache/ab')), [])
        self.assertTrue(os.path.exists(self.path('cache/%s.json' % ('0' * 64))))

    def test_default_cache(self):
        """It is pruned even if no oracle is used and nothing is recorded."""
        for i in range(2):
            self.aged('.stretto/oracle-cache/%s.json' % (str(i) * 64), 10)
        self.prune(folder=None, err=self.deleted(2, self.path('.stretto/oracle-cache')))
        self.assertEqual(os.listdir(self.path('.stretto/oracle-cache')), [])

    def test_given_cache_replaces_the_default(self):
        kept = self.aged('.stretto/oracle-cache/%s.json' % KEY, 10)
        self.prune('--oracle-cache', 'cache')
        self.assertTrue(os.path.exists(kept))

    def test_tilde_in_the_cache(self):
        for i in range(2):
            self.aged('mine/%s.json' % (str(i) * 64), 10)
        self.prune('--oracle-cache', '~/mine', err=self.deleted(2, self.path('mine')))

    def test_both_in_order(self):
        for i in range(2):
            self.aged('cache/%s.json' % (str(i) * 64), 10)
        for name in (OLD, STEM + '.flow.jsonl', STEM + '.confirm.jsonl'):
            self.aged('L/' + name, 10)
        self.prune('--oracle-cache', 'cache', err=self.deleted(3) + self.deleted(2, 'cache'))

    def test_messages_without_a_log_come_first(self):
        for i in range(2):
            self.aged('cache/%s.json' % (str(i) * 64), 10)
        self.run_proxy('--retain-days', '7', '--oracle-cache', 'cache', '--', 'sh', '-c',
                       'echo said >&2', stdin='null', out=b'',
                       err=re.compile(self.deleted(2, 'cache') + b'said\n'))

    def test_messages_before_a_start_failure(self):
        self.aged('L/' + OLD, 10)
        self.aged('L/' + STEM + '.flow.jsonl', 10)
        self.run_proxy('--retain-days', '7', '--record', 'L', '--', '/no/such', stdin='null',
                       out=b'', code=125,
                       err=re.compile(self.deleted(2) + message('starting /no/such')))
        self.assertEqual(os.listdir(self.path('L')), [])

    def test_cache_is_a_regular_file(self):
        kept = self.aged('cache', 10)
        self.prune('--oracle-cache', 'cache', err=message('pruning cache'))
        self.assertTrue(os.path.exists(kept))

    def test_record_is_a_regular_file(self):
        self.aged('L', 10, b'keep')
        for i in range(2):
            self.aged('cache/%s.json' % (str(i) * 64), 10)
        self.run_proxy('--retain-days', '7', '--record', 'L', '--oracle-cache', 'cache', '--',
                       'true', stdin='null', out=b'', code=125,
                       err=re.compile(message('pruning L') + self.deleted(2, 'cache') +
                                      message('creating L')))
        self.assertEqual(self.read('L'), b'keep')

    def test_named_folder_is_a_dangling_link(self):
        os.symlink('nowhere', self.path('cache'))
        process = self.proxy('--retain-days', '7', '--oracle-cache', 'cache', '--', 'true',
                             stdin='null')
        process.finish(0, b'', None)

    def test_file_that_cannot_be_deleted(self):
        """It stops its folder, and the next folder and the session go on."""
        self.aged('L/sub/' + OLD, 10)
        for i in range(2):
            self.aged('cache/%s.json' % (str(i) * 64), 10)
        os.chmod(self.path('L/sub'), 0o555)
        binary, become = self.as_user()
        process = self.start([*harness.WRAPPER, binary, '--retain-days', '7', '--record', 'L',
                              '--oracle-cache', 'cache', '--', 'echo', 'on'], stdin='null',
                             preexec=become)
        process.finish(0, b'on\n', recording('L', message('pruning L'), self.deleted(2, 'cache')))
        os.chmod(self.path('L/sub'), 0o755)
        self.assertTrue(os.path.exists(self.path('L/sub', OLD)))

    def test_message_counts_files(self):
        """One file is `1 files`: the text is fixed."""
        self.aged('L/' + OLD, 10)
        self.prune(err=self.deleted(1))

    def test_many_files(self):
        for i in range(3000):
            self.aged('L/20260923T212000.%03dZ-%d.jsonl' % (i % 1000, i + 1), 10)
        self.prune(err=self.deleted(3000))
        self.assertEqual(len(self.logs()), 1)


if __name__ == '__main__':
    harness.main()
