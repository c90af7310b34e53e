#!/usr/bin/env python3
"""stretto-procedure: chapter 43."""

import copy
import json
import os
import re
import signal

import harness
import pages
import procedure_model
import procedures
from harness import Case, alive, mode_of, rows

PROCEDURE = os.environ.get('STRETTO_PROCEDURE', 'stretto-procedure')
METER = os.path.join(harness.HERE, '..', 'data', 'procedures', 'meter.procedure.json')
TICKET = 'Dark since 8. Phone 555-0199. Fixed when the lamp is green.'
N_RANDOM = 60

# A server that answers by a function of the tool's name and arguments: a failure and a text, or
# bytes to be sent as they are. It notes what it reads.
SERVER = r'''
import json


def send(message):
    put((json.dumps(message) + '\n').encode())


def reply(number, failed, text):
    send({'jsonrpc': '2.0', 'id': number,
          'result': {'content': [{'type': 'text', 'text': text}], 'isError': failed}})


def start():
    line = get_line()
    note('pid', b'%d' % os.getpid())
    note('read', line)
    send({'jsonrpc': '2.0', 'id': json.loads(line)['id'],
          'result': {'protocolVersion': '2025-06-18', 'capabilities': {}}})
    note('read', get_line())


def serve(tool):
    start()
    while True:
        line = get_line()
        if not line:
            break
        note('read', line)
        message = json.loads(line)
        answer = tool(message['params']['name'], message['params']['arguments'])
        if isinstance(answer, bytes):
            put(answer.replace(b'ID', b'%d' % message['id']))
        else:
            reply(message['id'], *answer)
    note('end')


resets = 0


def meter(name, arguments):
    global resets
    if name == 'find_site':
        return False, '{"site_id":"S7","meters":["M71","M72"]}'
    if name == 'read_panel':
        return False, 'Panel Lamp: Green' if resets else 'Panel Lamp: Red'
    resets += name == 'reset_breaker'
    return name == 'to_person', 'done'

'''

METER_SERVER = SERVER + 'serve(meter)\n'
# A server that has answered `initialize`, and then does what follows.
STARTED = SERVER + 'start()\n'
HANG = 'signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})\n' \
       'note("hangs")\nwhile True: signal.pause()\n'


def report(calls, check, verdict):
    value = {'calls': [{'tool': tool, 'arguments': arguments, 'failed': failed}
                       for tool, arguments, failed in calls],
             'check': check, 'verdict': verdict}
    return (json.dumps(value, indent=2, ensure_ascii=False) + '\n').encode()


def leaf(*actions):
    return {'calls': [[action, 1] for action in actions]}


def usage(what):
    return re.compile(b'Error: [^\n]*' + re.escape(what) + b'[^\n]*\nUsage: .*\n', re.DOTALL)


class Procedure(Case):
    def setUp(self):
        super().setUp()
        with open(METER, encoding='utf-8') as f:
            self.meter = json.load(f)
        self.save(self.meter)

    def save(self, procedure):
        self.write('p.json', json.dumps(procedure).encode())

    def with_trees(self, **trees):
        """Saves the meters' procedure with these trees in the place of its own."""
        changed = copy.deepcopy(self.meter)
        changed['trees'].update(trees)
        self.save(changed)

    def begin(self, *args, **kw):
        return self.start(harness.WRAPPER + [PROCEDURE, *args], **{'stdin': 'null', **kw})

    def play(self, server, ticket=TICKET, options=(), **kw):
        """Starts a run of p.json against a server's command."""
        return self.begin('--procedure', 'p.json', '--ticket=' + ticket, *options, '--', *server,
                          **kw)

    def run_fine(self, server, calls, check, verdict, **kw):
        err = 'stretto-procedure: %d calls, %s\n' % (len(calls), verdict)
        return self.play(server, **kw).finish(0, report(calls, check, verdict), err.encode())

    def run_failing(self, server, err, **kw):
        """`err` is what follows "Error: ", or a pattern of all of stderr."""
        if isinstance(err, str):
            err = b'Error: ' + err.encode() + b'\n'
        return self.play(server, **kw).finish(1, b'', err)

    def gone(self):
        """Waits until the scripted server does not run any more."""
        pid = int(self.wait_note('pid'))
        self.until(lambda: not alive(pid), 'the end of the server')


