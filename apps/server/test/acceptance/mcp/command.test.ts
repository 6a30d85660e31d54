// These tests use `postshelf mcp` through the SDK's own client over standard input and output, with a real service.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outcomeOf, thrownBy } from '@postshelf/testing/outcomes';
import { testsThatNeed } from '@postshelf/testing/programs';
import { makeProfile } from '../posts/support/posts.ts';
import { jpeg, mp4, png } from '../support/fixtures.ts';
import { at, stringAt } from '../support/reply.ts';
import { linesOf } from '../support/run.ts';
import { command, removeFolder, type Settings, scratchFolder } from '../support/server.ts';
import { within } from '../support/until.ts';
import { World } from '../support/world.ts';
import { Assistant, TOOLS } from './support/assistant.ts';

const workspace = '{workspace}';

let world: World;
/** This folder contains `shared`, the folder that the command may read. */
let home: string;
let shared: string;
let assistant: Assistant;

beforeAll(async () => {
  world = await World.open();
  home = scratchFolder();
  shared = join(home, 'shared');
  mkdirSync(join(shared, 'summer'), { recursive: true });
  mkdirSync(join(home, 'private'));
  writeFileSync(join(home, 'private/secret.png'), png());
  writeFileSync(join(shared, 'beach.jpg'), jpeg());
  writeFileSync(join(shared, 'summer/sea.png'), png());
  writeFileSync(join(shared, 'notes.txt'), 'no picture');
  assistant = await Assistant.byCommand(world, shared);
});

afterAll(async () => {
  await assistant.close();
  removeFolder(home);
  await world.close();
});

test('postshelf mcp offers the tools of the service, and a tool that uploads files', async () => {
  const tools = await assistant.tools();
  expect(tools.map(({ name }) => name).sort()).toEqual([...TOOLS, 'media_upload'].sort());
  expect(tools.find(({ name }) => name === 'media_upload')).toMatchObject({
    inputSchema: {
      properties: {
        path: { type: 'string' },
        workspace: { type: 'string' },
        label: {},
        folder_id: {},
        on_duplicate: {},
      },
      required: ['workspace', 'path'],
    },
    outputSchema: { properties: { data: { type: 'object' } } },
    annotations: { readOnlyHint: false, destructiveHint: false },
  });
  expect(assistant.client.getServerVersion()).toMatchObject({ name: 'postshelf' });
  expect(assistant.client.getInstructions()).toContain('me_get');
});

test('postshelf mcp passes on calls, refusals, errors and resources', async () => {
  expect(await assistant.call('me_get')).toMatchObject({ data: { workspaces: [{ id: world.ids.workspace }] } });
  const wrong = { workspace, profile: 'x', published_at: 'yesterday' };
  const { json } = await world.call('POST /workspaces/{workspace}/posts', { json: wrong });
  expect(await assistant.refused('posts_create', wrong)).toEqual(json as { message: string });
  expect(await thrownBy(assistant.client.callTool({ name: 'tokens_create' }))).toMatchObject({
    code: -32602,
    message: 'MCP error -32602: Unknown tool: tokens_create',
  });
  const { id } = at(await assistant.call('media_upload', { workspace, path: 'beach.jpg' }), 'data') as { id: string };
  const { resources } = await assistant.client.listResources();
  expect(resources).toContainEqual(expect.objectContaining({ uri: `postshelf://media/${id}`, name: 'beach.jpg' }));
  expect((await assistant.client.listResourceTemplates()).resourceTemplates).toHaveLength(1);
  const { contents } = await assistant.client.readResource({ uri: `postshelf://media/${id}` });
  expect(JSON.parse(stringAt(contents, 0, 'text'))).toMatchObject({ id });
  const uri = 'postshelf://media/none';
  expect(await thrownBy(assistant.client.readResource({ uri }))).toMatchObject({ code: -32002 });
});

