#!/usr/bin/env python3
"""stretto evaluate: chapter 42, part B."""

import copy
import json
import math
import os
import random
from fractions import Fraction

import harness
from harness import Case, mode_of, rows

MEASURES = ['lookups', 'used', 'detours', 'turns']
WEIGHTED = ['ips', 'snips', 'dr', 'ips_se', 'dr_se']
COUNTS = ['decisions', 'looks', 'matched', 'unsupported']
MEMBERS = COUNTS + ['ess', 'refused', 'logged', 'direct'] + WEIGHTED
RULES = ['arbiter@0.3', 'habit@0.3']

# What rounding may do, as a share of all weights: the terms of DR are differences,
# and a standard error comes from the difference of sums of squares.
ROOM = {'logged': 0, 'direct': 0, 'ips': 0, 'snips': 0, 'dr': 1e-15, 'ips_se': 1e-7, 'dr_se': 1e-7}


def option(tool, p, habit, binding, arguments={}, **more):
    return {'tool': tool, 'p': p, 'habit': habit, 'binding': binding,
            'arguments': None if binding is None else arguments, **more}


def label(text):
    used, detour, turn = text.split('/')
    return {'used': used == '1', 'detour': detour == '1', 'turn': float(turn)}


def decision(site, options, taken, propensity, greedy, labels, epsilon=0.2):
    line = {'action': 'lookup' if taken else 'hand_back', 'site': site, 'episode': 'e1',
            'policy': {'decider': 'arbiter', 'threshold': 0.3, 'epsilon': epsilon,
                       'propensity': propensity, 'explored': taken != greedy, 'greedy': greedy,
                       'task_id': 't1', 'events': 3, 'options': options},
            'labels': [label(text) for text in labels]}
    if taken:
        line['tool'] = taken
    return line


A = [option('cart', .6, .2, 1), option('profile', .3, .7, .9)]
B = [option('cart', .2, .5, .9), option('stock', .1, .1, None, unbound='no source')]
DECISIONS = [
    decision('find', A, 'cart', 0.8, 'cart', ['1/0/1', '0/1/0']),
    decision('find', A, 'profile', 0.2, 'cart', ['1/0/.5', '1/0/.5']),
    decision('find', A, 'cart', 0.8, 'cart', ['0/1/0', '1/0/1']),
    decision('profile', B, None, 0.8, None, ['1/0/1', '0/1/0']),
    decision('profile', B, 'cart', 0.2, None, ['0/1/0', '0/1/0']),
]

# (label, target, site, what it comes to); the site None is the total.
WORKED = [
    ('the arbiter at find', 0, 'find', {
        'decisions': 3, 'looks': 3, 'matched': 2, 'unsupported': 0, 'ess': 2, 'refused': False,
        'logged': [3, 2, 1, 1.5], 'direct': [3, 2, 1, 1.5], 'ips': [2.5, 1.25, 1.25, 1.25],
        'ips_se': [1.25] * 4, 'snips': [3, 1.5, 1.5, 1.5], 'dr': [3, 1.5, 1.5, 1.5],
        'dr_se': [0] + [1.0825] * 3}),
    ('the arbiter at profile', 0, 'profile', {
        'decisions': 2, 'looks': 0, 'matched': 0, 'unsupported': 0, 'ess': 0, 'refused': False,
        'logged': [1, 0, 1, 0], 'direct': [0] * 4, 'ips': [0] * 4, 'ips_se': [0] * 4,
        'snips': [0] * 4, 'dr': [0] * 4, 'dr_se': [0] * 4}),
    ('the arbiter in all', 0, None, {
        'decisions': 5, 'looks': 3, 'matched': 2, 'unsupported': 0, 'ess': 2, 'refused': False,
        'logged': [4, 2, 2, 1.5], 'direct': [3, 2, 1, 1.5], 'ips': [2.5, 1.25, 1.25, 1.25],
        'ips_se': [1.25] * 4, 'snips': [3, 1.5, 1.5, 1.5], 'dr': [3, 1.5, 1.5, 1.5],
        'dr_se': [0] + [1.0825] * 3}),
    ('the habit in all', 1, None, {
        'decisions': 5, 'looks': 5, 'matched': 2, 'unsupported': 0, 'ess': 2, 'refused': False,
        'logged': [4, 2, 2, 1.5], 'direct': [5, 3, 2, 2.5], 'ips': [10, 5, 5, 2.5],
        'ips_se': [7.0711, 5, 5, 2.5], 'snips': [5, 2.5, 2.5, 1.25], 'dr': [5, 3, 2, 1.5],
        'dr_se': [0] * 4}),
]

