#!/usr/bin/env python3
"""Live policy guards: chapter 30 §§1, 2, 4 and 9, chapter 10 §6, ruling R5."""

import json
import os
import re

import active
import harness
from active import (ActiveCase, NOBODY, UNREAD, call, commit, notification, own, refusal,
                    refused_line, request, result, said)
from harness import rows
from sessions import canonical

RETAIL = ['--guards', '--domain', 'retail', '--context', 'C']
AIRLINE = ['--guards', '--domain', 'airline', '--context', 'C']

REASON = "'found it cheaper' is not an accepted reason (policy check retail.cancel_reason)"


def tool(name, text, error=False, **arguments):
    """A step of a session: a call of the agent and the result that the server gives."""
    return ('tool', name, arguments, text, error)


def user(text):
    return ('user', text)


def retail_order(status, **changes):
    return tool('get_order_details', canonical({
        'order_id': '#W100', 'user_id': 'mia_7', 'status': status,
        'items': [{'item_id': 'i1', 'product_id': 'p1'}],
        'payment_history': [{'payment_method_id': 'credit_card_1'}], **changes}), order_id='#W100')


SAYS = user("Cancel #W100, I'm mia@x.com")
FIND = tool('find_user_id_by_email', 'mia_7', email='mia@x.com')
YES = user('Yes, please cancel it.')


def session_b(status, **changes):
    return [SAYS, FIND, retail_order(status, **changes), YES]


def cancel(reason='no longer needed', **more):
    return ('cancel_pending_order', {'order_id': '#W100', 'reason': reason, **more})


EXCHANGE = session_b('delivered') + [
    tool('get_product_details', canonical({'product_id': 'p1', 'variants': {
        'i1': {'available': True}, 'i2': {'available': True}, 'i3': {'available': False}}}),
         product_id='p1'),
    tool('get_user_details', canonical({'user_id': 'mia_7',
                                        'payment_methods': {'credit_card_1': {}}}),
         user_id='mia_7')]


def exchange(*new, name='exchange_delivered_order_items', **changes):
    return (name, {'order_id': '#W100', 'item_ids': ['i1'], 'new_item_ids': list(new),
                   'payment_method_id': 'credit_card_1', **changes})


def send_back(method):
    return ('return_delivered_order_items', {'order_id': '#W100', 'item_ids': ['i1'],
                                             'payment_method_id': method})


def reservation(**changes):
    value = {'reservation_id': 'R1', 'user_id': 'u1', 'cabin': 'economy', 'insurance': 'no',
             'created_at': '2024-05-01T09:00:00',
             'flights': [{'flight_number': 'HAT1', 'date': '2024-05-20'}], 'passengers': [{}],
             'total_baggages': 2}
    return tool('get_reservation_details', canonical({**value, **changes}), reservation_id='R1')


def customer(**changes):
    return tool('get_user_details', canonical({
        'user_id': 'u1', 'membership': 'regular',
        'payment_methods': dict.fromkeys(('credit_card_1', 'credit_card_2', 'certificate_1',
                                          'gift_card_1', 'gift_card_2', 'paypal_1'), {}),
        **changes}), user_id='u1')


def airline(*more, customer_changes=None, **changes):
    return [customer(**(customer_changes or {})), reservation(**changes), *more, user('Yes')]


CANCEL_R1 = ('cancel_reservation', {'reservation_id': 'R1'})
NOT_ALLOWED = ('booked more than a day ago, no business cabin, no insurance, and no flight known '
               'to be cancelled by the airline (get_flight_status tells) '
               '(policy check airline.cancel_allowed)')
FLOWN = 'part of the trip has already been flown (policy check airline.cancel_allowed)'
BASIC = ("a basic economy reservation's flights cannot change (its cabin can) "
         '(policy check airline.basic_economy_flights)')


def flights(number, **more):
    return ('update_reservation_flights', {
        'reservation_id': 'R1', 'flights': [{'flight_number': number, 'date': '2024-05-20'}],
        **more})


def bags(**arguments):
    return ('update_reservation_baggages', {'reservation_id': 'R1', **arguments})


def book(n, *payments):
    return ('book_reservation', {'user_id': 'u1', 'passengers': [{}] * n,
                                 'payment_methods': [{'payment_id': id} for id in payments]})


CERTIFICATE = ('send_certificate', {'user_id': 'u1', 'amount': 100})


