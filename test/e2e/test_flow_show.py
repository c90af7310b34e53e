#!/usr/bin/env python3
"""stretto flow-show: chapter 44, section 1."""

import json
import os
import re
import stat

import harness
import tickets
from harness import Case, mode_of, rows

MISUSES = [
    ('no flow', []),
    ('two flows', ['f.json', 'f.json']),
    ('an unknown option', ['f.json', '--decider', 'habit']),
    ('a threshold that is none', ['f.json', '--threshold', 'high']),
    ('--out without a value', ['f.json', '--out']),
]

# (label, arguments, what the message names).
FAILURES = [
    ('a missing file', ['gone.json'], ['reading gone.json', 'No such file']),
    ('a file that is no flow', ['no.json'], ['not a stretto flow']),
    ('a flow of another format', ['new.json'], ['flow format 99']),
    ('--out below a file', ['f.json', '--out', 'f.json/a.md'], ['f.json/a.md']),
    ('--out that is a directory', ['f.json', '--out', '.'], ['writing .']),
]


class FlowShow(Case):

    def setUp(self):
        super().setUp()
        self.flow = tickets.flow()
        self.save()
        self.write('no.json', b'{}')
        self.write('new.json', b'{"stretto_flow":99}')

    def save(self):
        self.write('f.json', json.dumps(self.flow).encode())

    def show(self, *args):
        return self.run_stretto('flow-show', *args, 'f.json').out.decode()

    def sites(self, *args):
        """The rows of the sites, as lists of cells."""
        table = self.show(*args).split('\n## Sites\n')[1].split('\n## ')[0]
        return [line.strip('| ').split(' | ') for line in table.splitlines()
                if line.startswith('| `')]

    def test_sections_in_order(self):
        self.assertEqual(re.findall('^#+ .*', self.show(), re.M), [
            '# Flow: tickets', '## Tools', '## Run', '## Sites', '## Bindings',
            '## Pinned inputs'])

    def test_a_row_a_site(self):
        self.assertEqual(self.sites(), [
            ['`find_tickets`', '`get_ticket` (3)', 'get_ticket 100% (of 3)',
             'looks up `get_ticket` (1.00 × 0.83 = 0.83)'],
            ['`get_ticket`', '`get_ticket` (1)', 'respond 75%, get_ticket 25% (of 4)',
             'hands back (`get_ticket` 0.25 × 0.83 = 0.21)']])

    @rows(('none', '0.9', 0), ('one', '0.5', 1), ('both', '0.2', 2))
    def test_threshold(self, threshold, n_acting):
        verdicts = [row[3] for row in self.sites('--threshold', threshold)]
        self.assertEqual(sum(v.startswith('looks up') for v in verdicts), n_acting)

    def test_sites_of_their_own(self):
        self.flow['stretto_flow'] = 2
        self.flow['thresholds'] = {'find_tickets': 1.5}
        self.flow['promoted'] = {
            'bar': {'threshold': 0.3, 'min_used': 0.7, 'min_lower': 0.5, 'min_tasks': 3},
            'sites': {'find_tickets': {'decisions': 41, 'lookups': 40, 'used': 36, 'tasks': 12,
                                       'lower': 0.796, 'promoted': True}}}
        self.save()
        self.assertEqual([row[3] for row in self.sites()],
                         ['hands back (switched off)', 'hands back (not promoted)'])
        self.assertIn('| `find_tickets` | 41 | 40 | 36 (90%) | 0.80 | 12 | yes |\n', self.show())

    def test_another_program(self):
        self.flow['program']['body'][2]['body'].insert(
            3, {'stmt': 'if', 'cond': {'op': 'not', 'arg': {'op': 'var', 'name': 'ok'}},
                'then': [{'stmt': 'break'}]})
        self.save()
        text = self.show()
        self.assertIn('\n**Not the standard run', text)
        self.assertIn('\n    if !ok {\n        break;\n    }\n', text)

    def test_an_arbiter(self):
        asked = {'id': 'more', 'favors': 'same_lookup', 'question': 'Is there more?',
                 'yes': 'y', 'no': 'n'}
        self.flow['predicates'] = [asked, dict(asked, id='done', question='Is it done?')]
        self.flow['weighed'] = [asked]
        self.flow['model'] = 'jev-latest'
        self.flow['provenance']['arbiter_cases'] = 1234
        self.flow['folds'] = [
            {'weights': [i, 0.3, 0.2, 0.1, 0.6, 0.4],
             'rates': {'sites': [], 'agree': 0.7, 'cover': 0.95}} for i in range(5)]
        self.save()
        text = self.show()
        self.assertIn('1,234 decisions', text)
        for row in ('| ln habit probability | 2.000 |', '| handing back | 0.100 |',
                    '| predicate `more` | 0.600 |', '| `more` | Is there more? | yes |',
                    '| `done` | Is it done? | no |'):
            self.assertIn('\n%s\n' % row, text)
        self.assertRegex(text, r'\b70% .*\b95%')

    def test_out(self):
        text = self.show()
        self.run_stretto('flow-show', '--out', 'new/deep/a.md', 'f.json', out=b'', umask=0)
        self.assertEqual(self.read('new/deep/a.md').decode(), text)
        self.assertEqual(mode_of(self.path('new/deep/a.md')), 0o600)
        self.assertEqual(stat.S_IMODE(os.stat(self.path('new')).st_mode), 0o700)
        self.run_stretto('flow-show', '--out', 'a.md', 'f.json', out=b'')
        self.assertEqual(self.read('a.md').decode(), text)

    @rows(*MISUSES)
    def test_misused(self, args):
        self.run_stretto('flow-show', *args, code=2, out=b'', err=re.compile(b'Error: .*', re.S))

    @rows(*FAILURES)
    def test_fails(self, args, names):
        message = self.run_stretto('flow-show', *args, code=1, out=b'', err=None).err.decode()
        self.assertTrue(message.startswith('Error: '), message)
        for name in names:
            self.assertIn(name, message)

    def test_help(self):
        for args in (['flow-show', '--help'], ['help', 'flow-show']):
            text = self.run_stretto(*args).out.decode()
            for option in ('--threshold', '--out', 'FILE'):
                self.assertIn(option, text)


if __name__ == '__main__':
    harness.main([harness.STRETTO])
