#!/usr/bin/env python3
"""The conversation file: chapter 12, ruling R11."""

import json
import os
import shutil

import active
import harness
import log_model
from active import ActiveCase, call, commit, notification, own, request, result, said
from harness import rows

HI = said('user', 'Hi')
HELLO = said('assistant', 'Hello')


class Context(ActiveCase):
    def setUp(self):
        super().setUp()
        self.last = 0

    def call(self, session):
        """A call of the host and its answer."""
        self.last += 1
        session.done(call(self.last, 'lookup', {}), result(self.last, 'x'))

    def context(self, log):
        """The `context` entries: what follows the sender."""
        return log.bodies('context')

    def same_context(self, log, *lines):
        """They are the entries of these lines."""
        self.assertEqual(self.context(log), [log_model.body(line) for line in lines])


class Vectors(Context):
    """§6, 1 to 8; 9 needs a flow."""

    def test_1_one_line_between_two_calls(self):
        session = self.session('--context', 'C')
        self.call(session)
        self.say(HI)
        self.call(session)
        log = session.finish()
        self.assertEqual(log.senders(), ['client', 'server', 'context', 'client', 'server'])
        self.same_context(log, HI)

    def test_2_the_end_of_a_line_comes_later(self):
        session = self.session('--context', 'C')
        self.say(b'\n{"role":"user","content":"Hi"}\n{"role":')
        self.call(session)
        self.say(b' "assistant","content":"Hello"}\n')
        self.call(session)
        log = session.finish()
        self.assertEqual(log.senders(), ['context', 'client', 'server'] * 2)
        self.assertEqual(self.context(log), [
            b'"message":{"role":"user","content":"Hi"}',
            b'"message":{"role": "assistant","content":"Hello"}'])

    def test_3_half_a_line(self):
        session = self.session('--context', 'C')
        self.say(b'{"role":')
        self.call(session)
        self.same_context(session.finish())

    def test_4_a_folder(self):
        os.mkdir(self.path('C'))
        session = self.session('--context', 'C')
        self.call(session)
        self.call(session)
        self.same_context(session.finish())

    def test_5_written_again_with_one_line_more(self):
        session = self.session('--context', 'C')
        self.say(HI)
        self.call(session)
        self.write('C', HI + HELLO)
        self.call(session)
        self.same_context(session.finish(), HI, HELLO)

    def test_6_lines_that_are_no_messages(self):
        session = self.session('--context', 'C')
        self.say(b'not json\n{"role":"system","content":"x"}\n[1]\n   \n')
        self.call(session)
        log = session.finish()
        self.assertEqual(self.context(log), [
            b'"raw":"not json"', b'"message":{"role":"system","content":"x"}', b'"message":[1]'])
        self.assertEqual(self.events(), ['assistant', 'tool_result'])

    def test_7_lines_after_the_last_call(self):
        session = self.session('--context', 'C')
        self.call(session)
        self.say(HI, said('user', 'Bye'))
        log = session.finish()
        self.assertEqual(log.senders(), ['client', 'server', 'context', 'context'])
        self.same_context(log, HI, said('user', 'Bye'))

    def test_8_truncated(self):
        session = self.session('--context', 'C')
        first = said('user', 'x' * 80)
        self.assertGreaterEqual(len(first), 100)
        self.say(first)
        self.call(session)
        self.write('C')
        self.call(session)
        self.say(said('user', 'y' * 20))
        self.call(session)
        self.same_context(session.finish(), first)

    def events(self):
        shown = json.loads(self.run_stretto('episodes', '--json', self.path('L')).out)
        return [event['kind'] for event in shown['events']]