class Guards(ActiveCase):
    def play(self, session, steps):
        """Plays a session up to the call under test; the id of the next call."""
        id = 0
        for step in steps:
            if step[0] == 'user':
                self.say(said('user', step[1]))
            elif step[0] == 'line':
                session.put(step[1]).host(step[1])
            else:
                _, name, arguments, text, error = step
                id += 1
                session.done(call(id, name, arguments), result(id, text, error=error))
        return id + 1

    def judge(self, options, steps, proposal, reasons, parts=False):
        """The call is refused for exactly these reasons, or made when there are none.

        `parts`: the reasons given are only some of them.
        """
        session = self.session(*options)
        id = self.play(session, steps)
        name, arguments = proposal
        if reasons is None:
            session.done(call(id, name, arguments), result(id, 'done'))
            session.fence()
            self.assertNotIn('proxy', session.finish().senders())
            return
        session.send(call(id, name, arguments))
        got = session.host_lines.next()
        if parts:
            self.assertIn(reasons.encode(), got)
        else:
            self.same(got, active.line_of(refusal(id, name, reasons)), 'the refusal')
        session.fence()
        stated = json.loads(got)['result']['content'][0]['text']
        stated = stated.partition('nothing changed: ')[2][:-1]
        log = session.finish(err=[refused_line(name, stated)])
        log.same('proxy', [got])