class CommandLine(Procedure):
    @rows(
        ('nothing', [], b'--procedure'),
        ('no procedure', ['--ticket', 'x', '--', 'true'], b'--procedure'),
        ('no server', ['--procedure', 'p.json', '--ticket', 'x'], b'server'),
        ('an empty server', ['--procedure', 'p.json', '--ticket', 'x', '--'], b'server'),
        ('a server before the dashes', ['--procedure', 'p.json', '--ticket', 'x', 'true'], b'true'),
        ('both tickets', ['--procedure', 'p.json', '--ticket', 'x', '--ticket-file', 'y', '--',
                          'true'], b'--ticket-file'),
        ('both tickets, one empty', ['--procedure', 'p.json', '--ticket=', '--ticket-file', 'y',
                                     '--', 'true'], b'--ticket-file'),
        ('an unknown option', ['--procedures', 'p.json', '--', 'true'], b'--procedures'),
        ('an abbreviation', ['--proc', 'p.json', '--', 'true'], b'--proc'),
        ('twice', ['--procedure', 'a', '--procedure', 'a', '--', 'true'], b'--procedure'),
        ('no value', ['--procedure', '--', 'true'], b'--procedure'),
        ('a value with a dash', ['--procedure', 'p.json', '--ticket', '-x', '--', 'true'],
         b'--ticket'),
        ('an empty path', ['--procedure=', '--ticket', 'x', '--', 'true'], b'--procedure'),
        ('an empty --out', ['--procedure', 'p.json', '--ticket', 'x', '--out=', '--', 'true'],
         b'--out'),
        ('a ticket that is no text', ['--procedure', 'p.json', b'--ticket=\xff', '--', 'true'],
         b'--ticket'),
        ('help with a value', ['--help=1'], b'--help'),
    )
    def test_usage_error(self, args, named):
        self.begin(*args).finish(2, b'', usage(named))

    @rows(('long', '--help'), ('short', '-h'))
    def test_help(self, option):
        out = self.begin(option).finish(0).out
        for word in (b'Usage: stretto-procedure ', b'--procedure FILE', b'--ticket TEXT',
                     b'--ticket-file FILE', b'--out FILE', b'-- SERVER', b'--help', b'--version'):
            self.assertIn(word, out)

    @rows(('long', ['--version']), ('short', ['-V']), ('before an error', ['-V', '--nope']),
          ('first of two', ['-V', '-h']))
    def test_version(self, args):
        with open(os.path.join(harness.HERE, '../../meson.build'), encoding='utf-8') as f:
            version = re.search(r"version: '([^']+)'", f.read()).group(1)
        self.begin(*args).finish(0, b'stretto-procedure %s\n' % version.encode())

    def test_options_behind_the_dashes_are_the_servers(self):
        self.save({**self.meter, 'max_calls': 0, 'checks': []})
        server = self.server(SERVER + 'note("args", repr(sys.argv[1:]).encode())\nserve(meter)\n')
        self.run_fine(server + ['--help', '--', '-V'], [], None, 'hand_back')
        self.assertEqual(self.noted('args'), b"['--help', '--', '-V']")


