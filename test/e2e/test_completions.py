#!/usr/bin/env python3
"""The completion scripts of stretto: chapter 44 §6.

What bash, zsh, fish and Elvish offer is asked of the shells themselves. A shell that is not there
fails its tests (tools/setup.sh installs them). PowerShell is in no distribution, so its script is
taken apart here.
"""

import os
import re
import shlex
import shutil

import harness
from harness import STRETTO, Case, rows
from helps import commands, options

SHELLS = ['bash', 'zsh', 'fish', 'powershell', 'elvish']
FILES = {'alpha.json', 'sub'}
FIRST = {'-h', '--help', '-V', '--version'}

# What is written after `stretto`, and what is then offered.
OFFERS = [
    ('s', {'sessions', 'show'}),
    ('-', FIRST),
    ('--v', {'--version'}),
    ('help s', {'sessions', 'show'}),
    ('no-such-command ', set()),
    ('no-such-command -', set()),
    ('ask --oracle ', {'jev', 'replay', 'mock'}),
    ('ask --oracle r', {'replay'}),
    ('ask --oracle=', {'jev', 'replay', 'mock'}),
    ('ask --oracle=m', {'mock'}),
    ('replay --oracle ', {'replay', 'mock'}),
    ('ask --oracle mock --oracle-b', {'--oracle-budget'}),
    ('ask --requests ', FILES),
    ('ask --requests al', {'alpha.json'}),
    ('ask --requests=al', {'alpha.json'}),
    ('ask --oracle-cache ', {'sub'}),
    ('ask --oracle-budget ', set()),
    ('audit --results ', FILES),
    ('replay --sessions ', FILES),
    ('guards --domain ', set()),
    ('guards --source ', FILES),
    ('sessions ', FILES),
    ('sessions --j', {'--json'}),
    ('sessions --json ', FILES),
    ('sessions al', {'alpha.json'}),
    ('sessions -- ', FILES),
    ('sessions -- --j', set()),
    ('sessions -- --js', set()),
    ('flow-show --threshold 0.2 ', FILES),
    ('flow-show --threshold ', set()),
    ('flow-diff alpha.json ', FILES),
    ('jev-check -- ', FILES),
    ('completions ', set(SHELLS)),
    ('completions p', {'powershell'}),
    ('completions -', {'-h', '--help'}),
]


class Command(Case):
    """stretto completions itself."""

    @rows(*[(shell, shell) for shell in SHELLS])
    def test_script(self, shell):
        script = self.run_stretto('completions', shell).out
        self.assertTrue(script.endswith(b'\n'))
        self.assertTrue(script.isascii())
        self.assertEqual(self.run_stretto('completions', shell).out, script)

    @rows(('no shell', []), ('two', ['bash', 'zsh']), ('unknown', ['tcsh']), ('upper case', ['Bash']),
          ('empty', ['']), ('unknown option', ['--all']))
    def test_misused(self, args):
        result = self.run_stretto('completions', *args, code=2, out=b'', err=None)
        self.assertRegex(result.err, rb'\AError: [^\n]+\nUsage: stretto completions SHELL\n\Z')

    def test_full_disk(self):
        self.run_stretto('completions', 'bash', code=1, err=None,
                         stdout=self.open('/dev/full', os.O_WRONLY))


class Shell:
    """What every shell is asked."""

    name = None
    different = {}  # what it offers in place of what OFFERS says

    def setUp(self):
        super().setUp()
        if shutil.which(self.name) is None:
            self.fail('there is no %s here: tools/setup.sh installs it' % self.name)
        self.write('work/alpha.json')
        os.makedirs(self.path('work/sub'))
        self.write('script', self.run_stretto('completions', self.name).out)

    def run_shell(self, *args, err=b''):
        """Runs the shell to its end in the folder of the files."""
        process = self.start([self.name, *args], stdin='null', cwd=self.path('work'))
        return process.finish(0, None, err).out.decode()

    def offers(self, lines):
        """What is offered after each of `lines`, without what the line has already before an =."""
        answers = self.ask(['stretto ' + line for line in lines])
        self.assertEqual(len(answers), len(lines))
        return [{self.plain(word, line) for word in answer}
                for line, answer in zip(lines, answers)]

    @staticmethod
    def plain(word, line):
        written = line.rpartition(' ')[2]
        if '=' in written:
            word = word.removeprefix(written.partition('=')[0] + '=')
        return word.rstrip('/= ')

    def test_offers(self):
        wrong = []
        for (line, wanted), got in zip(OFFERS, self.offers([line for line, _ in OFFERS])):
            wanted = self.different.get(line, wanted)
            if got != wanted:
                wrong.append('after %r: %r, not %r' % (line, sorted(got), sorted(wanted)))
        self.assertEqual(wrong, [])

    def test_commands(self):
        wanted = {*commands(self), 'help'}
        got = self.offers(['', 'help '])
        self.assertEqual(got[0], wanted)
        self.assertEqual(got[1] - {'help'}, wanted - {'help'})

    def test_options(self):
        names = commands(self)
        for name, got in zip(names, self.offers([name + ' -' for name in names])):
            self.assertEqual(got, options(self, STRETTO, name), name)


