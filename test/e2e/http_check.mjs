/*
 * The client of the official TypeScript SDK with @modelcontextprotocol/server-everything over
 * Streamable HTTP: once by the SDK's own HTTP transport, once over stdio through
 * `stretto-proxy --record --upstream`. What the client saw is compared, then the log with what the
 * client's transport sent and received. http_check.py starts the server and passes its URL.
 *
 * STRETTO_PROXY names the proxy, STRETTO_PEERS the directory whose node_modules holds the SDK. The
 * output is TAP.
 */
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { check, checkEqual, main, require, test, types } from '../peers/peers.mjs';

const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');
const { StreamableHTTPClientTransport } =
    require('@modelcontextprotocol/sdk/client/streamableHttp.js');
const { z } = require('zod');

const url = process.argv.at(-1);
const anything = z.looseObject({});

/* ---- one session ---- */

/* What varies from run to run: times, ids made at random, and the session's id in messages. */
function normalizeText(text) {
    return text
        .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
        .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'ID')
        .replace(/\b[0-9a-f]{32}\b/g, 'ID')
        .replace(/created at \d+:\d\d:\d\d\s[AP]M/g, 'created at TIME');
}

function normalize(value, key) {
    if (typeof value === 'string') {
        if (key !== 'blob')
            return normalizeText(value);
        const text = Buffer.from(value, 'base64').toString();
        return text.includes('created at ') ? normalizeText(text) : value;
    }
    if (Array.isArray(value))
        return value.map(item => normalize(item));
    if (value && typeof value === 'object')
        return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, normalize(v, k)]));
    return value;
}

/* A client that notes what it does and what it gets. */
class Session {
    constructor(transport) {
        this.transport = transport;
        this.client = new Client(
            { name: 'stretto-http-check', version: '1.0.0' },
            { capabilities: {
                roots: { listChanged: true },
                sampling: {},
                elicitation: { form: {}, url: {} },
            } },
        );
        this.steps = [];
        this.sent = [];
        this.received = [];
        this.transportErrors = [];
        this.answerTheServer();
        transport.onmessage = message => this.received.push(structuredClone(message));
        transport.onerror = error => this.transportErrors.push(String(error));
        const send = transport.send.bind(transport);
        transport.send = (message, ...rest) => {
            this.sent.push(JSON.stringify(message));
            return send(message, ...rest);
        };
    }

    answerTheServer() {
        this.client.setRequestHandler(types.ListRootsRequestSchema, () => ({
            roots: [{ uri: 'file:///srv/two%20words', name: 'two words ☕' }],
        }));
        this.client.setRequestHandler(types.CreateMessageRequestSchema, () => ({
            model: 'no-model',
            role: 'assistant',
            stopReason: 'endTurn',
            content: { type: 'text', text: 'the sampled text: "\\" \u2028 é ☕ 💡' },
        }));
        this.client.setRequestHandler(types.ElicitRequestSchema, request =>
            request.params.mode === 'url' ? { action: 'accept' } : {
                action: 'accept',
                content: { name: 'Ann Åström', check: true, integer: 7, number: 2.5 },
            });
    }

    async step(name, action) {
        try {
            this.steps.push({ name, result: normalize(await action()) });
        } catch (error) {
            const { code, message, data } = error;
            this.steps.push({ name, error: normalize({ code, message, data }) });
        }
    }

    call(name, args, options) {
        return this.step(`call ${name} ${JSON.stringify(args).slice(0, 80)}`, () =>
            this.client.callTool({ name, arguments: args }, undefined, options));
    }

    /* Waits until the server has sent a message, after the first `from`, that is wanted. */
    async waitFor(what, isWanted, from = 0) {
        for (let i = 0; i < 1000; i++) {
            if (this.received.slice(from).some(isWanted))
                return;
            await sleep(20);
        }
        throw new Error(`waited too long until ${what}`);
    }

    /*
     * Answers are compared as a set, since concurrent ones come in any order; notifications and
     * requests of one method are compared in their order.
     */
    transcript() {
        const byMethod = {};
        const answers = [];
        for (const message of this.received.map(original => normalize(original))) {
            if (message.method !== undefined)
                (byMethod[message.method] ??= []).push(message);
            else
                answers.push(JSON.stringify(message));
        }
        const sent = this.sent.map(text => JSON.stringify(normalize(JSON.parse(text))));
        return { steps: this.steps, byMethod, answers: answers.sort(), sent: sent.sort() };
    }
}

/* ---- what is done ---- */