class Vectors(Guards):
    """§9."""

    @rows(('a good reason', session_b('pending'), cancel(), None),
          ('a bad reason', session_b('pending'), cancel('found it cheaper'), REASON),
          ('delivered', session_b('delivered'), cancel(),
           "the order's status is delivered, not pending (policy check retail.pending)"),
          ('items modified, address', session_b('pending (item modified)'),
           ('modify_pending_order_address', {'order_id': '#W100', 'city': 'x'}), None),
          ('items modified, cancel', session_b('pending (item modified)'), cancel(),
           "the order's status is pending (item modified), not pending "
           '(policy check retail.pending)'),
          ('nothing but words', [user('cancel #W100')], cancel(), NOBODY + '; ' + UNREAD),
          ('nobody was found', [SAYS, retail_order('pending'), YES], cancel(), NOBODY),
          ("another's order", session_b('pending', user_id='tom_2'), cancel(),
           'the order belongs to tom_2, who is not the identified customer '
           '(policy check retail.own_order)'),
          ('no confirmation is logged only', [SAYS, FIND, retail_order('pending')], cancel(), None),
          ('no reason', session_b('pending'), ('cancel_pending_order', {'order_id': '#W100'}),
           'the call gives no reason (policy check retail.cancel_reason)'),
          ('another order', session_b('pending'), cancel(order_id='#W2'), UNREAD),
          ('a failed read', [SAYS, FIND, tool('get_order_details', 'Order not found', error=True,
                                              order_id='#W100'), YES], cancel(), UNREAD),
          ('two reasons in the order of the table', session_b('delivered'),
           cancel('found it cheaper'), "the order's status is delivered, not pending "
           '(policy check retail.pending); ' + REASON))
    def test_retail(self, steps, proposal, reasons):
        self.judge(RETAIL, steps, proposal, reasons)

    @rows(('a text in quotes', '"mia_7"', True), ('a text', 'mia_7', True),
          ('white space around', ' mia_7\n', True), ('an object', '{"user_id":"mia_7"}', False),
          ('a number', '7', False), ('an empty text in JSON', '""', None))
    def test_who_is_identified(self, text, is_identified):
        steps = [SAYS, tool('find_user_id_by_email', text, email='mia@x.com'),
                 retail_order('pending'), YES]
        if is_identified is None:
            self.judge(RETAIL, steps, cancel(), 'retail.own_order', parts=True)
        else:
            self.judge(RETAIL, steps, cancel(), None if is_identified else NOBODY)

    @rows(('in stock', EXCHANGE, exchange('i2'), None),
          ('out of stock', EXCHANGE, exchange('i3'),
           'item i3 is out of stock (policy check retail.same_product)'),
          ('no variant', EXCHANGE, exchange('i9'),
           "item i9 is not one of product p1's variants (policy check retail.same_product)"),
          ('itself', EXCHANGE, exchange('i1'),
           'item i1 would replace itself (policy check retail.same_product)'),
          ('none', EXCHANGE, exchange(),
           '1 items to replace but 0 to replace them with (policy check retail.same_product)'),
          ('product not read', session_b('delivered') + EXCHANGE[-1:], exchange('i2'), None),
          ('twice', EXCHANGE + [('tool', *exchange('i2'), 'ok', False)], exchange('i2'),
           "this order's items have been changed before (policy check retail.once)"),
          ('after one that failed', EXCHANGE + [('tool', *exchange('i2'), 'ok', True)],
           exchange('i2'), None),
          ('payment method', EXCHANGE, exchange('i2', payment_method_id='paypal_9'),
           "paypal_9 is not among the customer's payment methods (policy check retail.own_payment)"
           ),
          ('refund to an unknown gift card', EXCHANGE, send_back('gift_card_7'),
           "gift_card_7 is not among the customer's payment methods "
           '(policy check retail.own_payment)'),
          ('refund to another method', EXCHANGE, send_back('paypal_9'),
           "paypal_9 is not among the customer's payment methods (policy check "
           'retail.own_payment); paypal_9 is neither how the order was paid nor a gift card '
           '(policy check retail.refund_method)'),
          ('refund to the same', EXCHANGE, send_back('credit_card_1'), None),
          ('an item that is not there', EXCHANGE, exchange('i2', item_ids=['i7']),
           'the order holds no item i7 (policy check retail.items_in_order)'))
    def test_exchange(self, steps, proposal, reasons):
        self.judge(RETAIL, steps, proposal, reasons)

    @rows(('cancel', airline(), CANCEL_R1, NOT_ALLOWED),
          ('booked within a day', airline(created_at='2024-05-15T09:00:00'), CANCEL_R1, None),
          ('business', airline(cabin='business'), CANCEL_R1, None),
          ('insured', airline(insurance='yes'), CANCEL_R1, None),
          ('cancelled by the airline', airline(tool(
              'get_flight_status', 'cancelled', flight_number='HAT1', date='2024-05-20')),
           CANCEL_R1, None),
          ('another flight cancelled', airline(tool(
              'get_flight_status', 'cancelled', flight_number='HAT1', date='2024-05-21')),
           CANCEL_R1, NOT_ALLOWED),
          ('flown', airline(insurance='yes', flights=[
              {'flight_number': 'HAT1', 'date': '2024-05-14'}]), CANCEL_R1, FLOWN),
          ("today's flight", airline(insurance='yes', flights=[
              {'flight_number': 'HAT1', 'date': '2024-05-15'}]), CANCEL_R1, None),
          ('basic economy', airline(cabin='basic_economy'), flights('HAT2'), BASIC),
          ('basic economy, the same flights', airline(cabin='basic_economy'),
           flights('HAT1', cabin='economy'), None),
          ('basic economy, upgraded before', airline(
              ('tool', *flights('HAT1', cabin='economy'), reservation()[3], False),
              cabin='basic_economy'), flights('HAT2'), None),
          ('bags 1', airline(), bags(total_baggages=1),
           '2 bags would become 1 (policy check airline.keep_bags)'),
          ('bags 3', airline(), bags(total_baggages=3), None),
          ('bags missing', airline(), bags(), None),
          ('bags 2.0', airline(), bags(total_baggages=2.0), None),
          ('bags 1.0', airline(), bags(total_baggages=1.0), None),
          ('two passengers', airline(), ('update_reservation_passengers', {
              'reservation_id': 'R1', 'passengers': [{}, {}]}),
           '1 passengers would become 2 (policy check airline.same_passenger_count)'),
          ('six passengers', airline(), book(6, 'credit_card_1'),
           '6 passengers, but five are the most (policy check airline.booking_limits)'),
          ('two credit cards', airline(), book(1, 'credit_card_1', 'credit_card_2'),
           'more than 1 payments by credit card (policy check airline.booking_limits)'),
          ('four ways to pay', airline(),
           book(1, 'certificate_1', 'gift_card_1', 'gift_card_2', 'paypal_1'), None),
          ("another's card", airline(), book(1, 'credit_card_9'),
           "credit_card_9 is not in the customer's profile (policy check airline.own_payment)"),
          ('certificate', airline(), CERTIFICATE,
           'a regular member without insurance or business cabin gets no compensation '
           '(policy check airline.compensation)'),
          ('certificate, insured', airline(insurance='yes'), CERTIFICATE, None),
          ('certificate, no reservation', [customer(), user('Yes')], CERTIFICATE, None),
          ('certificate, gold', airline(customer_changes={'membership': 'gold'}), CERTIFICATE,
           None),
          ("another's reservation", airline(user_id='u2', insurance='yes'), CANCEL_R1,
           'the reservation belongs to u2, another customer '
           '(policy check airline.own_reservation)'),
          ('nothing read', [user('Yes')], CANCEL_R1, None))
    def test_airline(self, steps, proposal, reasons):
        self.judge(AIRLINE, steps, proposal, reasons)

    @rows(('no rule', 'transfer_to_human_agents'), ('a read', 'get_order_details'),
          ('another case', 'Cancel_Pending_Order'), ('all capitals', 'CANCEL_PENDING_ORDER'),
          ('space after', 'cancel_pending_order '), ('space before', ' cancel_pending_order'),
          ('NUL after', 'cancel_pending_order\0'), ('empty', ''),
          ('wide letters', '\uff43ancel_pending_order'), ('1 MiB', 'x' * (1 << 20)),
          ('1 MiB more', 'cancel_pending_order' + ' ' * (1 << 20)),
          ("the other domain's", 'cancel_reservation'), ('the commit tool', 'stretto_commit'))
    def test_a_tool_that_no_rule_names(self, name):
        session = self.session(*RETAIL)
        session.done(call(1, name, {'order_id': '#W7a'}), result(1, 'done'))
        session.fence().finish()