class Failures(Procedure):
    def test_no_procedure(self):
        self.begin('--procedure', 'gone.json', '--ticket', 'x', '--', '/no/such').finish(
            1, b'', b'Error: reading gone.json: No such file or directory\n')

    @rows(
        ('no JSON', b'{', b'not JSON'),
        ('no procedure', b'{"stretto_flow":1}',
         b"no compiled procedure: it has no member 'stretto_procedure'"),
        ('another format', b'{"stretto_procedure":2}', b'format 2, and only format 1 is read'),
        ('a member that is missing', b'{"stretto_procedure":1}', b'domain: is missing'),
        ('not UTF-8', b'{"stretto_procedure":"\xff"}', b'not JSON'),
    )
    def test_procedure(self, text, err):
        self.write('q.json', text)
        self.begin('--procedure', 'q.json', '--', '/no/such').finish(
            1, b'', b'Error: reading q.json: ' + err + b'\n')

    def test_no_ticket(self):
        self.begin('--procedure', 'p.json', '--', '/no/such').finish(
            1, b'', re.compile(b'Error: [^\n]*--ticket[^\n]*--ticket-file[^\n]*\n'))

    def test_ticket_file(self):
        args = ('--procedure', 'p.json', '--ticket-file', 't.txt', '--', '/no/such')
        self.begin(*args).finish(
            1, b'', b'Error: reading t.txt: No such file or directory\n')
        self.write('t.txt', b'bad \xff')
        self.begin(*args).finish(1, b'', b'Error: reading t.txt: not valid UTF-8\n')

    @rows(('a path', '/no/such'), ('a name', 'no-such-program'))
    def test_server(self, program):
        self.run_failing([program, 'x'], 'starting %s: No such file or directory' % program)

    @rows(
        ('a directory that is not there', 'no/such.json', 'No such file or directory'),
        ('below a file', 'p.json/run.json', 'Not a directory'),
    )
    def test_out_that_cannot_be(self, path, why):
        """It is told before the server is started, which makes calls."""
        self.run_failing(self.server('note("begun")\n' + METER_SERVER),
                         'writing %s: %s' % (path, why), options=['--out', path])
        self.assertFalse(os.path.exists(self.path('no')))
        self.assertIsNone(self.noted('begun'))
        self.assertIsNone(self.noted('end'))

    def test_out_that_is_a_directory(self):
        self.run_failing(self.server(METER_SERVER), 'writing .: Is a directory',
                         options=['--out', '.'])
        self.wait_note('end')

    def test_disk_full(self):
        self.run_failing(self.server(METER_SERVER), 'writing /dev/full: No space left on device',
                         options=['--out', '/dev/full'])
        full = self.open('/dev/full', os.O_WRONLY)
        self.play(self.server(METER_SERVER), stdout=full).finish(
            1, None, b'Error: writing to standard output: No space left on device\n')

    def test_stdout_closed(self):
        self.play(self.server(METER_SERVER), stdout='closed').finish(
            1, None, b'Error: writing to standard output: Bad file descriptor\n')

    def test_nobody_reads_stdout(self):
        reader, writer = self.pipe()
        self.drop(reader)
        self.play(self.server(METER_SERVER), stdout=writer).finish(
            1, None, b'Error: writing to standard output: Broken pipe\n')

    @rows(('in the first tree', 'start'), ('later', 'reset_breaker'))
    def test_action(self, site):
        self.with_trees(**{site: leaf('read_panel{oops')})
        self.run_failing(self.server(METER_SERVER),
                         re.compile(b'Error: action read_panel\\{oops: [^\n]+\n'))
        self.wait_note('end')


