#!/usr/bin/env python3
"""The commit tool: chapter 11; rulings R4 and R10 where they touch it."""

import json

import active
import harness
from active import (ActiveCase, NOBODY, UNREAD, call, commit, notification, own, request, result,
                    said)
from harness import rows

READ_A = ('get_order_details', {'order_id': '#W7a'})
READ_B = ('get_order_details', {'order_id': '#W7b'})
FIND = ('find_user_id_by_email', {'email': 'c7@example.com'})
CANCEL_A = ('cancel_pending_order', {'order_id': '#W7a', 'reason': 'no longer needed'})
CANCEL_B = ('cancel_pending_order', {'order_id': '#W7b', 'reason': 'found it cheaper'})

NO_ANSWER = 'get_order_details {"order_id":"#W7a"} got no answer from the server'


def named(*names):
    return [{'name': name} for name in names]


class Listing(ActiveCase):
    """§1 and §2."""

    def test_the_demo_lists_five_tools(self):
        process = self.proxy('--commit', '--', *self.retail())
        process.send(active.line_of(request(1, 'tools/list')))
        self.until(lambda: process.out().endswith(b'\n'), 'the list')
        tools = json.loads(process.out())['result']['tools']
        self.assertEqual([tool['name'] for tool in tools], [
            'find_user_id_by_email', 'get_user_details', 'get_order_details',
            'cancel_pending_order', 'stretto_commit'])
        self.check_declaration(tools[-1])
        process.finish()

    def check_declaration(self, tool):
        self.assertEqual(set(tool), {'annotations', 'description', 'inputSchema', 'name'})
        self.assertEqual(tool['annotations'], {'destructiveHint': True, 'readOnlyHint': False})
        self.assertTrue(tool['description'])
        schema = tool['inputSchema']
        self.assertEqual((schema['type'], schema['required']), ('object', ['calls']))
        self.assertEqual(list(schema['properties']), ['calls'])
        calls = schema['properties']['calls']
        self.assertEqual((calls['type'], calls['minItems']), ('array', 1))
        self.assertEqual(calls['items'], {
            'type': 'object', 'required': ['name', 'arguments'],
            'properties': {'name': {'type': 'string',
                                    'description': 'The name of one of the other tools.'},
                           'arguments': {'type': 'object'}}})

    def list(self, session, id, answer, **params):
        """What the host gets when the server answers so, as the line it is."""
        ask = request(id, 'tools/list', **params)
        session.send(ask).server(ask).put(answer)
        return session.host_lines.next()

    def names(self, line):
        return [tool.get('name') for tool in json.loads(line)['result']['tools']]

    def test_pages(self):
        session = self.session('--commit')
        first = {'id': 2, 'jsonrpc': '2.0',
                 'result': {'nextCursor': 'p2', 'tools': named('lookup')}}
        second = {'id': 3, 'jsonrpc': '2.0', 'result': {'tools': named('update')}}
        got = self.list(session, 2, first)
        self.assertEqual(self.names(got), ['lookup', 'stretto_commit'])
        value = json.loads(got)
        self.check_declaration(value['result']['tools'].pop())
        self.assertEqual(value, first)
        second = b' {"id" : 3,"jsonrpc":"2.0","result":{"tools":[{"name":"update"}]}}\r\n'
        self.same(self.list(session, 3, second, cursor='p2'), second, 'the second page')
        log = session.finish()
        self.assertEqual(log.senders(), ['client', 'server', 'proxy', 'client', 'server'])
        log.same('proxy', [got])

    def test_a_cursor_of_null_asks_for_the_first_page(self):
        session = self.session('--commit')
        got = self.list(session, 2, {'id': 2, 'jsonrpc': '2.0', 'result': {'tools': []}},
                        cursor=None)
        self.assertEqual(self.names(got), ['stretto_commit'])
        session.finish()

    @rows(('empty', ''), ('a number', 0), ('false', False))
    def test_any_other_cursor_asks_for_a_later_page(self, cursor):
        session = self.session('--commit')
        answer = active.line_of({'id': 2, 'jsonrpc': '2.0', 'result': {'tools': named('a')}})
        self.same(self.list(session, 2, answer, cursor=cursor), answer, 'the page')
        session.finish()

    def test_params_may_be_missing(self):
        session = self.session('--commit')
        ask = {'jsonrpc': '2.0', 'id': 'l', 'method': 'tools/list'}
        session.send(ask).server(ask).put({'jsonrpc': '2.0', 'id': 'l', 'result': {'tools': []}})
        self.assertEqual(self.names(session.host_lines.next()), ['stretto_commit'])
        session.finish()

    @rows(('a text', b'{"id":2,"jsonrpc":"2.0","result":{"tools":"none"}}\n'),
          ('an object', b'{"id":2,"jsonrpc":"2.0","result":{"tools":{}}}\n'),
          ('no tools', b'{"id":2,"jsonrpc":"2.0","result":{}}\n'),
          ('null', b'{"id":2,"jsonrpc":"2.0","result":null}\n'),
          ('an error', b'{"id":2,"error":{"code":-32603,"message":"no"}}\r\n'),
          ('tools beside the result', b'{"id":2,"tools":[],"result":[]}\n'))
    def test_another_shape_is_unchanged(self, answer):
        session = self.session('--commit')
        self.same(self.list(session, 2, answer), answer, 'the answer')
        self.assertEqual(session.finish().senders(), ['client', 'server'])

    def test_a_tool_of_the_server_of_that_name_is_hidden(self):
        session = self.session('--commit')
        got = self.list(session, 2, {'id': 2, 'jsonrpc': '2.0', 'result': {
            'tools': named('stretto_commit', 'lookup', 'stretto_commit')}})
        self.assertEqual(self.names(got), ['lookup', 'stretto_commit'])
        self.check_declaration(json.loads(got)['result']['tools'][1])
        got = self.list(session, 3, {'id': 3, 'jsonrpc': '2.0', 'result': {
            'tools': named('a', 'stretto_commit', 'b')}}, cursor='x')
        self.assertEqual(self.names(got), ['a', 'b'])
        self.assertEqual(session.finish().senders(), ['client', 'server', 'proxy'] * 2)

    def test_everything_else_is_kept(self):
        answer = {'jsonrpc': '2.0', 'id': '\u00e9/\u0001', 'extra': [None, True], 'result': {
            '_meta': {'x': 12345678901234567890123, 'n': -0.5}, 'nextCursor': 'z', 'odd': {},
            'tools': [{'name': 'b', 'x': 1}, 7, None, {'title': 'no name'}, {'name': ['a']},
                      {'name': 'Stretto_Commit'}, 'stretto_commit', {'name': 'b'}]}}
        session = self.session('--commit')
        value = json.loads(self.list(session, answer['id'], answer))
        self.check_declaration(value['result']['tools'].pop())
        self.assertEqual(value, answer)
        session.finish()

    def test_an_answer_is_matched_by_its_whole_id(self):
        """1, "1" and 1.0 are three ids; an answer nobody asked for is not extended."""
        session = self.session('--commit')
        session.send(request(1, 'tools/list')).server(request(1, 'tools/list'))
        for other in (b'"1"', b'1.0', b'10', b'[1]', b'null'):
            line = b'{"jsonrpc":"2.0","id":%s,"result":{"tools":[]}}\n' % other
            session.put(line).host(line)
        session.put(b'{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}\n')
        self.assertEqual(self.names(session.host_lines.next()), ['stretto_commit'])
        again = b'{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}\n'
        session.put(again).host(again)
        session.finish()

    @rows(('long integers', b'123456789012345678901', b'123456789012345678902'),
          ('reals', b'1.5', b'1.25'), ('texts', b'"a"', b'"A"'))
    def test_ids_that_are_close(self, one, other):
        ask = b'{"jsonrpc":"2.0","id":%s,"method":"tools/list"}\n'
        answer = b'{"jsonrpc":"2.0","id":%s,"result":{"tools":[]}}\n'
        session = self.session('--commit')
        session.send(ask % one).server(ask % one)
        session.put(answer % other).host(answer % other)
        session.put(answer % one)
        self.assertEqual(self.names(session.host_lines.next()), ['stretto_commit'])
        session.finish()

    def test_nothing_else_announces_it(self):
        session = self.session('--commit')
        answer = {'jsonrpc': '2.0', 'id': 0, 'result': {
            'protocolVersion': '2025-06-18', 'capabilities': {'tools': {}},
            'serverInfo': {'name': 's', 'version': '1'}}}
        session.done(request(0, 'initialize', protocolVersion='2025-06-18'), answer)
        session.fence()
        self.assertEqual(set(session.finish().senders()), {'client', 'server'})

    def test_it_is_served_without_being_listed(self):
        session = self.session('--commit')
        session.send(commit(1, ('a', {}))).server(own(1, 'a'))
        session.put(result('stretto-1', 'x')).host(result(1, 'a {}:\nx'))
        session.finish()

    @rows(('alone', ['--context', 'C']), ('with guards', ['--guards', '--domain', 'retail']))
    def test_without_the_option_it_is_a_tool_like_any_other(self, options):
        session = self.session(*options)
        session.done(commit(1, ('a', {})), result(1, 'mine'))
        answer = active.line_of({'id': 2, 'jsonrpc': '2.0', 'result': {'tools': named('a')}})
        self.same(self.list(session, 2, answer), answer, 'the list')
        session.finish()


