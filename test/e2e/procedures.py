"""Random procedures, tickets and servers for tests, the same for the same seed."""

import json
import random

TOOLS = ['find', 'list', 'panel', 'reset', 'send']
READS = ['find', 'list', 'panel']
STATES = ['Active', ' Down ', 'suspended']
WORDS = ['Power', 'down', 'line', 'Reset', 'the lamp', 'unit 4B']


def an_id(r):
    return r.choice('AB') + str(r.randrange(1000, 1006))


def a_record(r):
    record = {'id': an_id(r), 'status': r.choice(STATES)}
    if r.random() < 0.3:
        record['n'] = r.choice([1, 2, 1.5, True, None])
    return record


def a_result(r, tool):
    """What a tool returns: mostly what its name promises."""
    kind = tool if r.random() < 0.85 else r.choice(TOOLS + ['odd'])
    if kind == 'find':
        return json.dumps(a_record(r))
    if kind == 'list':
        return json.dumps([a_record(r) for _ in range(r.randrange(4))])
    if kind == 'panel':
        return 'Lamp: %s | Mode: %s\nall is %s' % (r.choice(['Red', 'Green']),
                                                   r.choice(['auto', 'by 1', '']),
                                                   r.choice(['well', 'bad 2']))
    if kind == 'reset':
        return json.dumps({'lines': [an_id(r) for _ in range(r.randrange(4))],
                           'of': {'x': a_record(r), 'y': a_record(r)}})
    if kind == 'send':
        return r.choice([an_id(r), json.dumps(json.dumps(a_record(r)))])
    return r.choice(['7', 'true', 'null', '""', '', '{', '[1, "%s"]' % an_id(r)])


def answers(r):
    """By tool the failures and texts that a server gives, one after the other."""
    return {tool: [(r.random() < 0.15, a_result(r, tool)) for _ in range(12)] for tool in TOOLS}


def next_answer(given, counts, tool):
    """The next of these for a tool; one that is not known fails."""
    counts[tool] = counts.get(tool, 0) + 1
    return given[tool][counts[tool] % 12] if tool in given else (True, 'nobody')


PATHS = {
    'find': ['$.id', '$.status', '$.id[0]', '$.none'],
    'list': ['$[*].id', '$[*].id', '$[*].status', '$[*]'],
    'panel': ['$', '$.id'],
    'reset': ['$.lines[*]', '$.lines[*]', '$.of.x.id', '$.of[*].id'],
    'send': ['$', '$.id'],
}


def a_symbol(r):
    if r.random() < 0.15:
        return r.choice([r'@ticketA\d{4}', r'@ticket\d', r'@ticketB\d{3}5', '@ticket\\',
                         '@ticketA'])
    tool = r.choice(TOOLS)
    apart = r.choice(['', '', '', '?{"status": "Active"}', '?{"n":1}', '?{"n": 1.5}', '?{}', '?[',
                      '?{"status": " Down ", "n": null}'])
    return '@' + tool + r.choice(PATHS[tool]) + apart


def an_action(r):
    tool = r.choice(TOOLS)
    kind = r.randrange(60)
    if kind < 2:
        return 'stop'
    if kind == 2:
        return r.choice(['person', 'person{"why": "@x"}'])
    if kind == 3 and r.random() < 0.3:
        return tool + '{oops'
    if kind < 20:
        return tool
    if kind < 30:
        return '%s{"k": %s}' % (tool, r.choice(['1', '"x"', '[ 2 ]', '"y"']))
    return '%s{"id": %s, "k":"v"}' % (tool, json.dumps(a_symbol(r)))


def a_feature(r):
    tool = r.choice(TOOLS)
    return r.choice([
        'ticket: ' + r.choice(['power', 'line', 'the lamp', 'unit b', 'power down']),
        'called ' + tool,
        'made ' + tool,
        tool + ':error',
        tool + ':error=False',
        tool + ':status=' + r.choice(STATES).strip().lower(),
        tool + ':' + r.choice(['lamp=red', 'lamp=green', 'lamp=mode: auto', 'says all is well',
                               'len($)=0', 'len($)=2+', 'len(lines)=1', 'of.*.status=active',
                               'n=1', 'n=true', 'id=a1000', 'len(of)=2+']),
    ])


def a_node(r, depth=0):
    if depth < 4 and r.random() < 0.45:
        return {'feature': a_feature(r), 'yes': a_node(r, depth + 1), 'no': a_node(r, depth + 1)}
    return {'calls': [[an_action(r), r.randrange(9)] for _ in range(r.randrange(1, 9))]}


def a_procedure(r):
    sites = ['start'] + TOOLS + [tool + '!' for tool in TOOLS]
    return {
        'stretto_procedure': 1, 'domain': 'random', 'symbolic': r.random() < 0.85,
        'max_calls': r.choice([0, 3, 30, 30, 30]), 'stop': 'stop', 'handoff': 'person',
        'handoff_arguments': r.choice([{}, {'why': '@find$.id'}]),
        'reads': READS, 'vocab': ['power', 'line', 'the lamp', 'unit b', 'power down'],
        'trees': {site: a_node(r) for site in sites if r.random() < 0.8},
        'fallback': a_node(r),
        'checks': [{'phrase': r.choice(['down', 'reset', 'no such']), 'probe': r.choice(TOOLS),
                    'contains': r.sample(['active', 'lamp', 'a1'], r.randrange(2)),
                    'lacks': r.sample(['red', 'status'], r.randrange(2))}
                   for _ in range(r.randrange(3))],
    }


def a_ticket(r):
    parts = [r.choice(WORDS) if r.random() < 0.6 else an_id(r) for _ in range(r.randrange(8))]
    return r.choice([' ', ', ', '. ']).join(parts)


def a_case(seed):
    """(procedure, ticket, what the server gives)."""
    r = random.Random(seed)
    return a_procedure(r), a_ticket(r), answers(r)
