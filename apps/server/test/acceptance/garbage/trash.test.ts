import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { uploadStorages } from '../presign/support/every-storage.ts';
import type { Library } from '../presign/support/storages.ts';
import { issue, upload } from '../presign/support/uploads.ts';
import * as fixtures from '../support/fixtures.ts';
import { sized } from '../support/long.ts';
import { file } from '../support/multipart.ts';
import { arrayAt, at, stringAt } from '../support/reply.ts';
import { command, jsonCommand, type Settings } from '../support/server.ts';
import type { MediaItem } from '../support/shapes.ts';
import { onDisk } from '../support/storage.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

/**
 * Collects garbage of any age. This is safe only while nothing else uses the storage, as in these tests. For a bucket,
 * the command can't check that.
 */
const GC = ['gc', '--older-than', '0s'];
const DAY = 24 * 60 * 60 * 1000;

/** Deletes the rows of items, as if an older database had been restored. @returns a function that puts them back */
async function forget({ database }: World, items: readonly MediaItem[]): Promise<{ remember(): Promise<void> }> {
  const ids = items.map(({ id }) => `'${id}'`).join(', ');
  await database.change('drop table if exists forgotten');
  await database.change(`create table forgotten as select * from media where id in (${ids})`);
  expect(await database.change(`delete from media where id in (${ids})`)).toBe(items.length);
  return {
    async remember() {
      expect(await database.change('insert into media select * from forgotten')).toBe(items.length);
    },
  };
}

const run = (world: World, args: readonly string[], settings: Settings = {}) =>
  command(args, { ...world.server.settings, ...settings }, world.server.program);

const gc = (world: World, settings: Settings = {}) =>
  jsonCommand([...GC], { ...world.server.settings, ...settings }, world.server.program);

/** Removes objects without an item: the first run moves them to the trash, the second one empties it. */
async function clear(world: World): Promise<void> {
  await gc(world);
  await world.storage.ageTrash();
  await gc(world, { TRASH_DAYS: '0' });
}

const trashed = async (world: World) => arrayAt(await world.command(['gc', 'list']), 'objects');

/** Says whether the item's object is under its key, in the trash, or in both places. */
async function whereabouts(world: World, { full_name: fullName }: MediaItem): Promise<string[]> {
  const all = [...(await world.files()), ...(await world.storage.trash())];
  const names = all.filter((path) => path.endsWith(fullName));
  return names.map((path) => (path.includes('.trash/') ? 'trash' : 'key'));
}

/** Stores that many images, ten at a time. */
async function storeMany(world: World, count: number): Promise<MediaItem[]> {
  const items: MediaItem[] = [];
  while (items.length < count) {
    const ten = Array.from({ length: Math.min(10, count - items.length) }, () => file('beach.jpg', fixtures.jpeg()));
    items.push(...(await world.store(...ten)));
  }
  return items;
}

// By default these tests use only a storage folder. Contract tests check that a bucket behaves in the same way.
describe.each(sized([...uploadStorages].slice(0, 1), [...uploadStorages]))(
  'the trash of objects ($name)',
  (storage) => {
    let library: Library;
    let world: World;

    beforeAll(async () => {
      library = await storage.open();
      world = library.world;
    });
    afterAll(() => library.close());

    test('keeps an object for TRASH_DAYS, and restores the object if its item exists again', async () => {
      const bytes = fixtures.jpeg();
      await clear(world);
      const item = await world.storeOne(file('beach ünd %2e sea.jpg', bytes));
      const { remember } = await forget(world, [item]);
      await gc(world);
      expect(await whereabouts(world, item)).toEqual(['trash']);
      await remember();
      expect((await run(world, ['verify'])).code).toBe(1);
      expect(await gc(world)).toMatchObject({ restored: 1, trashed: 0, withheld: 0 });
      expect(await whereabouts(world, item)).toEqual(['key']);
      expect(Buffer.compare(await (await fetch(item.link)).bytes(), bytes)).toBe(0);
      await world.run(['verify']);

      await forget(world, [item]);
      await gc(world);
      expect(await gc(world)).toMatchObject({ trash: 0, bytes: 0 });
      expect(await gc(world, { TRASH_DAYS: '1' })).toMatchObject({ trash: 0 });
      expect(await whereabouts(world, item)).toEqual(['trash']);
      // Even with `TRASH_DAYS: '0'`, an object stays in the trash for at least two minutes.
      expect(await gc(world, { TRASH_DAYS: '0' })).toMatchObject({ trash: 0 });
      await world.storage.ageTrash();
      expect(await gc(world, { TRASH_DAYS: '1' })).toMatchObject({ trash: 0 });
      expect(await gc(world, { TRASH_DAYS: '0' })).toMatchObject({ trash: 1, bytes: bytes.length });
      expect(await whereabouts(world, item)).toEqual([]);
      expect(await world.storage.trash()).toEqual([]);
    });
  },
);