class Bash(Shell, Case):
    name = 'bash'

    # readline's part: what it does with the options that the function sets.
    DRIVER = r'''
        source "$1" || exit
        compopt() {
            case $2 in
            default) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
            dirnames) mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
            *) exit 1 ;;
            esac
        }
        query() {
            COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
            _stretto stretto
            ((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"
            echo ==
        }
    '''

    def ask(self, lines):
        calls = ['query ' + shlex.join(re.findall(r'=|[^\s=]+', line) +
                                       ([''] if line.endswith(' ') else [])) for line in lines]
        out = self.run_shell('--norc', '-c', self.DRIVER + '\n'.join(calls), 'bash',
                             self.path('script'))
        return [part.split('\n')[:-1] for part in out.split('==\n')[:-1]]

    @rows(('file', b'stretto ask --requests al\t', b'alpha.json'),
          ('file after =', b'stretto ask --requests=al\t', b'alpha.json'),
          ('directory', b'stretto ask --oracle-cache s\t', b'sub/'),
          ('command', b'stretto flow-s\t', b'flow-show'),
          ('choice', b'stretto ask --oracle=re\t', b'replay'))
    def test_at_a_terminal(self, typed, wanted):
        """readline does what the function leaves to it."""
        self.write('rc', b'PS1=; source %s\nstretto() { printf "[%%s]" "$@"; echo; exit; }\n' %
                   os.fsencode(self.path('script')))
        master, slave = self.pty()
        process = self.start(['bash', '--noprofile', '--rcfile', self.path('rc'), '-i'],
                             stdin=slave, stdout=slave, stderr=slave, cwd=self.path('work'),
                             env=self.environment(TERM='dumb', INPUTRC='/dev/null'))
        harness.write_all(master, typed + b'\n')
        shown = harness.Stream(os.dup(master))
        shown.wait(lambda data, ended: ended or b']\r\n' in data or b']\n' in data)
        process.wait()
        self.assertIn(wanted + b']', shown.bytes())
        shown.stop()
        os.close(shown.fd)


class Zsh(Shell, Case):
    name = 'zsh'

    # Keeps what completion functions add. A call with -O, -A or -D adds nothing.
    DRIVER = r'''
        PS1= ; unsetopt beep
        autoload -Uz compinit; compinit -u -D
        %s
        compadd() {
            local -a matches_here
            if [[ ${@[(I)-[OAD]]} == 0 ]]; then
                builtin compadd -O matches_here "$@"
                (($#matches_here == 0)) || print -rl -- $matches_here >>$answers
            fi
            builtin compadd "$@"
        }
        ask-all() {
            local query
            for query in "${(@f)$(<$queries)}"; do
                BUFFER=${query%%.} CURSOR=$(($#query - 1))
                zle list-choices
                print -r -- '==' >>$answers
            done
            : >$answers.done
            BUFFER= ; exit
        }
        zle -N ask-all; bindkey '^X' ask-all
        print -n READY
    '''
    LOAD = 'source $script'

    def ask(self, lines):
        self.write('queries', ''.join(line + '.\n' for line in lines).encode())
        answers = self.path('answers')
        self.write('init', (self.DRIVER % self.LOAD).encode())
        master, slave = self.pty()
        process = self.start(['zsh', '-f', '-i'], stdin=slave, stdout=slave, stderr=slave,
                             cwd=self.path('work'),
                             env=self.environment(TERM='dumb', answers=answers,
                                                  queries=self.path('queries'),
                                                  script=self.path('script')))
        shown = harness.Stream(os.dup(master))
        harness.write_all(master, b'source %s\n' % os.fsencode(self.path('init')))
        shown.wait(lambda data, ended: ended or b'READY' in data.replace(b'-n READY', b''))
        harness.write_all(master, b'\x18')
        self.until(lambda: os.path.exists(answers + '.done') or not process.running(),
                   lambda: 'the answers; zsh shows %r' % shown.bytes())
        shown.stop()
        os.close(shown.fd)
        with open(answers, encoding='utf-8') as f:
            return [part.split('\n')[:-1] for part in f.read().split('==\n')[:-1]]


class ZshFunctionPath(Zsh):
    """The script as a file of the function path."""

    LOAD = 'cp $script ${script:h}/_stretto; fpath=(${script:h} $fpath); compinit -u -D'


