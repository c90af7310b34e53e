#!/usr/bin/env python3
"""stretto redact: chapter 41 §§1 and 7, ruling R3."""

import hashlib
import json
import os
import re
import resource

import harness
from harness import Case, mode_of, rows

SALT = 'pepper-1'
CUSTOMERS = [
    ('ana@shop.test', 'the blue kettle', 'K7',
     '{"cust":"cust_81","order":"#K7","items":["Blue Kettle"],"state":"open","total":41.5}'),
    ('bo@shop.test', 'the chair', 'K8',
     '{"cust":"cust_82","order":"#K8","items":["Chair"],"state":"open","total":9}'),
    ('cy@shop.test', 'the chair', 'K9',
     '{"cust":"cust_83","order":"#K9","items":["Chair"],"state":"open","total":9}'),
]
# Of each copy: what is said, the argument, the result's text.
COPIES = [
    ("Hello, I'm h_2bf19340b2a3. Send back the h_1d91f811cf59, order h_2977ee54805a!",
     'h_2bf19340b2a3',
     '{"cust":"h_5c61fcecb427","items":["h_1d91f811cf59"],"order":"h_2977ee54805a",'
     '"state":"open","total":"h_f1af4d02c22a"}'),
    ("Hello, I'm h_c53ad8dd6854. Send back the h_f36a52624cfd, order h_06bdf1ad1d28!",
     'h_c53ad8dd6854',
     '{"cust":"h_9f2bc081c390","items":["h_f36a52624cfd"],"order":"h_06bdf1ad1d28",'
     '"state":"open","total":"h_1d98d12b9fbe"}'),
]

# The salts that are none: (label, value of the variable).
NO_SALTS = [('unset', None), ('empty', ''), ('not UTF-8', os.fsdecode(b'pepper\xff'))]

# Session ids and the names of their copies: (label, id, stem).
STEMS = [
    ('an id of the proxy', '20260101T000000.000Z-9', '20260101T000000_000Z-9'),
    ('a path', 'a b/../c', 'a_b____c'),
    ('not ASCII', 'Zürich-1', 'Z_rich-1'),
    ('NUL and a face', 'x\0y_\U0001f600', 'x_y__'),
]

# Command lines that are wrong: (label, arguments).
MISUSES = [
    ('nothing', []),
    ('no --out', ['--sessions', 'S']),
    ('no --sessions', ['--out', 'O']),
    ('a negative number', ['--sessions', 'S', '--out', 'O', '--keep-shared', '-1']),
    ('no number', ['--sessions', 'S', '--out', 'O', '--keep-shared', 'few']),
    ('an unknown option', ['--sessions', 'S', '--out', 'O', '--salt', 'x']),
    ('an argument', ['--sessions', 'S', '--out', 'O', 'S']),
]


def pseudonym(key):
    return 'h_' + hashlib.sha256(SALT.encode() + b'\0' + key.encode()).hexdigest()[:12]


def entry(t_ms, sender, message):
    return {'t_ms': t_ms, 'from': sender, 'message': message}


def log(session, *entries):
    header = {'stretto_mcp_log': 2, 'session': session, 'started_unix_ms': 1}
    return ''.join(json.dumps(line) + '\n' for line in (header, *entries)).encode()


def visit(session, email, item, order, result):
    return log(session,
               entry(0, 'context', {'role': 'user', 'content':
                                    "Hello, I'm %s. Send back %s, order %s!" %
                                    (email, item, order)}),
               entry(5, 'client', {'jsonrpc': '2.0', 'id': 1, 'method': 'tools/call', 'params':
                                   {'name': 'find', 'arguments': {'email': email}}}),
               entry(9, 'server', {'jsonrpc': '2.0', 'id': 1, 'result':
                                   {'content': [{'type': 'text', 'text': result}]}}))


