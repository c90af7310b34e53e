"""Session logs for the tests of stretto, made message by message."""

import json


def canonical(value):
    """Canonical JSON of values without the numbers that Python spells otherwise."""
    return json.dumps(value, sort_keys=True, separators=(',', ':'), ensure_ascii=False)


class Session:
    """A session log that grows; `bytes()` is the file."""

    def __init__(self, session='s1', started=1790198400123, command=('some-server',), domain=None,
                 model=None, version=2):
        self.lines = [json.dumps({
            'stretto_mcp_log': version, 'session': session, 'started_unix_ms': started,
            'server_command': list(command), 'domain': domain, 'agent_model': model,
        })]

    def add(self, t_ms, who, message=None, **more):
        entry = {'t_ms': t_ms, 'from': who, **more}
        if message is not None:
            entry['message'] = message
        self.lines.append(json.dumps(entry))
        return self

    def call(self, t_ms, id, tool, arguments=None, who='client'):
        return self.add(t_ms, who, {'jsonrpc': '2.0', 'id': id, 'method': 'tools/call',
                                    'params': {'name': tool, 'arguments': arguments or {}}})

    def result(self, t_ms, id, *texts, error=False, who='server'):
        content = [{'type': 'text', 'text': text} for text in texts]
        return self.add(t_ms, who, {'jsonrpc': '2.0', 'id': id,
                                    'result': {'content': content, 'isError': error}})

    def request(self, t_ms, id, method, who='client', **params):
        return self.add(t_ms, who, {'jsonrpc': '2.0', 'id': id, 'method': method,
                                    'params': params})

    def notify(self, t_ms, method, who='server', **params):
        return self.add(t_ms, who, {'jsonrpc': '2.0', 'method': method, 'params': params})

    def say(self, t_ms, role, text):
        return self.add(t_ms, 'context', {'role': role, 'content': text})

    def raw(self, t_ms, text, who='server'):
        return self.add(t_ms, who, raw=text)

    def tools(self, t_ms, id, *tools, **more):
        """A listing and its answer."""
        self.request(t_ms, id, 'tools/list')
        return self.add(t_ms + 1, 'server', {'jsonrpc': '2.0', 'id': id,
                                             'result': {'tools': list(tools), **more}})

    def bytes(self):
        return ''.join(line + '\n' for line in self.lines).encode()
