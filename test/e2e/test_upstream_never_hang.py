#!/usr/bin/env python3
"""Whatever goes wrong, a request has exactly one answer: chapter 06 §1.

A server fails at random (seeded) at a thousand requests, a hundred of which are in flight at any
time. STRETTO_TEST_SEED chooses another course, STRETTO_TEST_REQUESTS another number.
"""

import json
import os
import random
import threading

import harness
import http_server
from harness import rows
from http_server import ANYTHING, modern, notification, request

SEED = int(os.environ.get('STRETTO_TEST_SEED', '1'))
N_REQUESTS = int(os.environ.get('STRETTO_TEST_REQUESTS', '1000'))
IN_FLIGHT = 100


def chunks(x, draw, data):
    x.raw(x.head(200, [('Content-Type', 'application/json'), ('Transfer-Encoding', 'chunked')]))
    x.chunked = True
    while data:
        size = draw.randint(1, 40)
        x.piece(data[:size])
        data = data[size:]


def whole_body(x, draw, answer):
    x.json(answer)


def whole_chunks(x, draw, answer):
    chunks(x, draw, answer)
    x.end()


def whole_stream(x, draw, answer):
    x.stream()
    for i in range(draw.randint(0, 3)):
        x.event(notification('progress', i=i))
    x.event(answer)
    x.end()


def whole_until_the_end(x, draw, answer):
    x.raw(x.head(200, [('Connection', 'close')]) + answer)
    x.close()


def stream_that_stays(x, draw, answer):
    """The stream goes on a little after the answer and then breaks."""
    x.stream()
    x.event(answer)
    x.event(notification('late'))
    x.reset()


def nothing(x, draw, answer):
    x.close()


def reset(x, draw, answer):
    x.reset()


def garbage(x, draw, answer):
    x.raw(draw.randbytes(draw.randint(1, 300)))
    x.close()


def half_a_head(x, draw, answer):
    head = x.head(200, [('Content-Length', len(answer)), ('X', 'y' * 50)])
    x.raw(head[:draw.randint(1, len(head) - 1)])
    draw.choice((x.close, x.reset))()


def half_a_body(x, draw, answer):
    x.raw(x.head(200, [('Content-Length', len(answer))]) + answer[:draw.randrange(len(answer))])
    draw.choice((x.close, x.reset))()


def half_the_chunks(x, draw, answer):
    chunks(x, draw, answer[:draw.randrange(len(answer))])
    draw.choice((x.close, x.reset))()


def bad_chunks(x, draw, answer):
    chunks(x, draw, answer[:draw.randrange(len(answer))])
    x.raw(b'xyz\r\n')
    x.close()


def half_a_stream(x, draw, answer):
    x.stream()
    x.event(notification('progress'))
    x.piece(b'data: ' + answer[:draw.randrange(len(answer))])
    draw.choice((x.close, x.reset, x.end))()


def stream_without(x, draw, answer):
    x.stream()
    for _ in range(draw.randint(0, 2)):
        x.event(notification('progress'))
    x.end()


def refusal(x, draw, answer):
    x.reply(draw.choice((400, 401, 403, 404, 405, 409, 429, 500, 502, 503, 599)), b'no',
            [('Retry-After', '1')] if draw.random() < 0.3 else [])


def refusal_with_an_error(x, draw, answer):
    id = draw.choice((x.message['id'], None, 'other'))
    x.json({'jsonrpc': '2.0', 'id': id, 'error': {'code': -32000, 'message': 'no'}},
           draw.choice((400, 404, 500)))


def blank(x, draw, answer):
    x.reply(draw.choice((200, 201, 202, 204)))


def not_json(x, draw, answer):
    x.json(draw.choice((b'<html>', b'{"id":', b'\xff', answer + b'}', b'nul')))


def other_answer(x, draw, answer):
    x.json(draw.choice(({'jsonrpc': '2.0', 'id': 'nobody', 'result': {}}, notification('n'), [],
                        1)))


def interim(x, draw, answer):
    x.raw(b'HTTP/1.1 100 Continue\r\n\r\n' * draw.choice((1, 5, 200)))
    x.json(answer)


def large_head(x, draw, answer):
    x.json(answer, headers=[('X-Large', 'x' * draw.choice((1000, 300000)))])


def redirect(x, draw, answer):
    x.reply(draw.choice((301, 302, 303, 307, 308)), b'',
            [('Location', draw.choice(('/loop', 'http://other.invalid/', '::', '/mcp')))])


def polled(x, draw, answer):
    """The stream is to be asked for again; the GET may fail too."""
    x.stream()
    x.event(None, json.dumps(x.message['id']), 20)
    draw.choice((x.end, x.close))()


GOOD = (whole_body, whole_chunks, whole_stream, whole_until_the_end)
BAD = (stream_that_stays, nothing, reset, garbage, half_a_head, half_a_body, half_the_chunks,
       bad_chunks, half_a_stream, stream_without, refusal, refusal_with_an_error, blank, not_json,
       other_answer, interim, large_head, redirect, polled)