class Lines(Context):
    """§1 and §4: what becomes of a line."""

    # (what is written, the entry's third member or None)
    @rows(('as written', b'{"content":"a\\u0041","role" :\t"user", "x":1.50}\n',
           b'"message":{"content":"a\\u0041","role" :\t"user", "x":1.50}'),
          ('trimmed', b' \t {"role":"user","content":"a"} \t\r\n',
           b'"message":{"role":"user","content":"a"}'),
          ('content no text', b'{"role":"user","content":[7]}\n',
           b'"message":{"role":"user","content":[7]}'),
          ('no role', b'{}\n', b'"message":{}'), ('null', b'null\n', b'"message":null'),
          ('a name twice', b'{"role":"user","role":"x"}\n',
           b'"message":{"role":"user","role":"x"}'),
          ('long integer', b'{"n":123456789012345678901234567890}\n',
           b'"message":{"n":123456789012345678901234567890}'),
          ('array', b'[{"role":"user","content":"a"},7]\n',
           b'"message":[{"role":"user","content":"a"},7]'),
          ('empty', b'\n', None), ('white space', b' \t\r\f \n', None), ('CR', b'\r\n', None),
          ('bad, with CR', b'not json\r\n', b'"raw":"not json"'),
          ('not UTF-8', b'{"role":"user","content":"\xff\xe2\x82"}\n',
           b'"raw":"{\\"role\\":\\"user\\",\\"content\\":\\"\xef\xbf\xbd\xef\xbf\xbd\\"}"'),
          ('overlong', b'{"a":"\xc0\xaf"}\n', '"raw":"{\\"a\\":\\"\ufffd\ufffd\\"}"'.encode()),
          ('NUL', b'{"a":1}\0\n', b'"raw":"{\\"a\\":1}\\u0000"'),
          ('byte-order mark', b'\xef\xbb\xbf{"a":1}\n', b'"raw":"\xef\xbb\xbf{\\"a\\":1}"'),
          ('two values', b'{"a":1}{"b":2}\n', b'"raw":"{\\"a\\":1}{\\"b\\":2}"'),
          ('forged', b'1,"raw":"forged"\n', b'"raw":"1,\\"raw\\":\\"forged\\""'),
          ('lone surrogate', b'"\\ud83d"\n', b'"raw":"\\"\\\\ud83d\\""'),
          ('no-break space', b'\xc2\xa0\n', b'"raw":"\xc2\xa0"'),
          ('too deep', b'[' * 127 + b']' * 127 + b'\n',
           b'"raw":"' + b'[' * 127 + b']' * 127 + b'"'))
    def test_line(self, written, entry):
        session = self.session('--context', 'C')
        self.say(written, HI)
        self.call(session)
        log = session.finish()
        self.assertEqual(self.context(log), ([entry] if entry else []) + [log_model.body(HI)])

    def test_a_long_line(self):
        session = self.session('--context', 'C')
        long = said('user', 'x' * (4 << 20))
        half = len(long) // 2
        self.say(HI, long[:half])
        self.call(session)
        self.say(long[half:], HELLO)
        self.call(session)
        self.same_context(session.finish(), HI, long, HELLO)

    def test_many_lines(self):
        session = self.session('--context', 'C')
        lines = [said('user' if i % 2 else 'assistant', '%d \u2603' % i) for i in range(20000)]
        self.say(*lines)
        self.call(session)
        self.same_context(session.finish(), *lines)

    def test_who_says_what_in_the_episode(self):
        session = self.session('--context', 'C')
        self.say(HI, b'{"role":"user","content":7}\n', HELLO, said('assistant', ''),
                 b'{"role":"assistant"}\n', b'[{"role":"user","content":"in an array"},7]\n',
                 b'not json\n', said('tool', 'x'))
        self.call(session)
        session.finish()
        events = json.loads(self.run_stretto('episodes', '--json', self.path('L')).out)['events']
        self.assertEqual([(e['kind'], e.get('text')) for e in events], [
            ('user', 'Hi'), ('user', ''), ('assistant', 'Hello'), ('user', 'in an array'),
            ('assistant', None), ('tool_result', None)])

    def test_nothing_of_it_is_shown(self):
        """Neither the server, the host nor stderr gets any of it; the file is not touched."""
        self.write('C', said('user', 'hush'), mode=0o400)
        before = os.stat(self.path('C'))
        session = self.session('--context', 'C', '--commit', '--guards', '--domain', 'retail')
        self.call(session)
        session.send(commit('c', ('t', {}))).server(own(1, 't'))
        session.put(result('stretto-1', 'x')).host(result('c', 't {}:\nx'))
        session.fence().finish()
        after = os.stat(self.path('C'))
        self.assertEqual((after.st_mtime_ns, after.st_size, after.st_mode, after.st_ino),
                         (before.st_mtime_ns, before.st_size, before.st_mode, before.st_ino))
        self.assertNotIn(b'hush', session.inward.bytes() + session.process.out() +
                         session.process.err())