class Arguments(ActiveCase):
    """§3."""

    GOOD = '{"name":"get_order_details","arguments":{"order_id":"#W7a"}}'

    @rows(*[(text, text) for text in (
        '{}', '{"calls":[]}', '{"calls":"get_order_details"}', '{"calls":[{"arguments":{}}]}',
        '{"calls":[{"name":"stretto_commit","arguments":{}}]}',
        '{"calls":[{"name":"get_order_details","arguments":"#W7a"}]}',
        '{"calls":[{"name":"get_order_details","arguments":null}]}',
        '{"calls":null}', '{"calls":{}}', '{"calls":7}', '{"Calls":[%s]}' % GOOD, 'null', '[]',
        '"calls"', '[%s]' % GOOD, '{"calls":[%s,{}]}' % GOOD, '{"calls":[%s,7]}' % GOOD,
        '{"calls":[%s,null]}' % GOOD, '{"calls":[%s,[]]}' % GOOD,
        '{"calls":[%s,{"arguments":{}}]}' % GOOD, '{"calls":[%s,{"name":7}]}' % GOOD,
        '{"calls":[%s,{"name":null}]}' % GOOD,
        '{"calls":[%s,{"name":"stretto_commit"}]}' % GOOD,
        '{"calls":[%s,{"name":"stretto\\u005fcommit"}]}' % GOOD,
        '{"calls":[%s,{"name":"a","arguments":null}]}' % GOOD,
        '{"calls":[%s,{"name":"a","arguments":[]}]}' % GOOD,
        '{"calls":[%s,{"name":"a","arguments":true}]}' % GOOD)])
    def test_nothing_is_run(self, arguments):
        line = ('{"jsonrpc":"2.0","id":"c","method":"tools/call","params":{"name":'
                '"stretto_commit","arguments":%s}}\n' % arguments).encode()
        self.nothing(line, '"c"')

    @rows(('no arguments', b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":'
                           b'{"name":"stretto_commit"}}\n'),
          ('with a carriage return', b'{"method":"tools/call","params":{"name":'
                                     b'"stretto_commit"},"id":4}\r\n'),
          ('its name escaped', b'{"method":"tools/call","params":{"name":'
                               b'"stretto\\u005fcommit"},"id":4}\n'))
    def test_no_arguments(self, line):
        self.nothing(line, '4')

    def nothing(self, line, id):
        session = self.session('--commit', '--guards', '--domain', 'retail', '--context', 'C')
        session.send(line)
        got = session.host_lines.next()
        value = json.loads(got)
        text = value['result']['content'][0]['text']
        self.assertRegex(text, r'\Astretto_commit[^\n]*nothing was run\.\Z')
        self.assertEqual(value, result(json.loads(id), text, error=True))
        self.same(got, active.line_of(value), 'the answer')
        session.fence()
        log = session.finish()
        self.assertEqual(log.senders()[:2], ['client', 'proxy'])
        log.same('proxy', [got])

    def test_other_members_are_ignored(self):
        session = self.session('--commit')
        session.send(call(1, 'stretto_commit', {
            'calls': [{'name': 'a', 'arguments': {'x': None}, 'id': 9, 'why': 'so'}],
            'note': ['calls']}, _meta={'progressToken': 3}))
        session.server(own(1, 'a', {'x': None})).put(result('stretto-1', 'ok'))
        session.host(result(1, 'a {"x":null}:\nok')).finish()

    def test_a_name_may_be_any_text(self):
        names = ['', 'no such tool', '\u00e9\u2603', 'a"\\\n\u0001', 'Stretto_commit', 'x' * 100000]
        session = self.session('--commit')
        session.send(commit(1, *[(name, {}) for name in names]))
        for n, name in enumerate(names, 1):
            session.server(own(n, name)).put(result('stretto-%d' % n, 'r'))
        session.host(result(1, '\n\n'.join(name + ' {}:\nr' for name in names))).finish()

    def test_numbers_and_order_of_the_arguments(self):
        session = self.session('--commit')
        line = (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"stretto_commit",'
                b'"arguments":{"calls":[{"arguments":{"b":1.50,"a":[1e2,18446744073709551615,'
                b'-0,{"\\u00e9":"\\/\\u001F","B":null}]},"name":"t"}]}}}\n')
        args = '{"a":[100.0,18446744073709551615,0,{"B":null,"\u00e9":"/\\u001f"}],"b":1.5}'
        session.send(line)
        session.server(('{"id":"stretto-1","jsonrpc":"2.0","method":"tools/call","params":'
                        '{"arguments":%s,"name":"t"}}\n' % args).encode())
        session.put(result('stretto-1', 'ok')).host(result(1, 't %s:\nok' % args)).finish()

    def test_many_calls(self):
        session = self.session('--commit')
        session.send(commit(1, *[('t', {'i': i}) for i in range(300)]))
        for i in range(300):
            session.server(own(i + 1, 't', {'i': i})).put(result('stretto-%d' % (i + 1), str(i)))
        session.host(result(1, '\n\n'.join('t {"i":%d}:\n%d' % (i, i) for i in range(300))))
        session.finish()

    @rows(('no id', b''), ('id null', b'"id":null,'))
    def test_a_notification_is_forwarded_without_guards(self, id):
        line = (b'{"jsonrpc":"2.0",%s"method":"tools/call","params":{"name":"stretto_commit",'
                b'"arguments":{"calls":[{"name":"a"}]}}}\n' % id)
        session = self.session('--commit')
        session.send(line).server(line).fence().finish()

    @rows(('no id', b''), ('id null', b'"id":null,'))
    def test_a_notification_is_dropped_with_guards(self, id):
        line = (b'{"jsonrpc":"2.0",%s"method":"tools/call","params":{"name":"stretto_commit",'
                b'"arguments":{"calls":[{"name":"a"}]}}}\n' % id)
        session = self.session('--commit', '--guards', '--domain', 'retail')
        session.send(line).fence().finish(err=[b'[^\n]*stretto_commit[^\n]*'])

    def test_in_a_batch_it_is_served_only_where_guards_take_it_apart(self):
        batch = b'[ %s, %s ]\n' % (active.line_of(commit(1, ('a', {})))[:-1],
                                   active.line_of(request(2, 'ping'))[:-1])
        session = self.session('--commit')
        session.send(batch).server(batch).fence().finish()
        session = self.session('--commit', '--guards', '--domain', 'retail', record='M')
        session.send(batch).server(own(1, 'a'), request(2, 'ping'))
        session.put(result('stretto-1', 'x')).host(result(1, 'a {}:\nx'))
        session.finish(client=[commit(1, ('a', {})), request(2, 'ping')])


