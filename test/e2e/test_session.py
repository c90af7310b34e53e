#!/usr/bin/env python3
"""The five-message session that users are shown first: chapter 01 §10."""

import os
import re
import shutil
import subprocess

import harness
import log_model
from harness import Case, recording

QUESTIONS = [
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
    b'"capabilities":{},"clientInfo":{"name":"shell","version":"0"}}}\n',
    b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n',
    b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n',
    b'{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"lookup","arguments":'
    b'{"text":"hello"}}}\n',
    b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"update","arguments":'
    b'{"text":"hi","fail":true}}}\n',
]
LAST_ANSWERS = [
    b'{"id":3,"jsonrpc":"2.0","result":{"content":[{"text":"{\\"text\\":\\"hello\\"}",'
    b'"type":"text"}],"isError":false}}\n',
    b'{"id":4,"jsonrpc":"2.0","result":{"content":[{"text":"update failed, as asked: '
    b'{\\"fail\\":true,\\"text\\":\\"hi\\"}","type":"text"}],"isError":true}}\n',
]


class FiveMessages(Case):
    def check(self, out, folder):
        answers = log_model.split_lines(out)
        self.assertEqual(len(answers), 4)
        self.assertIn(b'"protocolVersion":"2025-06-18"', answers[0])
        self.assertTrue(answers[1].startswith(b'{"id":2,"jsonrpc":"2.0","result":{"tools":['))
        self.assertEqual(answers[2:], LAST_ANSWERS)
        log = self.log(folder)
        self.assertEqual(len(log.entries), 5 + 4)
        log.check(client=QUESTIONS, server=answers)
        for _, _, body in log.entries:
            self.assertTrue(body.startswith(b'"message":'))

    def test_session(self):
        result = self.run_proxy('--record', 'L', '--', harness.DEMO, input=b''.join(QUESTIONS),
                                err=recording('L'))
        self.check(result.out, 'L')
        self.assertEqual(result.err, b'stretto-proxy: recording to L/%s\n' %
                         os.fsencode(os.path.basename(self.logs()[0])))

    def test_same_without_the_log(self):
        recorded = self.run_proxy('--record', 'L', '--', harness.DEMO, input=b''.join(QUESTIONS),
                                  err=recording('L'))
        self.run_proxy('--', harness.DEMO, input=b''.join(QUESTIONS), out=recorded.out)

    def test_same_without_the_proxy(self):
        process = self.start([harness.DEMO])
        process.send(b''.join(QUESTIONS))
        direct = process.finish()
        self.run_proxy('--', harness.DEMO, input=b''.join(QUESTIONS), out=direct.out)

    def test_as_users_are_shown(self):
        """The lines of the documentation, run by a shell, with the programs on PATH."""
        os.mkdir(self.path('bin'))
        for name, target in (('stretto-proxy', harness.PROXY), ('stretto-mcp-demo', harness.DEMO)):
            os.symlink(os.path.abspath(shutil.which(target)), self.path('bin', name))
        script = "printf '%s\\n' " + ' '.join(
            "'%s'" % line.decode().rstrip('\n') for line in QUESTIONS)
        script += ' | stretto-proxy --record "$1" -- stretto-mcp-demo'
        env = self.environment(PATH=self.path('bin') + ':' + os.environ['PATH'])
        done = subprocess.run(['sh', '-c', script, 'sh', self.path('L')], env=env, cwd=self.tmp,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=harness.DEADLINE, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertIsNotNone(re.fullmatch(recording(self.path('L')).pattern, done.stderr,
                                          re.DOTALL), done.stderr)
        self.check(done.stdout, 'L')


if __name__ == '__main__':
    harness.main()