class Redact(Case):

    def redact(self, *args, code=0, err=None, salt=SALT, env=None, **kw):
        """Runs the command; what it said on stderr."""
        changes = {'STRETTO_REDACT_SALT': salt, **(env or {})}
        process = self.stretto('redact', *args, env=self.environment(**changes), **kw)
        process.finish(code, b'', err)
        return process.err().decode()

    def refused(self, *args, names=(), **kw):
        """The command fails with one line that begins with Error and has these words in it."""
        said = self.redact(*args, code=1, **kw)
        self.assertRegex(said, r'\AError: [^\n]+\n\Z')
        for name in names:
            self.assertIn(name, said)

    def three(self, folder='S'):
        for i, customer in enumerate(CUSTOMERS):
            self.write('%s/s%d.jsonl' % (folder, i), visit('s%d' % i, *customer))

    def copies(self, folder='O'):
        """The files of a folder, name to bytes."""
        return {name: self.read(os.path.join(folder, name))
                for name in os.listdir(self.path(folder))}


class Copies(Redact):

    def test_three_sessions(self):
        self.three()
        self.redact('--sessions', 'S', '--out', 'O')
        self.assertEqual(sorted(self.copies()), ['s0.jsonl', 's1.jsonl', 's2.jsonl'])
        for i, (said, email, result) in enumerate(COPIES):
            wanted = (
                '{"stretto_mcp_log":2,"session":"s%d","started_unix_ms":1,"server_command":[],'
                '"domain":null,"agent_model":null}\n'
                '{"t_ms":0,"from":"context","message":{"content":%s,"role":"user"}}\n'
                '{"t_ms":5,"from":"client","message":{"id":1,"jsonrpc":"2.0",'
                '"method":"tools/call","params":{"arguments":{"email":"%s"},"name":"find"}}}\n'
                '{"t_ms":9,"from":"server","message":{"id":1,"jsonrpc":"2.0","result":{"content":'
                '[{"text":%s,"type":"text"}]}}}\n' %
                (i, json.dumps(said), email, json.dumps(result)))
            self.same(self.read('O/s%d.jsonl' % i), wanted.encode(), 'copy %d' % i)

    def test_report(self):
        self.three()
        said = self.redact('--sessions', 'S', '--out', 'O')
        self.assertRegex(
            said, r'\Astretto: redacted 3 sessions into O \(--keep-shared 3\)[^\n]*\n\Z')
        said = self.redact('--sessions', 'S', '--out', 'O', '--keep-shared', '9')
        self.assertRegex(
            said, r'\Astretto: redacted 3 sessions into O \(--keep-shared 9\)[^\n]*\n\Z')
        self.assertRegex(said, r'arguments: 4 values 6 times')

    def test_report_says_where_values_stood(self):
        self.three()
        said = self.redact('--sessions', 'S', '--out', 'O')
        self.assertRegex(said, r'\barguments: 3 values 3 times\b')
        self.assertRegex(said, r'\bresults: 10 values 12 times\b')
        self.assertRegex(said, r'\bconversation: 8 values 9 times\b')
        self.assertNotIn('errors', said)

    def test_private_by_default(self):
        self.three()
        self.redact('--sessions', 'S', '--out', 'deep/er/O', umask=0)
        for folder in ('deep', 'deep/er', 'deep/er/O'):
            self.assertEqual(mode_of(self.path(folder)), 0o700)
        self.assertEqual(mode_of(self.path('deep/er/O/s0.jsonl')), 0o600)
        self.redact('--sessions', 'S', '--out', 'P', umask=0o277)
        self.assertEqual(mode_of(self.path('P')), 0o500)

    def test_umask(self):
        self.three()
        os.mkdir(self.path('O'))
        self.redact('--sessions', 'S', '--out', 'O', umask=0o200)
        self.assertEqual(mode_of(self.path('O/s0.jsonl')), 0o400)

    def test_an_existing_folder_keeps_its_mode_and_files(self):
        self.three()
        self.write('O/other.jsonl', b'mine')
        os.chmod(self.path('O'), 0o755)
        self.redact('--sessions', 'S', '--out', 'O')
        self.assertEqual(mode_of(self.path('O')), 0o755)
        self.assertEqual(self.read('O/other.jsonl'), b'mine')
        self.assertEqual(len(self.copies()), 4)

    def test_only_session_logs(self):
        self.three()
        for name in ('s.flow.jsonl', 's.confirm.jsonl', 's.json', 's.jsonl.gz', 'deep/s.jsonl'):
            self.write('S/' + name, b'not read')
        self.redact('--sessions', 'S', '--out', 'O')
        self.assertEqual(sorted(self.copies()), ['s0.jsonl', 's1.jsonl', 's2.jsonl'])

    @rows(*STEMS)
    def test_name(self, session, stem):
        self.write('S/any.jsonl', log(session))
        self.redact('--sessions', 'S', '--out', 'O')
        self.assertEqual(list(self.copies()), [stem + '.jsonl'])
        header = json.loads(self.read('O/%s.jsonl' % stem).split(b'\n')[0])
        self.assertEqual(header['session'], session)

    def test_deterministic(self):
        self.three()
        self.redact('--sessions', 'S', '--out', 'O')
        for i in range(3):
            os.rename(self.path('S/s%d.jsonl' % i), self.path('S/t%d.jsonl' % (2 - i)))
        self.redact('--sessions', 'S/', '--out', 'P')
        self.assertEqual(self.copies('O'), self.copies('P'))

    def test_again(self):
        self.three()
        self.redact('--sessions', 'S', '--out', 'O')
        first = self.copies()
        self.write('O/s1.jsonl', b'x' * 100000, mode=0o644)
        self.redact('--sessions', 'S', '--out', 'O')
        self.assertEqual(self.copies(), first)
        self.assertEqual(mode_of(self.path('O/s1.jsonl')), 0o600)

    def test_originals_are_unchanged(self):
        self.three()
        before = self.copies('S')
        os.mkdir(self.path('O'))
        os.symlink(self.path('S/s0.jsonl'), self.path('O/s0.jsonl'))
        os.link(self.path('S/s1.jsonl'), self.path('O/s1.jsonl'))
        self.redact('--sessions', 'S', '--out', 'O')
        self.assertEqual(self.copies('S'), before)
        self.assertIn(COPIES[0][1].encode(), self.read('O/s0.jsonl'))

    def test_inside_the_sessions(self):
        self.three()
        self.redact('--sessions', 'S', '--out', 'S/redacted')
        self.assertEqual(len(self.copies('S/redacted')), 3)

    def test_another_salt(self):
        self.three()
        self.redact('--sessions', 'S', '--out', 'O')
        self.redact('--sessions', 'S', '--out', 'P', '--salt-env', 'OTHER',
                    env={'OTHER': 'pepper-2'})
        blank = re.compile(rb'h_[0-9a-f]{12}')
        for name, copy in self.copies('O').items():
            other = self.read('P/' + name)
            self.assertEqual(blank.sub(b'*', copy), blank.sub(b'*', other))
            self.assertFalse(set(blank.findall(copy)) & set(blank.findall(other)))

    def test_keep_shared(self):
        self.three()
        self.redact('--sessions', 'S', '--out', 'O', '--keep-shared', '2')
        self.assertIn(rb'\"items\":[\"Chair\"]', self.read('O/s1.jsonl'))
        self.assertIn(rb'\"total\":9}', self.read('O/s1.jsonl'))

    def test_hash_field(self):
        self.three()
        self.redact('--sessions', 'S', '--out', 'O', '--hash-field', 'x,state',
                    '--hash-field=total')
        self.assertIn(rb'\"state\":\"%s\"' % pseudonym('open').encode(), self.read('O/s1.jsonl'))

    def test_torn_last_line(self):
        self.three()
        with open(self.path('S/s0.jsonl'), 'ab') as f:
            f.write(b'{"t_ms":10,"from":"serv')
        self.redact('--sessions', 'S', '--out', 'O')
        self.assertEqual(self.read('O/s0.jsonl').count(b'\n'), 4)


