/* A host of revision 2025-11-25, by the official TypeScript SDK 1.x: see host.mjs. */
import { bothRevisions, check, checkEqual, require, run, textOf } from './host.mjs';

const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { ElicitRequestSchema } = require('@modelcontextprotocol/sdk/types.js');

const scenarios = {
    ...bothRevisions,

    async initialize(client) {
        checkEqual(client.getServerVersion().name, 'test-server', "the server's name");
        const { tools } = await client.listTools();
        checkEqual(tools, [], 'the tool list');
    },

    /* The SDK fills in what the accepted form leaves out. */
    async 'elicitation-sep1034-client-defaults'(client) {
        client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: {} }));
        await client.listTools();
        const result = await client.callTool({
            name: 'test_client_elicitation_defaults',
            arguments: {},
        });
        const start = 'Elicitation completed: ';
        const text = textOf(result);
        check(text.startsWith(start), `the answer is ${text}`);
        checkEqual(JSON.parse(text.slice(start.length)).age, 30, 'the age that the server got');
    },

    async 'sse-retry'(client) {
        await client.listTools();
        const result = await client.callTool({ name: 'test_reconnection', arguments: {} });
        checkEqual(textOf(result), 'Reconnection test completed successfully', 'the answer');
    },

    async 'json-schema-2020-12-preservation'(client) {
        const { tools } = await client.listTools();
        const { inputSchema } = tools.find(tool => tool.name === 'json_schema_2020_12_tool');
        const result = await client.callTool({
            name: 'json_schema_echo',
            arguments: { schema: inputSchema },
        });
        checkEqual(textOf(result), 'echoed', 'the answer');
    },
};

const client = new Client(
    { name: 'stretto-conformance', version: '1.0.0' },
    { capabilities: { elicitation: { form: { applyDefaults: true } } } },
);
await run(client, StdioClientTransport, scenarios);
