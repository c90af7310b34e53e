#!/usr/bin/env python3
"""The demo server over stdio: chapter 04 §§1 to 5, 7 and 8, ruling R7."""

import json
import os
import re

import harness
import log_model
from harness import Case, recording, rows

ECHO_TOOLS = [('lookup', True), ('update', False)]
RETAIL_TOOLS = [
    ('find_user_id_by_email', ['email'], True),
    ('get_user_details', ['user_id'], True),
    ('get_order_details', ['order_id'], True),
    ('cancel_pending_order', ['order_id', 'reason'], False),
]
USER = ('{"user_id":"user_7","orders":["#W7a","#W7b"],"email":"c7@example.com",'
        '"payment_methods":{"credit_card_7":{"source":"credit_card"}}}')
ORDER = ('{"order_id":"#W7a","user_id":"user_7","status":"pending","items":[{"item_id":"1",'
         '"product_id":"p1","name":"Desk lamp"}],"payment_history":'
         '[{"payment_method_id":"credit_card_7"}]}')
CANCELLED = '{"order_id":"#W7a","status":"cancelled"}'
NO_USER, NO_ORDER = 'Error: User not found', 'Error: Order not found'


def compact(value):
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(',', ':'))


def answer(number, text, is_error=False):
    """The line that answers a call with a text."""
    return (b'{"id":' + number + b',"jsonrpc":"2.0","result":{"content":[{"text":' +
            log_model.string(text) + b',"type":"text"}],"isError":' +
            (b'true' if is_error else b'false') + b'}}\n')


def error(number, code, text):
    return (b'{"error":{"code":%d,"message":' % code + log_model.string(text) + b'},"id":' +
            number + b',"jsonrpc":"2.0"}\n')


def call(number, name, arguments=None):
    """A call whose arguments are JSON text."""
    more = '' if arguments is None else ',"arguments":' + arguments
    text = '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s"%s}}\n'
    return (text % (number, name, more)).encode()


class Demo(Case):
    def run_demo(self, *args, input=b'', code=0, out=None, err=b''):
        process = self.start([harness.DEMO, *args])
        process.send(input, gone_is_fine=True)
        return process.finish(code, out, err)

    def ask(self, line, *args):
        """The answer to one line, taken apart; the line is held to the form of §2."""
        out = self.run_demo(*args, input=line).out
        self.assertEqual(out.count(b'\n'), 1, out)
        self.assertTrue(out.endswith(b'\n'))
        value = json.loads(out)
        self.same(out, compact(value).encode() + b'\n', 'the form of the answer')
        return value


class CommandLine(Demo):
    @rows(
        ('help with more', ['-h', '-h']),
        ('help after an option', ['--world', 'echo', '--help']),
        ('help before an option', ['--help', '--world', 'echo']),
        ('version with more', ['-V', 'x']),
        ('version after an option', ['--world', 'echo', '-V']),
        ('unknown option', ['--nope']),
        ('unknown short option', ['-x']),
        ('positional', ['echo']),
        ('empty argument', ['']),
        ('world without value', ['--world']),
        ('wrong world', ['--world', 'Echo']),
        ('empty world', ['--world', '']),
        ('wrong world, then a right one', ['--world', 'x', '--world', 'echo']),
        ('value after an equals sign', ['--world=echo']),
        ('http without value', ['--http']),
        ('require-auth without value', ['--require-auth']),
        ('hide without value', ['--hide']),
        ('hint without value', ['--hint']),
        ('hint without equals sign', ['--hint', 'get_user_details']),
        ('hint true', ['--hint', 'get_user_details=true']),
        ('hint empty', ['--hint', 'get_user_details=']),
        ('hint False', ['--hint', 'get_user_details=False']),
        ('abbreviation', ['--wor', 'echo']),
        ('dashes', ['--']),
    )
    def test_usage_error(self, args):
        self.run_demo(*args, input=b'{"id":1,"method":"ping"}\n', code=2, out=b'',
                      err=re.compile(b'.+\n', re.DOTALL))

    @rows(('long', '--help'), ('short', '-h'))
    def test_help(self, option):
        out = self.run_demo(option).out
        for word in (b'stretto-mcp-demo', b'--world', b'echo', b'retail',
                     b'--require-auth', b'--hide', b'--hint'):
            self.assertIn(word, out)

    @rows(('long', '--version'), ('short', '-V'))
    def test_version(self, option):
        with open(os.path.join(harness.HERE, '../../meson.build'), encoding='utf-8') as f:
            version = re.search(r"version: '([^']+)'", f.read()).group(1)
        self.run_demo(option, out=b'stretto-mcp-demo %s\n' % version.encode())

    @rows(
        ('echo', ['--world', 'echo'], ['lookup', 'update']),
        ('retail', ['--world', 'retail'], [tool[0] for tool in RETAIL_TOOLS]),
        ('default', [], ['lookup', 'update']),
        ('last counts', ['--world', 'retail', '--world', 'echo'], ['lookup', 'update']),
        ('last counts again', ['--world', 'echo', '--world', 'retail'],
         [tool[0] for tool in RETAIL_TOOLS]),
        ('require-auth has no effect', ['--require-auth', 'Bearer x'], ['lookup', 'update']),
        ('hide has no effect', ['--hide', 'lookup'], ['lookup', 'update']),
        ('hint has no effect', ['--hint', 'lookup=none'], ['lookup', 'update']),
    )
    def test_world(self, args, names):
        tools = self.ask(b'{"id":1,"method":"tools/list"}\n', *args)['result']['tools']
        self.assertEqual([tool['name'] for tool in tools], names)