class Moments(Context):
    """§2: when it is read."""

    def test_not_on_other_messages(self):
        session = self.session('--context', 'C')
        self.say(HI)
        for line in (request(1, 'initialize'), notification('notifications/initialized'),
                     request(2, 'tools/list'), request(3, 'prompts/get', name='x'),
                     b'[{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"a"}}]\n',
                     b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"a"}}\n',
                     b'{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"a"}}\n',
                     b'{"jsonrpc":"2.0","id":5,"method":"TOOLS/CALL","params":{"name":"a"}}\n',
                     b'not json\n', b'\n', b'{"jsonrpc":"2.0","id":6,"result":{}}\n'):
            session.send(line).server(line)
        session.fence()
        self.call(session)
        log = session.finish()
        self.assertEqual(log.senders(), ['client'] * 12 + ['server', 'context', 'client', 'server'])

    @rows(('params missing', b'{"jsonrpc":"2.0","id":1,"method":"tools/call"}\n'),
          ('params an array', b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["a"]}\n'),
          ('method escaped', b'{"jsonrpc":"2.0","id":1,"method":"tools\\/call"}\r\n'))
    def test_on_any_call(self, line):
        session = self.session('--context', 'C')
        self.say(HI)
        session.send(line).server(line)
        self.assertEqual(session.finish().senders(), ['context', 'client'])

    def test_a_commit(self):
        """Before its entry the lines that were there, after it those of its own calls."""
        session = self.session('--commit', '--guards', '--domain', 'retail', '--context', 'C')
        self.say(HI)
        session.send(commit(1, ('a', {}), ('b', {}))).server(own(1, 'a'))
        self.say(HELLO)
        session.put(result('stretto-1', 'A')).server(own(2, 'b'))
        self.say(said('user', 'Bye'))
        session.put(result('stretto-2', 'B')).host(result(1, 'a {}:\nA\n\nb {}:\nB'))
        log = session.finish()
        self.assertEqual(log.senders(), ['context', 'client', 'proxy', 'server', 'context',
                                         'proxy', 'server', 'proxy', 'context'])
        self.same_context(log, HI, HELLO, said('user', 'Bye'))

    def test_a_commit_without_guards_checks_nothing(self):
        session = self.session('--commit', '--context', 'C')
        session.send(commit(1, ('a', {}), ('b', {}))).server(own(1, 'a'))
        self.say(HI)
        session.put(result('stretto-1', 'A')).server(own(2, 'b'))
        session.put(result('stretto-2', 'B')).host(result(1, 'a {}:\nA\n\nb {}:\nB'))
        self.assertEqual(session.finish().senders(), ['client', 'proxy', 'server', 'proxy',
                                                      'server', 'proxy', 'context'])

    def test_a_refused_call(self):
        session = self.session('--guards', '--domain', 'retail', '--context', 'C')
        self.say(HI)
        session.send(call(1, 'cancel_pending_order', {}))
        self.assertTrue(session.host_value()['result']['isError'])
        log = session.finish(err=[b'refused [^\n]*'])
        self.assertEqual(log.senders(), ['context', 'client', 'proxy'])

    def test_not_when_the_server_ends_first(self):
        session = self.session('--context', 'C')
        self.call(session)
        self.say(HI)
        session.hang_up()
        self.assertEqual(session.process.wait(), 0)
        self.same_context(session.ended())

    def test_at_the_end_before_the_server_sees_it(self):
        """The lines are recorded before the server's input is closed."""
        server = self.server('''
get_all()
put(b'after\\n')
''')
        self.say(HI)
        process = self.proxy('--record', 'L', '--context', 'C', '--', *server)
        process.finish(0, b'after\n', harness.recording('L'))
        self.assertEqual(self.log().senders(), ['context', 'server'])

    def test_at_the_end_the_lines_before_are_handled_first(self):
        self.say(HI)
        process = self.proxy('--record', 'L', '--context', 'C', '--', 'cat')
        data = b''.join(b'%d\n' % i for i in range(5000)) + b'last'
        process.send(data)
        process.finish(0, data, harness.recording('L'))
        log = self.log()
        at = log.senders().index('context')
        self.assertEqual(log.senders()[:at].count('client'), 5001)


