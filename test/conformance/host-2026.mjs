/* A host of revision 2026-07-28, by the official TypeScript SDK 2.x: see host.mjs. */
import { bothRevisions, check, checkEqual, require, run, textOf } from './host.mjs';

const { Client } = require('@modelcontextprotocol/client');
const { StdioClientTransport } = require('@modelcontextprotocol/client/stdio');

const revision = '2026-07-28';

const scenarios = {
    ...bothRevisions,

    /* The first request of all is refused with -32022, which names the revision to take. */
    async 'request-metadata'(client) {
        const { content } = await client.callTool({ name: 'any', arguments: {} });
        checkEqual(content, [], 'the answer');
    },

    async 'http-standard-headers'(client) {
        const { tools } = await client.listTools();
        for (const { name } of tools)
            checkEqual(textOf(await client.callTool({ name, arguments: {} })),
                'Headers test completed', `the answer of ${name}`);
        const { resources } = await client.listResources();
        for (const { uri } of resources)
            await client.readResource({ uri });
        const { prompts } = await client.listPrompts();
        for (const { name } of prompts)
            await client.getPrompt({ name });
        checkEqual([tools.length, resources.length, prompts.length], [2, 2, 1], 'what was listed');
    },

    async 'http-custom-headers'(client) {
        await client.listTools();
        const { toolCalls } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT);
        checkEqual(toolCalls.length, 2, 'the number of calls');
        for (const call of toolCalls)
            checkEqual(textOf(await client.callTool(call)), 'Custom headers test completed',
                `the answer of ${call.name}`);
    },

    /* Over stdio the SDK leaves the judgement of the annotations to the proxy. */
    async 'http-invalid-tool-headers'(client) {
        const { tools } = await client.listTools();
        checkEqual(tools.map(tool => tool.name), ['valid_tool'], 'the tool list');
        for (const { name } of tools)
            checkEqual(textOf(await client.callTool({ name, arguments: { region: 'eu' } })),
                'Tool call received', `the answer of ${name}`);
    },

    async 'sep-2322-client-request-state'(client) {
        let asked = 0;
        client.setRequestHandler('elicitation/create', () => {
            asked++;
            return { action: 'accept', content: { confirmed: true } };
        });
        await client.listTools();
        const call = async name => textOf(await client.callTool({ name, arguments: {} }));
        const both = await Promise.all([call('test_mrtr_echo_state'), call('test_mrtr_unrelated')]);
        checkEqual(both, ['echo-state-ok', 'unrelated-ok'], 'the answers');
        checkEqual(await call('test_mrtr_no_state'), 'no-state-ok', 'the answer');
        /* SDK 2.4 gets this answer and calls it invalid, where the scenario wants it taken. */
        await call('test_mrtr_no_result_type').then(
            text => checkEqual(text, 'no-result-type-test-ok', 'the answer'),
            error => checkEqual(error.data?.violation, 'missing-resultType', 'what was wrong'));
        checkEqual(asked, 2, 'how often the user was asked');
    },

    async 'json-schema-ref-no-deref'(client) {
        const { tools } = await client.listTools();
        checkEqual(tools.map(tool => tool.name), ['lookup_user'], 'the tool list');
        const { profile } = tools[0].inputSchema.properties;
        check(profile.$ref.includes('/canary/'), 'the $ref is lost');
    },
};

const client = new Client(
    { name: 'stretto-conformance', version: '1.0.0' },
    {
        capabilities: { elicitation: { form: {} }, roots: {}, sampling: {} },
        versionNegotiation: { mode: { pin: revision } },
    },
);
await run(client, StdioClientTransport, scenarios);
