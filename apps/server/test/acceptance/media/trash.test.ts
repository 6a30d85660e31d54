import { afterAll, beforeAll, expect, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { arrayAt, at, type Reply, stringAt } from '../support/reply.ts';
import { idsOf, type MediaItem } from '../support/shapes.ts';
import { until } from '../support/until.ts';
import { type CallOptions, World } from '../support/world.ts';

const MEDIA = '/workspaces/{workspace}/media_contents';
const TRASH = '/workspaces/{workspace}/trash';

let world: World;

beforeAll(async () => {
  world = await World.open();
});

afterAll(() => world.close());

const expectStatus = ({ status }: Reply, expected: number): void => expect(status).toBe(expected);

const store = (name: string): Promise<MediaItem> => world.storeOne(file(name, fixtures.png()));
const trashed = async (query = ''): Promise<string[]> => idsOf(await world.call(`GET ${TRASH}?per_page=100${query}`));
const destroyed = () => world.database.column('select full_name from deletions');
const usage = async () => at((await world.call('GET /workspaces/{workspace}/usage')).json, 'data');
const remove = async (id: string): Promise<void> => expectStatus(await world.call(`DELETE /media_contents/${id}`), 204);

const KEPT = ['id', 'name', 'full_name', 'label', 'link', 'folder_id', 'tags', 'sha256', 'created_at', 'created_by'];
const shown = (item: unknown) => Object.fromEntries(KEPT.map((name) => [name, at(item, name)]));

test('a deleted item disappears immediately, and is restored unchanged', async () => {
  const folder = await world.folder('Summer');
  const { id } = await store('boat.png');
  await world.call(`PATCH /media_contents/${id}`, { json: { tags: ['Sea'], label: 'Quay', folder_id: folder } });
  const show = () => world.call(`GET /media_contents/${id}?include=details`);
  const { json: before } = await show();
  const link = stringAt(before, 'data', 'link');
  const bytes = await (await fetch(link)).bytes();
  await remove(id);
  for (const send of [`GET /media_contents/${id}`, `DELETE /media_contents/${id}`, `PATCH /media_contents/${id}`])
    expect((await world.call(send)).status).toBe(404);
  expect((await fetch(link)).status).toBe(404);
  expect(idsOf(await world.call(`GET ${MEDIA}?per_page=100`))).not.toContain(id);
  expect(await trashed()).toEqual([id]);
  expect(await trashed('&search=sea%20quay')).toEqual([id]);
  expect(await trashed('&search=land')).toEqual([]);
  const [listed] = at((await world.call(`GET ${TRASH}`)).json, 'data') as readonly Record<string, unknown>[];
  expect(listed).toMatchObject({ id, name: 'boat.png', link, folder_id: folder });
  expect(Math.abs(Date.parse(String(listed?.deleted_at)) - Date.now())).toBeLessThan(60_000);
  expect(await usage()).toMatchObject({ items: 0, bytes: 0, trash_items: 1, trash_bytes: bytes.length });
  const key = { headers: { 'idempotency-key': 'undo' } };
  const restored = await world.call(`POST /trash/${id}/restore`, key);
  expect(restored.status).toBe(200);
  expect((await world.call(`POST /trash/${id}/restore`, key)).text).toBe(restored.text);
  expect((await world.call(`POST /trash/${id}/restore`)).status).toBe(404);
  const after = (await show()).json;
  expect(shown(at(after, 'data'))).toEqual(shown(at(before, 'data')));
  expect(await (await fetch(link)).bytes()).toEqual(bytes);
  expect(await usage()).toMatchObject({ items: 1, trash_items: 0, trash_bytes: 0 });
  await world.call(`DELETE /media_contents/${id}`);
  await world.call(`DELETE /media_library/folders/${folder}`);
  expect(at((await world.call(`POST /trash/${id}/restore`)).json, 'data', 'folder_id')).toBeNull();
  await remove(id);
  expectStatus(await world.call(`DELETE /trash/${id}`), 204);
  expectStatus(await world.call(`DELETE /trash/${id}`), 404);
  expect(await destroyed()).toContain(stringAt(before, 'data', 'full_name'));
});

test('the preview of a deleted item is shown only to callers who may see the trash', async () => {
  const { id } = await store('seen.png');
  const preview = (options: CallOptions = {}) => world.call(`GET /trash/${id}/preview`, options);
  await world.token('media', '{workspace}', ['--scope', 'media:read']);
  await world.token('folders', '{workspace}', ['--scope', 'folders:read']);
  expectStatus(await preview(), 404);
  await remove(id);
  const shownTo = await preview({ token: 'media' });
  expectStatus(shownTo, 200);
  expect([...shownTo.bytes.subarray(8, 12)]).toEqual([...Buffer.from('WEBP')]);
  const { origin } = new URL(world.server.url);
  const signedIn = await world.call('POST /sessions', {
    token: null,
    headers: { origin },
    json: { token: world.tokens.media },
  });
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const inBrowser = await preview({ token: null, headers: { cookie } });
  for (const { headers } of [shownTo, inBrowser]) {
    expect(headers.get('cache-control')).toBe('private, max-age=600');
    expect(headers.get('vary')).toContain('Cookie');
  }
  for (const [token, status] of [
    [null, 401],
    ['folders', 403],
    ['foreign', 404],
  ] as const)
    expectStatus(await preview({ token }), status);
  const { json } = await world.call(`GET ${TRASH}`);
  const link = `${world.server.url}/previews/${world.ids.workspace}/${id}/32.webp`;
  expect(idsOf(await world.call(`GET ${TRASH}`))).toContain(id);
  expect(stringAt(json, 'data', 0, 'link')).toContain(id);
  expect((await fetch(link)).status).toBe(404);
  expectStatus(await world.call(`DELETE /trash/${id}`), 204);
  expectStatus(await preview(), 404);
});

test('200 items are unchanged after they are deleted and restored concurrently, despite kills', async () => {
  const parts = Array.from({ length: 10 }, (_, index) => file(`photo ${index}.png`, fixtures.png()));
  for (let round = 0; round < 20; round += 1) await world.store(...parts);
  const everything = async () => {
    const pages = await Promise.all(
      [1, 2].map((page) => world.call(`GET ${MEDIA}?per_page=100&sort=created_at&include=details&page=${page}`)),
    );
    return pages.flatMap(({ json }) => arrayAt(json, 'data').map((item) => shown(item)));
  };
  const ids = (await everything()).map(({ id }) => String(id));
  const tag = { ids, action: 'tag', tags: ['Kept'] };
  expectStatus(await world.call(`POST ${MEDIA}/batch`, { json: tag }), 200);
  const before = await everything();
  expect(before).toHaveLength(200);
  /** Runs `work` for all items concurrently, kills the server after the given number of responses, and restarts it. */
  const killedAfter = async (answers: number, work: (id: string) => Promise<unknown>): Promise<void> => {
    let count = 0;
    const enough = Promise.withResolvers<void>();
    const all = ids.map((id) =>
      work(id).then(
        () => ++count === answers && enough.resolve(),
        () => undefined,
      ),
    );
    await enough.promise;
    await world.server.end('SIGKILL');
    await Promise.all(all);
    await world.restart();
  };
  const live = async () => (await everything()).map(({ id }) => String(id));
  await killedAfter(40, (id) => remove(id));
  const [there, gone] = [await live(), [...(await trashed()), ...(await trashed('&page=2'))]];
  expect([...there, ...gone].sort()).toEqual([...ids].sort());
  const batch = { ids, action: 'delete' };
  expectStatus(await world.call(`POST ${MEDIA}/batch`, { json: batch }), 200);
  expect(await live()).toEqual([]);
  await killedAfter(40, async (id) => expectStatus(await world.call(`POST /trash/${id}/restore`), 200));
  await Promise.all(ids.map((id) => world.call(`POST /trash/${id}/restore`)));
  expect(await everything()).toEqual(before);
  expect(await trashed()).toEqual([]);
  const lengths = await Promise.all(before.map(async ({ link }) => (await (await fetch(String(link))).bytes()).length));
  expect(new Set(lengths)).toEqual(new Set([fixtures.png().length]));
});

test('the error for a full workspace suggests emptying the trash, which makes room', async () => {
  const { id, full_name: fullName } = await store('last.png');
  const { items } = (await usage()) as { items: number };
  const limit = (max: number | null) => world.database.change(`update workspaces set max_items = ${max}`);
  await limit(items);
  await remove(id);
  const url = { json: { files: [{ name: 'a.png', size: 9, mime: 'image/png' }] } };
  const sentence = "The workspace's storage is full. Empty the trash to make room.";
  expect(at((await world.call(`POST ${MEDIA}/presign`, url)).json, 'errors', 'files.0')).toEqual([sentence]);
  expectStatus(await world.call(`DELETE ${TRASH}`), 202);
  expect(await trashed()).toEqual([]);
  expectStatus(await world.call(`POST /trash/${id}/restore`), 404);
  await until('the trash is empty', async () => (await destroyed()).includes(fullName));
  expect(await usage()).toMatchObject({ trash_items: 0, trash_bytes: 0 });
  expectStatus(await world.call(`POST ${MEDIA}/presign`, url), 201);
  await limit(null);
});

test('UNDO_DAYS=0 makes deletion final and empties the trash', async () => {
  const [{ id }, { id: other }] = [await store('one.png'), await store('two.png')];
  await remove(id);
  await world.server.end();
  world.server = { ...world.server, settings: { ...world.server.settings, UNDO_DAYS: '0' } };
  await world.restart();
  await until('the trash is empty', async () => (await trashed()).length === 0);
  await remove(other);
  expectStatus(await world.call(`POST /trash/${other}/restore`), 404);
});