class Talk(Procedure):
    CALLS = [('find_site', {'phone': '555-0199'}, False), ('read_panel', {}, False),
             ('reset_breaker', {}, False), ('read_panel', {}, False),
             ('enable_feed', {'meter_id': 'M71'}, False)]

    def test_requests(self):
        self.run_fine(self.server(METER_SERVER), self.CALLS,
                      ['read_panel', 'Panel Lamp: Green'], 'resolved')
        lines = self.wait_note('read').decode().splitlines()
        self.assertEqual(lines[0], procedure_model.canonical({
            'jsonrpc': '2.0', 'id': 1, 'method': 'initialize',
            'params': {'protocolVersion': '2025-06-18', 'capabilities': {}, 'clientInfo': {
                'name': 'stretto-procedure',
                'version': json.loads(lines[0])['params']['clientInfo']['version']}}}))
        self.assertEqual(lines[1], '{"jsonrpc":"2.0","method":"notifications/initialized"}')
        calls = self.CALLS + [('read_panel', {}, False)]
        self.assertEqual(lines[2:], [procedure_model.canonical({
            'jsonrpc': '2.0', 'id': i, 'method': 'tools/call',
            'params': {'name': tool, 'arguments': arguments}})
            for i, (tool, arguments, _) in enumerate(calls, 2)])

    def test_outcome_that_is_not_there(self):
        self.with_trees(read_panel=leaf('stop'))
        self.run_fine(self.server(METER_SERVER), self.CALLS[:2],
                      ['read_panel', 'Panel Lamp: Red'], 'hand_back')

    def test_nothing_binds(self):
        self.run_fine(self.server(METER_SERVER), [], None, 'hand_back', ticket='Dark.')
        self.wait_note('end')

    def test_hand_over_that_fails(self):
        self.with_trees(start=leaf('to_person'))
        self.run_fine(self.server(METER_SERVER),
                      [('to_person', {'reason': '@find_site$.site_id'}, True)], None,
                      'transferred')

    @rows(
        ('symbolic', True, []),
        ('as they are', False, ['get_line', 'note_suspended']),
    )
    def test_kept_record(self, is_symbolic, last):
        """The last vector: another line does not replace the one the ticket names."""
        get = 'get_line{"id": "%s"}'
        self.save({**self.meter, 'symbolic': is_symbolic, 'reads': ['get_line'], 'checks': [],
                   'trees': {'start': leaf(get % 'L7001')},
                   'fallback': {'feature': 'get_line:status=suspended',
                                'yes': leaf('note_suspended'),
                                'no': leaf(get % 'L7002')}})
        source = SERVER + '''
def line(name, arguments):
    at = arguments.get('id')
    return False, json.dumps({'id': at, 'status': 'Active' if at == 'L7001' else 'Suspended'})


serve(line)
'''
        calls = [('get_line', {'id': 'L7001'}, False), ('get_line', {'id': 'L7002'}, False)]
        if last:
            calls.append(('note_suspended', {}, False))
        self.run_fine(self.server(source), calls, None, 'hand_back', ticket='Line L7001 is down.')

    def test_ticket_from_a_file(self):
        self.write('t.txt', (TICKET + '\n').encode())
        self.begin('--procedure', 'p.json', '--ticket-file', 't.txt', '--',
                   *self.server(METER_SERVER)).finish(
            0, report(self.CALLS, ['read_panel', 'Panel Lamp: Green'], 'resolved'),
            b'stretto-procedure: 5 calls, resolved\n')

    def test_out(self):
        self.write('run.json', b'something old', 0o644)
        self.play(self.server(METER_SERVER), options=['--out', 'run.json']).finish(
            0, b'', b'stretto-procedure: 5 calls, resolved\n')
        self.assertEqual(self.read('run.json'), report(
            self.CALLS, ['read_panel', 'Panel Lamp: Green'], 'resolved'))
        self.assertEqual(mode_of(self.path('run.json')), 0o600)

    def test_stderr_is_the_servers_too(self):
        self.save({**self.meter, 'max_calls': 0, 'checks': []})
        self.play(self.server(SERVER + 'put(b"hello\\n", 2)\nserve(meter)\n')).finish(
            0, report([], None, 'hand_back'), b'hello\nstretto-procedure: 0 calls, hand_back\n')

    def test_lines_that_are_no_answer_are_skipped(self):
        source = SERVER + r'''
def noisy(name, arguments):
    put(b'listening\n\n{"id":ID\n[{"id":ID,"result":{}}]\n'.replace(b'ID', b'%d' % 2))
    put(b'{"jsonrpc":"2.0","method":"notifications/message","params":{}}\n')
    put(b'{"jsonrpc":"2.0","id":%d,"method":"sampling/createMessage","params":{}}\n' % 2)
    put(b'{"jsonrpc":"2.0","id":1,"result":{"content":[]}}\n\xff\xfe\n')
    put(b'{"jsonrpc":"2.0","id":"2","result":{}}\n{"jsonrpc":"2.0","id":99,"error":{}}\n')
    return meter(name, arguments)


serve(noisy)
'''
        self.run_fine(self.server(source), self.CALLS, ['read_panel', 'Panel Lamp: Green'],
                      'resolved')

    @rows(
        ('several texts', b'{"content":[{"type":"text","text":"a"},{"type":"odd","text":"b"},'
         b'{"type":"image","data":""},7]}', False, 'a\nb'),
        ('no content', b'{"content":[]}', False, ''),
        ('no result at all', b'null', False, ''),
        ('failed', b'{"content":[{"type":"text","text":"\\u00e9\\u0000"}],"isError":true}', True,
         'é\0'),
        ('not quite failed', b'{"content":[{"type":"text","text":"x"}],"isError":"true"}', False,
         'x'),
    )
    def test_result(self, result, failed, text):
        self.with_trees(start=leaf('read_panel'), read_panel=leaf('stop'))
        source = SERVER + 'serve(lambda *call: b\'{"id":ID,"result":\' + %r + b\'}\\n\')\n' % result
        self.run_fine(self.server(source), [('read_panel', {}, failed)], ['read_panel', text],
                      'hand_back')

    def test_last_line_without_newline(self):
        self.save({**self.meter, 'max_calls': 0})
        source = STARTED + '''
put(b'{"id":%d,"result":{"content":[{"text":"green"}]}}' % json.loads(get_line())['id'])
'''
        self.run_fine(self.server(source), [], ['read_panel', 'green'], 'resolved')

    def test_large_results(self):
        """Tens of megabytes, in one line, are kept, searched for a value, and reported."""
        n = 200000
        self.save({**self.meter, 'reads': ['list', 'get'], 'vocab': [],
                   'trees': {'start': leaf('list'),
                             'list': leaf('get{"id": "@list$.rows[*].id?{\\"n\\": %d}"}' % (n - 1)),
                             'get': leaf('get{"id": "@list$.rows[*].id"}')},
                   'max_calls': 3,
                   'checks': [{'phrase': 'lamp', 'probe': 'big', 'contains': ['é!'],
                               'lacks': []}]})
        source = SERVER + '''
def big(name, arguments):
    if name == 'list':
        rows = [{'id': 'R%%d' %% i, 'n': i, 'text': 'x' * 80} for i in range(%d)]
        return False, json.dumps({'rows': rows})
    return False, 'X' * (16 << 20) + '\\u00c9!' if name == 'big' else 'fine'


serve(big)
''' % n
        self.run_fine(self.server(source),
                      [('list', {}, False), ('get', {'id': 'R%d' % (n - 1)}, False),
                       ('get', {'id': 'R0'}, False)],
                      ['big', 'X' * (16 << 20) + 'É!'], 'resolved')

    def test_random_runs(self):
        """Random procedures against random servers do what the model says."""
        source = SERVER + '''
given = json.load(open(sys.argv[1]))
counts = {}
sys.path.insert(0, sys.argv[2])
import procedures
serve(lambda name, arguments: procedures.next_answer(given, counts, name))
'''
        server = self.server(source) + [self.path('a.json'), harness.HERE]
        for seed in range(N_RANDOM):
            procedure, ticket, given = procedures.a_case(seed)
            counts = {}
            self.save(procedure)
            self.write('a.json', json.dumps(given).encode())
            try:
                run = procedure_model.run(
                    procedure, ticket,
                    lambda tool, arguments: procedures.next_answer(given, counts, tool))
            except procedure_model.Failure as failure:
                self.play(server, ticket).finish(
                    1, b'', re.compile(re.escape(b'Error: %s' % str(failure).encode()) + b'.*\n'))
                continue
            got = json.loads(self.play(server, ticket).finish(0, None, None).out)
            self.assertEqual(procedure_model.canonical(got), procedure_model.canonical(run),
                             'seed %d' % seed)


