/*
 * Drives a real MCP server with the client of the official TypeScript SDK, once directly and once
 * through `stretto-proxy --record`, and compares what the client saw. The log is then checked line
 * by line against what the client's transport sent and received.
 *
 * STRETTO_PROXY names the proxy, STRETTO_PEERS the directory whose node_modules holds the SDK and
 * the servers (package.json beside this file). The output is TAP.
 */
import { once } from 'node:events';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';

export const require = createRequire(path.join(path.resolve(process.env.STRETTO_PEERS), 'peers.js'));
export const types = require('@modelcontextprotocol/sdk/types.js');
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = require('@modelcontextprotocol/sdk/client/stdio.js');

const slow = Number(process.env.STRETTO_TEST_SLOW || 1);

/* ---- TAP ---- */

let testCount = 0;
let isFailed = false;

function report(name, problem) {
    testCount++;
    if (problem === undefined) {
        console.log(`ok ${testCount} - ${name}`);
        return;
    }
    isFailed = true;
    console.log(`not ok ${testCount} - ${name}`);
    for (const line of String(problem).split('\n'))
        console.log(`# ${line}`);
}

export async function test(name, body) {
    try {
        await body();
        report(name);
    } catch (error) {
        report(name, error.stack ?? error);
    }
}

export function check(condition, what) {
    if (!condition)
        throw new Error(what);
}

function excerpt(value) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return text === undefined || text.length <= 600 ? text : `${text.slice(0, 600)}…`;
}

/* Throws at the first place where the two differ, naming it. */
export function checkEqual(actual, expected, where) {
    if (isDeepStrictEqual(actual, expected))
        return;
    if (Array.isArray(actual) && Array.isArray(expected)) {
        for (let i = 0; i < Math.max(actual.length, expected.length); i++)
            checkEqual(actual[i], expected[i], `${where}[${i}]`);
    } else if (actual && expected && typeof actual === 'object' && typeof expected === 'object') {
        for (const key of new Set([...Object.keys(actual), ...Object.keys(expected)]))
            checkEqual(actual[key], expected[key], `${where}.${key}`);
    }
    throw new Error(`${where}:\nis        ${excerpt(actual)}\nshould be ${excerpt(expected)}`);
}

/* Runs the tests of one server in a temporary directory of their own and ends the process. */
export async function main(body) {
    const directory = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'stretto-peers.'));
    const watchdog = setTimeout(() => {
        report('ends in time', 'still running at its deadline');
        process.exit(1);
    }, 150000 * slow);
    try {
        await body(directory);
    } catch (error) {
        report('runs', error.stack ?? error);
    }
    clearTimeout(watchdog);
    fs.rmSync(directory, { recursive: true, force: true });
    console.log(`1..${testCount}`);
    process.exitCode = isFailed ? 1 : 0;
}

/* ---- one session ---- */

/* What varies by nature from run to run: times, and ids made at random. */
function normalizeText(text) {
    return text
        .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME')
        .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, 'ID')
        .replace(/\b[0-9a-f]{32}\b/g, 'ID')
        .replace(/created at \d+:\d\d:\d\d\s[AP]M/g, 'created at TIME')
        .replace(/^(created|modified|accessed): .*$/gm, '$1: TIME');
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

/*
 * A session's client: `step` does one thing and notes how it ended, `waitFor` waits until a message
 * of the server has come that the predicate accepts.
 */
class Peer {
    constructor(client) {
        this.client = client;
        this.steps = [];
        this.sent = []; /* text of each message, as the transport writes it */
        this.received = []; /* each message, as the transport parsed it */
        this.transportErrors = [];
        this.waiters = [];
        this.isOver = false;
    }

    onReceived(message) {
        this.received.push(structuredClone(message));
        this.waiters = this.waiters.filter(waiter => !waiter.attempt());
    }

    onClosed() {
        this.isOver = true;
        for (const waiter of this.waiters)
            waiter.fail();
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
        return this.step(`call ${name} ${excerpt(args)}`, () =>
            this.client.callTool({ name, arguments: args }, undefined, options));
    }