SITES_HEAD = ('| Site | Decisions | Matched | Ess | Used (direct) | Used (SNIPS) '
              '| Detours (direct) | Detours (SNIPS) |\n|---|---|---|---|---|---|---|---|\n')
NOTE = ('Estimates with weights (IPS, SNIPS, doubly robust) are refused below an ess, the '
        'effective sample size, of ')

ARBITER_MARKDOWN = '''## `arbiter@0.3`: the arbiter's probabilities at threshold 0.3

5 decisions, 3 looks, 2 matched, ess 2.0, 0 unsupported

| Measure | Logged | Direct | IPS | SNIPS | Doubly robust |
|---|---|---|---|---|---|
| lookups | 4.0 | 3.0 | 2.5 ± 1.2 | 3.0 | 3.0 ± 0.0 |
| used | 2.0 | 2.0 | 1.2 ± 1.2 | 1.5 | 1.5 ± 1.1 |
| detours | 2.0 | 1.0 | 1.2 ± 1.2 | 1.5 | 1.5 ± 1.1 |
| turns | 1.5 | 1.5 | 1.2 ± 1.2 | 1.5 | 1.5 ± 1.1 |

''' + SITES_HEAD + '''\
| `find` | 3 | 2 | 2.0 | 2.0 | 1.5 | 1.0 | 1.5 |
| `profile` | 2 | 0 | 0.0 | 0.0 | 0.0 | 0.0 | 0.0 |

''' + NOTE + '1.\n'

REFUSED_MARKDOWN = '''## `cautious`: the habit's probabilities at threshold 0.3

5 decisions, 5 looks, 2 matched, ess 2.0, 0 unsupported

| Measure | Logged | Direct | IPS | SNIPS | Doubly robust |
|---|---|---|---|---|---|
| lookups | 4.0 | 5.0 | refused | refused | refused |
| used | 2.0 | 3.0 | refused | refused | refused |
| detours | 2.0 | 2.0 | refused | refused | refused |
| turns | 1.5 | 2.5 | refused | refused | refused |

''' + SITES_HEAD + '''\
| `find` | 3 | 1 | 1.0 | 2.0 | refused | 1.0 | refused |
| `profile` | 2 | 1 | 1.0 | 1.0 | refused | 1.0 | refused |

''' + NOTE + '10.\n'


def jsonl(decisions):
    return ''.join(json.dumps(line, ensure_ascii=False) + '\n' for line in decisions).encode()


# A second way to the same figures: exact, and decision by decision.

def values_of(line, i):
    if i is None:
        return [Fraction(0)] * 4
    given = line['labels'][i]
    return [Fraction(x) for x in (1, given['used'], given['detour'], given.get('turn', 0.0))]


def first_with(tool, options):
    return next((i for i, o in enumerate(options) if tool is not None and o['tool'] == tool), None)


def taken_by_log(line):
    if line['action'] != 'lookup':
        return None
    return first_with(line['tool'], line['policy']['options'])


def taken_by_rule(line, key, threshold):
    options = line['policy']['options']
    if not options:
        return None
    i = max(range(len(options)), key=lambda i: (options[i][key], -i))
    p, binding = options[i][key], options[i].get('binding')
    return None if p < threshold or binding is None or p * binding < threshold else i


def support(line, i):
    policy = line['policy']
    greedy = first_with(policy.get('greedy'), policy['options'])
    others = [k for k, o in enumerate(policy['options'])
              if o.get('arguments') is not None and o['p'] > 0 and k != greedy]
    if not others or policy['epsilon'] <= 0:
        return 1 if i == greedy else 0
    if i == greedy:
        return 1 - policy['epsilon']
    total = sum(policy['options'][k]['p'] for k in others)
    return policy['epsilon'] * policy['options'][i]['p'] / total if i in others else 0