function isLog(start) {
    return message => message.method === 'notifications/message' &&
        String(message.params.data).startsWith(start);
}

async function tools(session) {
    const { client } = session;
    await session.step('tools/list', () => client.listTools());
    for (const [name, args] of [
        ['echo', { message: 'tab\t quote" back\\slash \u0001 \u2028 é ☕ 💡 \u0000 end' }],
        ['echo', { message: '' }],
        ['get-sum', { a: 9007199254740991, b: 1e300 }],
        ['get-env', {}],
        ['get-tiny-image', {}],
        ['get-annotated-message', { messageType: 'error', includeImage: true }],
        ['get-structured-content', { location: 'Chicago' }],
        ['get-resource-links', { count: 10 }],
        ['get-resource-reference', { resourceType: 'Blob', resourceId: 4 }],
        ['get-roots-list', {}],
        ['no-such-tool', {}],
        ['echo', {}],
        ['get-sum', { a: 'one', b: null }],
    ])
        await session.call(name, args);
    await session.step('unknown method', () => client.request({ method: 'no/such' }, anything));
    await session.step('unknown resource', () => client.readResource({ uri: 'demo://no/such' }));
    await session.step('unknown prompt', () => client.getPrompt({ name: 'no-such-prompt' }));
}

async function askedByTheServer(session) {
    const { client } = session;
    await session.call('trigger-sampling-request', { prompt: 'say "é"', maxTokens: 5 });
    await session.call('trigger-elicitation-request', {});
    await session.call('trigger-url-elicitation',
        { url: 'https://example.com/a?b=c', elicitationId: 'elicitation-1' });
    const before = session.received.length;
    await session.step('roots changed', () => client.sendRootsListChanged());
    await session.waitFor('the roots were read again', isLog('Roots updated'), before);
}

async function resourcesAndPrompts(session) {
    const { client } = session;
    const uri = 'demo://resource/dynamic/text/1';
    let list;
    await session.step('resources/list', async () => (list = await client.listResources()));
    await session.step('templates', () => client.listResourceTemplates());
    const uris = list.resources.map(resource => resource.uri);
    uris.push('demo://resource/dynamic/blob/2');
    for (const one of uris)
        await session.step(`read ${one}`, () => client.readResource({ uri: one }));
    await session.step('subscribe', () => client.subscribeResource({ uri }));
    await session.call('toggle-subscriber-updates', {});
    await session.waitFor('the resource was updated', message =>
        message.method === 'notifications/resources/updated');
    await session.call('toggle-subscriber-updates', {});
    await session.step('unsubscribe', () => client.unsubscribeResource({ uri }));
    await session.waitFor('it was logged', isLog('Received Unsubscribe Resource request'));
    await session.step('prompts/list', () => client.listPrompts());
    await session.step('prompt', () =>
        client.getPrompt({ name: 'args-prompt', arguments: { city: 'Malmö', state: 'Skåne' } }));
    await session.step('complete', () => client.complete({
        ref: { type: 'ref/prompt', name: 'completable-prompt' },
        argument: { name: 'department', value: 'S' },
    }));
}

async function progressManyAndBig(session) {
    const { client } = session;
    await session.call('trigger-long-running-operation', { duration: 0.3, steps: 6 },
        { onprogress: () => {} });
    const echo = message => client.callTool({ name: 'echo', arguments: { message } });
    await session.step('100 calls at once', () =>
        Promise.all(Array.from({ length: 100 }, (_, i) =>
            echo(`call ${i} ${'x'.repeat(i * 17)}`))));
    await session.step('a slow call, overtaken', () => {
        const order = [];
        const note = name => () => order.push(name);
        const slow = client.callTool({
            name: 'trigger-long-running-operation', arguments: { duration: 1, steps: 1 },
        }).then(note('slow'));
        return Promise.all([slow, echo('quick').then(note('quick'))]).then(() => order);
    });
    const big = 'å☕💡"\\\n'.repeat(50000);
    await session.step('a big call', async () =>
        (await echo(big)).content[0].text === `Echo: ${big}` ? 'as it was sent' : 'changed');
}

/* The server never answers a call that was cancelled, and its stream stays open. */
async function cancelled(session) {
    await session.call('trigger-long-running-operation', { duration: 1, steps: 1 },
        { timeout: 100 });
    await session.step('ping', () => session.client.ping());
}

