#!/usr/bin/env python3
"""stretto flow-diff: chapter 44, section 2."""

import json
import os
import re
import stat

import harness
import tickets
from harness import Case, mode_of, rows

MISUSES = [
    ('no flow', []),
    ('one flow', ['f.json']),
    ('three flows', ['f.json', 'f.json', 'f.json']),
    ('an unknown option', ['f.json', 'f.json', '--decider', 'habit']),
    ('a threshold that is none', ['f.json', 'f.json', '--threshold', 'high']),
    ('a tolerance that is none', ['f.json', 'f.json', '--tolerance', 'much']),
    ('a tolerance below 0', ['f.json', 'f.json', '--tolerance=-0.1']),
    ('a tolerance that is no number', ['f.json', 'f.json', '--tolerance', 'nan']),
    ('--out without a value', ['f.json', 'f.json', '--out']),
]

# (label, arguments, the message).
FAILURES = [
    ('a missing old flow', ['gone.json', 'f.json'],
     rb'stretto: reading gone\.json: No such file or directory\n'),
    ('a missing new flow', ['f.json', 'gone.json'],
     rb'stretto: reading gone\.json: No such file or directory\n'),
    ('a file that is no flow', ['f.json', 'no.json'],
     rb'stretto: no\.json: not a stretto flow: .*\n'),
    ('a flow of another format', ['new.json', 'f.json'],
     rb'stretto: new\.json: flow format 99 is not one this build reads .*\n'),
    ('--out below a file', ['f.json', 'g.json', '--out', 'f.json/a.md'],
     rb'Error: .*f\.json/a\.md.*\n'),
    ('--out that is a directory', ['f.json', 'g.json', '--out', '.'], rb'Error: writing \..*\n'),
    ('--out that is full', ['f.json', 'g.json', '--out', '/dev/full'],
     rb'Error: writing /dev/full: No space left on device\n'),
]

NEWLY_OFFERED = '- After `find_tickets` (failed): `find_tickets` newly offered\n'
ONE_REVIEW = b'stretto: 1 change needs review\n'


class FlowDiff(Case):

    def setUp(self):
        super().setUp()
        self.old = tickets.flow()
        self.new = tickets.flow()
        self.write('no.json', b'{}')
        self.write('new.json', b'{"stretto_flow":99}')
        self.save()

    def save(self):
        self.write('f.json', json.dumps(self.old).encode())
        self.write('g.json', json.dumps(self.new).encode())

    def diff(self, *args, code=0, err=b''):
        self.save()
        return self.run_stretto('flow-diff', *args, 'f.json', 'g.json', code=code,
                                err=err).out.decode()

    def offer(self):
        """Offers the new flow a lookup more."""
        self.new['sites']['next'].append([['find_tickets', True], {'find_tickets': 1}])

    def test_nothing(self):
        text = self.diff('--tolerance', '0')
        self.assertRegex(text, r'\A# Flow diff: tickets\n\nNothing needs review[^\n]*\n\Z')

    def test_needs_review(self):
        self.offer()
        self.assertEqual(self.diff(code=1, err=ONE_REVIEW),
                         '# Flow diff: tickets\n\n**Needs review:**\n\n' + NEWLY_OFFERED +
                         '\n## Sites\n\n' + NEWLY_OFFERED)

    def test_needs_more_review(self):
        self.offer()
        self.new['manifest']['tools']['close_ticket'] = 'read'
        self.assertTrue(self.diff(code=1, err=b'stretto: 2 changes need review\n').startswith(
            '# Flow diff: tickets\n\n**Needs review:**\n\n- `close_ticket`: absent → read\n' +
            NEWLY_OFFERED + '\n## Tools\n'))

    def test_needs_no_review(self):
        self.offer()
        self.old, self.new = self.new, self.old
        self.assertEqual(self.diff(),
                         '# Flow diff: tickets\n\nNothing needs review.\n\n## Sites\n\n'
                         '- After `find_tickets` (failed): `find_tickets` no longer offered\n')

    @rows(('given', ['--tolerance', '0.06'], False), ('reached', ['--tolerance', '0.05'], True),
          ('the default', [], True), ('none', ['--tolerance', '0'], True))
    def test_tolerance(self, args, is_listed):
        for flow, n in ((self.old, 30.0), (self.new, 35.0)):
            flow['habit']['base']['levels'][1][3][1] = {'by_action': [[0, n]], 'total': 100.0}
        text = self.diff(*args)
        self.assertEqual('- After `get_ticket`: respond 30% → 35%\n' in text, is_listed, text)

    @rows(('the default', [], '0.3'), ('given', ['--threshold', '0.2'], '0.2'))
    def test_threshold(self, args, shown):
        self.new['habit']['base']['levels'][1][3][1] = {'by_action': [[2, 2.0]], 'total': 10.0}
        self.old['habit']['base']['levels'][1][3][1] = {'by_action': [[2, 5.0]], 'total': 10.0}
        self.assertIn('\n## Habit alone (at %s)\n\n- After `get_ticket`: looks up `get_ticket` '
                      '(0.50 × 0.83 = 0.42) → hands back (`get_ticket` 0.20 × 0.83 = 0.17)\n' %
                      shown, self.diff(*args))

    def test_the_program(self):
        self.new['program']['body'][2]['body'].insert(
            3, {'stmt': 'if', 'cond': {'op': 'not', 'arg': {'op': 'var', 'name': 'ok'}},
                'then': [{'stmt': 'break'}]})
        text = self.diff(code=1, err=b'stretto: 3 changes need review\n')
        self.assertIn('\n## Run\n\n- Program line 9 added: `    if !ok {`\n'
                      '- Program line 10 added: `        break;`\n'
                      '- Program line 11 added: `    }`\n', text)

    def test_out(self):
        self.offer()
        text = self.diff(code=1, err=ONE_REVIEW)
        self.run_stretto('flow-diff', '--out', 'new/deep/a.md', 'f.json', 'g.json', code=1,
                         out=b'', err=ONE_REVIEW, umask=0)
        self.assertEqual(self.read('new/deep/a.md').decode(), text)
        self.assertEqual(mode_of(self.path('new/deep/a.md')), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(self.path('new')).st_mode), 0o700)

    @rows(*MISUSES)
    def test_misused(self, args):
        self.run_stretto('flow-diff', *args, code=2, out=b'', err=re.compile(b'Error: .*', re.S))

    @rows(*FAILURES)
    def test_fails(self, args, message):
        self.run_stretto('flow-diff', *args, code=2, out=b'', err=re.compile(message))

    def test_help(self):
        for args in (['flow-diff', '--help'], ['help', 'flow-diff']):
            text = self.run_stretto(*args).out.decode()
            for option in ('--tolerance', '--threshold', '--out', 'OLD NEW'):
                self.assertIn(option, text)


if __name__ == '__main__':
    harness.main([harness.STRETTO])