def site_of(line):
    return line.get('site') or ''


def mean(rows_of):
    return [sum(column) / len(rows_of) for column in zip(*rows_of)]


class Model:

    def __init__(self, lines):
        self.seen = {}
        for line in lines:
            i = taken_by_log(line)
            if i is not None:
                tool = line['policy']['options'][i]['tool']
                for key in ((site_of(line), tool), tool):
                    self.seen.setdefault(key, []).append(values_of(line, i))

    def predict(self, line, i):
        if i is None:
            return [Fraction(0)] * 4
        tool = line['policy']['options'][i]['tool']
        for key in ((site_of(line), tool), tool):
            if key in self.seen:
                return mean(self.seen[key])
        return [Fraction(x) for x in (1, 0, 1, 0)]


def variance(terms):
    n = len(terms)
    if n <= 1:
        return Fraction(0)
    middle = sum(terms) / n
    return sum((x - middle) ** 2 for x in terms) * n / (n - 1)


class Sums:
    """What is added up of sites."""

    def __init__(self):
        self.counts = dict.fromkeys(COUNTS, 0)
        self.w = self.w2 = Fraction(0)
        self.logged, self.direct, self.ips, self.dr, self.ips_var, self.dr_var = (
            [Fraction(0)] * 4 for _ in range(6))

    def add(self, other):
        for name in COUNTS:
            self.counts[name] += other.counts[name]
        self.w += other.w
        self.w2 += other.w2
        for name in ('logged', 'direct', 'ips', 'dr', 'ips_var', 'dr_var'):
            setattr(self, name, [a + b for a, b in zip(getattr(self, name), getattr(other, name))])

    def estimate(self, min_ess):
        ess = self.w * self.w / self.w2 if self.w2 else Fraction(0)
        looks = self.counts['looks']
        got = {**self.counts, 'w': self.w, 'ess': ess, 'logged': self.logged,
               'direct': self.direct, 'refused': looks > 0 and ess < min_ess}
        got.update(dict.fromkeys(WEIGHTED))
        if not got['refused']:
            got.update(ips=self.ips, dr=self.dr,
                       snips=[x * looks / self.w if self.w else 0 for x in self.ips],
                       ips_se=[math.sqrt(x) for x in self.ips_var],
                       dr_se=[math.sqrt(x) for x in self.dr_var])
        return got


def sums_of_site(lines, model, key, threshold):
    sums = Sums()
    ips, dr = [], []
    for line in lines:
        t, a = taken_by_log(line), taken_by_rule(line, key, threshold)
        s = values_of(line, t)
        sums.counts['decisions'] += 1
        sums.logged = [x + y for x, y in zip(sums.logged, s)]
        if a is None:
            continue
        w = 1 / Fraction(max(line['policy']['propensity'], 1e-12)) if a == t else Fraction(0)
        sums.counts['looks'] += 1
        sums.counts['matched'] += a == t
        sums.counts['unsupported'] += support(line, a) <= 0
        sums.w += w
        sums.w2 += w * w
        sums.direct = [x + y for x, y in zip(sums.direct, values_of(line, a))]
        ips.append([w * x for x in s])
        dr.append([m + w * (x - y) for m, x, y in
                   zip(model.predict(line, a), s, model.predict(line, t))])
    for terms, total, spread in ((ips, 'ips', 'ips_var'), (dr, 'dr', 'dr_var')):
        if terms:
            setattr(sums, total, [sum(column) for column in zip(*terms)])
            setattr(sums, spread, [variance(column) for column in zip(*terms)])
    return sums


def evaluated(lines, key, threshold, min_ess):
    """The estimates of the sites in byte order, and of all."""
    model, total, sites = Model(lines), Sums(), {}
    for site in sorted({site_of(line) for line in lines}, key=lambda s: s.encode()):
        sums = sums_of_site([line for line in lines if site_of(line) == site], model, key,
                            threshold)
        total.add(sums)
        sites[site] = sums.estimate(min_ess)
    return sites, total.estimate(min_ess)