    waitFor(what, isWanted) {
        return new Promise((resolve, reject) => {
            const waiter = {
                attempt: () => {
                    const found = this.received.some(isWanted);
                    if (found)
                        resolve();
                    return found;
                },
                fail: () => reject(new Error(`the session ended before ${what}`)),
            };
            if (this.isOver)
                waiter.fail();
            else if (!waiter.attempt())
                this.waiters.push(waiter);
        });
    }
}

/*
 * What the client saw. Requests and answers are compared as a set, since answers to parallel calls
 * may come in any order; the notifications and requests of one method are compared in their order.
 */
function transcript(peer) {
    const byMethod = {};
    const answers = [];
    for (const original of peer.received) {
        const message = normalize(original);
        if (message.method !== undefined)
            (byMethod[message.method] ??= []).push(message);
        else
            answers.push(JSON.stringify(message));
    }
    const sent = peer.sent.map(text => JSON.stringify(normalize(JSON.parse(text))));
    return { steps: peer.steps, byMethod, answers: answers.sort(), sent: sent.sort() };
}

/*
 * options.command     command and arguments that the client starts
 * options.env         environment beyond the SDK's default
 * options.capabilities
 *                     what the client declares
 * options.prepare     sets request handlers on the client before it connects
 * options.scenario    speaks with the server
 * options.isKilled    the server outlives its input, so the SDK kills what it started (after 2 s)
 */
async function runSession(options) {
    const client = new Client(
        { name: 'stretto-peers', version: '1.0.0' },
        { capabilities: options.capabilities ?? {} },
    );
    const peer = new Peer(client);
    options.prepare?.(client);

    const transport = new StdioClientTransport({
        command: options.command[0],
        args: options.command.slice(1),
        /* Node's warnings depend on how fast its output is read. */
        env: { ...options.env, NODE_NO_WARNINGS: '1' },
        stderr: 'pipe',
    });
    const stderr = [];
    transport.stderr.on('data', chunk => stderr.push(chunk));
    const send = transport.send.bind(transport);
    transport.send = (message, ...rest) => {
        peer.sent.push(JSON.stringify(message));
        return send(message, ...rest);
    };
    transport.onmessage = message => peer.onReceived(message);
    transport.onerror = error => peer.transportErrors.push(String(error));
    transport.onclose = () => peer.onClosed();
    const start = transport.start.bind(transport);
    let ended;
    transport.start = async () => {
        await start();
        transport._process.stdin.setMaxListeners(0); /* the SDK waits with one for each message */
        ended = once(transport._process, 'close');
    };

    await client.connect(transport);
    peer.steps.push({
        name: 'initialize',
        result: [client.getServerVersion(), client.getServerCapabilities(), client.getInstructions()],
    });
    try {
        await options.scenario(peer);
        if (!options.isKilled) {
            transport._process.stdin.end();
            await ended;
        }
    } finally {
        await client.close();
    }
    const [code, signal] = await ended;
    return {
        exit: { code, signal },
        stderr: Buffer.concat(stderr).toString(),
        sent: peer.sent,
        received: peer.received,
        transportErrors: peer.transportErrors,
        transcript: transcript(peer),
    };
}

/* ---- the log ---- */

function readLog(directory) {
    const names = fs.readdirSync(directory);
    check(names.length === 1, `one log is expected in the directory, not ${names.length}`);
    const match = /^(\d{8}T\d{6}\.\d{3}Z-\d+)\.jsonl$/.exec(names[0]);
    check(match, `the log's name is ${names[0]}`);
    const file = path.join(directory, names[0]);
    const text = fs.readFileSync(file, 'utf8');
    check(text.endsWith('\n'), 'the log ends within a line');
    return { file, session: match[1], lines: text.slice(0, -1).split('\n') };
}

function checkHeader(log, command) {
    const header = JSON.parse(log.lines[0]);
    check(log.lines[0] === JSON.stringify(header), 'the header is compact JSON');
    checkEqual(
        Object.entries(header).slice(0, 6),
        [
            ['stretto_mcp_log', 2],
            ['session', log.session],
            ['started_unix_ms', header.started_unix_ms],
            ['server_command', command],
            ['domain', 'peers'],
            ['agent_model', 'none'],
        ],
        'header',
    );
    const started = new Date(header.started_unix_ms).toISOString().replace(/[-:]/g, '');
    check(log.session.startsWith(`${started}-`), 'started_unix_ms is the instant in the name');
}

