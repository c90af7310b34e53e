"""Chapter 43 in Python: what a run of a compiled procedure is, written from the text alone.

It is slow and plain, and shares nothing with the program. Texts are ASCII here, and numbers short,
so that Python's own lower case and its way to write numbers are those of the chapter.
"""

import json
import re

ABSENT = object()


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(',', ':'), ensure_ascii=False)


def parse(text):
    """The value of a text, or ABSENT."""
    try:
        return json.loads(text)
    except ValueError:
        return ABSENT


def result_value(text):
    value = parse(text)
    if isinstance(value, str):
        inner = parse(value)
        return value if inner is ABSENT else inner
    return text if value is ABSENT else value


def length(value):
    return str(len(value)) if len(value) < 2 else '2+'


def member_features(key, value):
    if isinstance(value, str):
        if len(value) <= 24 and not re.search('[0-9]{3}', value):
            yield '%s=%s' % (key, value.strip().lower())
    elif isinstance(value, bool):
        yield '%s=%s' % (key, 'true' if value else 'false')
    elif isinstance(value, int):
        yield '%s=%d' % (key, value)
    elif isinstance(value, list):
        yield 'len(%s)=%s' % (key, length(value))
    elif isinstance(value, dict):
        yield 'len(%s)=%s' % (key, length(value))
        for inner in value.values():
            if isinstance(inner, dict) and isinstance(inner.get('status'), str):
                yield '%s.*.status=%s' % (key, inner['status'].strip().lower())


def line_features(line):
    if ': ' in line:
        key, _, rest = line.partition(': ')
        for part in rest.split('|'):
            part = part.strip()
            if part and not re.search('[0-9]', part):
                yield '%s=%s' % (key.strip().lower(), part.lower())
    elif line and len(line) <= 60 and not re.search('[0-9]', line):
        yield 'says ' + line.lower()


def features(failed, value):
    if failed:
        return {'error'}
    found = {'error=False'}
    if isinstance(value, dict):
        for key, inner in value.items():
            found.update(member_features(key, inner))
    elif isinstance(value, list):
        found.add('len($)=' + length(value))
    elif isinstance(value, str):
        for line in value.split('\n'):
            found.update(line_features(line.strip()))
    return found


def words(ticket):
    found = [piece for piece in re.split('[^a-z]', ticket.lower()) if piece]
    return set(found) | {' '.join(pair) for pair in zip(found, found[1:])}


def identifiers(ticket):
    return {piece for piece in re.split('[^A-Za-z0-9_.@-]', ticket)
            if len(piece) >= 4 and re.search('[0-9]', piece)}