# Decisions at random.

SITES = ['find', 'find (error)', '', 'ünï|`x`', 'stock']
TOOLS = ['cart', 'profile', 'stock', 'a"b', 'é']
SHARES = [0.0, 0.1, 0.25, 0.3, 0.3, 0.5, 0.6, 0.9, 1.0, 1]


def random_option(r):
    made = {'tool': r.choice(TOOLS), 'p': r.choice(SHARES), 'habit': r.choice(SHARES)}
    if r.random() < 0.7:
        made.update(binding=r.choice([1.0, 0.9, 0.5, 1]), arguments={'id': [1, {'x': None}]})
    elif r.random() < 0.5:
        made.update(binding=None, arguments=None, unbound='why')
    return made


def random_label(r):
    made = {'used': r.random() < 0.5, 'detour': r.random() < 0.5}
    if r.random() < 0.7:
        made['turn'] = r.choice([0, 1, 0.5, 1 / 3])
    return made


def random_decision(r):
    options = [random_option(r) for _ in range(r.randrange(4))]
    tools = [o['tool'] for o in options] + [r.choice(TOOLS)]
    line = decision(None, options, None, r.choice([1, 0.8, 0.2, 0.05, 0, -1, 3]),
                    r.choice([None, r.choice(tools)]), [], r.choice([0, 0.2, 0.1, 1, -1, 2]))
    line['labels'] = [random_label(r) for _ in options]
    line['extra'] = {'labels': 7}
    if r.random() < 0.8:
        line.update(action='lookup', tool=r.choice(tools))
    site = r.choice(SITES)
    if site:
        line['site'] = site
    elif r.random() < 0.5:
        del line['site']
    if r.random() < 0.3:
        line['policy'].pop('greedy')
    return line


def tenths(x):
    return '%.1f' % (0.0 if -0.05 < x <= 0 else x)


def as_code(site):
    fence, pad = ('``', ' ') if '`' in site else ('`', '')
    return fence + pad + (site.replace('|', '\\|') or ' ') + pad + fence


def markdown(estimates, min_ess):
    """The report that belongs to what is written as JSON."""
    parts = []
    for e in estimates:
        target, total = e['target'], e['total']
        text = "## `%s`: the %s's probabilities at threshold %s\n\n" % (
            target['name'], 'habit' if target['habit'] else 'arbiter',
            ('%r' % target['threshold']).removesuffix('.0'))
        text += '%d decisions, %d looks, %d matched, ess %s, %d unsupported\n\n' % (
            total['decisions'], total['looks'], total['matched'], tenths(total['ess']),
            total['unsupported'])
        text += ('| Measure | Logged | Direct | IPS | SNIPS | Doubly robust |\n'
                 '|---|---|---|---|---|---|\n')
        for name in MEASURES:
            cells = [name, tenths(total['logged'][name]), tenths(total['direct'][name])]
            if total['refused']:
                cells += ['refused'] * 3
            else:
                cells += ['%s ± %s' % (tenths(total['ips'][name]), tenths(total['ips_se'][name])),
                          tenths(total['snips'][name]),
                          '%s ± %s' % (tenths(total['dr'][name]), tenths(total['dr_se'][name]))]
            text += '| %s |\n' % ' | '.join(cells)
        text += '\n' + SITES_HEAD
        for site, x in e['sites'].items():
            cells = [as_code(site), str(x['decisions']), str(x['matched']), tenths(x['ess'])]
            for name in ('used', 'detours'):
                cells += [tenths(x['direct'][name]),
                          'refused' if x['refused'] else tenths(x['snips'][name])]
            text += '| %s |\n' % ' | '.join(cells)
        text += '\n%s%s.\n' % (NOTE, min_ess)
        parts.append(text)
    return '\n'.join(parts)