class Ends(Procedure):
    @rows(
        ('of initialize', SERVER + 'get_line()\nput(b\'{"id":1,"error":{"message":"no",'
         '"code":-1.0}}\\n\')\nget_all()\n', 'initialize: {"code":-1.0,"message":"no"}'),
        ('of a call', SERVER + 'serve(lambda *call: b\'{"id":ID,"error":{"code":-32602}}\\n\')\n',
         'tools/call: {"code":-32602}'),
        ('beside a result', SERVER + 'serve(lambda *call: b\'{"id":ID,"error":"x",'
         '"result":{}}\\n\')\n', 'tools/call: "x"'),
    )
    def test_error(self, source, err):
        self.run_failing(self.server(source), err)

    @rows(
        ('at once', 'sys.exit(3)\n', b'initialize'),
        ('behind a request', SERVER + 'get_line()\n', b'initialize'),
        ('behind an unfinished answer', SERVER + 'get_line()\nput(b\'{"id":1,"res\')\n',
         b'initialize'),
        ('in a call', STARTED + 'get_line()\n', b'tools/call'),
        ('behind a closed stdin', STARTED + 'os.close(0)\n', b'tools/call'),
        ('killed', STARTED + 'get_line()\nos.kill(os.getpid(), 9)\n', b'tools/call'),
    )
    def test_end_of_output(self, source, method):
        """A request that cannot be written any more may add a line of its own."""
        self.run_failing(self.server(source), re.compile(
            b'(stretto-procedure: forwarding to the server: Broken pipe\n)?'
            b'Error: ' + method + b': the server ended its output without answering\n'))

    def test_output_closed_while_it_lives(self):
        """The end of its output is the end, and then it has its time and is killed."""
        self.run_failing(self.server(STARTED + 'os.close(1)\nget_all()\n' + HANG),
                         'tools/call: the server ended its output without answering')
        self.wait_note('hangs')
        self.gone()

    def test_answers_before_requests(self):
        """A server that never reads may have answered all the same."""
        answers = ''.join(json.dumps({'id': i, 'result': {'content': [{'text': 'green'}]}}) + '\n'
                          for i in range(1, 9))
        self.save({**self.meter, 'max_calls': 0})
        self.play(self.server('put(%r)\n' % answers.encode())).finish(
            0, report([], ['read_panel', 'green'], 'resolved'), None)

    def test_server_that_ignores_the_end_is_killed(self):
        source = SERVER + 'serve(meter)\n' + HANG
        self.run_fine(self.server(source), Talk.CALLS, ['read_panel', 'Panel Lamp: Green'],
                      'resolved')
        self.wait_note('hangs')
        self.gone()

    def test_server_that_takes_its_time_is_waited_for(self):
        source = SERVER + 'serve(meter)\nwait_for("go")\nnote("bye")\n'
        process = self.play(self.server(source))
        self.wait_note('end')
        self.assertTrue(process.running())
        self.release('go')
        process.finish(0, None, b'stretto-procedure: 5 calls, resolved\n')
        self.assertEqual(self.noted('bye'), b'x')

    def test_server_killed_after_a_failure(self):
        source = SERVER + 'start()\nget_line()\nput(b\'{"id":2,"error":{}}\\n\')\nget_all()\n'
        self.run_failing(self.server(source + HANG), 'tools/call: {}')
        self.wait_note('hangs')
        self.gone()

    def test_server_that_reads_no_more(self):
        """It has closed its stdin and lives on, so no answer can come any more."""
        source = SERVER + '''
line = get_line()
note('pid', b'%d' % os.getpid())
os.close(0)
send({'id': json.loads(line)['id'], 'result': {}})
'''
        self.run_failing(self.server(source + HANG), re.compile(
            b'stretto-procedure: forwarding to the server: Broken pipe\n'
            b'Error: tools/call: the server takes no more requests\n'))
        self.gone()

    def test_output_at_the_end_is_read(self):
        """A server that says much when its input ends is not blocked by it."""
        source = SERVER + 'serve(meter)\nput(b"x" * (8 << 20))\nnote("bye")\n'
        self.run_fine(self.server(source), Talk.CALLS, ['read_panel', 'Panel Lamp: Green'],
                      'resolved')
        self.assertEqual(self.noted('bye'), b'x')


