// These tests cover the quotas of a workspace (docs/api.md, "Usage and quotas"). The contract tests of quotas check
// which writes count.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { Stream } from '../events/support/stream.ts';
import { serve } from '../imports/support/answers.ts';
import { accepted, expectFailed, importUrl, loopback, settled } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { confirm, issue, presign, show, upload } from '../presign/support/uploads.ts';
import { jpeg, mp4 } from '../support/fixtures.ts';
import { field, file } from '../support/multipart.ts';
import { arrayAt, at, expectInvalid } from '../support/reply.ts';
import { World } from '../support/world.ts';

const FULL = "The workspace's storage is full.";
const photo = jpeg();

let world: World;
let origin: Origin;

beforeAll(async () => {
  [world, origin] = await Promise.all([World.open(loopback), Origin.open()]);
  await world.token('folders', '{workspace}', ['--scope', 'folders:read']);
});

afterAll(async () => {
  origin.close();
  await world.close();
});

const usage = async () => Object(at((await world.call('GET /workspaces/{workspace}/usage')).json, 'data'));

/**
 * Sets quotas that leave room for some bytes and items. Writes them to the database directly, which is faster than the
 * command.
 */
async function leaveRoom(bytes: number | null, items: number | null = null): Promise<void> {
  const used = await usage();
  const [max, many] = [bytes === null ? null : used.bytes + bytes, items === null ? null : used.items + items];
  const set = `update workspaces set max_bytes = ${max}, max_items = ${many} where id = '${world.ids.workspace}'`;
  expect(await world.database.change(set)).toBe(1);
}

test('twenty concurrent uploads stop exactly at the quota, and refused ones leave no file', async () => {
  const before = [await usage(), await world.files()] as const;
  await leaveRoom(7 * photo.length + 9);
  const replies = await Promise.all(Array.from({ length: 20 }, () => world.upload([file('a.jpg', photo)])));
  const refused = replies.filter(({ status }) => status !== 201);
  expect(refused).toHaveLength(13);
  for (const reply of refused) expectInvalid(reply, { 'files.0': FULL });
  const [bytes, items] = [before[0].bytes + 7 * photo.length, before[0].items + 7];
  const max_bytes = before[0].bytes + 7 * photo.length + 9;
  const images = before[0].images + 7;
  const trash = { trash_bytes: 0, trash_items: 0 };
  expect(await usage()).toEqual({ bytes, items, images, videos: 0, ...trash, max_bytes, max_items: null });
  const kept = replies.flatMap(({ status, json }) => (status === 201 ? arrayAt(json, 'data') : []));
  const names = kept.map((item) => String(at(item, 'full_name')));
  const added = (await world.keptFiles()).filter((path) => !before[1].includes(path) && !path.includes('.staging/'));
  expect(added.filter((path) => path.includes(`${world.ids.workspace}/`))).toHaveLength(7);
  for (const name of names) expect(await world.holds(name)).toBe(true);
});

test('a form over the quota is refused with an error for each file that does not fit, and stores nothing', async () => {
  await leaveRoom(null, 2);
  const before = await usage();
  const files = ['a.jpg', 'b.jpg', 'c.jpg'].map((name) => file(name, photo));
  expectInvalid(await world.upload(files), { 'files.2': FULL });
  expect(await usage()).toEqual(before);
  await leaveRoom(0);
  // The library already has this file, so the upload adds nothing that could exceed the quota.
  expect((await world.upload([file('a.jpg', photo), field('on_duplicate', 'return')])).status).toBe(201);
});

test('declared bytes are reserved, and a confirmation that exceeds the quota fails', async () => {
  await leaveRoom(photo.length + 9);
  const issued = await issue(world, photo);
  const file = { name: 'a.jpg', size: photo.length, mime: 'image/jpeg' };
  expectInvalid(await presign(world, [file]), { 'files.0': FULL });
  await upload(issued, photo);
  expect((await confirm(world, issued)).status).toBe(200);
  await leaveRoom(photo.length);
  const late = await issue(world, photo);
  await upload(late, photo);
  await leaveRoom(0);
  expectInvalid(await confirm(world, late), { file: FULL });
  expect(await show(world, late)).toMatchObject({ status: 'failed', error_message: FULL });
  expect(await world.keptFiles(late.id)).toEqual([]);
});

test('an import over the quota is refused for an image, and fails later for a video', async () => {
  await leaveRoom(0);
  expectInvalid(await importUrl(world, origin.page('a.jpg', serve(photo)).url), { url: FULL });
  const video = accepted(await importUrl(world, origin.page('a.mp4', serve(mp4())).url));
  await expectFailed(world, await settled(world, video), /storage is full/);
});

test('reaching the quota emits one event to readers of media, even if a command lowers the quota', async () => {
  const { workspace = '' } = world.ids;
  const [stream, other] = await Promise.all([
    Stream.open(world, { query: '?types=workspace.quota' }),
    Stream.open(world, { token: 'folders' }),
  ]);
  await leaveRoom(photo.length);
  const [item] = await world.store(file('a.jpg', photo));
  const [event] = await stream.untilReceived(1);
  expect(event?.data).toMatchObject({ type: 'workspace.quota', workspace, data: await usage() });
  await world.call(`DELETE /media_contents/${item?.id}`);
  const { bytes, items } = await usage();
  await world.command(['workspace', 'update', workspace, '--max-bytes', 'none', '--max-items', String(items)]);
  const listed = arrayAt(await world.command(['workspace', 'list']), 'data').find(
    (each) => at(each, 'id') === workspace,
  );
  expect(listed).toMatchObject({ bytes, items, max_bytes: null, max_items: items });
  await stream.untilReceived(2);
  await world.folder('Later');
  await other.untilReceived(1);
  expect([stream.types, other.types]).toEqual([['workspace.quota', 'workspace.quota'], ['folder.created']]);
  for (const each of [stream, other]) each.close();
});