// The following tests don't depend on the kind of storage, so they only use a folder. They read a server's metrics, so
// there is only one server.
describe('garbage collection', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.openAlone(onDisk);
  });
  afterAll(() => world.close());

  /** Expects the commands to leave objects without an item in place, and to report why. */
  async function expectWithheld(item: MediaItem, reason: string): Promise<void> {
    const { code, stderr } = await run(world, GC);
    expect(code).toBe(1);
    expect(stderr).toContain(reason);
    expect(await whereabouts(world, item)).toEqual(['key']);
  }

  test('moves an object without an item to the trash, from which commands list and restore it', async () => {
    const bytes = fixtures.jpeg();
    const [item, other] = await world.store(file('beach.jpg', bytes), file('other.jpg', bytes));
    if (!item || !other) throw new Error('not stored');
    await forget(world, [item]);
    expect(await jsonCommand([...GC, '--dry-run'], world.server.settings)).toEqual({
      dry_run: true,
      objects: 2,
      trashed: 1,
      restored: 0,
      trash: 0,
      withheld: 0,
    });
    expect(await whereabouts(world, item)).toEqual(['key']);
    expect(await gc(world)).toMatchObject({ trashed: 1, trash: 0, bytes: 0, withheld: 0 });
    expect(await whereabouts(world, item)).toEqual(['trash']);
    expect(await whereabouts(world, other)).toEqual(['key']);
    expect((await fetch(item.link)).status).toBe(404);

    const key = item.full_name;
    const [listed, text] = await Promise.all([trashed(world), world.run(['gc', 'list'])]);
    expect(listed).toEqual([{ key, size: bytes.length, trashed_at: expect.any(String) }]);
    expect(Math.abs(Date.parse(stringAt(listed[0], 'trashed_at')) - Date.now())).toBeLessThan(DAY);
    expect(text).toContain(`  ${bytes.length}  ${key}\nThe trash holds 1 object (`);

    const missing = `${world.ids.workspace}/${world.ids.unknown}/missing.jpg`;
    const restored = await run(world, ['gc', 'restore', key, missing, '--json']);
    expect(restored.code).toBe(1);
    expect(JSON.parse(restored.stdout)).toEqual({
      objects: [
        { key, outcome: 'restored', has_item: false },
        { key: missing, outcome: 'not_in_trash', has_item: false },
      ],
    });
    expect(await whereabouts(world, item)).toEqual(['key']);
    expect(await gc(world)).toMatchObject({ trashed: 1 });
    const all = await world.run(['gc', 'restore', '--all']);
    expect(all).toBe(`${key}  was restored, and no item has it: gc will move it to the trash again\n`);
    expect(await trashed(world)).toEqual([]);
    expect(await world.run(['gc', 'restore', '--all'])).toBe('');
  });

  test('keeps an uploaded file without an item for TRASH_DAYS', async () => {
    await clear(world);
    const issued = await issue(world, fixtures.jpeg());
    await upload(issued, fixtures.jpeg());
    for (const [table, column] of [
      ['presigned_uploads', 'media_id'],
      ['media', 'id'],
    ]) {
      await world.database.change(`delete from ${table} where ${column} = '${issued.id}'`);
    }
    const kept = () => world.keptFiles(`.uploads/${issued.id}`);
    expect(await gc(world)).toMatchObject({ uploads: 0 });
    expect(await kept()).toHaveLength(1);
    expect(await gc(world, { TRASH_DAYS: '0' })).toMatchObject({ uploads: 1, bytes: fixtures.jpeg().length });
    expect(await kept()).toEqual([]);
  });

  test('needs an operator’s consent for objects older than the library, and after a restore', async () => {
    const [item, other] = await world.store(...['a', 'b', 'c'].map((name) => file(`${name}.jpg`, fixtures.jpeg())));
    if (!item || !other) throw new Error('not stored');
    await forget(world, [item]);
    expect(await world.database.change(`update library set born_at = ${Date.now() + DAY}`)).toBe(1);
    await expectWithheld(item, "older than the database's library");
    expect(await world.database.change('update library set born_at = 1')).toBe(1);
    expect(await world.database.change(`update library set restored_at = ${Date.now()}`)).toBe(1);
    await expectWithheld(item, 'restored');
    await world.run([...GC, '--yes-really']);
    expect(await whereabouts(world, item)).toEqual(['trash']);
    await forget(world, [other]);
    expect(await gc(world)).toMatchObject({ trashed: 1, withheld: 0 });
  });

  test('collects nothing if the command gc has invalid arguments', async () => {
    const item = await world.storeOne(file('beach.jpg', fixtures.jpeg()));
    const { remember } = await forget(world, [item]);
    const slips = [
      ['gc', 'lsit'],
      ['gc', 'restore'],
      ['gc', 'restore', '--all', 'key'],
      ['gc', 'list', '--all'],
    ];
    await Promise.all(
      slips.map(async (args) => {
        const { code, stdout, stderr } = await run(world, args);
        expect({ args, failed: code > 0, stdout, hasLine: stderr !== '' }).toEqual({
          args,
          failed: true,
          stdout: '',
          hasLine: true,
        });
      }),
    );
    expect(await whereabouts(world, item)).toEqual(['key']);
    await remember();
  });

  test('reports 30 orphans among 100 objects, and collects none until an operator consents', async () => {
    await clear(world);
    // The server's own files, which are directly in the folder, and uploads aren't objects. Uploads of earlier tests
    // may still end.
    const objects = async () =>
      (await world.files()).filter((path) => path.includes('/') && !path.includes('.uploads/'));
    const items = await storeMany(world, 100 - (await objects()).length);
    await forget(world, items.slice(0, 30));
    const before = await objects();
    const [{ code, stdout, stderr }, text, looked] = await Promise.all([
      run(world, [...GC, '--json']),
      run(world, GC),
      jsonCommand([...GC, '--dry-run'], world.server.settings),
    ]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ trashed: 0, withheld: 30, reason: 'too_many' });
    expect(stderr).toMatch(
      /^postshelf: Nothing was moved to the trash: 30 of 100 objects .*"postshelf gc --yes-really".*\n$/,
    );
    expect(text.stderr).toBe(stderr);
    expect(looked).toMatchObject({ trashed: 0, withheld: 30, reason: 'too_many' });
    expect(await objects()).toEqual(before);

    const figure = async (name: string): Promise<number> => {
      const lines = (await (await fetch(`${world.server.url}/metrics`)).text()).split('\n');
      return Number(lines.find((line) => line.startsWith(`${name} `))?.slice(name.length));
    };
    const runs = (outcome: string) => figure(`postshelf_gc_runs_total{outcome="${outcome}"}`);
    await world.server.end();
    await world.restart();
    await until('a collection has ended', async () => (await runs('withheld')) === 1);
    expect(await figure('postshelf_gc_withheld_objects')).toBe(30);
    expect(await figure('postshelf_gc_removed_total{kind="trashed"}')).toBe(0);
    const log = world.server.log().split('\n');
    const lines = log.filter((line) => line.includes('Nothing was moved to the trash'));
    expect(lines).toHaveLength(1);
    const line: unknown = JSON.parse(lines[0] ?? '');
    expect(['"error"', '50']).toContain(JSON.stringify(at(line, 'level')));
    expect(line).toMatchObject({ withheld: 30, objects: 100, reason: 'too_many' });
    expect(stringAt(line, 'msg')).toContain('postshelf gc --yes-really');

    expect(await run(world, [...GC, '--yes-really'])).toMatchObject({ code: 0, stderr: '' });
    expect(await trashed(world)).toHaveLength(30);
    for (const item of items.slice(0, 30)) expect(await whereabouts(world, item)).toEqual(['trash']);
    for (const item of items.slice(30)) expect(await whereabouts(world, item)).toEqual(['key']);
    expect(await gc(world, { GC_MAX_ORPHANS_PERCENT: '0' })).toMatchObject({ withheld: 0 });
    await world.server.end();
    await world.restart();
    await until('a collection has ended', async () => (await runs('done')) === 1);
    expect(await figure('postshelf_gc_withheld_objects')).toBe(0);
  });
});