def scalars(value):
    if isinstance(value, dict):
        for inner in value.values():
            yield from scalars(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from scalars(inner)
    elif isinstance(value, str):
        yield value
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield canonical(value)


def shape(pattern):
    """A regular expression for a pattern of the ticket, or None."""
    found, at = '', 0
    while at < len(pattern):
        if pattern[at] != '\\':
            found += re.escape(pattern[at])
            at += 1
        elif at + 1 == len(pattern):
            return None
        elif pattern[at + 1] != 'd':
            found += re.escape(pattern[at + 1])
            at += 2
        elif pattern[at + 2:at + 3] == '{':
            count = re.match(r'\{([0-9]+)\}', pattern[at + 2:])
            if not count:
                return None
            found += '[0-9]{%s}' % count.group(1)
            at += 2 + count.end()
        else:
            found += '[0-9]'
            at += 2
    return found


def reach(value, path):
    """What a path, behind its "$", reaches in a value."""
    if path.startswith('[*]'):
        if isinstance(value, list):
            for inner in value:
                yield from reach(inner, path[3:])
    elif path.startswith('.'):
        key = re.match(r'\.[^.[]*', path).group(0)
        if isinstance(value, dict) and key[1:] in value:
            yield from reach(value[key[1:]], path[len(key):])
    else:
        yield value


def texts(values):
    return [value for value in values if isinstance(value, str)]


class Failure(Exception):
    pass


class Run:
    def __init__(self, procedure, ticket, answer):
        self.procedure = procedure
        self.ticket = ticket
        self.answer = answer
        self.identifiers = identifiers(ticket)
        self.site = 'start'
        self.facts = {'ticket: ' + word for word in words(ticket) & set(procedure['vocab'])}
        self.latest = {}
        self.named = {}
        self.outputs = []
        self.passed = {}
        self.calls = []
        self.done = set()
        self.fresh = set()

    def names(self, value):
        return any(text in self.identifiers for text in scalars(value))

    def has(self, feature):
        return feature in self.facts or any(
            feature == tool + ':' + name for tool, names in self.latest.items() for name in names)

    def take(self, tool, failed, text):
        value = None if failed else result_value(text)
        self.site = tool + '!' if failed else tool
        if not failed:
            self.outputs.append((tool, value))
        kept = self.named.get(tool)
        same = isinstance(value, dict) and isinstance(kept, dict) and value.keys() == kept.keys()
        if self.procedure['symbolic'] and not failed and same and not self.names(value):
            return
        self.latest[tool] = features(failed, value)
        if isinstance(value, dict) and self.names(value):
            self.named[tool] = value
        elif not same:
            self.named.pop(tool, None)

    def pick(self, output, path, apart, passed):
        listed = '[*]' in path
        values = [value for value in texts(reach(output, path))
                  if not (listed and value in passed)]
        if apart:
            head, mark, tail = path.rpartition('[*]')
            for record in reach(output, head + mark):
                if isinstance(record, dict) and all(
                        key in record and canonical(record[key]) == canonical(wanted)
                        for key, wanted in apart.items()):
                    for value in texts(reach(record, tail)):
                        if value not in passed:
                            return value
        return values[0] if values else None

    def bind_symbol(self, tool, name, symbol):
        if symbol.startswith('@ticket'):
            pattern = shape(symbol[len('@ticket'):])
            found = re.search(pattern, self.ticket) if pattern is not None else None
            return found.group(0) if found else None
        source, dollar, rest = symbol[1:].partition('$')
        path, question, apart = rest.partition('?')
        apart = parse(apart) if question else {}
        if not dollar or not isinstance(apart, dict):
            return None
        passed = self.passed.get((tool, name), set())
        picks = [(output, self.pick(output, path, apart, passed))
                 for who, output in reversed(self.outputs) if who == source]
        picks = [(output, value) for output, value in picks if value is not None]
        if '[*]' not in path:
            for output, value in picks:
                if self.names(output):
                    return value
        return picks[0][1] if picks else None

    def bind(self, action):
        """The call that an action is now, or None."""
        tool = action.partition('{')[0]
        if '{' in action:
            arguments = parse(action[len(tool):])
            if not isinstance(arguments, dict):
                raise Failure('action %s: ' % action)
        else:
            arguments = self.procedure.get('handoff_arguments', {}) \
                if tool == self.procedure['handoff'] else {}
        if self.procedure['symbolic'] and tool != self.procedure['handoff']:
            bound = {}
            for name, value in arguments.items():
                if isinstance(value, str) and value.startswith('@'):
                    value = self.bind_symbol(tool, name, value)
                    if value is None:
                        return None
                bound[name] = value
            arguments = bound
        return tool, arguments

    def choose(self):
        node = self.procedure['trees'].get(self.site, self.procedure['fallback'])
        while 'feature' in node:
            node = node['yes' if self.has(node['feature']) else 'no']
        for action, _ in node['calls']:
            if action == self.procedure['stop']:
                return None
            call = self.bind(action)
            if call is None:
                continue
            tool, arguments = call
            key = tool + (canonical(arguments) if arguments else '')
            if key not in (self.fresh if tool in self.procedure['reads'] else self.done):
                return action, tool, arguments, key
        return None

    def make(self, action, tool, arguments, key):
        for name, value in arguments.items():
            if isinstance(value, str):
                self.passed.setdefault((tool, name), set()).add(value)
        if tool in self.procedure['reads']:
            self.fresh.add(key)
        else:
            self.fresh.clear()
            self.facts.add('made ' + action)
        self.done.add(key)
        self.facts.add('called ' + tool)
        failed, text = self.answer(tool, arguments)
        self.take(tool, failed, text)
        self.calls.append({'tool': tool, 'arguments': arguments, 'failed': failed})

    def end(self):
        if self.calls and self.calls[-1]['tool'] == self.procedure['handoff']:
            return 'transferred', None
        for check in self.procedure['checks']:
            if check['phrase'] in self.ticket.lower():
                _, text = self.answer(check['probe'], {})
                lower = text.lower()
                good = all(part in lower for part in check['contains']) and \
                    not any(part in lower for part in check['lacks'])
                return 'resolved' if good else 'hand_back', [check['probe'], text]
        return 'hand_back', None


def run(procedure, ticket, answer):
    """The run as the program reports it; Failure when it fails."""
    r = Run(procedure, ticket, answer)
    for _ in range(procedure['max_calls']):
        chosen = r.choose()
        if chosen is None:
            break
        r.make(*chosen)
        if chosen[1] == procedure['handoff']:
            break
    verdict, check = r.end()
    return {'calls': r.calls, 'check': check, 'verdict': verdict}