describe('media_upload', () => {
  const uploaded = async (path: string, more: object = {}): Promise<unknown> =>
    at(await assistant.call('media_upload', { workspace, path, ...more }), 'data');
  const refused = (path: string): Promise<string> => assistant.refusedText('media_upload', { workspace, path });

  test('uploads a file of the folder with a label, a folder and on_duplicate', async () => {
    const folder = await world.folder('Summer');
    const item = await uploaded('summer/sea.png', { label: 'The sea', folder_id: folder });
    expect(item).toMatchObject({ name: 'sea.png', label: 'The sea', folder_id: folder, status: 'active' });
    const served = await fetch(stringAt(item, 'link'));
    expect(Buffer.from(await served.arrayBuffer()).equals(Buffer.from(png()))).toBe(true);
    const again = await uploaded(join(shared, 'summer/sea.png'), { on_duplicate: 'return' });
    expect(at(again, 'id')).toBe(at(item, 'id'));
    expect(await uploaded('./beach.jpg')).toMatchObject({ name: 'beach.jpg' });
  });

  test('uploads a video in several pieces', async () => {
    const video = Buffer.from(mp4());
    // A `free` box, which players skip (ISO/IEC 14496-12, section 8.1.2).
    const free = Buffer.alloc(20 * 1024 * 1024);
    free.writeUInt32BE(free.length, 0);
    free.write('free', 4);
    writeFileSync(join(shared, 'film.mp4'), Buffer.concat([video, free]));
    expect(await uploaded('film.mp4')).toMatchObject({ status: 'active', size: video.length + free.length });
  });

  test('reports its progress to a client that asks for it', async () => {
    const reports: unknown[] = [];
    const asked = { workspace: world.ids.workspace, path: 'film.mp4' };
    await assistant.client.callTool({ name: 'media_upload', arguments: asked }, undefined, {
      onprogress: ({ progress, total }) => void reports.push([progress, total]),
    });
    const size = statSync(join(shared, 'film.mp4')).size;
    const piece = 8 * 1024 * 1024;
    expect(reports).toEqual([piece, 2 * piece, size].map((sent) => [sent, size]));
  });

  test('is refused like any other upload, and leaves nothing', async () => {
    const text = JSON.parse(await refused('notes.txt'));
    expect(text).toMatchObject({ message: expect.any(String), errors: expect.any(Object) });
    const elsewhere = { workspace: '{foreign}', path: 'beach.jpg' };
    expect(await assistant.refused('media_upload', elsewhere)).toEqual({ message: 'Not found.' });
    const wrong = { workspace, path: 'beach.jpg', folder_id: crypto.randomUUID() };
    expect(await assistant.refused('media_upload', wrong)).toMatchObject({
      errors: { folder_id: [expect.any(String)] },
    });
    writeFileSync(join(shared, 'empty.png'), '');
    expect(JSON.parse(await refused('empty.png'))).toMatchObject({ message: expect.any(String) });
    const { uploads } = await world.command(['gc', '--older-than', '0s']);
    expect(uploads).toBe(0);
  });

  test('requires a path', async () => {
    expect(await assistant.refusedText('media_upload', { workspace })).toContain('path');
  });

  test('reads no file outside the folder', async () => {
    symlinkSync(join(home, 'private/secret.png'), join(shared, 'link.png'));
    symlinkSync(join(home, 'private'), join(shared, 'linked'));
    symlinkSync('beach.jpg', join(shared, 'inside.jpg'));
    symlinkSync(join(home, 'private'), join(shared, 'summer/deeper'));
    const paths = [
      ...[
        '../private/secret.png',
        'summer/../../private/secret.png',
        'summer/../beach.jpg',
        'summer//sea.png',
        '..',
        '.',
        '',
        '/',
      ],
      ...[
        join(home, 'private/secret.png'),
        `${shared}/../private/secret.png`,
        `${shared}/summer/../beach.jpg`,
        `${shared}-other/beach.jpg`,
      ],
      ...['link.png', 'linked/secret.png', 'inside.jpg', 'summer/deeper/secret.png'],
      ...[
        '/etc/passwd',
        '/proc/self/environ',
        '~/secret.png',
        'beach.jpg/',
        'beach.jpg/.',
        'summer',
        'beach.jpg\0.png',
        `${'x'.repeat(300)}.png`,
      ],
    ];
    for (const path of paths) {
      const text = await refused(path);
      expect({ path, text }).toEqual({ path, text: expect.stringMatching(/not a file below|There is no file/) });
    }
    expect(await world.call('GET /workspaces/{workspace}/media_contents?search=secret')).toMatchObject({
      json: { data: [] },
    });
  });

  test('refuses a pipe without waiting for it, and a missing file', async () => {
    Bun.spawnSync(['mkfifo', join(shared, 'pipe.png')]);
    expect(await within('the refusal', refused('pipe.png'))).toContain('not a file below');
    expect(await refused('none.png')).toContain('There is no file none.png');
  });

  test('does not follow a symbolic link that replaces a folder during the upload', async () => {
    const place = join(shared, 'turning');
    const turn = (() => {
      let isOn = true;
      const turning = (async () => {
        while (isOn) {
          rmSync(place, { recursive: true, force: true });
          mkdirSync(place);
          writeFileSync(join(place, 'secret.png'), jpeg());
          await Bun.sleep(1);
          rmSync(place, { recursive: true, force: true });
          symlinkSync(join(home, 'private'), place);
          await Bun.sleep(1);
        }
      })();
      return async () => {
        isOn = false;
        await turning;
      };
    })();
    const secret = png().length;
    for (let times = 0; times < 50; times++) {
      const result = await assistant.client.callTool({
        name: 'media_upload',
        arguments: { workspace: world.ids.workspace, path: 'turning/secret.png' },
      });
      expect(at(result, 'structuredContent', 'data', 'size')).not.toBe(secret);
    }
    await turn();
  });
});