class Facts(Guards):
    """§2 and §3: what a check sees."""

    def test_the_demo(self):
        """The retail world: identify, read, a bad reason, a good one."""
        self.say(said('user', "I'm c7@example.com, cancel #W7a."))
        process = self.proxy('--record', 'L', *RETAIL, '--', *self.retail())
        calls = [call(1, 'cancel_pending_order', {'order_id': '#W7a', 'reason': 'x'}),
                 call(2, 'find_user_id_by_email', {'email': 'c7@example.com'}),
                 call(3, 'get_order_details', {'order_id': '#W7a'}),
                 call(4, 'cancel_pending_order', {'order_id': '#W7a',
                                                  'reason': 'found it cheaper'}),
                 call(5, 'cancel_pending_order', {'order_id': '#W7a',
                                                  'reason': 'no longer needed'}),
                 call(6, 'get_order_details', {'order_id': '#W8a'}),
                 call(7, 'cancel_pending_order', {'order_id': '#W8a',
                                                  'reason': 'no longer needed'}),
                 call(8, 'cancel_pending_order', {'order_id': '#W7a',
                                                  'reason': 'ordered by mistake'})]
        first = '%s; %s; %s' % (NOBODY, UNREAD, "'x' is not an accepted reason "
                                '(policy check retail.cancel_reason)')
        owner = ('the order belongs to user_8, who is not the identified customer '
                 '(policy check retail.own_order)')
        # The write of 5 gives back the order without its owner: 8 passes all the same, as a rule
        # that cannot know does not refuse; but its status is cancelled now.
        status = "the order's status is cancelled, not pending (policy check retail.pending)"
        refused = {1: first, 4: REASON, 7: owner, 8: status}
        lines = []
        for one in calls:
            process.send(active.line_of(one))
            self.until(lambda: process.out().count(b'\n') > len(lines), 'an answer')
            lines = process.out().splitlines(keepends=True)
            if one['id'] in refused:
                self.same(lines[-1], active.line_of(refusal(
                    one['id'], 'cancel_pending_order', refused[one['id']])), 'the refusal')
            else:
                self.assertFalse(json.loads(lines[-1])['result']['isError'])
        process.finish(0, None, harness.recording('L', *[
            b'stretto-proxy: ' + refused_line('cancel_pending_order', reasons) + b'\n'
            for reasons in refused.values()]))
        self.same(self.read('to-server'), b''.join(
            active.line_of(one) for one in calls if one['id'] not in refused), 'what the demo got')
        log = self.log()
        self.assertEqual(log.senders(), ['context'] + [
            sender for one in calls
            for sender in ('client', 'proxy' if one['id'] in refused else 'server')])
        log.same('client', calls)

    def test_only_what_came_before_counts(self):
        """The answers to the look-ups are still on their way when the write comes."""
        session = self.session(*RETAIL)
        first = call(1, 'find_user_id_by_email', {'email': 'mia@x.com'})
        session.send(first, call(2, *cancel())).server(first)
        session.host(refusal(2, 'cancel_pending_order', NOBODY + '; ' + UNREAD))
        session.put(result(1, 'mia_7')).host(result(1, 'mia_7'))
        session.send(call(3, *cancel())).host(refusal(3, 'cancel_pending_order', UNREAD))
        session.fence().finish(err=[b'refused [^\n]*'] * 2)

    def test_the_first_answer_to_a_call_counts(self):
        session = self.session(*RETAIL)
        session.done(call(1, 'find_user_id_by_email', {}), result(1, 'no', error=True))
        late = active.line_of(result(1, 'mia_7'))
        session.put(late).host(late)
        session.send(call(2, *cancel())).host(refusal(2, 'cancel_pending_order',
                                                      NOBODY + '; ' + UNREAD))
        session.fence().finish(err=[b'refused [^\n]*'])

    def test_a_refused_call_leaves_no_fact(self):
        session = self.session(*RETAIL)
        id = self.play(session, EXCHANGE)
        session.send(call(id, *exchange('i3'))).host_value()
        session.done(call(id + 1, *exchange('i2')), result(id + 1, 'ok'))
        session.send(call(id + 2, *exchange('i2')))
        session.host(refusal(id + 2, 'exchange_delivered_order_items',
                             "this order's items have been changed before "
                             '(policy check retail.once)'))
        session.fence().finish(err=[b'refused [^\n]*'] * 2)

    def test_the_same_in_a_commit(self):
        session = self.session(*RETAIL, '--commit')
        id = self.play(session, session_b('pending'))
        session.send(commit(id, cancel('found it cheaper')))
        session.host(result(id, 'cancel_pending_order {"order_id":"#W100","reason":"found it '
                                'cheaper"} was refused by the policy check: ' + REASON,
                            error=True))
        session.send(commit(id + 1, cancel())).server(own(1, *cancel()))
        session.put(result('stretto-1', 'ok')).host_value()
        session.fence().finish(err=None)

    # (id as the host wrote it)
    @rows(('integer', '7'), ('zero', '0'), ('text', '"7"'), ('long', '123456789012345678901234567'),
          ('negative', '-1'), ('escapes', '"\\u00e9\\n\\/"'), ('real', '1.5'), ('false', 'false'),
          ('array', '[1,"a"]'), ('object', '{"b":1,"a":2}'), ('empty text', '""'),
          ('1 MiB', '"%s"' % ('x' * (1 << 20))))
    def test_the_id_is_echoed(self, id):
        session = self.session(*RETAIL)
        session.send(('{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":'
                      '"cancel_pending_order"}}\n' % id).encode())
        got = session.host_lines.next()
        self.assertEqual(json.loads(got)['id'], json.loads(id))
        self.assertTrue(json.loads(got)['result']['isError'])
        session.fence().finish(err=[b'refused [^\n]*'])

    @rows(('null', 'null'), ('a text', '"#W7a"'), ('an array', '[{"order_id":"#W7a"}]'),
          ('missing', None))
    def test_odd_arguments(self, arguments):
        more = '' if arguments is None else ',"arguments":' + arguments
        session = self.session(*RETAIL)
        session.send(('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":'
                      '"cancel_pending_order"%s}}\n' % more).encode())
        session.host(refusal(1, 'cancel_pending_order', NOBODY + '; the call gives no reason '
                             '(policy check retail.cancel_reason)'))
        session.fence().finish(err=[b'refused [^\n]*'])

    @rows(('a newline', 'a\nb'), ('a long one', 'x' * 5000))
    def test_a_refusal_says_one_line(self, reason):
        session = self.session(*RETAIL)
        id = self.play(session, session_b('pending'))
        session.send(call(id, *cancel(reason)))
        session.host(refusal(id, 'cancel_pending_order', "'%s' is not an accepted reason "
                             '(policy check retail.cancel_reason)' % reason))
        session.fence().finish(err=[b'refused cancel_pending_order: [^\n]*'])