class Evaluates(Case):

    def setUp(self):
        super().setUp()
        self.write('d.jsonl', jsonl(DECISIONS))

    def evaluate(self, *args, n=5, targets=RULES, files=('d.jsonl',)):
        """What the command says on stdout, and what it writes as JSON."""
        given = [word for name in files for word in ('--decisions', name)]
        given += [word for rule in targets for word in ('--target', rule)]
        result = self.run_stretto('evaluate', *given, '--json', 'a.json', *args,
                                  err=b'stretto: %d decisions\n' % n)
        text = self.read('a.json').decode()
        estimates = json.loads(text, parse_constant=self.fail)
        self.assertEqual(text, json.dumps(estimates, indent=2, ensure_ascii=False) + '\n')
        for estimate in estimates:
            self.assertEqual(list(estimate), ['target', 'sites', 'total'])
            self.assertEqual(list(estimate['target']), ['name', 'habit', 'threshold'])
            for x in [*estimate['sites'].values(), estimate['total']]:
                self.assertEqual(list(x), MEMBERS)
                for name in MEMBERS[6:]:
                    if x[name] is not None:
                        self.assertEqual(list(x[name]), MEASURES)
        return result.out.decode(), estimates

    def check(self, got, wanted, places, what):
        for name in MEMBERS:
            a, b = got[name], wanted[name]
            if isinstance(a, dict):
                self.assertIsNotNone(b, (what, name))
                for i, y in enumerate(map(float, b)):
                    room = 10 ** -places * max(1, abs(y)) + float(wanted.get('w', 0)) * ROOM[name]
                    self.assertLessEqual(abs(a[MEASURES[i]] - y), room, (what, name, i, y))
            elif name == 'ess':
                self.assertAlmostEqual(a, float(b), places, (what, name))
            else:
                self.assertEqual(a, b, (what, name))


class Figures(Evaluates):

    @rows(*WORKED)
    def test_worked(self, target, site, wanted):
        _, estimates = self.evaluate('--min-ess', '1')
        estimate = estimates[target]
        got = estimate['total'] if site is None else estimate['sites'][site]
        self.check(got, wanted, 4, site)

    @rows(*WORKED)
    def test_worked_and_refused(self, target, site, wanted):
        _, estimates = self.evaluate()
        estimate = estimates[target]
        got = estimate['total'] if site is None else estimate['sites'][site]
        wanted = dict(wanted)
        if wanted['looks'] > 0:
            wanted.update(dict.fromkeys(WEIGHTED), refused=True)
        self.check(got, wanted, 4, site)

    def test_worked_model(self):
        for _, target, site, wanted in WORKED:
            sites, total = evaluated(DECISIONS, ('p', 'habit')[target], 0.3, 1)
            got = total if site is None else sites[site]
            for name in MEMBERS[6:]:
                got[name] = dict(zip(MEASURES, map(float, got[name])))
            self.check(got, wanted, 4, site)

    def test_targets_as_they_are_given(self):
        targets = ['b=habit@1e-1', 'arbiter@2', 'b=habit@0.1', '=habit@-0', 'a@b=arbiter@0.3']
        _, estimates = self.evaluate(targets=targets)
        self.assertEqual([tuple(e['target'].values()) for e in estimates], [
            ('b', True, 0.1), ('arbiter@2', False, 2.0), ('b', True, 0.1), ('', True, -0.0),
            ('a@b', False, 0.3)])
        self.assertEqual(estimates[0], estimates[2])
        never = estimates[1]['total']
        self.assertEqual((never['looks'], never['refused'], never['dr'], never['logged']['used']),
                         (0, False, dict.fromkeys(MEASURES, 0.0), 2.0))

    def test_files_are_added_up(self):
        self.write('1.jsonl', jsonl(DECISIONS[:2]).replace(b'\n', b'\r\n\n \t\r\n'))
        self.write('2.jsonl', jsonl(DECISIONS[2:])[:-1])
        _, whole = self.evaluate('--min-ess', '0')
        _, parts = self.evaluate('--min-ess=0', files=['1.jsonl', '2.jsonl'])
        self.assertEqual(parts, whole)
        _, twice = self.evaluate(files=['d.jsonl', 'd.jsonl'], n=10)
        self.assertEqual(twice[0]['total']['decisions'], 10)

    def test_no_decisions(self):
        self.write('d.jsonl', b'\n\n')
        self.write('e.jsonl')
        text, estimates = self.evaluate(files=['d.jsonl', 'e.jsonl'], n=0)
        for estimate in estimates:
            self.assertEqual(estimate['sites'], {})
            zeros = dict.fromkeys(MEASURES, 0.0)
            self.assertEqual(estimate['total'], {
                **dict.fromkeys(COUNTS, 0), 'ess': 0.0, 'refused': False,
                **dict.fromkeys(['logged', 'direct'] + WEIGHTED, zeros)})
        self.assertEqual(text, markdown(estimates, 10))

    def test_what_no_double_holds(self):
        lines = copy.deepcopy(DECISIONS[:3])
        for line in lines:
            line['labels'][0]['turn'] = 1.7e308
        self.write('d.jsonl', jsonl(lines))
        text, estimates = self.evaluate('--min-ess', '0', n=3)
        total = estimates[0]['total']
        self.assertIsNone(total['direct']['turns'])
        self.assertIsNone(total['ips']['turns'])
        self.assertEqual(total['direct']['used'], 2.0)
        self.assertIn('| turns | — | — | — ± — | — | — ± — |\n', text)

    def test_at_random(self):
        r = random.Random(4217)
        for i in range(40):
            lines = [random_decision(r) for _ in range(r.choice([1, 2, 5, 30, 200]))]
            self.write('d.jsonl', jsonl(lines))
            min_ess = r.choice([0, 1, 2.5, 10])
            rules = [(key, r.choice([0.3, 0.25, 0.0, 0.9, -1.0, 1.5])) for key in ('p', 'habit')]
            targets = ['%s@%r' % ({'p': 'arbiter'}.get(key, key), at) for key, at in rules]
            text, estimates = self.evaluate('--min-ess', str(min_ess), n=len(lines),
                                            targets=targets)
            for (key, threshold), got in zip(rules, estimates):
                sites, total = evaluated(lines, key, threshold, min_ess)
                self.assertEqual(list(got['sites']), list(sites))
                for site in sites:
                    self.check(got['sites'][site], sites[site], 9, (i, key, site))
                self.check(got['total'], total, 9, (i, key))
            self.assertEqual(text, markdown(estimates, min_ess))


