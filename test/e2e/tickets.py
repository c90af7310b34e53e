"""The desk of tickets: its flow, and the three sessions that the flow was learned from."""

import json
import os

from sessions import Session, canonical

FLOWS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'data', 'flows')
TICKETS = os.path.join(FLOWS, 'tickets.flow.json')
DESK = os.path.join(FLOWS, 'desk.flow.json')


def flow(path=TICKETS):
    with open(path, encoding='utf-8') as f:
        return json.load(f)


def tool(name, arg, read=True):
    return {'name': name, 'annotations': {'readOnlyHint': read},
            'inputSchema': {'type': 'object', 'properties': {arg: {'type': 'string'}},
                            'required': [arg]}}


class Story:
    """A session in short; a second lies between its steps, so that every call is its own turn."""

    def __init__(self, session):
        self.log = Session(session, domain='tickets', model='glm-5')
        self.log.tools(0, 1, tool('find_tickets', 'email'), tool('get_ticket', 'ticket_id'))
        self.t_ms = 1000
        self.id = 1

    def says(self, role, text):
        self.log.say(self.t_ms, role, text)
        self.t_ms += 1000
        return self

    def call(self, name, arguments, result, error=False):
        self.id += 1
        self.log.call(self.t_ms, self.id, name, arguments)
        text = result if isinstance(result, str) else canonical(result)
        self.log.result(self.t_ms + 10, self.id, text, error=error)
        self.t_ms += 1000
        return self

    def find(self, email, owner, *tickets):
        return self.call('find_tickets', {'email': email}, {'owner': owner, 'tickets': tickets})

    def get(self, ticket, state='open'):
        return self.call('get_ticket', {'ticket_id': ticket},
                         {'state': state, 'ticket_id': ticket})


def stories():
    """The sessions s1, s2 and s3."""
    return [
        Story('s1').says('user', 'My tickets, please.')
        .find('ann@example.com', 'ann', 'T-11', 'T-12').get('T-11').get('T-12', 'closed')
        .says('assistant', 'One is open.').says('user', 'Thanks.')
        .says('assistant', 'You are welcome.'),
        Story('s2').says('user', 'Any news?').find('bob@example.com', 'bob', 'T-21', 'T-22')
        .get('T-21').says('assistant', 'It is open.'),
        Story('s3').says('user', 'My ticket?')
        .call('find_tickets', {'email': 'cy@example.org'}, 'no such customer', error=True)
        .says('assistant', 'Which address did you use?').says('user', 'cy@example.com')
        .find('cy@example.com', 'cy', 'T-31').get('T-31').says('assistant', 'It is open.'),
    ]
