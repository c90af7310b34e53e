/* @modelcontextprotocol/server-filesystem with and without the proxy. */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { check, compare, main, test, types } from './peers.mjs';

const server = path.join(
    process.env.STRETTO_PEERS,
    'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');

const tinyPicture = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64');

/* Both runs find the same files under the same names. */
function resetFiles(files, other) {
    for (const directory of [files, other]) {
        fs.rmSync(directory, { recursive: true, force: true });
        fs.mkdirSync(path.join(directory, 'sub/deeper'), { recursive: true });
    }
    fs.writeFileSync(path.join(files, 'a.txt'), 'one\ntwo\nthree\nfour\n');
    fs.writeFileSync(path.join(files, 'crlf.txt'), 'one\r\ntwo\r\n\r\n');
    fs.writeFileSync(path.join(files, 'ünïcode ☕.txt'), 'smörgås 💡\u2028\u0000\n');
    fs.writeFileSync(path.join(files, 'not-utf8.bin'), Buffer.from([0xff, 0xfe, 0x0a, 0xc0, 0xaf]));
    fs.writeFileSync(path.join(files, 'picture.png'), tinyPicture);
    fs.writeFileSync(path.join(files, 'sub/b.json'), '{"b": [1, 2.50, 1e3]}\n');
    fs.writeFileSync(path.join(files, 'sub/deeper/c.txt'), '');
    fs.writeFileSync(path.join(other, 'other.txt'), 'the other root\n');
}

async function reading(peer, files) {
    const at = name => ({ path: path.join(files, name) });
    await peer.call('read_file', at('a.txt'));
    await peer.call('read_text_file', { ...at('a.txt'), head: 2 });
    await peer.call('read_text_file', { ...at('a.txt'), tail: 2 });
    await peer.call('read_text_file', { ...at('a.txt'), head: 1, tail: 1 });
    await peer.call('read_text_file', at('crlf.txt'));
    await peer.call('read_text_file', at('ünïcode ☕.txt'));
    await peer.call('read_text_file', at('not-utf8.bin'));
    await peer.call('read_text_file', at('sub/deeper/c.txt'));
    await peer.call('read_media_file', at('picture.png'));
    await peer.call('read_media_file', at('not-utf8.bin'));
    await peer.call('read_multiple_files', {
        paths: ['a.txt', 'missing.txt', 'sub/b.json'].map(name => path.join(files, name)),
    });
    await peer.call('list_directory', at(''));
    await peer.call('list_directory_with_sizes', { ...at(''), sortBy: 'name' });
    await peer.call('directory_tree', at(''));
    await peer.call('search_files', { ...at(''), pattern: '**/*.txt' });
    await peer.call('get_file_info', at('a.txt'));
    await peer.call('list_allowed_directories', {});
}

async function writing(peer, files) {
    const at = name => ({ path: path.join(files, name) });
    const text = 'first line\nsecond "line"\n\tthird \\ line\r\nfourth é ☕ 💡\n';
    const edits = [{ oldText: 'second "line"', newText: 'another line' }];
    await peer.call('write_file', { ...at('new.txt'), content: text });
    await peer.call('edit_file', { ...at('new.txt'), edits, dryRun: true });
    await peer.call('edit_file', { ...at('new.txt'), edits });
    await peer.call('read_text_file', at('new.txt'));
    await peer.call('create_directory', at('made/in/one/go'));
    await peer.call('move_file', {
        source: path.join(files, 'new.txt'),
        destination: path.join(files, 'made/moved.txt'),
    });
    await peer.call('list_directory', at('made'));
}

async function errors(peer, files) {
    await peer.call('read_text_file', { path: '/etc/hostname' });
    await peer.call('read_text_file', { path: path.join(files, '../outside.txt') });
    await peer.call('read_text_file', { path: path.join(files, 'missing.txt') });
    await peer.call('read_text_file', {});
    await peer.call('edit_file', {
        path: path.join(files, 'a.txt'),
        edits: [{ oldText: 'not there', newText: '' }],
    });
    await peer.call('no_such_tool', {});
}

async function manyAndBig(peer, files) {
    const { client } = peer;
    const call = (name, args) => client.callTool({ name, arguments: args });
    const big = 'a line of some length: é ☕ 💡 "\\\n'.repeat(60000);
    const file = path.join(files, 'big.txt');
    await peer.call('write_file', { path: file, content: big });
    let answer;
    await peer.step('read the big file', async () => {
        answer = await call('read_text_file', { path: file });
        return answer.content[0].text.length;
    });
    check(answer.content[0].text === big, 'the big file was read as it was written');
    await peer.step('100 writes at once', () =>
        Promise.all(Array.from({ length: 100 }, (_, i) =>
            call('write_file', { path: path.join(files, `many-${i}`), content: `${i}\n`.repeat(i) }))));
    await peer.step('100 reads at once', () =>
        Promise.all(Array.from({ length: 100 }, (_, i) =>
            call('read_text_file', { path: path.join(files, `many-${i}`) }))));
}

await main(async directory => {
    const files = path.join(directory, 'files');
    const other = path.join(directory, 'other root');
    const isAllowedAsk = message => message.method === 'roots/list';
    let roots;

    const session = await compare('filesystem', directory, {
        server: [process.execPath, server, files],
        env: { TZ: 'UTC', LC_ALL: 'C.UTF-8' },
        reset: () => {
            resetFiles(files, other);
            roots = [files];
        },
        capabilities: { roots: { listChanged: true } },
        prepare: client => client.setRequestHandler(types.ListRootsRequestSchema, () => ({
            roots: roots.map(root => ({ uri: pathToFileURL(root).href, name: 'a root' })),
        })),
        scenario: async peer => {
            const { client } = peer;
            await peer.waitFor('the roots were asked for', isAllowedAsk);
            await peer.step('tools/list', () => client.listTools());
            await reading(peer, files);
            await writing(peer, files);
            await errors(peer, files);
            await manyAndBig(peer, files);
            roots = [other];
            const before = peer.received.length;
            await peer.step('roots changed', () => client.sendRootsListChanged());
            await peer.waitFor('the roots were asked for again', message =>
                isAllowedAsk(message) && peer.received.indexOf(message) >= before);
            /* The server takes the new roots up some time after it has them. */
            await peer.step('ping', () => client.ping());
        },
    });
    await test('filesystem: the session did what it was meant to', () => {
        const { steps, byMethod } = session.transcript;
        const isErrorResult = step => step.error || step.result?.isError;
        const failed = steps.filter(isErrorResult).map(step => step.name);
        check(failed.length === 7, `these steps failed: ${failed.join(', ')}`);
        check(byMethod['roots/list'].length === 2, 'the roots were asked for twice');
        check(fs.readFileSync(path.join(files, 'made/moved.txt'), 'utf8').includes('another line'),
            'the file was edited and moved');
    });
});