class Signals(Procedure):
    @rows(('SIGTERM', signal.SIGTERM), ('SIGINT', signal.SIGINT), ('SIGHUP', signal.SIGHUP))
    def test_signal(self, number):
        """The server gets it too, nothing is written, and the program ends by it."""
        source = STARTED + 'get_line()\nnote("waits")\nsignal.pause()\n'
        for name in ('SIGTERM', 'SIGINT', 'SIGHUP'):
            source = 'import signal\nsignal.signal(signal.%s, signal.SIG_DFL)\n' % name + source
        process = self.play(self.server(source), options=['--out', 'run.json'])
        self.wait_note('waits')
        os.kill(process.pid, number)
        process.finish(-number, b'', b'')
        self.gone()
        self.assertFalse(os.path.exists(self.path('run.json')))

    def test_server_that_ignores_signals_is_killed(self):
        process = self.play(self.server(STARTED + HANG))
        self.wait_note('hangs')
        os.kill(process.pid, signal.SIGTERM)
        process.finish(-signal.SIGTERM, b'', b'')
        self.gone()

    def test_second_signal(self):
        process = self.play(self.server(STARTED + 'trap(signal.SIGTERM)\nnote("ready")\n'
                                                  'while True: signal.pause()\n'))
        self.wait_note('ready')
        os.kill(process.pid, signal.SIGTERM)
        self.wait_note('signals', b'15\n')
        os.kill(process.pid, signal.SIGINT)
        process.finish(-signal.SIGTERM, b'', b'')
        self.gone()

    def test_signal_while_the_server_is_waited_for(self):
        """The run is over by then, and its calls were made: it is written."""
        process = self.play(self.server(SERVER + 'serve(meter)\nsignal.pause()\n'))
        self.wait_note('end')
        os.kill(process.pid, signal.SIGTERM)
        done = process.finish(-signal.SIGTERM, None, None)
        self.assertEqual(json.loads(done.out)['verdict'], 'resolved')
        self.gone()


class Documentation(Procedure):
    def test_page(self):
        """docs/procedures.md prints what it says that it prints."""
        page = pages.read('procedures.md')
        bin_dir = pages.programs(self)
        os.symlink(os.path.abspath(PROCEDURE), os.path.join(bin_dir, 'stretto-procedure'))
        out = pages.paste(self, page, bin_dir, pages.DOCS)
        shown = re.search(r'^```sh\n.*?^```$.*?^```json\n(.*?)^```$', page, re.S | re.M).group(1)
        self.assertEqual(out, shown)


if __name__ == '__main__':
    harness.main([harness.DEMO, PROCEDURE])