class NeverHang(http_server.UpstreamCase):
    """Session's checks at the end count the answers."""

    def chaos(self, seed):
        """A server that draws what to do; the draws depend on seed and request alone."""
        server = self.serve()
        tries = {}
        lock = threading.Lock()

        def post(x):
            id = x.message['id']
            with lock:
                n = tries[id] = tries.get(id, 0) + 1
            draw = random.Random('%s %s %s' % (seed, id, n))
            how = draw.choice(GOOD if draw.random() < 0.4 else BAD)
            how(x, draw, http_server.compact(x.answer()))

        def get(x):
            last = x.header('Last-Event-ID')
            with lock:
                n = tries[last] = tries.get(last, 0) + 1
            draw = random.Random('%s %s %s' % (seed, last, n))
            if last is None or x.request.target != '/mcp':
                x.reply(405)
                return
            kind = draw.randrange(4)
            if kind == 0:
                x.reply(draw.choice((404, 405)))
                return
            x.stream()
            if kind == 1:
                # Once more from the start.
                x.event(None, last, 10)
                draw.choice((x.end, x.close))()
            elif kind == 2:
                x.event(None, '')
                x.end()
            else:
                x.event({'jsonrpc': '2.0', 'id': json.loads(last), 'result': {}})
                x.end()

        server.on('call', post)
        server.on('batch', self.batch(seed))
        server.on('GET', get)
        return server

    def batch(self, seed):
        def handler(x):
            draw = random.Random('%s batch %s' % (seed, x.message[0]['id']))
            answers = [{'jsonrpc': '2.0', 'id': one['id'], 'result': {}} for one in x.message
                       if draw.random() < 0.6]
            kind = draw.randrange(4)
            if kind == 0:
                x.json(answers)
            elif kind == 1:
                x.stream()
                for answer in answers:
                    x.event(answer)
                draw.choice((x.end, x.close, x.reset))()
            elif kind == 2:
                x.reply(503)
            else:
                x.close()
        return handler

    def drive(self, session, lines):
        """Keeps IN_FLIGHT of the lines' requests unanswered until all were sent."""
        n_sent = 0
        answered = set()
        n_seen = 0
        pending = [(line, [json.dumps(id) if not isinstance(id, http_server.Token) else id.text
                           for id in http_server.request_ids(line)]) for line in lines]
        unanswered = set()

        def taken(lines):
            nonlocal n_seen
            for line in lines[n_seen:]:
                for id in http_server.answered_ids(line):
                    answered.add(id.text if isinstance(id, http_server.Token) else json.dumps(id))
            n_seen = len(lines)
            unanswered.difference_update(answered)
            return len(unanswered) < IN_FLIGHT

        while n_sent < len(pending):
            session.wait(taken, 'room for another request')
            batch = []
            while n_sent < len(pending) and len(unanswered) < IN_FLIGHT:
                line, ids = pending[n_sent]
                batch.append(line)
                unanswered.update(ids)
                n_sent += 1
            session.send(*batch)
        session.wait(lambda lines: taken(lines) and not unanswered, 'the last answers')

    @rows(('seed', 0), ('next seed', 1))
    def test_random_failures(self, more):
        seed = SEED + more
        server = self.chaos(seed)
        # In half of the runs a session is known, so that a 404 ends it.
        session = self.session(server)
        if more % 2:
            session.send(http_server.initialize()).answer('init')
        draw = random.Random(seed)
        lines = []
        for i in range(N_REQUESTS):
            id = draw.choice((i, 'text %d' % i, 'é/"%d' % i))
            kind = draw.random()
            if kind < 0.1:
                line = modern(id, 'call')
            elif kind < 0.2:
                line = [request('b%d %d' % (i, j), 'call') for j in range(draw.randint(1, 3))]
            else:
                line = request(id, 'call')
            lines.append(http_server.compact(line))
        self.drive(session, lines)
        self.finish(session)

    def finish(self, session):
        """Compares the counts only: what is recorded of failures is tested elsewhere."""
        session.process.close_stdin()
        session.process.wait()
        ended = session.end(maybe=[ANYTHING], log=False)
        entries = session.read_log()
        server = [body for sender, body in entries if sender == 'server']
        self.assertGreaterEqual(len(server), len(ended.lines))
        self.assertEqual(len([1 for sender, _ in entries if sender == 'client']), len(session.sent))

    def test_end_of_input_at_once(self):
        """All requests are written and stdin is closed: still each has one answer."""
        server = self.chaos(SEED + 2)
        session = self.session(server)
        session.send(*[request(i, 'call') for i in range(IN_FLIGHT)])
        self.finish(session)

    def test_server_that_vanishes(self):
        """It dies with a hundred requests in flight, some with half an answer."""
        server = self.serve()

        def hold(x):
            draw = random.Random('%s %s' % (SEED, x.message['id']))
            kind = draw.randrange(4)
            if kind == 1:
                x.raw(b'HTTP/1.1 2')
            elif kind == 2:
                x.raw(x.head(200, [('Content-Length', 50)]) + b'{"id"')
            elif kind == 3:
                x.stream()
                x.event(notification('n'))
            x.until_closed()

        server.on('call', hold)
        session = self.session(server)
        session.send(*[request(i, 'call') for i in range(IN_FLIGHT)])
        server.wait_got('call', IN_FLIGHT)
        server.hang_up()
        session.process.close_stdin()
        self.finish(session)


if __name__ == '__main__':
    harness.main()
