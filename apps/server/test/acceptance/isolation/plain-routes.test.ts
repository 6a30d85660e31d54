import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { Origin } from '../imports/support/origin.ts';
import { confirmed, type Issued, issue, readIssued } from '../presign/support/uploads.ts';
import * as fixtures from '../support/fixtures.ts';
import { arrayAt, at, makeReply, type Reply, stringAt } from '../support/reply.ts';
import { onDisk } from '../support/storage.ts';
import { World } from '../support/world.ts';
import { fillWorkspace, MARK, type OwnedIds, withoutRetries } from './support/resources.ts';
import { expectAlike, unusedId } from './support/scene.ts';
import { expectUnchanged, stateOf } from './support/state.ts';
import { addressOf, signedOf } from './support/upload-signature.ts';

let world: World;
let origin: Origin;
let theirs: OwnedIds;
/** An unused upload URL of the owner, and one of the intruder. */
let waiting: Issued;
let intruders: Issued;

const bytes = fixtures.jpeg();

beforeAll(async () => {
  [world, origin] = await Promise.all([
    World.open({ ...withoutRetries, ...onDisk }, ['--system-folder', `${MARK} brand`]),
    Origin.open(),
  ]);
  theirs = await fillWorkspace(world, origin);
  waiting = await issue(world, bytes);
  const files = [{ name: 'beach.jpg', size: bytes.length, mime: 'image/jpeg' }];
  const path = 'POST /workspaces/{foreign}/media_contents/presign';
  const reply = await world.call(path, { token: 'foreign', json: { files } });
  intruders = readIssued(at(arrayAt(reply.json, 'data'), 0));
});

afterAll(async () => {
  origin.close();
  await world.close();
});

async function send(method: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  const init: RequestInit & { keepalive: boolean } = { method, headers, keepalive: false, redirect: 'manual' };
  if (method === 'PUT' || method === 'POST') init.body = Buffer.from(bytes);
  const response = await fetch(`${world.server.url}${path}`, init);
  return makeReply(response.status, response.headers, new Uint8Array(await response.arrayBuffer()));
}

const state = () => stateOf(world, [String(world.ids.workspace)]);
const mediaIds = () => [...Object.values(theirs.media), waiting.id, unusedId(waiting.id)];

describe('an upload URL', () => {
  const later = { expires: '4102444800' };
  const past = { expires: '1700000000' };
  const headers = { 'content-type': 'image/jpeg' };

  test('can be reproduced by the signer that these tests use for forgeries', () => {
    expect(addressOf(signedOf(waiting))).toBe(waiting.url.slice(world.server.url.length));
  });

  test('that is forged, expired or of another item returns the same 403 for every item', async () => {
    const before = await state();
    const replies: Reply[] = [];
    const attempt = async (path: string) => replies.push(await send('PUT', path, headers));
    for (const id of mediaIds()) {
      const signed = { ...signedOf(waiting), id };
      const { search } = new URL(intruders.url);
      await attempt(`/uploads/${id}`);
      await attempt(`/uploads/${id}${search}`);
      await attempt(`/uploads/${id}${search.replace(/signature=[^&]*/, 'signature=')}`);
      await attempt(addressOf(signed, 'not-the-secret-of-this-server-0123456789'));
      await attempt(addressOf({ ...signed, ...later }, ''));
      // This address has a valid signature, but expired long ago.
      await attempt(addressOf({ ...signed, ...past }));
      if (id !== waiting.id) await attempt(`/uploads/${id}${new URL(waiting.url).search}`);
    }
    expect(replies.length).toBeGreaterThan(60);
    expect(replies[0]?.status).toBe(403);
    expectAlike(replies);
    expectUnchanged(before, await state());
  });

  test('with a valid signature for an item that is not temporary returns the same as a forged one', async () => {
    const before = await state();
    const forged = await send('PUT', `/uploads/${unusedId(waiting.id)}`, headers);
    const waits = [theirs.media.temporary, theirs.media.uploaded, waiting.id];
    const ids = mediaIds().filter((id) => !waits.includes(id));
    expect(ids.length).toBeGreaterThan(5);
    const replies = [];
    for (const id of ids) replies.push(await send('PUT', addressOf({ ...signedOf(waiting), id }), headers));
    expectAlike([forged, ...replies]);
    expectUnchanged(before, await state());
  });

  test('returns the same 405 for every item with other methods', async () => {
    for (const method of ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']) {
      const replies = [];
      for (const id of mediaIds()) replies.push(await send(method, `/uploads/${id}`));
      expect(replies[0]?.status).toBe(405);
      expectAlike(replies);
    }
  });

  test('still accepts its file after these attacks', async () => {
    expect((await send('PUT', waiting.url.slice(world.server.url.length), headers)).status).toBe(200);
    expect((await confirmed(world, waiting)).size).toBe(bytes.length);
  });
});

// Anyone with a link can read its file (docs/api.md, "Files"). Guessing links must not reveal which items exist.
describe('the link of a file', () => {
  const requests: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
    ['GET', 'GET', {}],
    ['GET with Range', 'GET', { range: 'bytes=0-0' }],
    ['GET with If-None-Match', 'GET', { 'if-none-match': '*' }],
    ['HEAD', 'HEAD', {}],
    ['DELETE', 'DELETE', {}],
    ['OPTIONS', 'OPTIONS', {}],
  ];

  test.each(requests)(
    'returns the same response if it is wrong, and if its item is inactive or unknown: %s',
    async (_, method, headers) => {
      const { active, deleted, ...others } = theirs.media;
      const hidden = [others.processing, others.failed, others.temporary, others.uploaded];
      const names = await Promise.all(hidden.map(async (id) => fullName(String(id))));
      const [workspace = '', id = '', name = ''] = (await fullName(String(active))).split('/');
      const paths = [
        ...names,
        `${workspace}/${deleted}/beach.jpg`,
        `${world.ids.foreign}/${id}/${name}`,
        `${unusedId(workspace)}/${id}/${name}`,
        `${workspace}/${id}/${name}x`,
        `${workspace}/${id}/`,
        `${workspace}/${id}`,
        `${workspace}/`,
        workspace,
        `${workspace}/${unusedId(id)}/${name}`,
      ];
      const nothing = await send(method, `/files/${unusedId(workspace)}/${unusedId(id)}/${name}`, headers);
      expect(nothing.status).toBeWithin(400, 500);
      for (const path of paths) expectAlike([nothing, await send(method, `/files/${path}`, headers)], path);
    },
  );

  test('serves the file of an active item', async () => {
    expect((await send('GET', `/files/${await fullName(String(theirs.media.active))}`)).status).toBe(200);
  });

  async function fullName(id: string): Promise<string> {
    // Reads the list, because reading a single item could confirm its upload.
    const reply = await world.call('GET /workspaces/{workspace}/media_contents?per_page=100');
    return stringAt(
      arrayAt(reply.json, 'data').find((item) => at(item, 'id') === id),
      'full_name',
    );
  }
});
