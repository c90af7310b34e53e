"""Flows as files, made by hand, and the lines of their logs."""

import json

from sessions import canonical

DESK = {'find': 'find_customer', 'customer': 'get_customer', 'order': 'get_order',
        'cancel': 'cancel_order', 'email': 'email', 'customer_id': 'customer_id',
        'order_id': 'order_id', 'domain': 'desk'}
RETAIL = {'find': 'find_user_id_by_email', 'customer': 'get_user_details',
          'order': 'get_order_details', 'cancel': 'cancel_pending_order', 'email': 'email',
          'customer_id': 'user_id', 'order_id': 'order_id', 'domain': 'retail'}
PADDING = 0xffffffff


def counts(by_action, total):
    return {'by_action': [[action, float(n)] for action, n in by_action], 'total': float(total)}


def level(*rows):
    return [[history, counts(by_action, total)] for history, by_action, total in rows]


def flow(names=None, arbiter=False, **more):
    """A flow that looks a customer and then an order up behind a search for the customer.

    It was learned from eight sessions: search, customer, order, cancel, message. The names are a
    world's, the desk's unless given.
    """
    name = names or DESK
    find, customer, order, cancel = (name[kind] for kind in ('find', 'customer', 'order', 'cancel'))
    vocab = sorted([cancel, find, customer, order])
    # The actions' numbers and the symbols of a call that succeeded.
    a = {tool: i + 1 for i, tool in enumerate(vocab)}
    s = {tool: a[tool] << 14 for tool in vocab}
    message = 1 << 13
    pairs = sorted([([message, s[cancel]], 0), ([s[find], s[customer]], a[order]),
                    ([s[customer], s[order]], 0), ([s[order], message], a[cancel]),
                    ([PADDING, s[find]], a[customer]), ([PADDING, PADDING], a[find])])
    # What the rest of a session held after a symbol.
    reached = {s[find]: [0, a[customer], a[order]], s[customer]: [0, a[order]], s[order]: [0],
               s[cancel]: [0], message: [], PADDING: [0, a[find], a[customer], a[order]]}
    reached = {symbol: [(action, 8) for action in sorted(after)]
               for symbol, after in reached.items()}
    habit = [
        level(([], [(0, 16)] + [(a[tool], 8) for tool in vocab], 48)),
        level(([message], [(a[cancel], 8)], 8),
              *sorted(([s[tool]], [(following, 8)], 8) for tool, following in
                      ((cancel, 0), (find, a[customer]), (customer, a[order]), (order, 0))),
              ([PADDING], [(a[find], 8)], 8)),
        level(*((history, [(action, 8)], 8) for history, action in pairs))]
    reach = [
        level(([], [(0, 40)] + sorted([(a[find], 8), (a[customer], 16), (a[order], 24)]), 48)),
        level(*(([symbol], after, 8) for symbol, after in sorted(reached.items()))),
        level(*((history, reached[history[1]], 8) for history, _ in pairs))]
    fold = {'weights': [0.5, 0.3, 0.2, 0.1, 0.6],
            'rates': {'sites': [[find, [8.0, 8.0, 8.0]]], 'agree': 0.9, 'cover': 0.95}}
    return {
        'stretto_flow': 1,
        'provenance': {'stretto': '0.1.0', 'sources': ['fixture'], 'habit_episodes': 8,
                       'arbiter_cases': 8 if arbiter else 0, 'compiled_unix_ms': 0},
        'vocab': ['Respond', *({'Tool': tool} for tool in vocab)],
        'manifest': {'domain': name['domain'], 'docs': {}, 'tools': {
            cancel: 'write', find: 'read', customer: 'read', order: 'read'}},
        'map': {'fields': {}, 'ids': []}, 'group': 1,
        'habit': {'base': {'order': 2, 'alpha': 1.0, 'vocab_size': 6, 'levels': habit},
                  'beta': 1.0, 'top': [[[1, history], counts([(action, 8)], 8)]
                                       for history, action in pairs]},
        'sites': {'reads': [find, customer, order],
                  'next': sorted([[[find, False], {customer: 8}], [[customer, False], {order: 8}]]),
                  'feeds': {}},
        'predicates': [], 'weighed': [], 'folds': [fold] * 5 if arbiter else [],
        'bindings': {
            'args': {find: [8, {name['email']: 8}], customer: [8, {name['customer_id']: 8}],
                     order: [8, {name['order_id']: 8}]},
            'sources': [[[find, name['email']], {'values': 8, 'found': []}],
                        [[customer, name['customer_id']],
                         {'values': 8, 'found': [[[find, '$'], 8]]}],
                        [[order, name['order_id']],
                         {'values': 8, 'found': [[[customer, '$.orders[*]'], 8]]}]],
            'agreed': {customer: [[8, 8], [0, 0]], order: [[8, 8], [0, 0]]}},
        'model': 'jev-latest' if arbiter else '',
        'reach': {'order': 2, 'alpha': 1.0, 'vocab_size': 6, 'levels': reach},
        **more}


def without_reach():
    made = flow()
    del made['reach']
    return made


def read_log(case, path):
    """The lines of a flow's log as values, without the times they took; each is canonical."""
    with open(path, encoding='utf-8') as f:
        text = f.read()
    case.assertTrue(text == '' or text.endswith('\n'))
    values = []
    for line in text.splitlines():
        value = json.loads(line)
        case.assertEqual(canonical(value), line)
        if 'run' not in value:
            case.assertIsInstance(value.pop('ms'), int)
        values.append(value)
    return values