class Running(ActiveCase):
    """§4 to §6: the texts and their order."""

    def test_all_succeed(self):
        session = self.session('--commit', '--guards', '--domain', 'retail', '--context', 'C')
        session.send(commit(5, READ_A, ('find_user_id_by_email',)))
        session.server(own(1, *READ_A)).fence()
        session.put(result('stretto-1', 'A')).server(own(2, 'find_user_id_by_email')).fence()
        session.put(result('stretto-2', 'user_7'))
        session.host(result(5, 'get_order_details {"order_id":"#W7a"}:\nA\n\n'
                               'find_user_id_by_email {}:\nuser_7'))
        session.finish()

    def test_log_of_all_succeed(self):
        session = self.session('--commit')
        session.send(commit(5, READ_A, ('find_user_id_by_email',)))
        session.server(own(1, *READ_A)).put(result('stretto-1', 'A'))
        session.server(own(2, 'find_user_id_by_email')).put(result('stretto-2', 'user_7'))
        report = session.host_lines.next()
        log = session.finish()
        self.assertEqual(log.senders(), ['client', 'proxy', 'server', 'proxy', 'server', 'proxy'])
        log.same('proxy', [own(1, *READ_A), own(2, 'find_user_id_by_email'), report])

    def test_a_failure(self):
        session = self.session('--commit')
        session.send(commit(5, ('get_order_details', {'order_id': '#W9'}),
                            ('find_user_id_by_email', {})))
        session.server(own(1, 'get_order_details', {'order_id': '#W9'}))
        session.put(result('stretto-1', 'Order not found', error=True))
        session.host(result(5, 'get_order_details {"order_id":"#W9"} (error):\nOrder not found\n\n'
                               'find_user_id_by_email {} was not run', error=True))
        session.fence().finish()

    # Chapter 10 §5 and §15.3: (result or error as the server writes it, text, failed).
    @rows(('error', '"error":{"code":-1,"message":"no"}', 'no', True),
          ('error without a message', '"error":{"code":-1}', 'error', True),
          ('error whose message is no text', '"error":{"code":-1,"message":7}', 'error', True),
          ('error that is a text', '"error":"bad"', 'error', True),
          ('error and result', '"error":{"message":"no"},"result":{"content":[]}', 'no', True),
          ('error null', '"error":null,"result":{"content":[{"type":"text","text":"a"},'
                         '{"type":"image"},{"type":"text","text":"b"}],"isError":true}',
           'a\nb', True),
          ('only an error of null', '"error":null', '', False),
          ('empty result', '"result":{}', '', False), ('result null', '"result":null', '', False),
          ('result no object', '"result":[1]', '', False),
          ('isError no boolean', '"result":{"content":[{"text":"x"}],"isError":"true"}', 'x',
           False),
          ('any type, other members', '"result":{"content":[{"type":"odd","text":"x","n":1},7,'
                                      '{"text":8},{"text":"y\\n"}],"structuredContent":{"z":1}}',
           'x\ny\n', False),
          ('content no array', '"result":{"content":"x"}', '', False),
          ('empty text', '"result":{"content":[{"type":"text","text":""}]}', '', False),
          ('escapes', '"result":{"content":[{"type":"text","text":"\\u0000\\u00e9\\/\\n"}]}',
           '\0\u00e9/\n', False),
          ('resultType complete', '"result":{"content":[],"resultType":"complete"}', '', False),
          ('input required', '"result":{"content":[{"text":"x"}],"resultType":"input_required"}',
           'x', True))
    def test_text_and_failure(self, members, text, failed):
        session = self.session('--commit')
        session.send(commit('c', ('t', {}), ('u', {}))).server(own(1, 't'))
        session.put(('{"jsonrpc":"2.0","id":"stretto-1",%s}\n' % members).encode())
        if failed:
            session.host(result('c', 't {} (error):\n%s\n\nu {} was not run' % text, error=True))
        else:
            session.server(own(2, 'u')).put(result('stretto-2', 'end'))
            session.host(result('c', 't {}:\n%s\n\nu {}:\nend' % text))
        session.fence().finish()

    def test_a_refusal(self):
        session = self.session('--commit', '--guards', '--domain', 'retail', '--context', 'C')
        self.say(said('user', "I'm c7@example.com"))
        session.done(call(1, *FIND), result(1, 'user_7'))
        order = {'order_id': '#W7b', 'user_id': 'user_7', 'status': 'pending'}
        session.done(call(2, *READ_B), result(2, json.dumps(order)))
        session.send(commit(3, CANCEL_B, READ_B))
        reason = ("'found it cheaper' is not an accepted reason "
                  "(policy check retail.cancel_reason)")
        session.host(result(3, 'cancel_pending_order {"order_id":"#W7b","reason":'
                               '"found it cheaper"} was refused by the policy check: ' + reason +
                            '\n\nget_order_details {"order_id":"#W7b"} was not run', error=True))
        session.fence()
        log = session.finish(err=None)
        self.assertEqual(log.senders()[:7], ['context', 'client', 'server', 'client', 'server',
                                             'client', 'proxy'])

    def test_a_refusal_with_all_reasons(self):
        session = self.session('--commit', '--guards', '--domain', 'retail')
        session.send(commit(3, CANCEL_A))
        session.host(result(3, 'cancel_pending_order {"order_id":"#W7a","reason":"no longer '
                               'needed"} was refused by the policy check: %s; %s'
                            % (NOBODY, UNREAD), error=True))
        session.fence().finish(err=None)

    def test_a_read_first(self):
        """The status that the guards need comes from the commit's own first call."""
        session = self.session('--commit', '--guards', '--domain', 'retail', '--context', 'C')
        session.done(call(1, *FIND), result(1, 'user_7'))
        self.say(said('user', 'Yes, please cancel it.'))
        session.send(commit(2, READ_A, CANCEL_A)).server(own(1, *READ_A))
        session.put(result('stretto-1', json.dumps(
            {'order_id': '#W7a', 'user_id': 'user_7', 'status': 'pending'})))
        session.server(own(2, *CANCEL_A)).put(result('stretto-2', 'done'))
        text = session.host_value()['result']
        self.assertFalse(text['isError'])
        self.assertTrue(text['content'][0]['text'].endswith('"no longer needed"}:\ndone'))
        session.finish()

    def test_a_read_first_in_front_of_the_demo(self):
        self.say(said('user', 'Yes, please cancel it.'))
        # A commit has ended before the next line, since a call waits for its answer.
        process = self.proxy('--commit', '--guards', '--domain', 'retail', '--context', 'C', '--',
                             *self.retail())
        process.send(active.line_of(commit(1, FIND, READ_A, CANCEL_A)))
        order = ('{"order_id":"#W7a","user_id":"user_7","status":"pending","items":[{"item_id":'
                 '"1","product_id":"p1","name":"Desk lamp"}],"payment_history":'
                 '[{"payment_method_id":"credit_card_7"}]}')
        text = '\n\n'.join([
            'find_user_id_by_email {"email":"c7@example.com"}:\nuser_7',
            'get_order_details {"order_id":"#W7a"}:\n' + order,
            'cancel_pending_order {"order_id":"#W7a","reason":"no longer needed"}:\n'
            '{"order_id":"#W7a","status":"cancelled"}'])
        process.expect(active.line_of(result(1, text)))
        process.finish()
        self.same(self.read('to-server'), b''.join(
            active.line_of(own(n, *one)) for n, one in enumerate((FIND, READ_A, CANCEL_A), 1)),
            'what the demo got')

    def test_the_report_of_one_commit_is_a_fact_for_the_next(self):
        session = self.session('--commit', '--guards', '--domain', 'retail')
        session.send(commit(1, FIND, READ_A))
        session.server(own(1, *FIND)).put(result('stretto-1', 'user_7'))
        session.server(own(2, *READ_A)).put(result('stretto-2', json.dumps(
            {'order_id': '#W7a', 'user_id': 'user_7', 'status': 'delivered'})))
        session.host_value()
        session.refused(call(2, *CANCEL_A), 'cancel_pending_order',
                        "the order's status is delivered, not pending "
                        "(policy check retail.pending)")
        session.finish(err=[b'refused cancel_pending_order: [^\n]*'])

    def test_commits_at_the_same_time(self):
        """Each keeps its own order; the numbers are one series."""
        session = self.session('--commit')
        session.send(commit(1, ('a', {}), ('b', {})), commit(1.5, ('c', {}), ('d', {})))
        session.server(own(1, 'a'), own(2, 'c'))
        session.put(result('stretto-2', 'C')).server(own(3, 'd'))
        session.put(result('stretto-1', 'A')).server(own(4, 'b'))
        session.put(result('stretto-3', 'D')).host(result(1.5, 'c {}:\nC\n\nd {}:\nD'))
        session.put(result('stretto-4', 'B')).host(result(1, 'a {}:\nA\n\nb {}:\nB'))
        session.finish()

    def test_everything_else_goes_on_meanwhile(self):
        session = self.session('--commit')
        session.send(commit(1, ('a', {}))).server(own(1, 'a'))
        session.done(call(2, 'b', {}), result(2, 'B'))
        session.done(request(3, 'ping'), b'{"id":3,"result":{}}\r\n')
        for line in (b'[{"jsonrpc":"2.0","id":"stretto-1","result":{}}]\n', b'not json\n', b'\n',
                     b'{"jsonrpc":"2.0","id":"s","method":"roots/list"}\n',
                     b'{"jsonrpc":"2.0","id":"stretto-1","method":"sampling/createMessage"}\n',
                     b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}\n',
                     b'{"id":"stretto-10","result":{}}\n', b'{"id":"Stretto-1","result":{}}\n',
                     b'{"id":"stretto-1"}\n'):
            session.put(line).host(line)
        cancelled = notification('notifications/cancelled', requestId=1)
        session.send(cancelled).server(cancelled)
        session.put(b' {"id":"stretto\\u002d1","result":{"content":[{"text":"x"}]}} \n')
        session.host(result(1, 'a {}:\nx'))
        again = active.line_of(result('stretto-1', 'again'))
        session.put(again).host(again)
        session.finish()

    @rows(('integer', b'123456789012345678901234567890'), ('negative', b'-7'),
          ('text', '"\u00e9/\\"\\n"'.encode()), ('true', b'true'), ('object', b'{"a":[1]}'),
          ('empty text', b'""'), ('long', b'"' + b'x' * 100000 + b'"'))
    def test_the_id_is_echoed(self, id):
        session = self.session('--commit')
        session.send(b'{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":'
                     b'"stretto_commit","arguments":{"calls":[{"name":"t"}]}}}\n' % id)
        session.server(own(1, 't')).put(result('stretto-1', 'x'))
        session.host(b'{"id":%s,"jsonrpc":"2.0","result":{"content":[{"text":"t {}:\\nx",'
                     b'"type":"text"}],"isError":false}}\n' % id)
        session.finish()

    def test_stretto_reads_it_as_one_turn(self):
        """§6: the commit call and its own calls are calls of one turn."""
        session = self.session('--commit')
        session.send(commit(1, READ_A, ('t', {}))).server(own(1, *READ_A))
        session.put(result('stretto-1', 'A')).server(own(2, 't')).put(result('stretto-2', 'B'))
        report = session.host_value()['result']['content'][0]['text']
        session.finish()
        shown = self.run_stretto('episodes', '--json', self.path('L')).out
        events = json.loads(shown)['events']
        turns = [event for event in events if event['kind'] == 'assistant']
        self.assertEqual([[one['name'] for one in turn['calls']] for turn in turns],
                         [['stretto_commit', 'get_order_details', 't']])
        self.assertEqual([one['id'] for one in turns[0]['calls']], ['1', 'stretto-1', 'stretto-2'])
        results = {event['name']: event['content'] for event in events
                   if event['kind'] == 'tool_result'}
        self.assertEqual(results, {'stretto_commit': report, 'get_order_details': 'A', 't': 'B'})