class Fish(Shell, Case):
    name = 'fish'

    def ask(self, lines):
        asked = ['complete -C %s; echo ==' % shlex.quote(line) for line in lines]
        out = self.run_shell('--no-config', '-c',
                             '\n'.join(['source ' + self.path('script'), *asked]))
        return [[line.partition('\t')[0] for line in part.split('\n')[:-1]]
                for part in out.split('==\n')[:-1]]


class Elvish(Shell, Case):
    name = 'elvish'
    # Its completer for files knows no directories alone, and no option before the file.
    different = {'ask --oracle-cache ': FILES, 'ask --requests=al': set()}

    # The editor's part, which is there at a terminal only.
    DRIVER = '''
        var edit: = (ns [
            &completion:=(ns [&arg-completer=[&]])
            &complex-candidate~={|&display='' &code-suffix='' stem| put $stem }
            &complete-filename~={|word| put *[nomatch-ok] }
        ])
    '''

    def ask(self, lines):
        with open(self.path('script'), encoding='ascii') as f:
            script = f.read()
        asked = ["$edit:completion:arg-completer[stretto] %s | each $echo~; echo ==" %
                 ' '.join("'%s'" % word for word in line.split(' ')) for line in lines]
        path = self.write('all.elv', '\n'.join([self.DRIVER, script, *asked]).encode())
        parts = self.run_shell('-norc', path).split('==\n')[:-1]
        # Of what a completer puts, the editor offers what begins with the word at the cursor.
        return [[word for word in part.split('\n')[:-1]
                 if word.startswith(line.rpartition(' ')[2])] for line, part in zip(lines, parts)]


class PowerShell(Case):
    """The script taken apart: strings and brackets, and what the tables hold."""

    def setUp(self):
        super().setUp()
        self.script = self.run_stretto('completions', 'powershell').out.decode()

    def tokens(self):
        """The script's tokens, strings as ('string', text); fails where there is none."""
        pattern = re.compile(r"""(?P<space>\s+|\#[^\n]*)|'(?P<single>(?:[^'\n]|'')*)'"""
                             r"""|"(?P<double>[^"`\n]*)"|(?P<name>[$]?\w[\w-]*)"""
                             r"""|(?P<sign>::|[@{}()\[\]|;=.,$+<>-])""")
        at, found = 0, []
        while at < len(self.script):
            match = pattern.match(self.script, at)
            self.assertTrue(match, 'no token at %r' % self.script[at:at + 40])
            at = match.end()
            if match['single'] is not None:
                found.append(('string', match['single'].replace("''", "'")))
            elif match['space'] is None:
                found.append(('other', match[0]))
        return found

    def test_brackets(self):
        opened = []
        closes = {')': '(', ']': '[', '}': '{'}
        for kind, text in self.tokens():
            if kind == 'other' and text in '([{':
                opened.append(text)
            elif kind == 'other' and text in closes:
                self.assertTrue(opened and opened.pop() == closes[text], 'unbalanced %s' % text)
        self.assertEqual(opened, [])

    def table(self, name):
        """The entries of `$name = @{ 'x' = @(...) }`, each as its tokens."""
        tokens = self.tokens()
        start = tokens.index(('other', '$' + name))
        entries, depth, current = {}, 0, None
        for i in range(start + 2, len(tokens)):
            kind, text = tokens[i]
            if kind == 'other' and text in '({[':
                depth += 1
            elif kind == 'other' and text in ')}]':
                depth -= 1
                if depth == 0:
                    return entries
            elif depth == 1 and kind == 'string' and tokens[i + 1] == ('other', '='):
                current = entries.setdefault(text, [])
                continue
            if current is not None:
                current.append((kind, text))
        self.fail('the table does not end')

    @staticmethod
    def named(tokens, field):
        """The strings X of `field = 'X'`."""
        return [tokens[i + 2][1] for i in range(len(tokens) - 2)
                if tokens[i:i + 2] == [('other', field), ('other', '=')]]

    def test_commands(self):
        tokens = self.tokens()
        start, end = (tokens.index(('other', name)) for name in ('$commands', '$options'))
        self.assertEqual(self.named(tokens[start:end], 'Name'), [*commands(self), 'help'])

    def test_options(self):
        table = self.table('options')
        self.assertEqual(set(table), {*commands(self), 'help'})
        for name in commands(self):
            self.assertEqual(set(self.named(table[name], 'Name')), options(self, STRETTO, name))

    def test_choices(self):
        ask = self.table('options')['ask']
        words = [text for kind, text in ask[ask.index(('string', 'words')):] if kind == 'string']
        self.assertEqual(words[1:4], ['jev', 'replay', 'mock'])

    def test_arguments(self):
        table = self.table('arguments')
        self.assertEqual([text for kind, text in table['completions'] if kind == 'string'], SHELLS)
        self.assertIn(('string', 'file'), table['sessions'])
        self.assertNotIn('jev-check', table)


if __name__ == '__main__':
    harness.main((STRETTO,))
