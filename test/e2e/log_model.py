"""An independent model of the session log's entries, for comparison with what the proxy writes.

It decides what is JSON and how text is written as chapter 02 §§3 and 4 of the specification say.
Python's own json module is not asked: it accepts NaN, lone surrogates and any depth.
"""

import math
import re

MAX_DEPTH = 126

ENTRY = re.compile(
    rb'\{"t_ms":(0|[1-9][0-9]*),"from":"(client|server)",("(?:message|raw)":.*)\}\n', re.DOTALL)

SPACE = re.compile(rb'[ \t\r\n]*')
NUMBER = re.compile(rb'-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?')
STRING = re.compile(rb'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
ESCAPE = re.compile(rb'\\(?:u([0-9a-fA-F]{4})|(.))', re.DOTALL)
WORD = re.compile(rb'true|false|null')

# The backslash comes first: the others bring new ones.
ESCAPED = {'\\': '\\\\', '"': '\\"', **{chr(c): '\\u%04x' % c for c in range(0x20)}}
ESCAPED.update({'\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r'})


def split_lines(data):
    """The lines of a stream, each with its LF; the last may lack it."""
    lines = data.split(b'\n')
    last = lines.pop()
    lines = [line + b'\n' for line in lines]
    if last:
        lines.append(last)
    return lines


def surrogates_paired(string):
    """Whether each escaped surrogate of a JSON string is half of a proper pair."""
    high_ends_at = None
    for match in ESCAPE.finditer(string):
        code = int(match.group(1), 16) if match.group(1) else 0
        if high_ends_at is not None:
            if match.start() != high_ends_at or not 0xDC00 <= code <= 0xDFFF:
                return False
            high_ends_at = None
        elif 0xD800 <= code <= 0xDBFF:
            high_ends_at = match.end()
        elif 0xDC00 <= code <= 0xDFFF:
            return False
    return high_ends_at is None


def scan_string(text, at):
    """The end of the string at this place, or None."""
    match = STRING.match(text, at)
    if match is None or not surrogates_paired(match.group()):
        return None
    return match.end()


def scan_scalar(text, at):
    if text[at:at + 1] == b'"':
        return scan_string(text, at)
    match = WORD.match(text, at)
    if match:
        return match.end()
    match = NUMBER.match(text, at)
    if match is None or math.isinf(float(match.group())):
        return None
    return match.end()


def is_json(text):
    """Whether the bytes are one JSON value of the kind that a log embeds."""
    try:
        text.decode('utf-8')
    except UnicodeDecodeError:
        return False

    def skip(at):
        return SPACE.match(text, at).end()

    def key(at):
        end = scan_string(text, at) if text[at:at + 1] == b'"' else None
        if end is None:
            return None
        end = skip(end)
        return skip(end + 1) if text[end:end + 1] == b':' else None

    closers = []
    at = skip(0)
    while True:
        # A value begins here.
        start = text[at:at + 1]
        if start in (b'[', b'{'):
            closer = b']' if start == b'[' else b'}'
            closers.append(closer)
            if len(closers) > MAX_DEPTH:
                return False
            at = skip(at + 1)
            if text[at:at + 1] != closer:
                if closer == b'}':
                    at = key(at)
                    if at is None:
                        return False
                continue
        else:
            at = scan_scalar(text, at)
            if at is None:
                return False
            at = skip(at)
        # A value has ended here, or an empty container is about to.
        while closers and text[at:at + 1] == closers[-1]:
            closers.pop()
            at = skip(at + 1)
        if not closers:
            return at == len(text)
        if text[at:at + 1] != b',':
            return False
        at = skip(at + 1)
        if closers[-1] == b'}':
            at = key(at)
            if at is None:
                return False


def string(text):
    """The JSON string of a text, as the proxy writes it."""
    for character, escaped in ESCAPED.items():
        text = text.replace(character, escaped)
    return ('"' + text + '"').encode('utf-8')


def decode(data):
    """Text of bytes; each maximal part that is not UTF-8 becomes one U+FFFD."""
    return data.decode('utf-8', 'replace')


def body(line):
    """The entry of a line from its third key on, without the closing brace."""
    text = line[:-1] if line.endswith(b'\n') else line
    text = text[:-1] if text.endswith(b'\r') else text
    if is_json(text):
        return b'"message":' + text.strip(b' \t\r\n')
    return b'"raw":' + string(decode(text))


def take_apart(line):
    """(t_ms, sender, body) of an entry, or None if it is not one."""
    match = ENTRY.fullmatch(line)
    if match is None:
        return None
    return int(match.group(1)), match.group(2).decode('ascii'), match.group(3)


def header(session, started_ms, command, domain=None, model=None):
    """The header line; `command` is a list of texts, already redacted."""
    def text_or_null(text):
        return b'null' if text is None else string(text)

    return (b'{"stretto_mcp_log":2,"session":' + string(session) +
            b',"started_unix_ms":%d,"server_command":[' % started_ms +
            b','.join(string(arg) for arg in command) +
            b'],"domain":' + text_or_null(domain) + b',"agent_model":' + text_or_null(model) +
            b'}\n')