class Errors(Redact):

    @rows(*MISUSES)
    def test_misuse(self, args):
        said = self.redact(*args, code=2, salt=None)
        self.assertIn('Error: ', said)

    @rows(*NO_SALTS)
    def test_salt_comes_first(self, salt):
        self.refused('--sessions', 'none', '--out', 'none', salt=salt,
                     names=['set STRETTO_REDACT_SALT ', 'secret salt'])
        self.refused('--sessions', 'none', '--out', 'none', '--salt-env', 'PEPPER',
                     env={'PEPPER': salt}, names=['set PEPPER ', 'secret salt'])
        self.assertEqual(os.listdir(self.tmp), [])

    def test_no_sessions(self):
        self.refused('--sessions', 'none', '--out', 'O', names=['none'])
        self.refused('--sessions', self.write('file'), '--out', 'O', names=['file'])
        self.assertFalse(os.path.exists(self.path('O')))

    def test_the_same_folder(self):
        self.write('S/bad.jsonl', b'oops\n')
        os.symlink('S', self.path('link'))
        for out in ('S', './S/', 'link', 'S/../S'):
            self.refused('--sessions', 'S', '--out', out,
                         names=['--out must be another directory than --sessions'])
        self.assertEqual(os.listdir(self.path('S')), ['bad.jsonl'])

    def test_an_unreadable_log(self):
        self.three()
        self.write('S/t.jsonl', log('t') + b'oops\n{"t_ms":1,"from":"server"}\n')
        self.refused('--sessions', 'S', '--out', 'O', names=['parsing S/t.jsonl: ', 'line 2'])
        self.write('S/t.jsonl', b'')
        self.refused('--sessions', 'S', '--out', 'O', names=['parsing S/t.jsonl: '])
        self.write('S/t.jsonl', b'\xff\n')
        self.refused('--sessions', 'S', '--out', 'O', names=['reading S/t.jsonl: '])
        self.assertFalse(os.path.exists(self.path('O')))

    def test_no_logs(self):
        os.mkdir(self.path('S'))
        self.write('S/s.flow.jsonl', b'oops')
        self.refused('--sessions', 'S', '--out', self.write('O') + '/x', names=['S'])

    def test_a_folder_that_cannot_be_created(self):
        self.three()
        self.write('file')
        self.refused('--sessions', 'S', '--out', 'file', names=['creating file: '])
        self.refused('--sessions', 'S', '--out', 'file/O', names=['creating file/O: '])

    def test_two_logs_of_one_session(self):
        self.three()
        self.write('S/t.jsonl', log('s.1'))
        self.write('S/u.jsonl', log('s 1'))
        self.refused('--sessions', 'S', '--out', 'O', names=['two logs share', 'session id s_1'])
        self.assertEqual(list(self.copies()), ['s_1.jsonl'])
        self.assertIn(b'"session":"s 1"', self.read('O/s_1.jsonl'))

    def test_a_copy_that_cannot_be_written(self):
        self.three()
        os.makedirs(self.path('O/s1.jsonl'))
        self.refused('--sessions', 'S', '--out', 'O', names=['writing O/s1.jsonl: '])
        self.assertEqual(sorted(os.listdir(self.path('O'))), ['s0.jsonl', 's1.jsonl'])

    def test_a_disk_that_is_full(self):
        self.three()
        self.write('S/t.jsonl', log('t', entry(1, 'server', 'x' * 100000)))

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (50000, 50000))

        self.refused('--sessions', 'S', '--out', 'O', preexec=limit, names=['writing O/t.jsonl: '])
        self.assertEqual(sorted(os.listdir(self.path('O'))), ['s0.jsonl', 's1.jsonl', 's2.jsonl'])


if __name__ == '__main__':
    harness.main((harness.STRETTO,))
