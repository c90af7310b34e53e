/*
 * What both host scripts share. The conformance suite starts a host with the URL of a scenario's
 * server as its last argument; the host speaks MCP over stdio with `stretto-proxy --upstream URL`.
 *
 * STRETTO_PROXY names the proxy and STRETTO_CONFORMANCE the folder whose node_modules holds the
 * SDKs. MCP_CONFORMANCE_SCENARIO, set by the suite, is the scenario. A host that has seen all that
 * it must see prints `done`; tools/conformance asks for that line, since the suite looks at the
 * server's side only, and not always at the host's exit status.
 */
import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';

export const require = createRequire(
    path.join(path.resolve(process.env.STRETTO_CONFORMANCE), 'host.js'));

const url = process.argv.at(-1);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO;

export function check(condition, what) {
    if (!condition)
        throw new Error(what);
}

export function checkEqual(is, shouldBe, what) {
    check(isDeepStrictEqual(is, shouldBe),
        `${what} is ${JSON.stringify(is)}, not ${JSON.stringify(shouldBe)}`);
}

/* The text of a tool's result that is one text and no error. */
export function textOf(result) {
    check(!result.isError && result.content?.length === 1 && result.content[0].type === 'text',
        `a result of one text is expected, not ${JSON.stringify(result)}`);
    return result.content[0].text;
}

/* What a host of either revision does in the scenarios that exist in both. */
export const bothRevisions = {
    async tools_call(client) {
        const { tools } = await client.listTools();
        checkEqual(tools.map(tool => tool.name), ['add_numbers'], 'the tool list');
        const result = await client.callTool({ name: 'add_numbers', arguments: { a: 5, b: 3 } });
        checkEqual(textOf(result), 'The sum of 5 and 3 is 8', 'the answer');
    },
};

/*
 * Connects `client` through the proxy, plays the scenario, ends the session and the process. The
 * proxy must end by itself, with status 0, once its input has ended.
 */
export async function run(client, StdioClientTransport, scenarios) {
    check(Object.hasOwn(scenarios, scenario), `no such scenario here: ${scenario}`);
    const transport = new StdioClientTransport({
        command: path.resolve(process.env.STRETTO_PROXY),
        args: ['--upstream', url],
        env: { ...process.env },
        stderr: 'inherit',
    });
    transport.onerror = error => console.error(`transport: ${error}`);
    await client.connect(transport);
    const ended = once(transport._process, 'close');
    await scenarios[scenario](client);
    await client.close();
    checkEqual(await ended, [0, null], "the proxy's exit status and signal");
    console.log('done');
}