class Report(Evaluates):

    def test_markdown(self):
        text, estimates = self.evaluate('--min-ess', '1')
        self.assertTrue(text.startswith(ARBITER_MARKDOWN + "\n## `habit@0.3`: the habit's "))
        self.assertEqual(text, markdown(estimates, 1))

    def test_markdown_of_what_is_refused(self):
        text, _ = self.evaluate(targets=['cautious=habit@0.3'])
        self.assertEqual(text, REFUSED_MARKDOWN)

    def test_sites_stay_in_their_cells(self):
        lines = copy.deepcopy(DECISIONS)
        lines[3]['site'] = lines[4]['site'] = 'a|b`c\nd'
        self.write('d.jsonl', jsonl(lines))
        text, estimates = self.evaluate()
        self.assertEqual(list(estimates[0]['sites']), ['a|b`c\nd', 'find'])
        self.assertIn('\n| `` a\\|b`c d `` | 2 | ', text)

    def test_refuses_all(self):
        text, estimates = self.evaluate('--min-ess', 'inf')
        self.assertTrue(estimates[0]['total']['refused'])
        self.assertTrue(text.endswith(', of inf.\n'))

    def test_files(self):
        text, _ = self.evaluate()
        self.run_stretto('evaluate', '--decisions', 'd.jsonl', '--target', RULES[0], '--target',
                         RULES[1], '--out', 'new/a/r.md', '--json', 'new/b/a.json', out=b'',
                         err=b'stretto: 5 decisions\n')
        umask = os.umask(0)
        os.umask(umask)
        for name, mode in (('new', 0o700), ('new/a', 0o700), ('new/a/r.md', 0o600),
                           ('new/b/a.json', 0o600)):
            self.assertEqual(mode_of(self.path(name)), mode & ~umask)
        self.assertEqual(self.read('new/a/r.md').decode(), text)
        self.assertEqual(self.read('new/b/a.json'), self.read('a.json'))


