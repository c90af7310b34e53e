#!/usr/bin/env python3
"""stretto on real conversations: the archive test/data/airline.tar.xz, whose README tells of it."""

import json
import os
import re
import tarfile
import unicodedata

import harness
import pages
from harness import Case
from sessions import canonical

ARCHIVE = os.path.join(harness.HERE, '..', 'data', 'airline.tar.xz')
N_SESSIONS = 100
KINDS = {
    'book_reservation': 'write', 'calculate': 'generic', 'cancel_reservation': 'write',
    'get_reservation_details': 'read', 'get_user_details': 'read', 'list_all_airports': 'read',
    'search_direct_flight': 'read', 'search_onestop_flight': 'read', 'send_certificate': 'write',
    'think': 'generic', 'transfer_to_human_agents': 'generic',
    'update_reservation_baggages': 'write', 'update_reservation_flights': 'write',
    'update_reservation_passengers': 'write',
}


def columns(text):
    """How wide a line is on a terminal."""
    return sum(2 if unicodedata.east_asian_width(c) in 'WF' else 1 for c in text)


def comparable(episode):
    """The events as both sources tell them.

    Ids of calls differ. What the agent wrote beside a call is only in the results file, since no
    customer ever saw it.
    """
    events = []
    for event in episode['events']:
        if event['kind'] == 'user':
            events.append(('user', event['text']))
        elif event['kind'] == 'tool_result':
            events.append(('result', event['name'], event['error'], event['content']))
        else:
            calls = [(call['name'], canonical(call['arguments'])) for call in event['calls']]
            events.append(('turn', None if calls else event['text'], calls))
    return events


