#!/usr/bin/env python3
"""What --help, the manual pages and docs/cli.md say of commands and options is the same."""

import os
import re
import shutil

import harness
from harness import DEMO, HERE, PROXY, STRETTO, Case, rows
from helps import OPTION, commands, values

PROCEDURE = os.environ.get('STRETTO_PROCEDURE', 'stretto-procedure')
MANUAL = os.environ.get('STRETTO_MANUAL', '.')
CLI = os.path.join(HERE, '..', '..', 'docs', 'cli.md')

# The programs whose options are one table.
PLAIN = [('stretto-proxy', 'stretto-proxy', PROXY),
         ('stretto-mcp-demo', 'stretto-mcp-demo', DEMO),
         ('stretto-procedure', 'stretto-procedure', PROCEDURE)]
ALL = PLAIN + [('stretto', 'stretto', STRETTO)]
SECTIONS = ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'OPTIONS', 'EXIT STATUS', 'ENVIRONMENT', 'FILES',
            'EXAMPLES', 'SEE ALSO']


def page_path(name):
    return os.path.join(MANUAL, name + '.1')


def page(name):
    """A page's source, its escapes for fonts and characters replaced by what they stand for."""
    with open(page_path(name), encoding='utf-8') as f:
        text = f.read()
    text = re.sub(r'\\f.', '', text)
    for escape, character in ((r'\-', '-'), (r'\(ti', '~'), (r'\(aq', "'"), (r'\(ga', '`'),
                              (r'\(ha', '^'), (r'\e', '\\')):
        text = text.replace(escape, character)
    return text


def parts(text, macro):
    """The parts of a page that a macro begins, by their headings."""
    found = re.split(r'(?m)^\.%s (.*)\n' % macro, text)
    return dict(zip(found[1::2], found[2::2]))


def entries(text):
    """The options that have an entry, each with the name of its value, or None."""
    found = {}
    for tag in re.findall(r'(?m)^\.TP\n(?:\.\w+ )?(-.*)', text):
        name = OPTION.search(tag)
        found[name[0]] = tag[name.end():].strip() or None
    return found


def documented(name):
    """The section of docs/cli.md of a program; empty if it has none."""
    with open(CLI, encoding='utf-8') as f:
        found = re.search(r'(?ms)^## %s\n(.*?)(?=^## |\Z)' % re.escape(name), f.read())
    return found[1] if found else ''


def first_cells(text):
    """What is in the first column of the tables."""
    cells = re.findall(r'(?m)^\| *((?:`[^`]*`|[^|`])*?) *\|', text)
    return [cell for cell in cells if not cell.startswith('---')]


class Pages(Case):
    """The manual pages."""

    @rows(*[(row[0], row[0]) for row in ALL])
    def test_sections(self, name):
        wanted = list(SECTIONS)
        if name == 'stretto':
            wanted.insert(4, 'COMMANDS')
        self.assertEqual(list(parts(page(name), 'SH')), wanted)

    @rows(*[(row[0], row[0]) for row in ALL])
    def test_no_placeholder_is_left(self, name):
        self.assertNotRegex(page(name), r'@[A-Z]+@')

    @rows(*[(row[0], row[0]) for row in ALL])
    def test_renders_without_a_warning(self, name):
        self.assertTrue(shutil.which('groff'),
                        'there is no groff here: tools/setup.sh installs it')
        process = self.start(['groff', '-man', '-ww', '-Tutf8', os.path.abspath(page_path(name))],
                             stdin='null')
        process.finish(0, None, b'')
        self.assertIn(b'\nEXAMPLES\n', re.sub(b'.\b', b'', process.out()))

    @rows(*[(row[0], row[0]) for row in ALL])
    def test_mandoc_has_no_warning(self, name):
        if shutil.which('mandoc') is not None:  # of another family than groff
            self.start(['mandoc', '-T', 'lint', '-W', 'warning',
                        os.path.abspath(page_path(name))], stdin='null').finish(0, b'', b'')

    @rows(*PLAIN)
    def test_options(self, name, program):
        self.assertEqual(entries(parts(page(name), 'SH')['OPTIONS']), values(self, program))

    @rows(*PLAIN)
    def test_no_other_option_is_spoken_of(self, name, program):
        text = page(name).partition('\n.SH EXAMPLES\n')[0]
        self.assertEqual(set(OPTION.findall(text)) - set(values(self, program)), set())

    def test_commands(self):
        sections = parts(page('stretto'), 'SH')
        self.assertEqual(list(parts(sections['COMMANDS'], 'SS')), commands(self))
        self.assertEqual(entries(sections['OPTIONS']), {'--help': None, '--version': None})

    def test_options_of_commands(self):
        described = parts(parts(page('stretto'), 'SH')['COMMANDS'], 'SS')
        for name in commands(self):
            wanted = values(self, STRETTO, name)
            self.assertIsNone(wanted.pop('--help'))
            self.assertEqual(entries(described[name]), wanted, name)
            self.assertEqual(set(OPTION.findall(described[name])) - set(wanted), set(), name)

    def test_examples(self):
        """An example has options that one of the programs has."""
        known = set(values(self, STRETTO, 'sessions')) | {'--version'}
        for _, _, program in PLAIN:
            known |= set(values(self, program))
        for name in commands(self):
            known |= set(values(self, STRETTO, name))
        for name, _, _ in ALL:
            self.assertEqual(set(OPTION.findall(parts(page(name), 'SH')['EXAMPLES'])) - known,
                             set(), name)


class Documentation(Case):
    """docs/cli.md."""

    @rows(*PLAIN)
    def test_options(self, name, program):
        text = documented(name)
        wanted = set(values(self, program))
        in_tables = {option for cell in first_cells(text) for option in OPTION.findall(cell)}
        self.assertEqual(wanted - in_tables, set(), 'not in docs/cli.md')
        self.assertEqual(set(OPTION.findall(text)) - wanted, set(), 'not in the help')

    def test_commands(self):
        found = {}
        for cell in first_cells(documented('stretto')):
            for span in re.findall(r'`([^`]*)`', cell):
                command = span.split()[0]
                found.setdefault(command, set()).update(OPTION.findall(span))
        self.assertEqual(set(commands(self)) - set(found), set(), 'not in docs/cli.md')
        self.assertEqual(set(found) - set(commands(self)), set(), 'not in the help')
        for name, spoken_of in found.items():
            self.assertEqual(spoken_of - set(values(self, STRETTO, name)), set(), name)

    def test_no_unknown_option_of_stretto(self):
        known = set(values(self, PROXY))
        for name in commands(self):
            known |= set(values(self, STRETTO, name))
        self.assertEqual(set(OPTION.findall(documented('stretto'))) - known, set())


if __name__ == '__main__':
    harness.main((PROXY, DEMO, STRETTO, PROCEDURE))