GIVEN = ['--decisions', 'd.jsonl', '--target', 'habit@0.3']

MISUSES = [
    ('no decisions', ['--target', 'habit@0.3']),
    ('no target', ['--decisions', 'd.jsonl']),
    ('a sample size that is none', GIVEN + ['--min-ess', 'x']),
    ('a negative one', GIVEN + ['--min-ess=-1']),
    ('one that is not a number', GIVEN + ['--min-ess', 'nan']),
    ('an argument', GIVEN + ['d.jsonl']),
    ('an unknown option', GIVEN + ['--threshold', '0.3']),
    ('--out twice', GIVEN + ['--out', 'a', '--out', 'b']),
]

BAD_RULES = ['', 'habit', 'x=habit', 'habit@', 'habit@x', 'habit@nan', 'habit@inf', 'habit@1e999',
             'habit@ 0.3', 'habit@0.3 ', 'habit@0.3@0.3', 'reach@0.3', '@0.3', 'x=y=habit@0.3',
             'habit=0.3', 'Arbiter@0.3', 'habit@0x1']


def changed(*path, to=None, gone=False):
    """The first decision as a line, with a member changed, or without it."""
    line = copy.deepcopy(DECISIONS[0])
    at = line
    for step in path[:-1]:
        at = at[step]
    if gone:
        del at[path[-1]]
    else:
        at[path[-1]] = to
    return json.dumps(line).encode()


REQUIRED = [('action',), ('tool',), ('policy',), ('labels',)]
REQUIRED += [('policy', name) for name in ('decider', 'threshold', 'epsilon', 'propensity',
                                           'explored', 'task_id', 'events', 'options')]
REQUIRED += [('policy', 'options', 1, name) for name in ('tool', 'p', 'habit')]
REQUIRED += [('labels', 1, name) for name in ('used', 'detour')]
TYPES = REQUIRED + [('site',), ('episode',), ('policy', 'greedy'), ('labels', 0, 'turn'),
                    ('policy', 'options', 0), ('labels', 0)]
TYPES += [('policy', 'options', 0, name) for name in ('binding', 'unbound')]
NUMBERS = ('threshold', 'epsilon', 'propensity', 'p', 'habit', 'binding', 'turn', 'events')


def name_of(path):
    text = ''
    for step in path:
        text += '[%d]' % step if isinstance(step, int) else '.' * bool(text) + step
    return text.encode()


# (label, line, what the message names).
BAD_LINES = [
    ('not JSON', b'{"action":"lookup",}', b'not JSON'),
    ('two values', b'{} {}', b'not JSON'),
    ('half a surrogate', b'{"a":"\\ud800"}', b'not JSON'),
    ('bad UTF-8', b'\xff', b'not JSON'),
    ('a number without an end', b'{"a":1e999}', b'not JSON'),
    ('a byte-order mark', b'\xef\xbb\xbf' + json.dumps(DECISIONS[0]).encode(), b'not JSON'),
    ('no object', b'[]', b'not an object'),
    ('a run', b'{"run":1}', b'action'),
    ('an unknown action', changed('action', to='wait'), b'action'),
    ('fewer labels', changed('labels', to=[label('1/0/1')]), b'1 label for 2 options'),
    ('more labels', changed('labels', to=[label('1/0/1')] * 3), b'3 labels for 2 options'),
    ('fewer options', changed('policy', 'options', to=[A[0]]), b'2 labels for 1 option'),
    ('events that are no number of them', changed('policy', 'events', to=1.5), b'policy.events'),
]
BAD_LINES += [('without %r' % name_of(path), changed(*path, gone=True), name_of(path))
              for path in REQUIRED]
BAD_LINES += [('%r of another type' % name_of(path),
               changed(*path, to='x' if path[-1] in NUMBERS else 1), name_of(path))
              for path in TYPES]
BAD_LINES += [('%r that is null' % name_of(path), changed(*path), name_of(path))
              for path in REQUIRED]