class NoAnswer(ActiveCase):
    """§7's last vectors. The time-out of 60 s has a unit test."""

    def test_the_server_exits(self):
        session = self.session('--commit')
        session.send(commit(1, READ_A)).server(own(1, *READ_A))
        session.hang_up()
        session.host(result(1, NO_ANSWER, error=True))
        session.ended()

    def test_the_server_exits_during_the_first_of_two(self):
        session = self.session('--commit')
        session.send(commit(1, READ_A, READ_B)).server(own(1, *READ_A))
        session.hang_up()
        session.host(result(1, NO_ANSWER + '\n\nget_order_details {"order_id":"#W7b"} was not run',
                            error=True))
        session.ended()

    def test_several_end_in_the_order_of_their_last_requests(self):
        session = self.session('--commit')
        session.send(commit(1, ('a', {}), ('b', {})), commit(2, ('c', {})))
        session.server(own(1, 'a'), own(2, 'c')).put(result('stretto-1', 'A')).server(own(3, 'b'))
        session.hang_up()
        session.host(result(2, 'c {} got no answer from the server', error=True),
                     result(1, 'a {}:\nA\n\nb {} got no answer from the server', error=True))
        session.ended()

    def test_the_host_closes_its_end_during_the_first_of_two(self):
        session = self.session('--commit')
        session.send(commit(1, READ_A, READ_B, ('t', {}))).server(own(1, *READ_A))
        session.process.close_stdin()
        session.inward.wait(lambda data, ended: ended)
        session.put(result('stretto-1', 'A'))
        session.host(result(1, 'get_order_details {"order_id":"#W7a"}:\nA\n\n'
                               'get_order_details {"order_id":"#W7b"} got no answer from the '
                               'server\n\nt {} was not run', error=True))
        session.finish()

    def test_the_host_closes_its_end_during_the_last(self):
        session = self.session('--commit')
        session.send(commit(1, READ_A)).server(own(1, *READ_A))
        session.process.close_stdin()
        session.inward.wait(lambda data, ended: ended)
        session.put(result('stretto-1', 'A'))
        session.host(result(1, 'get_order_details {"order_id":"#W7a"}:\nA'))
        session.finish()

    def test_the_host_closes_its_end_at_once(self):
        """Its last line may lack the newline, and is served."""
        session = self.session('--commit')
        line = active.line_of(commit(1, READ_A))
        session.sent.append(line[:-1])
        session.process.send(line[:-1])
        session.process.close_stdin()
        session.inward.wait(lambda data, ended: ended)
        got = session.inward.bytes()
        if got:
            session.server(own(1, *READ_A)).put(result('stretto-1', 'A'))
            session.host(result(1, 'get_order_details {"order_id":"#W7a"}:\nA'))
        else:
            session.host(result(1, NO_ANSWER, error=True))
        session.finish(client=[line])

    def test_the_server_has_closed_its_input(self):
        server = self.server('''
os.close(0)
note('closed')
wait_for('go')
''')
        process = self.proxy('--commit', '--', *server)
        self.wait_note('closed')
        process.send(b'lost\n')
        process.expect_err(b'stretto-proxy: forwarding to the server: ')
        process.send(active.line_of(commit(1, READ_A, READ_B)))
        process.expect(active.line_of(result(
            1, NO_ANSWER + '\n\nget_order_details {"order_id":"#W7b"} was not run', error=True)))
        self.release('go')
        process.finish(err=harness.re.compile(harness.message('forwarding to the server')))


if __name__ == '__main__':
    harness.main((harness.PROXY, harness.DEMO, harness.STRETTO))