async function play(session, parts) {
    const { client } = session;
    await client.connect(session.transport);
    session.steps.push({
        name: 'initialize',
        result: [
            client.getServerVersion(), client.getServerCapabilities(), client.getInstructions(),
        ],
    });
    await session.step('level', () => client.setLoggingLevel('debug'));
    await session.waitFor('the roots were read', isLog('Roots updated'));
    for (const part of parts)
        await part(session);
}

/* ---- both ways ---- */

/*
 * The SDK's transport takes a stream that ended with an error answer for one that broke off, and
 * this server replays all that came since on any stream: the transport may not try.
 */
async function direct(parts) {
    const session = new Session(new StreamableHTTPClientTransport(new URL(url), {
        reconnectionOptions: {
            initialReconnectionDelay: 1000,
            maxReconnectionDelay: 30000,
            reconnectionDelayGrowFactor: 1.5,
            maxRetries: 0,
        },
    }));
    await play(session, parts);
    await session.transport.terminateSession();
    session.transportErrors = session.transportErrors.filter(
        error => !error.includes('Maximum reconnection attempts (0) exceeded'));
    session.transport.onerror = undefined; /* the streams that it drops are no errors */
    await session.client.close();
    return session;
}

async function proxied(parts, logs) {
    const transport = new StdioClientTransport({
        command: path.resolve(process.env.STRETTO_PROXY),
        args: ['--record', logs, '--domain', 'everything', '--upstream', url],
        env: { ...process.env },
        stderr: 'pipe',
    });
    const session = new Session(transport);
    const stderr = [];
    transport.stderr.on('data', chunk => stderr.push(chunk));
    const start = transport.start.bind(transport);
    let ended;
    transport.start = async () => {
        await start();
        transport._process.stdin.setMaxListeners(0); /* the SDK waits with one for each message */
        ended = once(transport._process, 'close');
    };
    await play(session, parts);
    transport._process.stdin.end();
    await Promise.race([ended, sleep(5000, undefined, { ref: false })]);
    await session.client.close();
    session.exit = await ended;
    session.stderr = Buffer.concat(stderr).toString();
    return session;
}

function readLog(logs) {
    const names = fs.readdirSync(logs);
    checkEqual(names.length, 1, 'number of logs');
    const lines = fs.readFileSync(path.join(logs, names[0]), 'utf8').split('\n');
    checkEqual(lines.pop(), '', 'what follows the last line');
    return { header: JSON.parse(lines[0]), entries: lines.slice(1).map(line => JSON.parse(line)) };
}

/* endings: what the proxy's exit status and signal may be. */
async function compare(name, parts, logs, endings) {
    const one = await direct(parts);
    const two = await proxied(parts, logs);

    await test(`${name}: no transport has errors`, () => {
        checkEqual(one.transportErrors, [], 'direct');
        checkEqual(two.transportErrors, [], 'proxied');
    });
    await test(`${name}: the client sees the same with and without the proxy`, () =>
        checkEqual(two.transcript(), one.transcript(), 'transcript'));
    await test(`${name}: the proxy ends as it should`, () =>
        check(endings.some(ending => isDeepStrictEqual(ending, two.exit)), String(two.exit)));
    await test(`${name}: stderr has the place of the log alone`, () =>
        check(/^stretto-proxy: recording to .*\.jsonl\n$/.test(two.stderr), two.stderr));
    await test(`${name}: the log names the URL and has what was sent and received`, () => {
        const { header, entries } = readLog(logs);
        const of = from => entries.filter(entry => entry.from === from).map(entry => entry.message);
        checkEqual(header.server_command, [url], 'server_command');
        checkEqual(of('client'), two.sent.map(text => JSON.parse(text)), 'client');
        checkEqual(of('server'), two.received, 'server');
    });
    return one;
}

await main(async directory => {
    const all = [tools, askedByTheServer, resourcesAndPrompts, progressManyAndBig];
    const session = await compare('session', all, path.join(directory, 'logs-session'),
        [[0, null]]);
    await test('session: it did what it was meant to do', () => {
        const { steps, byMethod } = session.transcript();
        const failed = steps.filter(step => step.error).map(step => step.name);
        checkEqual(failed, ['unknown method', 'unknown resource', 'unknown prompt'], 'failed');
        for (const method of [
            'notifications/message', 'notifications/progress', 'notifications/resources/updated',
            'sampling/createMessage', 'elicitation/create', 'roots/list',
        ])
            check(byMethod[method], `the server never sent ${method}`);
    });
    /* Requests in flight are waited for without limit, so it may take the client's signal. */
    await compare('cancelled call', [cancelled], path.join(directory, 'logs-cancelled'),
        [[0, null], [null, 'SIGTERM']]);
});