# Lines that are fine: (label, line).
GOOD_LINES = [('without %r' % name_of(path), changed(*path, gone=True))
              for path in [('site',), ('episode',), ('policy', 'greedy'), ('labels', 0, 'turn'),
                           ('policy', 'options', 0, 'binding'),
                           ('policy', 'options', 0, 'arguments')]]
GOOD_LINES += [('%r that is null' % name_of(path), changed(*path))
               for path in [('site',), ('policy', 'greedy'), ('policy', 'options', 0, 'binding'),
                            ('policy', 'options', 0, 'arguments')]]
GOOD_LINES += [
    ('whole numbers', changed('policy', 'epsilon', to=1)),
    ('arguments of any kind', changed('policy', 'options', 0, 'arguments', to=[1, 'x'])),
    ('a lookup of what is no option', changed('tool', to='else')),
    ('white space', b' \t' + json.dumps(DECISIONS[0]).encode() + b'\t \r'),
]


class Errors(Evaluates):

    @rows(*MISUSES)
    def test_misuse(self, args):
        err = self.run_stretto('evaluate', *args, code=2, out=b'', err=None).err.decode()
        self.assertRegex(err, r'\AError: [^\n]+\nUsage: stretto evaluate [^\n]+\n( +[^\n]+\n)*\Z')

    def fails(self, *args):
        err = self.run_stretto('evaluate', *args, '--json', 'a.json', '--out', 'r.md', code=1,
                               out=b'', err=None).err
        self.assertRegex(err, rb'\AError: [^\n]+\n\Z')
        for name in ('a.json', 'r.md'):
            self.assertFalse(os.path.exists(self.path(name)))
        return err

    @rows(*[(rule, rule) for rule in BAD_RULES])
    def test_bad_rule(self, rule):
        self.assertIn(b"'%s'" % rule.encode(),
                      self.fails('--decisions', 'gone', '--target', 'arbiter@1', '--target', rule))

    @rows(*BAD_LINES)
    def test_bad_line(self, line, name):
        good = json.dumps(DECISIONS[0]).encode()
        self.write('d.jsonl', good + b'\n\n \r\n' + line + b'\n' + good + b'\n')
        err = self.fails('--decisions', 'd.jsonl', '--target', 'habit@0.3')
        self.assertTrue(err.startswith(b'Error: d.jsonl:4: ' + name), err)

    @rows(*GOOD_LINES)
    def test_good_line(self, line):
        self.write('d.jsonl', line)
        self.evaluate(n=1)

    def test_a_file_that_cannot_be_read(self):
        for name, why in (('gone', b'No such file'), ('.', b'directory')):
            err = self.fails('--decisions', 'd.jsonl', '--decisions', name, '--target', 'habit@1')
            self.assertTrue(err.startswith(b'Error: reading %s: ' % name.encode()), err)
            self.assertIn(why, err)

    def test_decisions_of_another_decider(self):
        lines = copy.deepcopy(DECISIONS)
        lines[1]['policy']['decider'] = lines[2]['policy']['decider'] = 'reach'
        self.write('e.jsonl', b'\n' + jsonl(lines))
        err = self.fails('--decisions', 'd.jsonl', '--decisions', 'e.jsonl', '--target',
                         'habit@0.3', '--target', 'x=arbiter@0.3')
        self.assertIn(b"'x=arbiter@0.3'", err)
        self.assertIn(b'e.jsonl:3 ', err)
        self.evaluate(targets=['habit@0.3'], files=['d.jsonl', 'e.jsonl'], n=10)

    def test_a_report_that_cannot_be_written(self):
        for option_name in ('--out', '--json'):
            self.run_stretto('evaluate', *GIVEN, option_name, 'd.jsonl/x', code=1, out=b'',
                             err=b'Error: writing d.jsonl/x: Not a directory\n')

    def test_help(self):
        text = self.run_stretto('evaluate', '--help').out.decode()
        self.assertTrue(text.startswith('Usage: stretto evaluate '))
        for name in ('--decisions', '--target', '--min-ess', '--out', '--json'):
            self.assertIn(name, text)


if __name__ == '__main__':
    harness.main()
