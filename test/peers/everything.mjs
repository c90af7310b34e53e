/* @modelcontextprotocol/server-everything with and without the proxy. */
import path from 'node:path';
import { check, compare, main, require, test, types } from './peers.mjs';

const { z } = require('zod');
const server = path.join(
    process.env.STRETTO_PEERS, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');

const anything = z.looseObject({});

/* A task that is over when it is asked for, so that the server never polls for it. */
function finishedTask(taskId) {
    const time = new Date().toISOString();
    return {
        task: { taskId, status: 'completed', ttl: 60000, createdAt: time, lastUpdatedAt: time },
    };
}

const samplingAnswer = {
    model: 'no-model',
    role: 'assistant',
    stopReason: 'endTurn',
    content: { type: 'text', text: 'the sampled text: "\\" \u2028 é ☕ 💡' },
};

const elicitationAnswer = {
    action: 'accept',
    content: { name: 'Ann Åström', check: true, integer: 7, number: 2.5, email: 'ann@example.com' },
};

function answerElicitation(request) {
    if (request.params.task)
        return finishedTask('elicitation-task');
    if (request.params.mode === 'url')
        return { action: 'accept' };
    if (request.params.requestedSchema.properties.interpretation)
        return { action: 'accept', content: { interpretation: 'snake' } };
    return elicitationAnswer;
}

function prepare(client) {
    client.setRequestHandler(types.ListRootsRequestSchema, () => ({
        roots: [
            { uri: 'file:///srv/one', name: 'one' },
            { uri: 'file:///srv/two%20words', name: 'two words' },
        ],
    }));
    client.setRequestHandler(types.CreateMessageRequestSchema, request =>
        request.params.task ? finishedTask('sampling-task') : samplingAnswer);
    client.setRequestHandler(types.ElicitRequestSchema, answerElicitation);
    client.setRequestHandler(types.GetTaskPayloadRequestSchema, request =>
        request.params.taskId === 'sampling-task' ? samplingAnswer : elicitationAnswer);
}

const capabilities = {
    roots: { listChanged: true },
    sampling: {},
    elicitation: { form: {}, url: {} },
    tasks: { requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
};

function isLog(message, start) {
    return message.method === 'notifications/message' &&
        String(message.params.data).startsWith(start);
}

async function tools(peer) {
    const { client } = peer;
    await peer.step('tools/list', () => client.listTools());
    await peer.call('echo', { message: 'plain' });
    await peer.call('echo', { message: 'tab\t quote" back\\slash \u0001 \u2028 é ☕ 💡 \u0000 end' });
    await peer.call('echo', { message: '' });
    await peer.call('get-sum', { a: 0.1, b: 0.2 });
    await peer.call('get-sum', { a: 9007199254740991, b: 1e300 });
    await peer.call('get-env', {});
    await peer.call('get-tiny-image', {});
    for (const messageType of ['error', 'success', 'debug'])
        await peer.call('get-annotated-message', { messageType, includeImage: true });
    for (const location of ['New York', 'Chicago', 'Los Angeles'])
        await peer.call('get-structured-content', { location });
    await peer.call('get-resource-links', { count: 10 });
    await peer.call('get-resource-reference', { resourceType: 'Text', resourceId: 3 });
    await peer.call('get-resource-reference', { resourceType: 'Blob', resourceId: 4 });
    await peer.call('get-roots-list', {});
}

async function errors(peer) {
    const { client } = peer;
    await peer.call('no-such-tool', {});
    await peer.call('echo', {});
    await peer.call('get-sum', { a: 'one', b: null });
    await peer.call('get-resource-reference', { resourceType: 'Text', resourceId: -1 });
    await peer.step('unknown method', () => client.request({ method: 'no/such' }, anything));
    await peer.step('unknown resource', () => client.readResource({ uri: 'demo://no/such' }));
    await peer.step('unknown prompt', () => client.getPrompt({ name: 'no-such-prompt' }));
    await peer.step('missing argument', () => client.getPrompt({ name: 'args-prompt' }));
}

async function progressAndCancellation(peer) {
    const { client } = peer;
    /* The SDK drops the last notification if it comes with the answer; the transport sees it. */
    await peer.call('trigger-long-running-operation', { duration: 0.3, steps: 6 },
        { onprogress: () => {} });

    const abort = new AbortController();
    const cancelled = peer.call('trigger-long-running-operation', { duration: 0.2, steps: 1 },
        { signal: abort.signal });
    abort.abort('changed my mind');
    await cancelled;
    await peer.call('trigger-long-running-operation', { duration: 1, steps: 1 }, { timeout: 100 });
    await peer.step('ping', () => client.ping());
}

async function askedByTheServer(peer) {
    const { client } = peer;
    await peer.call('trigger-sampling-request', { prompt: 'say "é"', maxTokens: 5 });
    await peer.call('trigger-elicitation-request', {});
    await peer.call('trigger-sampling-request-async', { prompt: 'later', maxTokens: 5 });
    await peer.call('trigger-elicitation-request-async', {});
    const url = { url: 'https://example.com/a?b=c', elicitationId: 'elicitation-1' };
    await peer.call('trigger-url-elicitation', url);
    await peer.call('trigger-url-elicitation', { ...url, errorPath: true });
    await peer.call('trigger-url-elicitation', { ...url, errorPath: true });
    const before = peer.received.length;
    await peer.step('roots changed', () => client.sendRootsListChanged());
    await peer.waitFor('the roots were read again', message =>
        peer.received.indexOf(message) >= before && isLog(message, 'Roots updated'));
}

async function resources(peer) {
    const { client } = peer;
    const uri = 'demo://resource/dynamic/text/1';
    let list;
    await peer.step('resources/list', async () => (list = await client.listResources()));
    await peer.step('resources/templates/list', () => client.listResourceTemplates());
    for (const resource of list.resources)
        await peer.step(`read ${resource.uri}`, () => client.readResource({ uri: resource.uri }));
    await peer.step('read text', () => client.readResource({ uri }));
    await peer.step('read blob', () =>
        client.readResource({ uri: 'demo://resource/dynamic/blob/2' }));
    await peer.step('subscribe', () => client.subscribeResource({ uri }));
    await peer.call('toggle-subscriber-updates', {});
    await peer.waitFor('the resource was updated', message =>
        message.method === 'notifications/resources/updated');
    await peer.call('toggle-subscriber-updates', {});
    await peer.step('unsubscribe', () => client.unsubscribeResource({ uri }));
    const data = `data:text/plain,${'gzip me '.repeat(100)}`;
    await peer.call('gzip-file-as-resource', { name: 'a.gz', data, outputType: 'resourceLink' });
    await peer.call('gzip-file-as-resource', { name: 'b.gz', data, outputType: 'resource' });
    await peer.step('read the link', () =>
        client.readResource({ uri: 'demo://resource/session/a.gz' }));
}

async function promptsAndCompletion(peer) {
    const { client } = peer;
    await peer.step('prompts/list', () => client.listPrompts());
    const prompts = [
        ['simple-prompt', {}],
        ['args-prompt', { city: 'Malmö', state: 'Skåne' }],
        ['completable-prompt', { department: 'Sales', name: 'Eve' }],
        ['resource-prompt', { resourceType: 'Text', resourceId: '5' }],
        ['resource-prompt', { resourceType: 'Neither', resourceId: '5' }],
    ];
    for (const [name, args] of prompts)
        await peer.step(`prompt ${name}`, () => client.getPrompt({ name, arguments: args }));
    const prompt = { type: 'ref/prompt', name: 'completable-prompt' };
    await peer.step('complete department', () =>
        client.complete({ ref: prompt, argument: { name: 'department', value: 'S' } }));
    await peer.step('complete name', () =>
        client.complete({
            ref: prompt,
            argument: { name: 'name', value: '' },
            context: { arguments: { department: 'Support' } },
        }));
    await peer.step('complete resource', () =>
        client.complete({
            ref: { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' },
            argument: { name: 'resourceId', value: '12' },
        }));
}

async function logging(peer) {
    const { client } = peer;
    const uri = 'demo://resource/dynamic/text/9';
    await peer.step('level error', () => client.setLoggingLevel('error'));
    await peer.step('subscribe silently', () => client.subscribeResource({ uri }));
    await peer.step('level debug', () => client.setLoggingLevel('debug'));
    await peer.step('unsubscribe aloud', () => client.unsubscribeResource({ uri }));
    await peer.waitFor('the log message came', message =>
        isLog(message, `Received Unsubscribe Resource request: ${uri}`));
}

/* A task of the server asks the client something while the client waits for its result. */
async function tasks(peer) {
    const { client } = peer;
    const research = topic => client.request({
        method: 'tools/call',
        params: {
            name: 'simulate-research-query',
            arguments: { topic, ambiguous: true },
            task: { ttl: 60000 },
        },
    }, anything);
    let created;
    await peer.step('start a task', async () => (created = await research('python')));
    const { taskId } = created.task;
    await peer.step('tasks/result', () =>
        client.request({ method: 'tasks/result', params: { taskId } }, anything));
    await peer.step('tasks/get', () =>
        client.request({ method: 'tasks/get', params: { taskId } }, anything));
    await peer.step('tasks/list', () => client.request({ method: 'tasks/list' }, anything));
    await peer.step('start another', async () => (created = await research('weather')));
    await peer.step('tasks/cancel', () =>
        client.request({ method: 'tasks/cancel', params: { taskId: created.task.taskId } },
            anything));
}

async function manyAndBig(peer) {
    const { client } = peer;
    const echo = message => client.callTool({ name: 'echo', arguments: { message } });
    await peer.step('200 calls at once', () =>
        Promise.all(Array.from({ length: 200 }, (_, i) => echo(`call ${i} ${'x'.repeat(i * 17)}`))));
    const big = 'å☕💡"\\\n'.repeat(200000);
    const answers = [];
    await peer.step('a big call', async () => {
        const { content } = await echo(big);
        answers.push(content[0].text);
        return content[0].text.length;
    });
    check(answers[0] === `Echo: ${big}`, 'the big call was echoed as it was sent');
    await peer.step('big calls at once', async () => {
        const sizes = [];
        for (const { content } of await Promise.all(Array.from({ length: 8 }, (_, i) =>
            echo(String(i).repeat(700000)))))
            sizes.push(content[0].text.length);
        return sizes;
    });
}

async function scenario(peer) {
    await peer.waitFor('the roots were read', message => isLog(message, 'Roots updated'));
    await tools(peer);
    await errors(peer);
    await progressAndCancellation(peer);
    await askedByTheServer(peer);
    await resources(peer);
    await promptsAndCompletion(peer);
    await logging(peer);
    await manyAndBig(peer);
}

await main(async directory => {
    const command = [process.execPath, server, 'stdio'];
    const env = { TZ: 'UTC', LC_ALL: 'C.UTF-8', PEER_VARIABLE: 'a "quoted" value\nin two lines' };

    const session = await compare('everything', directory, {
        server: [...command, '--api-key', 'sk-not-for-the-log'],
        shownServer: [...command, '--api-key', '<redacted>'],
        env,
        capabilities,
        prepare,
        scenario,
    });
    await test('everything: the session did what it was meant to', () => {
        const { steps, byMethod } = session.transcript;
        const failed = steps.filter(step => step.error).map(step => step.name);
        check(failed.length === 8, `these steps failed: ${failed.join(', ')}`);
        for (const method of [
            'notifications/message', 'notifications/progress', 'notifications/resources/updated',
            'notifications/tools/list_changed', 'notifications/resources/list_changed',
            'sampling/createMessage', 'elicitation/create', 'roots/list',
        ])
            check(byMethod[method], `the server never sent ${method}`);
    });

    /* The task's time to live keeps the server alive after the end of its input. */
    const killed = await compare('everything, tasks', directory, {
        server: command,
        env,
        capabilities: { elicitation: { form: {} } },
        prepare: client => client.setRequestHandler(types.ElicitRequestSchema, answerElicitation),
        scenario: tasks,
        isKilled: true,
    });
    await test("everything, tasks: ends by the client's signal", () =>
        check(killed.exit.signal === 'SIGTERM', JSON.stringify(killed.exit)));
});