def text_of(message):
    return active.line_of(message)[:-1]


BAD = text_of(call(1, 'cancel_pending_order', {'order_id': '#W1', 'reason': 'no longer needed'}))
GOOD = text_of(call(2, 'get_order_details', {'order_id': '#W1'}))
PING = text_of(request(3, 'ping'))
PARAMS = b'{"name":"cancel_pending_order","arguments":{"order_id":"#W1","reason":"x"}}'
NO_ID = b'{"jsonrpc":"2.0","method":"tools/call","params":' + PARAMS + b'}'

# What the host gets: the refusal of a call, or the code of an error and its id.
REFUSED = ('refused', 1)
NOT_JSON = (-32700, None)


def invalid(id=1):
    return (-32600, id)


def forwarded(*lines):
    """Rows of lines that pass as they are."""
    return [(label, line, [line + b'\n'], [], 0, None) for label, line in lines]


def not_json(*lines):
    return [(label, line, [], [NOT_JSON], 1, None) for label, line in lines]


def twice(*lines):
    return [(label, line, [], [invalid()], 1, None) for label, line in lines]


def nested(depth):
    """A call whose deepest array is so deep in its line."""
    n = depth - 3
    return (b'{"id":1,"method":"tools/call","params":{"name":"cancel_pending_order","arguments":'
            b'{"a":%s}}}' % (b'[' * n + b']' * n))