class Lines(Demo):
    """The table of §3."""

    PARSE_ERROR = error(b'null', -32700, 'Parse error')

    @rows(
        ('text', b'this line is not JSON\n'),
        ('open object', b'{"id":1\n'),
        ('two values', b'{"id":1,"method":"ping"}{}\n'),
        ('NaN', b'{"id":NaN,"method":"ping"}\n'),
        ('1e999', b'{"id":1e999,"method":"ping"}\n'),
        ('lone surrogate', b'{"id":1,"method":"ping","x":"\\ud83d"}\n'),
        ('depth 127', b'[' * 127 + b']' * 127 + b'\n'),
        ('very deep', b'[' * 200000 + b'\n'),
        ('byte-order mark', b'\xef\xbb\xbf{"id":1,"method":"ping"}\n'),
        ('bad UTF-8 outside a string', b'\xff{"id":1,"method":"ping"}\n'),
        ('NUL', b'\0\n'),
        ('trailing comma', b'{"id":1,"method":"ping",}\n'),
    )
    def test_not_json(self, line):
        self.run_demo(input=line, out=self.PARSE_ERROR)

    @rows(
        ('batch', b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n'),
        ('empty batch', b'[]\n'),
        ('depth 126', b'[' * 126 + b']' * 126 + b'\n'),
        ('number', b'7\n'),
        ('string', b'"ping"\n'),
        ('null', b'null\n'),
        ('true', b'true\n'),
    )
    def test_not_an_object(self, line):
        value = self.ask(line)
        self.assertEqual(sorted(value), ['error', 'id', 'jsonrpc'])
        self.assertIsNone(value['id'])
        self.assertEqual(value['jsonrpc'], '2.0')
        self.assertEqual(sorted(value['error']), ['code', 'message'])
        self.assertEqual(value['error']['code'], -32600)
        self.assertTrue(value['error']['message'].startswith('Invalid Request'))

    @rows(
        ('nothing', b''),
        ('empty lines', b'\n\n\r\n'),
        ('white space', b'  \t \r\n \n\t'),
        ('notification', b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n'),
        ('unknown notification', b'{"jsonrpc":"2.0","method":"nope"}\n'),
        ('id null', b'{"jsonrpc":"2.0","id":null,"method":"ping"}\n'),
        ('call without id', b'{"method":"tools/call","params":{"name":"lookup"}}\n'),
        ('call with id null', b'{"id":null,"method":"tools/call","params":{"name":"x"}}\n'),
        ('initialize without id', b'{"method":"initialize","params":{}}\n'),
        ('response', b'{"jsonrpc":"2.0","id":1,"result":{}}\n'),
        ('error response', b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}\n'),
        ('id only', b'{"id":1}\n'),
        ('method is a number', b'{"id":1,"method":5}\n'),
        ('method is null', b'{"id":1,"method":null}\n'),
        ('empty object', b'{}\n'),
    )
    def test_no_answer(self, line):
        self.run_demo(input=line, out=b'')

    @rows(
        ('plain', 'nope', 'nope'), ('empty', '', ''), ('wrong case', 'Ping', 'Ping'),
        ('resources/list', 'resources/list', 'resources/list'), ('quote', 'a\\"b', 'a"b'),
        ('not ASCII', 'é\\u00e9', 'éé'), ('NUL', 'a\\u0000b', 'a\0b'),
        ('space', 'ping ', 'ping '),
    )
    def test_method_not_found(self, method, shown):
        self.run_demo(input=('{"id":1,"method":"%s"}\n' % method).encode(),
                      out=error(b'1', -32601, 'Method not found: ' + shown))

    @rows(*[(text.decode('ascii', 'replace')[:30], text, shown) for text, shown in [
        (b'1', b'1'), (b'0', b'0'), (b'-5', b'-5'), (b'"1"', b'"1"'), (b'""', b'""'),
        (b'"a\\u0041\\/\\n"', b'"aA/\\n"'), ('"é"'.encode(), '"é"'.encode()),
        (b'"\\u00e9"', '"é"'.encode()), (b'9223372036854775807', b'9223372036854775807'),
        (b'-9223372036854775808', b'-9223372036854775808'),
        (b'18446744073709551615', b'18446744073709551615'), (b'1.5', b'1.5'),
        (b'"\\u0000"', b'"\\u0000"'),
    ]])
    def test_id(self, text, shown):
        self.run_demo(input=b'{"jsonrpc":"2.0","id":' + text + b',"method":"ping"}\n',
                      out=b'{"id":' + shown + b',"jsonrpc":"2.0","result":{}}\n')

    @rows(
        ('no jsonrpc', b'{"id":1,"method":"ping"}\n'),
        ('wrong jsonrpc', b'{"jsonrpc":"1.0","id":1,"method":"ping"}\n'),
        ('odd jsonrpc', b'{"jsonrpc":[],"id":1,"method":"ping"}\n'),
        ('params', b'{"id":1,"method":"ping","params":{"x":1}}\n'),
        ('odd params', b'{"id":1,"method":"ping","params":7}\n'),
        ('white space', b' \t{ "id" : 1 , "method" : "ping" } \r\n'),
        ('no newline', b'{"id":1,"method":"ping"}'),
        ('escaped names', b'{"\\u0069d":1,"m\\u0065thod":"p\\u0069ng"}\n'),
        ('after empty lines', b'\n \n{"id":1,"method":"ping"}\n\n'),
    )
    def test_ping(self, line):
        self.run_demo(input=line, out=b'{"id":1,"jsonrpc":"2.0","result":{}}\n')

    def test_invalid_utf8_is_replaced(self):
        line = (b'{"id":1,"method":"tools/call","params":{"name":"lookup","arguments":'
                b'{"text":"\xff a\xe2\x82A \xed\xa0\x80"}}}\n')
        self.run_demo(input=line, out=answer(
            b'1', '{"text":"\ufffd a\ufffdA \ufffd\ufffd\ufffd"}'))

    def test_many_lines(self):
        lines = [b'{"id":%d,"method":"ping"}\n' % i for i in range(20000)]
        self.run_demo(input=b''.join(lines), out=b''.join(
            b'{"id":%d,"jsonrpc":"2.0","result":{}}\n' % i for i in range(20000)))

    def test_byte_by_byte(self):
        process = self.start([harness.DEMO])
        line = b'{"id":1,"method":"ping"}\n\n{"id":2,"method":"ping"}'
        for i in range(len(line)):
            process.send(line[i:i + 1])
        process.finish(0, b''.join(b'{"id":%d,"jsonrpc":"2.0","result":{}}\n' % i
                                   for i in (1, 2)))

    def test_long_line(self):
        text = 'x' * (4 << 20)
        self.run_demo(input=call(1, 'lookup', '{"text":"%s"}' % text),
                      out=answer(b'1', '{"text":"%s"}' % text))

    def test_each_answer_at_once(self):
        process = self.start([harness.DEMO])
        wanted = b''
        for i in range(100):
            process.send(b'{"id":%d,"method":"ping"}\n' % i)
            wanted += b'{"id":%d,"jsonrpc":"2.0","result":{}}\n' % i
            process.expect(wanted)
        process.finish(0, wanted)

    @rows(('/dev/null', 'null'), ('a file', 'file'))
    def test_other_inputs(self, kind):
        fd = 'null'
        wanted = b''
        if kind == 'file':
            fd = self.open(self.write('in', b'{"id":1,"method":"ping"}\nx'), os.O_RDONLY)
            wanted = b'{"id":1,"jsonrpc":"2.0","result":{}}\n' + self.PARSE_ERROR
        process = self.start([harness.DEMO], stdin=fd)
        process.finish(0, wanted)

    def test_output_to_a_file(self):
        fd = self.open(self.path('out'), os.O_WRONLY | os.O_CREAT)
        process = self.start([harness.DEMO], stdout=fd)
        process.send(b'{"id":1,"method":"ping"}\n')
        process.finish(0)
        self.assertEqual(self.read('out'), b'{"id":1,"jsonrpc":"2.0","result":{}}\n')


class Initialize(Demo):
    @rows(
        ('2025-06-18', '{"protocolVersion":"2025-06-18"}', '"2025-06-18"'),
        ('2024-11-05', '{"protocolVersion":"2024-11-05"}', '"2024-11-05"'),
        ('any text', '{"protocolVersion":"é\\u0000"}', '"é\\u0000"'),
        ('empty', '{"protocolVersion":""}', '""'),
        ('number', '{"protocolVersion":5}', '5'),
        ('null', '{"protocolVersion":null}', 'null'),
        ('object', '{"protocolVersion":{"b":1,"a":[]}}', '{"a":[],"b":1}'),
        ('absent', '{"capabilities":{}}', '"2025-06-18"'),
        ('no members', '{}', '"2025-06-18"'),
        ('no params', None, '"2025-06-18"'),
        ('odd params', '[1]', '"2025-06-18"'),
    )
    def test_version(self, params, shown):
        line = '{"id":1,"method":"initialize"%s}\n' % ('' if params is None
                                                       else ',"params":' + params)
        value = self.ask(line.encode())
        result = value['result']
        self.assertEqual(compact(result['protocolVersion']), compact(json.loads(shown)))
        self.assertEqual(result['capabilities'], {'tools': {'listChanged': False}})
        self.assertEqual(sorted(result['serverInfo']), ['name', 'version'])
        self.assertEqual(result['serverInfo']['name'], 'stretto-mcp-demo')
        self.assertEqual(self.run_demo('--version').out.decode(),
                         'stretto-mcp-demo %s\n' % result['serverInfo']['version'])
        self.assertIsInstance(result['instructions'], str)
        self.assertNotEqual(result['instructions'], '')
        self.assertEqual(sorted(result),
                         ['capabilities', 'instructions', 'protocolVersion', 'serverInfo'])
        self.assertEqual(sorted(value), ['id', 'jsonrpc', 'result'])

    def test_may_come_twice_or_late(self):
        line = b'{"id":1,"method":"initialize"}\n'
        out = self.run_demo(input=b'{"id":0,"method":"ping"}\n' + line + line).out
        lines = log_model.split_lines(out)
        self.assertEqual(len(lines), 3)
        self.assertEqual(lines[1], lines[2])


class Echo(Demo):
    """World echo: §4."""

    def test_list(self):
        value = self.ask(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
        self.assertEqual(list(value['result']), ['tools'])
        tools = value['result']['tools']
        self.assertEqual([tool['name'] for tool in tools], ['lookup', 'update'])
        for tool, (name, read_only) in zip(tools, ECHO_TOOLS):
            self.assertEqual(sorted(tool), ['annotations', 'description', 'inputSchema', 'name'])
            self.assertEqual(tool['name'], name)
            self.assertEqual(tool['annotations'], {'readOnlyHint': read_only})
            self.assertNotEqual(tool['description'], '')
            schema = tool['inputSchema']
            for prop in schema['properties'].values():
                self.assertNotEqual(prop.pop('description'), '')
            self.assertEqual(schema, {'type': 'object', 'properties': {
                'text': {'type': 'string'}, 'fail': {'type': 'boolean'},
                'delay_ms': {'type': 'integer', 'minimum': 0}}})

    def test_list_with_a_cursor(self):
        a = self.run_demo(input=b'{"id":1,"method":"tools/list","params":{"cursor":"x"}}\n').out
        b = self.run_demo(input=b'{"id":1,"method":"tools/list"}\n').out
        self.assertEqual(a, b)

    @rows(*[('%s %s' % (name, arguments), name, arguments, text, is_error)
            for name, arguments, text, is_error in [
        ('lookup', '{"text":"hello"}', '{"text":"hello"}', False),
        ('lookup', '{"text":"hi","delay_ms":1}', '{"delay_ms":1,"text":"hi"}', False),
        ('update', '{"text":"café ☕"}', '{"text":"café ☕"}', False),
        ('update', '{"fail":true}', 'update failed, as asked: {"fail":true}', True),
        ('lookup', '{"fail":"true"}', '{"fail":"true"}', False),
        ('lookup', None, '{}', False),
        ('update', '{}', '{}', False),
        ('update', '{"fail":true,"text":"hi"}',
         'update failed, as asked: {"fail":true,"text":"hi"}', True),
        ('lookup', '{"fail":true,"delay_ms":1}',
         'lookup failed, as asked: {"delay_ms":1,"fail":true}', True),
        ('lookup', '{"fail":false}', '{"fail":false}', False),
        ('lookup', '{"fail":1}', '{"fail":1}', False),
        ('lookup', '{"fail":null}', '{"fail":null}', False),
        ('lookup', '{"x":{"fail":true}}', '{"x":{"fail":true}}', False),
        ('lookup', 'null', 'null', False),
        ('lookup', '[1, 2]', '[1,2]', False),
        ('lookup', '"x"', '"x"', False),
        ('lookup', 'true', 'true', False),
        ('lookup', '{"b": 1, "a": [1.50, "é/\\u001f"]}', '{"a":[1.5,"é/\\u001f"],"b":1}', False),
        ('lookup', '{"z":{"y":1,"x":{"w":2,"v":3}},"a":[{"c":1,"b":2}]}',
         '{"a":[{"b":2,"c":1}],"z":{"x":{"v":3,"w":2},"y":1}}', False),
        ('lookup', '{"text":"a","text":"b"}', '{"text":"b"}', False),
        ('lookup', '{"fail":true,"fail":false}', '{"fail":false}', False),
        ('lookup', '{"é":1,"z":2,"\\ud83d\\ude00":3,"":4,"A":5,"a":6,"\\uffff":7}',
         '{"":4,"A":5,"a":6,"z":2,"é":1,"\uffff":7,"\U0001f600":3}', False),
        ('lookup', '{"text":"\\u0000\\u0008\\t\\n\\f\\r\\u001f\\"\\\\\\/\\u007f\\u00e9"}',
         '{"text":"\\u0000\\b\\t\\n\\f\\r\\u001f\\"\\\\/\x7fé"}', False),
        ('lookup', '{"a":15.0,"b":1e2,"c":0.1,"d":1e16,"e":1e-5,"f":1e-6,"g":-0,"h":-0.0}',
         '{"a":15.0,"b":100.0,"c":0.1,"d":1e16,"e":0.00001,"f":1e-6,"g":0,"h":-0.0}', False),
        ('lookup', '{"a":18446744073709551615,"b":18446744073709551616,"c":-9223372036854775808,'
         '"d":-9223372036854775809,"e":9223372036854775808}',
         '{"a":18446744073709551615,"b":1.8446744073709552e19,"c":-9223372036854775808,'
         '"d":-9.223372036854776e18,"e":9223372036854775808}', False),
        ('lookup', '{"a":1.7976931348623157e308,"b":5e-324,"c":1e-999,"d":123456789012345680.0,'
         '"e":9007199254740993.0}',
         '{"a":1.7976931348623157e308,"b":5e-324,"c":0.0,"d":1.2345678901234568e17,'
         '"e":9007199254740992.0}', False),
    ]])
    def test_call(self, name, arguments, text, is_error):
        self.run_demo(input=call(1, name, arguments), out=answer(b'1', text, is_error))

    @rows(
        ('delete', b'{"name":"delete","arguments":{}}', 'delete'),
        ('with a delay', b'{"name":"delete","arguments":{"delay_ms":9999}}', 'delete'),
        ('no name', b'{"arguments":{}}', ''),
        ('number', b'{"name":5}', ''),
        ('null', b'{"name":null}', ''),
        ('wrong case', b'{"name":"Lookup"}', 'Lookup'),
        ('longer', b'{"name":"lookup\\u0000"}', 'lookup\0'),
        ('shorter', b'{"name":"looku"}', 'looku'),
        ('of the other world', b'{"name":"get_user_details"}', 'get_user_details'),
        ('params is an array', b'["lookup"]', ''),
        ('params is null', b'null', ''),
    )
    def test_unknown_tool(self, params, name):
        self.run_demo(input=b'{"id":1,"method":"tools/call","params":' + params + b'}\n',
                      out=error(b'1', -32602, 'Unknown tool: ' + name))

    def test_no_params(self):
        self.run_demo(input=b'{"id":1,"method":"tools/call"}\n',
                      out=error(b'1', -32602, 'Unknown tool: '))


class Delays(Demo):
    """Ruling R7."""

    def order(self, calls, *args):
        """Runs calls (name, arguments) and gives the order of their answers."""
        lines = b''.join(call(i, name, arguments) for i, (name, arguments) in enumerate(calls))
        out = self.run_demo(*args, input=lines).out
        return [json.loads(line)['id'] for line in log_model.split_lines(out)]

    def test_holds_up_no_other_line(self):
        self.assertEqual(self.order([('lookup', '{"delay_ms":600}'), ('lookup', '{}'),
                                     ('update', '{}')]), [1, 2, 0])

    def test_shorter_delay_first(self):
        self.assertEqual(self.order([('lookup', '{"delay_ms":1500}'),
                                     ('lookup', '{"delay_ms":50}'), ('lookup', '{}')]), [2, 1, 0])

    def test_due_together_keep_their_order(self):
        calls = [('lookup', '{"delay_ms":400}')] * 200
        self.assertEqual(self.order(calls), list(range(200)))

    def test_delays_run_at_the_same_time(self):
        """One after the other they would take ten minutes."""
        calls = [('lookup', '{"delay_ms":3000}')] * 200
        self.assertEqual(self.order(calls), list(range(200)))

    def test_answers_come_while_the_input_is_open(self):
        process = self.start([harness.DEMO])
        process.send(call(1, 'lookup', '{"delay_ms":100}'))
        process.send(call(2, 'lookup', '{}'))
        wanted = answer(b'2', '{}') + answer(b'1', '{"delay_ms":100}')
        process.expect(wanted)
        process.finish(0, wanted)

    def test_outstanding_answers_are_given_at_the_end(self):
        process = self.start([harness.DEMO])
        process.send(call(1, 'lookup', '{"delay_ms":500}') +
                     call(2, 'update', '{"delay_ms":500,"fail":true}'))
        process.finish(0, answer(b'1', '{"delay_ms":500}') + answer(
            b'2', 'update failed, as asked: {"delay_ms":500,"fail":true}', True))

    @rows(*[(text, text) for text in ('-1', '5000.5', '5000.0', '"5000"', 'true', 'null', '[5000]',
                                      '0', '-0')])
    def test_ignored(self, text):
        self.assertEqual(self.order([('lookup', '{"delay_ms":%s}' % text), ('lookup', '{}')]),
                         [0, 1])

    def test_not_an_object(self):
        self.assertEqual(self.order([('lookup', '[{"delay_ms":5000}]'), ('lookup', '{}')]), [0, 1])

    def test_ten_seconds_at_most(self):
        """An hour becomes ten seconds, which is more than nine."""
        self.assertEqual(self.order([('lookup', '{"delay_ms":3600000}'),
                                     ('lookup', '{"delay_ms":8000}'), ('lookup', '{}')]), [2, 1, 0])

    def test_unknown_tool_is_not_delayed(self):
        self.assertEqual(self.order([('lookup', '{"delay_ms":300}'),
                                     ('nope', '{"delay_ms":9000}')]), [1, 0])

    def test_retail_is_delayed_too(self):
        self.assertEqual(self.order([
            ('get_user_details', '{"user_id":"user_7","delay_ms":400}'),
            ('get_user_details', '{"user_id":"user_7"}')], '--world', 'retail'), [1, 0])


class Retail(Demo):
    """World retail: §5 and §7."""

    def ask_tool(self, name, arguments, *args):
        return self.run_demo('--world', 'retail', *args, input=call(1, name, arguments)).out

    def test_list(self):
        value = self.ask(b'{"id":1,"method":"tools/list"}\n', '--world', 'retail')
        self.assertEqual(list(value['result']), ['tools'])
        tools = value['result']['tools']
        self.assertEqual(len(tools), 4)
        for tool, (name, arguments, read_only) in zip(tools, RETAIL_TOOLS):
            description = tool.pop('description')
            self.assertNotEqual(description, '')
            self.assertEqual(tool, {
                'name': name, 'annotations': {'readOnlyHint': read_only},
                'inputSchema': {'type': 'object', 'required': arguments, 'properties': {
                    argument: {'type': 'string'} for argument in arguments}}})
        self.assertIn('no longer needed', description)
        self.assertIn('ordered by mistake', description)

    @rows(*[('%s %s' % (name, arguments), name, arguments, text, is_error)
            for name, arguments, text, is_error in [
        ('find_user_id_by_email', '{"email":"c7@example.com"}', 'user_7', False),
        ('find_user_id_by_email', '{"email":"c007@example.com"}', 'user_007', False),
        ('find_user_id_by_email', '{"email":"c0@example.com"}', 'user_0', False),
        ('find_user_id_by_email', '{"email":"c12345678901234567890123@example.com"}',
         'user_12345678901234567890123', False),
        ('find_user_id_by_email', '{"email":"c@example.com"}', NO_USER, True),
        ('find_user_id_by_email', '{"email":"C7@example.com"}', NO_USER, True),
        ('find_user_id_by_email', '{"email":"c7@example.com "}', NO_USER, True),
        ('find_user_id_by_email', '{"email":" c7@example.com"}', NO_USER, True),
        ('find_user_id_by_email', '{"email":"c7@Example.com"}', NO_USER, True),
        ('find_user_id_by_email', '{"email":"c7x@example.com"}', NO_USER, True),
        ('find_user_id_by_email', '{"email":"c7@example.com\\u0000"}', NO_USER, True),
        ('find_user_id_by_email', '{"email":"c٧@example.com"}', NO_USER, True),
        ('find_user_id_by_email', '{"email":"c-7@example.com"}', NO_USER, True),
        ('find_user_id_by_email', '{"email":7}', NO_USER, True),
        ('find_user_id_by_email', '{}', NO_USER, True),
        ('find_user_id_by_email', None, NO_USER, True),
        ('find_user_id_by_email', '[]', NO_USER, True),
        ('get_user_details', '{"user_id":"user_7"}', USER, False),
        ('get_user_details', '{"user_id":"user_007"}', USER.replace('7', '007'), False),
        ('get_user_details', '{"user_id":"user_"}', NO_USER, True),
        ('get_user_details', '{"user_id":"User_7"}', NO_USER, True),
        ('get_user_details', '{"user_id":"user_7 "}', NO_USER, True),
        ('get_user_details', '{"user_id":"7"}', NO_USER, True),
        ('get_user_details', None, NO_USER, True),
        ('get_order_details', '{"order_id":"#W7a"}', ORDER, False),
        ('get_order_details', '{"order_id":"#W7b"}', ORDER.replace('#W7a', '#W7b'), False),
        ('get_order_details', '{"order_id":"#W42a"}', ORDER.replace('7', '42'), False),
        ('get_order_details', '{"order_id":"#W007b"}',
         ORDER.replace('7', '007').replace('#W007a', '#W007b'), False),
        ('get_order_details', '{"order_id":"#W7c"}', NO_ORDER, True),
        ('get_order_details', '{"order_id":"W7a"}', NO_ORDER, True),
        ('get_order_details', '{"order_id":"#Wa"}', NO_ORDER, True),
        ('get_order_details', '{"order_id":"#w7a"}', NO_ORDER, True),
        ('get_order_details', '{"order_id":"#W7A"}', NO_ORDER, True),
        ('get_order_details', '{"order_id":"#W7"}', NO_ORDER, True),
        ('get_order_details', '{"order_id":"#W7ab"}', NO_ORDER, True),
        ('get_order_details', '{}', NO_ORDER, True),
        ('cancel_pending_order', '{"order_id":"#W7a","reason":"no longer needed"}', CANCELLED,
         False),
        ('cancel_pending_order', '{"order_id":"#W7b","reason":"ordered by mistake"}',
         CANCELLED.replace('#W7a', '#W7b'), False),
        ('cancel_pending_order', '{"order_id":"#W7a","reason":"No longer needed"}',
         'Error: Invalid reason', True),
        ('cancel_pending_order', '{"order_id":"#W7a","reason":""}', 'Error: Invalid reason', True),
        ('cancel_pending_order', '{"order_id":"#W7a"}', 'Error: Invalid reason', True),
        ('cancel_pending_order', '{"order_id":"#W7a","reason":["no longer needed"]}',
         'Error: Invalid reason', True),
        ('cancel_pending_order', '{"order_id":"#W7c","reason":"no longer needed"}', NO_ORDER,
         True),
        ('cancel_pending_order', '{"order_id":"#W7c","reason":"x"}', NO_ORDER, True),
        ('cancel_pending_order', '{}', NO_ORDER, True),
        ('cancel_pending_order', None, NO_ORDER, True),
        ('get_user_details', '{"user_id":"user_7","fail":true}', USER, False),
        ('get_user_details', '{"user_id":"user_7","delay_ms":1}', USER, False),
    ]])
    def test_call(self, name, arguments, text, is_error):
        self.same(self.ask_tool(name, arguments), answer(b'1', text, is_error), 'the answer')

    @rows(('lookup', 'lookup'), ('wrong case', 'Get_user_details'))
    def test_unknown_tool(self, name):
        self.assertEqual(self.ask_tool(name, '{}'), error(b'1', -32602, 'Unknown tool: ' + name))

    def test_nothing_is_stored(self):
        lines = (call(1, 'cancel_pending_order', '{"order_id":"#W7a","reason":"no longer needed"}')
                 + call(2, 'get_order_details', '{"order_id":"#W7a"}'))
        self.run_demo('--world', 'retail', input=lines,
                      out=answer(b'1', CANCELLED) + answer(b'2', ORDER))

    def tools(self, *args):
        value = self.ask(b'{"id":1,"method":"tools/list"}\n', '--world', 'retail', *args)
        return {tool['name']: tool for tool in value['result']['tools']}

    def test_hide(self):
        args = ['--hide', 'get_user_details', '--hide', 'cancel_pending_order', '--hide', 'nope']
        self.assertEqual(list(self.tools(*args)), ['find_user_id_by_email', 'get_order_details'])
        for name in ('get_user_details', 'cancel_pending_order'):
            self.assertEqual(self.ask_tool(name, '{"delay_ms":9000}', *args),
                             error(b'1', -32602, 'Unknown tool: ' + name))
        self.assertEqual(self.ask_tool('get_order_details', '{"order_id":"#W7a"}', *args),
                         answer(b'1', ORDER))

    @rows(
        ('false', ['--hint', 'get_user_details=false'], {'readOnlyHint': False}),
        ('none', ['--hint', 'get_user_details=none'], {}),
        ('in order', ['--hint', 'get_user_details=false', '--hint', 'get_user_details=none'], {}),
        ('in order again', ['--hint', 'get_user_details=none', '--hint',
                            'get_user_details=false'], {'readOnlyHint': False}),
        ('of no tool', ['--hint', 'nope=false'], {'readOnlyHint': True}),
        ('of another tool', ['--hint', 'get_order_details=none'], {'readOnlyHint': True}),
    )
    def test_hint(self, args, annotations):
        self.assertEqual(self.tools(*args)['get_user_details']['annotations'], annotations)
        self.assertEqual(self.ask_tool('get_user_details', '{"user_id":"user_7"}', *args),
                         answer(b'1', USER))

    def test_options_before_the_world(self):
        value = self.ask(b'{"id":1,"method":"tools/list"}\n', '--hide', 'get_user_details',
                         '--world', 'retail')
        self.assertEqual(len(value['result']['tools']), 3)


class Session(Demo):
    """The batch of §8."""

    LINES = [
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
        b'"capabilities":{},"clientInfo":{"name":"t","version":"0"}}}\n',
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n',
        b'{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n',
        call(3, 'lookup', '{"text":"late","delay_ms":300}'),
        call(4, 'lookup', '{"text":"soon"}'),
        call(5, 'update', '{"fail":true}'),
        call(6, 'delete', '{}'),
        b'this line is not JSON\n',
    ]

    def check(self, out):
        answers = log_model.split_lines(out)
        self.assertEqual(len(answers), 7)
        self.assertEqual([json.loads(line)['id'] for line in answers], [1, 2, 4, 5, 6, None, 3])
        self.assertEqual(answers[2:], [
            answer(b'4', '{"text":"soon"}'),
            answer(b'5', 'update failed, as asked: {"fail":true}', True),
            error(b'6', -32602, 'Unknown tool: delete'),
            error(b'null', -32700, 'Parse error'),
            answer(b'3', '{"delay_ms":300,"text":"late"}'),
        ])
        return answers

    def test_direct(self):
        self.check(self.run_demo(input=b''.join(self.LINES)).out)

    def test_through_the_proxy(self):
        direct = self.run_demo(input=b''.join(self.LINES)).out
        self.run_proxy('--', harness.DEMO, input=b''.join(self.LINES), out=direct)

    def test_through_the_proxy_recording(self):
        direct = self.run_demo(input=b''.join(self.LINES)).out
        result = self.run_proxy('--record', 'L', '--', harness.DEMO, input=b''.join(self.LINES),
                                out=direct, err=recording('L'))
        self.log().check(client=self.LINES, server=self.check(result.out))


if __name__ == '__main__':
    harness.main()