class Reading(Context):
    """§3: how it is read."""

    def test_it_may_come_later_and_is_not_created(self):
        session = self.session('--context', 'sub/C')
        self.call(session)
        self.assertFalse(os.path.exists(self.path('sub')))
        self.write('sub/C', HI)
        self.call(session)
        self.same_context(session.finish(), HI)

    def test_replaced_by_another_file(self):
        """Only the contents count: the offset goes on."""
        session = self.session('--context', 'C')
        self.say(HI)
        self.call(session)
        self.write('new', HI + HELLO)
        os.rename(self.path('new'), self.path('C'))
        self.call(session)
        os.unlink(self.path('C'))
        self.call(session)
        self.write('C', HI + HELLO + said('user', 'Bye'))
        self.call(session)
        self.same_context(session.finish(), HI, HELLO, said('user', 'Bye'))

    def test_truncated_and_grown_again(self):
        """From the offset on, here in the middle of a line."""
        session = self.session('--context', 'C')
        first = said('user', 'x' * 30)
        self.say(first)
        self.call(session)
        self.write('C', HI)
        self.call(session)
        longer = said('user', 'y' * 40)
        self.assertLess(len(first), len(longer))
        self.write('C', longer + HELLO)
        self.call(session)
        self.same_context(session.finish(), first, longer[len(first):], HELLO)

    def test_as_long_as_before_gives_nothing(self):
        session = self.session('--context', 'C')
        self.say(said('user', 'aaa'))
        self.call(session)
        self.write('C', said('user', 'bbb'))
        self.call(session)
        self.same_context(session.finish(), said('user', 'aaa'))

    def test_a_last_line_without_an_end(self):
        session = self.session('--context', 'C')
        self.say(HI, HELLO[:-1])
        self.call(session)
        self.same_context(session.finish(), HI)

    def test_a_fifo_without_a_writer(self):
        os.mkfifo(self.path('C'))
        session = self.session('--context', 'C')
        self.call(session)
        self.call(session)
        self.same_context(session.finish())

    @rows(('link to nothing', 'nowhere'), ('link to itself', 'C'))
    def test_a_link_that_leads_nowhere(self, target):
        os.symlink(target, self.path('C'))
        session = self.session('--context', 'C')
        self.call(session)
        self.same_context(session.finish())

    @rows(('a file in the way', 'file/C'), ('empty device', '/dev/null'),
          ('name too long', 'x' * 300))
    def test_what_cannot_be_read(self, path):
        self.write('file')
        session = self.session('--context', path)
        self.call(session)
        self.same_context(session.finish())

    def test_a_link_to_a_file(self):
        self.write('there', HI)
        os.symlink('there', self.path('C'))
        session = self.session('--context', 'C')
        self.call(session)
        self.same_context(session.finish(), HI)

    def test_no_permission(self):
        os.chmod(self.tmp, 0o755)
        self.write('C', HI, mode=0)
        os.mkdir(self.path('L'), 0o777)
        binary, become = self.as_user()
        os.chmod(self.path('C'), 0)
        process = self.start(harness.WRAPPER + [binary, '--record', 'L', '--context', 'C', '--',
                                                'cat'], preexec=become)
        line = active.line_of(call(1, 'lookup', {}))
        process.send(line)
        process.expect(line)
        os.chmod(self.path('C'), 0o644)
        process.send(line)
        process.expect(line * 2)
        process.finish(0, line * 2, harness.recording('L'))
        self.assertEqual(self.log().senders(), ['client', 'server', 'context', 'client', 'server'])

    def test_before_the_start(self):
        self.say(HI, HELLO)
        session = self.session('--context', 'C')
        session.fence()
        self.call(session)
        log = session.finish()
        self.assertEqual(log.senders(), ['client', 'server'] + ['context'] * 2 +
                         ['client', 'server'])

    @rows(('tilde', '~/C', None), ('absolute', None, None), ('not expanded', 'sub/~/C', 'sub/~/C'))
    def test_path(self, path, place):
        if place:
            os.makedirs(os.path.dirname(self.path(place)))
        self.write(place or 'C', HI)
        session = self.session('--context', path or self.path('C'))
        self.call(session)
        self.same_context(session.finish(), HI)

    def test_a_tilde_follows_home(self):
        self.write('home/C', HI)
        session = self.session('--context', '~/C', env=self.environment(HOME=self.path('home')))
        self.call(session)
        self.same_context(session.finish(), HI)

    def test_the_working_directory_may_go(self):
        """A path that was absolute stays; nothing hangs when the folder is gone."""
        self.write('sub/C', HI)
        session = self.session('--context', self.path('sub', 'C'))
        shutil.rmtree(self.path('sub'))
        self.call(session)
        self.write('sub/C', HELLO)
        self.call(session)
        self.same_context(session.finish(), HELLO)

    def test_without_a_log_it_has_the_same_effect(self):
        """A rule reads the conversation: nothing is said on stderr, and the call is made."""
        self.say(HI)
        session = self.session('--context', 'C', record=None)
        self.call(session)
        session.finish()
        self.assertEqual(sorted(name for name in os.listdir(self.tmp) if 'jsonl' in name), [])


if __name__ == '__main__':
    harness.main((harness.PROXY, harness.STRETTO))