describe('postshelf mcp', () => {
  const run = (args: readonly string[], env: Settings) => command(['mcp', ...args], env, world.server.program);
  const settings = () => ({ POSTSHELF_URL: world.server.url, POSTSHELF_TOKEN: String(world.tokens.all) });

  test.each([
    ['without a token', {}, /^postshelf: POSTSHELF_TOKEN: is missing/],
    ['with an invalid token', { POSTSHELF_TOKEN: 'a b' }, /^postshelf: POSTSHELF_TOKEN: is not a token/],
    [
      'with an invalid POSTSHELF_URL',
      { POSTSHELF_TOKEN: 'a.b.c', POSTSHELF_URL: 'x' },
      /^postshelf: POSTSHELF_URL: must be/,
    ],
    ['with a missing token file', { POSTSHELF_TOKEN_FILE: '/none' }, /^postshelf: POSTSHELF_TOKEN_FILE: can't be read/],
    [
      'with a token that the service refuses',
      { POSTSHELF_TOKEN: 'a.b.c' },
      /the token of POSTSHELF_TOKEN is refused$/m,
    ],
    [
      'with an unreachable service',
      { POSTSHELF_TOKEN: 'a.b.c', POSTSHELF_URL: 'http://127.0.0.1:1' },
      /^postshelf: http:\/\/127/,
    ],
  ])('fails with one line %s', async (_, env, line) => {
    const result = await run(['--dir', shared], { POSTSHELF_URL: world.server.url, ...env });
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(linesOf(result.stderr)).toHaveLength(1);
    expect(result.stderr).toMatch(line);
    expect(result.stderr).not.toContain(String(world.tokens.all));
  });

  test('requires an existing folder', async () => {
    expect(await run([], settings())).toMatchObject({ code: 2, stdout: '' });
    expect(await run(['--dir', join(home, 'none')], settings())).toMatchObject({ code: 1, stdout: '' });
    const notFolder = await run(['--dir', join(shared, 'beach.jpg')], settings());
    expect(notFolder).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('--dir') });
  });

  test('reads the token from a file, and ends when its input ends', async () => {
    const file = join(home, 'token');
    writeFileSync(file, `${world.tokens.all}\n`);
    // The standard input of the command is empty, so the command ends immediately.
    const env = { POSTSHELF_URL: `${world.server.url}/`, POSTSHELF_TOKEN_FILE: file };
    expect(await within('its end', run(['--dir', shared], env))).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('reports that the service is unreachable, and continues once it is back', async () => {
    const other = await World.openAlone();
    const local = await Assistant.byCommand(other, shared);
    await other.server.end();
    for (const [tool, input] of [
      ['me_get', {}],
      ['media_upload', { workspace, path: 'beach.jpg' }],
    ] as const)
      expect(await local.refusedText(tool, input)).toStartWith(`${other.server.url}: `);
    expect(await outcomeOf(local.client.listTools())).toThrow(other.server.url);
    await other.restart();
    expect(await local.call('media_upload', { workspace, path: 'beach.jpg' })).toMatchObject({
      data: { status: 'active' },
    });
    await local.close();
    await other.close();
  });

  test('reports that its token is refused once it is revoked', async () => {
    const id = await world.token('short', workspace);
    const local = await Assistant.byCommand(world, shared, { POSTSHELF_TOKEN: String(world.tokens.short) });
    await world.command(['token', 'revoke', id]);
    expect(await local.refusedText('me_get')).toContain('the token of POSTSHELF_TOKEN is refused');
    expect(await local.refused('media_upload', { workspace, path: 'beach.jpg' })).toEqual({
      message: 'Unauthenticated.',
    });
    await local.close();
  });
});

const whole = testsThatNeed(['ffmpeg'], 'fitted files');

whole.test('an assistant uploads an image, fits it to a network, and plans a post at a suggested time', async () => {
  await makeProfile(world, 'Beach club');
  const me = await assistant.call('me_get');
  const own = { workspace: stringAt(me, 'data', 'workspaces', 0, 'id') };
  const uploaded = await assistant.call('media_upload', { ...own, path: 'beach.jpg', label: 'Beach' });
  const source = stringAt(uploaded, 'data', 'id');
  const target = 'instagram.feed';
  expect(await assistant.call('readiness_item', { id: source, targets: target })).toMatchObject({
    data: [{ target, verdict: 'warning' }],
  });
  const fitted = await assistant.call('media_fit', { id: source, target });
  const id = stringAt(fitted, 'data', 0, 'id');
  expect(await assistant.active(id)).toMatchObject({ name: 'beach-instagram-feed.jpg' });
  expect(await assistant.call('readiness_item', { id, targets: target })).toMatchObject({
    data: [{ verdict: 'ready' }],
  });
  const profile = stringAt(await assistant.call('profiles_list', own), 'data', 0, 'id');
  const slots = await assistant.call('analytics_slots', { profile, count: 1 });
  const published_at = stringAt(slots, 'data', 0, 'at');
  const planned = await assistant.call('posts_create', {
    ...own,
    profile,
    published_at,
    media_content_ids: [id],
    text: 'Sun!',
  });
  expect(planned).toMatchObject({ data: { media_content_ids: [id], text: 'Sun!' } });
  expect(Date.parse(stringAt(planned, 'data', 'published_at'))).toBe(Date.parse(published_at));
  expect(Date.parse(published_at)).toBeGreaterThan(Date.now());
});