class Airline(Case):
    def setUp(self):
        super().setUp()
        with tarfile.open(ARCHIVE) as archive:
            archive.extractall(self.tmp)
        self.sessions = self.path('airline', 'sessions')
        self.results = self.path('airline', 'results.json')
        self.paths = sorted(os.path.join(self.sessions, name)
                            for name in os.listdir(self.sessions))

    def lines(self, *args):
        return self.run_stretto(*args).out.decode().split('\n')[:-1]

    def episodes(self, *args):
        found = []
        for line in self.lines('episodes', '--json', *args):
            found.append(json.loads(line))
            self.assertEqual(line, canonical(found[-1]))
        return found

    def test_the_archive_is_complete(self):
        self.assertEqual(len(self.paths), N_SESSIONS)
        for name in ('LICENSE', 'README.md', 'results.json', 'rewards.json'):
            self.assertTrue(os.path.exists(self.path('airline', name)), name)

    def test_every_session_is_an_episode(self):
        episodes = self.episodes(self.sessions)
        self.assertEqual([e['id'] + '.jsonl' for e in episodes],
                         [os.path.basename(path) for path in self.paths])
        for e in episodes:
            self.assertEqual((e['domain'], e['agent_model'], e['task_id'], e['reward']),
                             ('airline', 'gpt-4o', '', 0.0))
        self.run_stretto('episodes', '--json', *reversed(self.paths),
                         out=self.run_stretto('episodes', '--json', self.sessions).out)

    def test_logs_and_results_tell_the_same(self):
        logs = self.episodes(self.sessions)
        results = self.episodes('--results', self.results)
        self.assertEqual((len(logs), len(results)), (N_SESSIONS, N_SESSIONS))
        n_calls = 0
        for log, result in zip(logs, results):
            self.assertEqual(log['id'], result['id'])
            self.assertEqual(comparable(log), comparable(result), log['id'])
            n_calls += sum(len(e['calls']) for e in log['events'] if e['kind'] == 'assistant')
        self.assertEqual(n_calls, 621)

    def test_results_keep_what_logs_do_not_have(self):
        with open(self.path('airline', 'rewards.json'), encoding='utf-8') as f:
            rewards = json.load(f)
        results = self.episodes('--results', self.results)
        self.assertEqual({e['id']: e['reward'] for e in results}, rewards)
        self.assertEqual([(e['task_id'], e['trial']) for e in results],
                         [(str(task), trial) for task in range(25) for trial in range(4)])
        ids = [[call['id'] for event in e['events'] if event['kind'] == 'assistant'
                for call in event['calls']] for e in results]
        self.assertTrue(all(len(set(of_one)) == len(of_one) for of_one in ids))

    def test_ids_of_calls_count_up_in_logs(self):
        for e in self.episodes(self.sessions):
            ids = [call['id'] for event in e['events'] if event['kind'] == 'assistant'
                   for call in event['calls']]
            self.assertEqual(ids, [str(3 + i) for i in range(len(ids))])

    def test_views_cut_nothing_of_calls_one_by_one(self):
        for line in self.lines('episodes', '--view', '3', self.sessions):
            view = json.loads(line)
            self.assertEqual(line, canonical(view))
            self.assertEqual(view['pending'], [])
            self.assertEqual(set(view['sent_after'].values()) - {0}, set())

    def test_manifest(self):
        found = json.loads(self.lines('manifest', self.sessions)[0])
        self.assertEqual(found['domain'], 'airline')
        self.assertEqual(found['tools'], KINDS)
        self.assertEqual(set(found['contracts']), set(KINDS))
        self.assertEqual(set(found['docs']), set(KINDS))
        self.assertEqual(found['contracts']['search_direct_flight'],
                         'date:string!, destination:string!, origin:string!')
        self.assertEqual(found['contracts']['list_all_airports'], '')
        self.run_stretto('manifest', self.paths[0], out=(canonical(found) + '\n').encode())

    def test_sessions(self):
        lines = self.lines('sessions', self.sessions)
        self.assertEqual(len(lines), N_SESSIONS + 2)
        self.assertTrue(all(columns(line) <= 100 for line in lines))
        self.assertEqual(lines[1][:16], '2024-11-22 18:00')
        self.assertTrue(lines[-1].startswith('100 sessions, 1h52m, 621 calls, 63 errors: '
                                             'get_reservation_details 134, '))
        found = [json.loads(line) for line in self.lines('sessions', '--json', self.sessions)]
        self.assertEqual([e['session'] for e in found],
                         [os.path.basename(path)[:-len('.jsonl')] for path in self.paths])
        for session, episode in zip(found, self.episodes(self.sessions)):
            results = [e for e in episode['events'] if e['kind'] == 'tool_result']
            self.assertEqual(session['calls'], len(results))
            self.assertEqual(session['errors'], sum(e['error'] for e in results))
            self.assertEqual(session['user_messages'],
                             sum(e['kind'] == 'user' for e in episode['events']))
            self.assertEqual((session['unanswered'], session['refused']), (0, 0))
            self.assertIn(session['p50_ms'], (20, None))

    def test_show(self):
        episodes = self.episodes(self.sessions)
        for path, episode in zip(self.paths, episodes):
            lines = self.lines('show', path)
            self.assertTrue(all(columns(line) <= 100 for line in lines), path)
            n_turns = sum(e['kind'] == 'assistant' for e in episode['events'])
            n_calls = sum(len(e['calls']) for e in episode['events'] if e['kind'] == 'assistant')
            timeline = [line for line in lines if re.match(r' +[0-9]+:[0-9]{2}\.', line)]
            numbers = [int(line[10:16]) for line in timeline if line[10:16].strip()]
            self.assertEqual(numbers, list(range(1, n_turns + 1)))
            labels = [line[18:28].strip() for line in timeline]
            self.assertEqual(labels.count('call'), n_calls)
            self.assertEqual(labels.count('result') + labels.count('error'), n_calls)
            self.assertEqual(labels.count('user') + labels.count('agent') + labels.count('host') +
                             2 * n_calls, len(labels))

    def test_show_in_full(self):
        """Every text of the conversation is there, line by line."""
        path = max(self.paths, key=os.path.getsize)
        out = self.run_stretto('show', '--full', path).out.decode()
        for event in self.episodes(path)[0]['events']:
            for line in (event.get('text') or event.get('content') or '').split('\n'):
                self.assertIn(line.replace('\t', '\\t'), out)

    def test_the_results_page(self):
        """Its commands give its table."""
        page = pages.read('results.md')
        checkout = os.path.join(harness.HERE, '..', '..')
        os.symlink(os.path.abspath(os.path.join(checkout, 'test')), self.path('test'))
        rows = pages.paste(self, page, pages.programs(self), self.tmp).splitlines()
        self.assertEqual(len(rows), 12)
        self.assertEqual(re.findall(r'^\| (?:habit|reach) .*\|$', page, re.M), rows)


if __name__ == '__main__':
    harness.main()