/* The entries, each split into its three members; throws unless a line has the form of an entry. */
function parseEntries(lines) {
    return lines.map((line, i) => {
        const match = /^\{"t_ms":(\d+),"from":"(client|server)","message":(.*)\}$/s.exec(line);
        check(match, `line ${i + 2} of the log is no entry with a message: ${excerpt(line)}`);
        JSON.parse(line);
        return { t: Number(match[1]), from: match[2], text: match[3] };
    });
}

function isRequest(message) {
    return message.method !== undefined && message.id !== undefined;
}

/* Every answer stands after the request that it answers. */
function checkCausality(entries) {
    const open = { client: new Set(), server: new Set() };
    for (const [i, entry] of entries.entries()) {
        const message = JSON.parse(entry.text);
        const other = entry.from === 'client' ? 'server' : 'client';
        if (isRequest(message))
            open[entry.from].add(message.id);
        else if (message.method === undefined)
            check(open[other].delete(message.id), `entry ${i} answers what was not asked before it`);
    }
}

function checkLog(directory, proxied, shownCommand) {
    let log;
    let entries;
    return [
        ['log has one file with private mode', () => {
            log = readLog(directory);
            check((fs.statSync(log.file).mode & 0o177) === 0, 'others may read the log');
        }],
        ['log header is right', () => checkHeader(log, shownCommand)],
        ['log has only entries with a message', () => {
            entries = parseEntries(log.lines.slice(1));
        }],
        ['log has what the client sent, in order and to the byte', () => {
            const texts = entries.filter(entry => entry.from === 'client').map(entry => entry.text);
            checkEqual(texts, proxied.sent, 'client');
        }],
        ['log has what the client received, in order', () => {
            const texts = entries.filter(entry => entry.from === 'server').map(entry => entry.text);
            checkEqual(texts.map(text => JSON.parse(text)), proxied.received, 'server');
        }],
        ['log times never decrease', () => {
            for (let i = 1; i < entries.length; i++)
                check(entries[i].t >= entries[i - 1].t, `entry ${i} is earlier than the one before`);
        }],
        ['log has every answer after its request', () => checkCausality(entries)],
    ];
}

/* ---- both sessions, compared ---- */

/*
 * Runs options.scenario against options.server (a command) without and with the proxy, calling
 * options.reset before each run. options.shownServer is the command as the log's header shows it,
 * where that differs. Returns the proxied session.
 */
export async function compare(name, directory, options) {
    const logs = path.join(directory, `logs-${name.replace(/\W+/g, '-')}`);
    const recorder = [
        path.resolve(process.env.STRETTO_PROXY),
        '--record', logs, '--domain', 'peers', '--agent-model', 'none', '--',
    ];

    options.reset?.();
    const direct = await runSession({ ...options, command: options.server });
    options.reset?.();
    const proxied = await runSession({ ...options, command: [...recorder, ...options.server] });

    await test(`${name}: neither session has transport errors`, () => {
        checkEqual(direct.transportErrors, [], 'direct');
        checkEqual(proxied.transportErrors, [], 'proxied');
    });
    await test(`${name}: the client sees the same with and without the proxy`, () =>
        checkEqual(proxied.transcript, direct.transcript, 'transcript'));
    await test(`${name}: the exit status is the server's`, () =>
        checkEqual(proxied.exit, direct.exit, 'exit'));
    await test(`${name}: stderr has one line more, the first`, () => {
        const [first, ...rest] = proxied.stderr.split(/(?<=\n)/);
        check(/^stretto-proxy: recording to .*\.jsonl\n$/.test(first), `first line: ${first}`);
        checkEqual(normalizeText(rest.join('')), normalizeText(direct.stderr), 'stderr');
    });
    for (const [what, body] of checkLog(logs, proxied, options.shownServer ?? options.server))
        await test(`${name}: ${what}`, body);
    return proxied;
}