# (label, line without its LF, what reaches the server, what the host gets, number of lines on
# stderr, what is recorded if it is not the line)
EVASIONS = [
    # a. Batches.
    ('batch of one', b'[' + BAD + b']', [], [REFUSED], 1, [BAD]),
    ('batch of many', b'[' + PING + b', ' + BAD + b' ,\t' + GOOD + b' ] \r',
     [PING + b'\n', GOOD + b'\n'], [REFUSED], 1, [PING, BAD, GOOD]),
    ('batch with a read', b'[' + GOOD + b',' + PING + b']', [GOOD + b'\n', PING + b'\n'], [],
     0, [GOOD, PING]),
    ('the bytes of an element stay',
     b'[{ "id" : 2 ,\t"method":"tools\\/call","params":{"x":1.50}} , ' + PING + b']',
     [b'{ "id" : 2 ,\t"method":"tools\\/call","params":{"x":1.50}}\n', PING + b'\n'], [], 0,
     [b'{ "id" : 2 ,\t"method":"tools\\/call","params":{"x":1.50}}', PING]),
    ('batch with a name twice', b'[{"id":1,"method":"ping","method":"tools/call"},' + PING +
     b']', [PING + b'\n'], [invalid()], 1,
     [b'{"id":1,"method":"ping","method":"tools/call"}', PING]),
    ('batch with a call without an id', b'[' + PING + b',' + NO_ID + b']', [PING + b'\n'], [],
     1, [PING, NO_ID]),
    ('a batch in a batch that is taken apart', b'[[' + BAD + b'],' + GOOD + b']',
     [GOOD + b'\n'], [REFUSED], 1, [BAD, GOOD]),
    ('batch with other values', b'[7,"a",null,' + GOOD + b',{}]',
     [b'7\n', b'"a"\n', b'null\n', GOOD + b'\n', b'{}\n'], [], 0,
     [b'7', b'"a"', b'null', GOOD, b'{}']),
    *forwarded(('batch without a call', b' [ ' + PING + b' , {"id":9,"result":{}} ] '),
               ('empty batch', b'[]'), ('batch of other values', b'[1, {"a":1}, []]')),
    # b. Calls without an id.
    ('no id', NO_ID, [], [], 1, None),
    ('id null', b'{"id":null,' + NO_ID[1:], [], [], 1, None),
    ('the name of the id in capitals', b'{"ID":1,' + NO_ID[1:], [], [], 1, None),
    *forwarded(('no id, a read', b'{"method":"tools/call","params":{"name":"get_x"}}'),
               ('id null, a read',
                b'{"id":null,"method":"tools/call","params":{"name":"get_x"}}')),
    # c. Names that come twice.
    *twice(
        ('method', b'{"id":1,"method":"ping","method":"tools/call","params":' + PARAMS + b'}'),
        ('method, the same', b'{"id":1,"method":"ping","method":"ping"}'),
        ('method escaped',
         b'{"id":1,"method":"ping","\\u006dethod":"tools/call","params":' + PARAMS + b'}'),
        ('id', b'{"id":1,"id":2,"method":"tools/call","params":' + PARAMS + b'}'),
        ('id escaped', b'{"i\\u0064":1,"method":"ping","id":2}'),
        ('params', b'{"id":1,"method":"tools/call","params":{"name":"get_x"},"params":' +
         PARAMS + b'}'),
        ('params escaped', b'{"id":1,"method":"tools/call","params":{"name":"get_x"},'
                           b'"p\\u0061rams":' + PARAMS + b'}'),
        ('name', b'{"id":1,"method":"tools/call","params":{"name":"get_x","name":'
                 b'"cancel_pending_order"}}'),
        ('name escaped', b'{"id":1,"method":"tools/call","params":{"name":"get_x",'
                         b'"\\u006e\\u0061me":"cancel_pending_order"}}'),
        ('name, another method', b'{"id":1,"method":"prompts/get","params":{"name":"a",'
                                 b'"name":"b"}}'),
        ('arguments', b'{"id":1,"method":"tools/call","params":{"name":"get_x",'
                      b'"arguments":{},"arguments":{"a":1}}}'),
        ('arguments escaped', b'{"id":1,"method":"tools/call","params":{"name":"get_x",'
                              b'"arguments":{},"argument\\u0073":{"a":1}}}'),
        ('in the arguments', b'{"id":1,"method":"tools/call","params":{"name":"get_x",'
                             b'"arguments":{"a":1,"b":2,"a":1}}}'),
        ('in the arguments, escaped',
         b'{"id":1,"method":"tools/call","params":{"name":"get_x","arguments":'
         b'{"/\\u00e9":1,"\\/\xc3\xa9":2}}}'),
        ('deep in the arguments', b'{"id":1,"method":"tools/call","params":{"name":"get_x",'
         b'"arguments":{"a":[[{"b":{"c":1,"d":[],"\\u0063":2}}]]}}}'),
        ('in arguments that are an array', b'{"id":1,"method":"tools/call","params":{"name":'
         b'"get_x","arguments":[{"a":1,"a":2}]}}'),
        ('the last of many', b'{"id":1,"method":"tools/call","params":{"name":"get_x",'
         b'"arguments":{%s"k7":0}}}' % b''.join(b'"k%d":%d,' % (i, i) for i in range(3000)))),
    ('method, id a text', b'{"method":"ping","id":"a\\u002fb","method":"ping"}', [],
     [invalid('a/b')], 1, None),
    ('method, no id', b'{"method":"ping","method":"tools/call"}', [], [], 1, None),
    ('method, id null', b'{"id":null,"method":"ping","method":"tools/call"}', [], [], 1, None),
    ('id, the first null', b'{"id":null,"id":1,"method":"ping"}', [], [], 1, None),
    ('in the arguments, no id', b'{"method":"tools/call","params":{"name":"get_x","arguments":'
                                b'{"a":1,"a":2}}}', [], [], 1, None),
    *forwarded(
        ('twice in what is no call', b'{"id":1,"method":"prompts/get","params":{"name":"a",'
                                     b'"arguments":{"a":1,"a":2},"x":1,"x":2}}'),
        ('twice in other members', b'{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":'
         b'"tools/call","params":{"name":"get_x","_meta":{"a":1,"a":2},"_meta":{}}}'),
        ('twice in different objects', b'{"id":1,"method":"tools/call","params":{"name":'
         b'"get_x","arguments":{"a":[{"a":1},{"a":2}],"A":3,"name":4,"arguments":5,"id":6}}}'),
        ('twice in a result', b'{"id":7,"result":{"a":1,"a":2}}')),
    # The method and its case.
    ('method escaped', b'{"id":1,"method":"t\\u006fols\\/call","params":' + PARAMS + b'}', [],
     [('refused', 1)], 1, None),
    ('tool escaped', b'{"id":1,"method":"tools/call","params":{"name":'
                     b'"cancel\\u005fpending_order"}}', [], [REFUSED], 1, None),
    *forwarded(*[(method.decode(), b'{"id":1,"method":"' + method + b'","params":' + PARAMS +
                  b'}') for method in (b'TOOLS/CALL', b'Tools/Call', b'tools/Call',
                                       b'tools/call ', b' tools/call', b'tools/call\\u0000',
                                       b'tools//call', b'tools\\\\/call', b'')]),
    *forwarded(
        ('names in capitals', b'{"id":1,"METHOD":"tools/call","PARAMS":' + PARAMS + b'}'),
        ('method an array', b'{"id":1,"method":["tools/call"],"params":' + PARAMS + b'}'),
        ('method null', b'{"id":1,"method":null,"params":' + PARAMS + b'}'),
        ('1 MiB method', b'{"id":1,"method":"tools/call' + b'x' * (1 << 20) + b'"}')),
    # Parameters of another shape.
    *forwarded(*[(repr(params), b'{"id":1,"method":"tools/call","params":' + params + b'}')
                 for params in (b'["cancel_pending_order",{"order_id":"#W1"}]',
                                b'"cancel_pending_order"', b'null', b'7', b'[]', b'{}',
                                b'{"name":7}', b'{"name":null}',
                                b'{"name":["cancel_pending_order"]}',
                                b'{"name":{"name":"cancel_pending_order"}}',
                                b'{"NAME":"cancel_pending_order"}',
                                b'{"arguments":{"name":"cancel_pending_order"}}')]),
    # d. What is not JSON.
    *not_json(
        ('byte-order mark', b'\xef\xbb\xbf' + BAD), ('UTF-16', BAD.decode().encode('utf-16')),
        ('trailing comma', BAD[:-1] + b',}'), ('comma in a batch', b'[' + BAD + b',]'),
        ('NaN', BAD[:-1] + b',"x":NaN}'), ('Infinity', BAD[:-1] + b',"x":-Infinity}'),
        ('1e999', BAD[:-1] + b',"x":1e999}'), ('01', BAD[:-1] + b',"x":01}'),
        ('single quotes', BAD.replace(b'"', b"'")), ('comment', BAD + b' // x'),
        ('comment inside', b'{/**/' + BAD[1:]), ('NUL after', BAD + b'\0'),
        ('NUL before', b'\0' + BAD), ('NUL in a text', BAD.replace(b'#W1', b'#W\0001')),
        ('tab in a text', BAD.replace(b'#W1', b'#W\t1')),
        ('overlong', BAD.replace(b'/', b'\xc0\xaf')),
        ('overlong name', BAD.replace(b'"name"', b'"n\xc1\xa1me"')),
        ('not UTF-8', BAD.replace(b'#W1', b'\xff')),
        ('encoded surrogates', BAD.replace(b'#W1', b'\xed\xa0\xbd\xed\xb2\xa9')),
        ('lone surrogate', BAD.replace(b'#W1', b'\\ud83d')),
        ('bad escape', BAD.replace(b'#W1', b'\\x41')), ('two values', PING + BAD),
        ('two values, CR between', PING + b'\r' + BAD), ('cut off', BAD[:-1]),
        ('closed twice', BAD + b'}'), ('form feed', b'\f' + BAD), ('form feed alone', b'\f'),
        ('vertical tab alone', b'\v'), ('no-break space', b'\xc2\xa0'), ('words', b'hello'),
        ('depth 127', nested(127)), ('very deep', b'[' * 200000),
        ('deep and closed', b'[' * 100000 + b']' * 100000)),
    ('depth 126', nested(126), [], [REFUSED], 1, None),
    *forwarded(('blank', b''), ('blank with CR', b'\r'), ('spaces and tabs', b' \t \r'),
               ('a number', b'7'), ('a text', b'"tools/call"'), ('null', b'null\r')),
    # White space of JSON.
    ('white space everywhere', b' \t{ "id"\r:\t1 , "method" : "tools/call","params":' +
     PARAMS + b'\r} \r', [], [REFUSED], 1, None),
]


class Evasions(ActiveCase):
    """Ruling R5: what is forwarded was read as every server must read it."""

    @rows(*EVASIONS)
    def test_line(self, line, reaches, gets, n_said, recorded):
        session = self.session('--guards', '--domain', 'retail')
        session.process.send(line + b'\n')
        for one in gets:
            self.check_answer(session.host_lines.next(), one)
        session.server(*reaches)
        session.fence()
        said = session.process.err()
        log = session.finish(
            err=[b'[^\n]*'] * n_said,
            client=[one + b'\n' for one in recorded or [line]] + session.sent)
        self.assertEqual(len(log.bodies('proxy')), len(gets))
        self.assertNotIn(b'\0', said)

    def check_answer(self, got, wanted):
        kind, id = wanted
        value = json.loads(got)
        self.assertEqual((value['jsonrpc'], value['id']), ('2.0', id))
        if kind == 'refused':
            text = value['result']['content'][0]['text']
            self.assertTrue(text.startswith('Refused by the policy check, so cancel_pending_order '
                                            'was not run and nothing changed: '), text)
            self.assertEqual(value, result(id, text, error=True))
            return
        self.assertEqual(set(value), {'jsonrpc', 'id', 'error'})
        self.assertEqual(value['error']['code'], kind)
        self.assertEqual(type(value['error']['message']), str)

    @rows(('a call', BAD, REFUSED, BAD), ('a batch', b'[' + BAD + b']', REFUSED, BAD),
          ('not JSON', b'{', NOT_JSON, b'{'))
    def test_the_last_line_without_an_end(self, line, gets, recorded):
        process = self.proxy('--record', 'L', '--guards', '--domain', 'retail', '--',
                             *self.retail())
        process.send(GOOD + b'\n' + line)
        process.finish(0, None, harness.recording('L', b'stretto-proxy: [^\n]*\n'))
        answers = process.out().splitlines(keepends=True)
        self.assertEqual(len(answers), 2)
        for one in answers:
            if json.loads(one)['id'] != 2:
                self.check_answer(one, gets)
        self.same(self.read('to-server'), GOOD + b'\n', 'what the demo got')
        self.log().same('client', [GOOD, recorded + b'\n'])

    def test_the_server_may_send_what_it_likes(self):
        session = self.session('--guards', '--domain', 'retail')
        for line in (b'not json\n', b'[' + BAD + b']\n', BAD + b'\n', NO_ID + b'\n', b'\n', b'\f\n',
                     b'{"id":1,"id":2,"method":"ping"}\r\n', b'\xef\xbb\xbf{}\n', b'\0\xff\n'):
            session.put(line).host(line)
        session.finish()

    def test_order_is_kept(self):
        """Around lines that are refused and batches that are taken apart."""
        session = self.session('--guards', '--domain', 'retail')
        lines, reaches = [], []
        for i in range(200):
            note = notification('n', i=i)
            lines += [b'[' + text_of(note) + b',' + BAD + b']', text_of(notification('m', i=i)),
                      b'{', BAD]
            reaches += [note, notification('m', i=i)]
        session.process.send(b''.join(line + b'\n' for line in lines))
        session.server(*reaches)
        for i in range(200):
            for wanted in (REFUSED, NOT_JSON, REFUSED):
                self.check_answer(session.host_lines.next(), wanted)
        session.fence().finish(err=None, client=None)

    def test_a_batch_of_many_calls(self):
        session = self.session('--guards', '--domain', 'retail')
        calls = [call(i, 'get_order_details', {'order_id': '#W%da' % i}) for i in range(5000)]
        session.process.send(b'[' + b','.join(text_of(one) for one in calls) + b']\n')
        session.server(*calls)
        session.fence().finish(client=calls + session.sent)

    @rows(('commit', ['--commit']), ('context', ['--context', 'C']))
    def test_without_guards_they_pass(self, options):
        lines = [row[1] + b'\n' for row in EVASIONS]
        session = self.session(*options)
        for line in lines:
            session.send(line).server(line)
        session.fence().finish()


class Start(ActiveCase):
    """§1."""

    @rows(('no domain', [], rb'--guards needs --domain \(retail or airline\)'),
          ('another', ['--domain', 'telecom'], b'no guards for telecom'),
          ('empty', ['--domain', ''], b'no guards for '),
          ('capitals', ['--domain', 'Retail'], b'no guards for Retail'),
          ('space', ['--domain', 'retail '], b'no guards for retail '))
    def test_it_fails(self, options, text):
        server = self.server("note('started')")
        self.run_proxy('--guards', *options, '--record', 'L', '--commit', '--context', 'C', '--',
                       *server, code=125, out=b'',
                       err=re.compile(b'stretto-proxy: ' + text + b'\n'))
        self.assertIsNone(self.noted('started'))
        self.assertFalse(os.path.exists(self.path('L')))


if __name__ == '__main__':
    harness.main()
