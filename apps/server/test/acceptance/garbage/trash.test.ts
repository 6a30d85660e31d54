import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { type Storage, uploadStorages } from '../presign/support/storages.ts';
import { issue, upload } from '../presign/support/uploads.ts';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { arrayAt, at, stringAt } from '../support/reply.ts';
import { command, jsonCommand, type Settings } from '../support/server.ts';
import type { MediaItem } from '../support/shapes.ts';
import { until } from '../support/until.ts';
import type { World } from '../support/world.ts';

setDefaultTimeout(120_000);

/** Nobody works with the storage meanwhile; a bucket tells of nothing whether somebody does. */
const GC = ['gc', '--older-than', '0s'];
const DAY = 24 * 60 * 60 * 1000;

const opened = async (storage: Storage, run: (world: World) => Promise<void>, settings: Settings = {}) => {
  const library = await storage.open(settings);
  try {
    await run(library.world);
  } finally {
    await library.close();
  }
};

/** Loses the rows of items as a database does that was put back, and gives what keeps them. */
async function forget({ database }: World, items: readonly MediaItem[]): Promise<{ remember(): Promise<void> }> {
  const ids = items.map(({ id }) => `'${id}'`).join(', ');
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

const trashed = async (world: World) => arrayAt(await world.command(['gc', 'list']), 'objects');

/** Where the object of that name is: under its key, or in the trash. */
async function whereabouts(world: World, { full_name: fullName }: MediaItem): Promise<string[]> {
  const all = [...(await world.files()), ...(await world.storage.trash())];
  const names = all.filter((path) => path.endsWith(fullName));
  return names.map((path) => (path.includes('.trash/') ? 'trash' : 'key'));
}

for (const storage of uploadStorages) {
  describe(`over ${storage.name}`, () => {
    test('an object that no item has is set aside, listed, and brought back by command', () =>
      opened(storage, async (world) => {
        const bytes = fixtures.jpeg();
        const [item, other] = await world.store(file('beach.jpg', bytes), file('other.jpg', bytes));
        if (!item || !other) throw new Error('not stored');
        await forget(world, [item]);
        expect(await jsonCommand([...GC, '--dry-run'], world.server.settings)).toEqual({
          dry_run: true,
          objects: 2,
          set_aside: 1,
          brought_back: 0,
          trash: 0,
          withheld: 0,
        });
        expect(await whereabouts(world, item)).toEqual(['key']);
        expect(await gc(world)).toMatchObject({ set_aside: 1, trash: 0, bytes: 0, withheld: 0 });
        expect(await whereabouts(world, item)).toEqual(['trash']);
        expect(await whereabouts(world, other)).toEqual(['key']);
        expect((await fetch(item.link)).status).toBe(404);

        const key = item.full_name;
        expect(await trashed(world)).toEqual([{ key, size: bytes.length, set_aside_at: expect.any(String) }]);
        const [listed] = await trashed(world);
        expect(Math.abs(Date.parse(stringAt(listed, 'set_aside_at')) - Date.now())).toBeLessThan(DAY);
        expect(await world.run(['gc', 'list'])).toContain(`  ${bytes.length}  ${key}\n1 objects (`);

        const missing = `${world.ids.workspace}/${world.ids.unknown}/missing.jpg`;
        const restored = await run(world, ['gc', 'restore', key, missing, '--json']);
        expect(restored.code).toBe(1);
        expect(JSON.parse(restored.stdout)).toEqual({
          objects: [
            { key, outcome: 'brought_back', has_item: false },
            { key: missing, outcome: 'not_in_trash', has_item: false },
          ],
        });
        expect(await whereabouts(world, item)).toEqual(['key']);
        expect(await gc(world)).toMatchObject({ set_aside: 1 });
        const all = await world.run(['gc', 'restore', '--all']);
        expect(all).toBe(`${key}  is back, and no item has it: gc will set it aside again\n`);
        expect(await trashed(world)).toEqual([]);
        expect(await world.run(['gc', 'restore', '--all'])).toBe('');
      }));

    test('an object whose item is there again comes back by itself', () =>
      opened(storage, async (world) => {
        const bytes = fixtures.jpeg();
        const item = await world.storeOne(file('beach ünd %2e sea.jpg', bytes));
        const { remember } = await forget(world, [item]);
        await gc(world);
        expect(await whereabouts(world, item)).toEqual(['trash']);
        await remember();
        expect((await run(world, ['verify'])).code).toBe(1);
        expect(await gc(world)).toMatchObject({ brought_back: 1, set_aside: 0, withheld: 0 });
        expect(await whereabouts(world, item)).toEqual(['key']);
        expect(Buffer.compare(await (await fetch(item.link)).bytes(), bytes)).toBe(0);
        await world.run(['verify']);
      }));

    test('what was set aside goes when its days are over, and not before', () =>
      opened(storage, async (world) => {
        const item = await world.storeOne(file('beach.jpg', fixtures.jpeg()));
        await forget(world, [item]);
        await gc(world);
        expect(await gc(world)).toMatchObject({ trash: 0, bytes: 0 });
        expect(await gc(world, { TRASH_DAYS: '1' })).toMatchObject({ trash: 0 });
        expect(await whereabouts(world, item)).toEqual(['trash']);
        expect(await gc(world, { TRASH_DAYS: '0' })).toMatchObject({ trash: 1, bytes: fixtures.jpeg().length });
        expect(await whereabouts(world, item)).toEqual([]);
        expect(await world.storage.trash()).toEqual([]);
      }));

    test('30 orphans of 100 objects wait for consent', () =>
      opened(storage, async (world) => {
        const items: MediaItem[] = [];
        for (let round = 0; round < 10; round += 1) {
          items.push(...(await world.store(...Array.from({ length: 10 }, () => file('beach.jpg', fixtures.jpeg())))));
        }
        await forget(world, items.slice(0, 30));
        const before = await world.files();
        const { code, stdout, stderr } = await run(world, [...GC, '--json']);
        expect(code).toBe(1);
        expect(JSON.parse(stdout)).toMatchObject({
          set_aside: 0,
          withheld: 30,
          reason: 'too_many',
        });
        expect(stderr).toMatch(
          /^postshelf: Nothing was set aside: 30 of 100 objects .*"postshelf gc --yes-really".*\n$/,
        );
        expect(await world.files()).toEqual(before);
        expect((await run(world, GC)).stderr).toBe(stderr);
        const looked = await jsonCommand([...GC, '--dry-run'], world.server.settings);
        expect(looked).toMatchObject({ set_aside: 0, withheld: 30, reason: 'too_many' });

        const consented = await run(world, [...GC, '--yes-really']);
        expect(consented).toMatchObject({ code: 0, stderr: '' });
        expect(await trashed(world)).toHaveLength(30);
        for (const item of items.slice(0, 30)) expect(await whereabouts(world, item)).toEqual(['trash']);
        for (const item of items.slice(30)) expect(await whereabouts(world, item)).toEqual(['key']);
        expect(await gc(world, { GC_MAX_ORPHANS_PERCENT: '0' })).toMatchObject({ withheld: 0 });
      }));

    test('a restored library gives nothing away until somebody consents, once', () =>
      opened(storage, async (world) => {
        const [item, other] = await world.store(
          file('a.jpg', fixtures.jpeg()),
          file('b.jpg', fixtures.jpeg()),
          file('c.jpg', fixtures.jpeg()),
        );
        if (!item || !other) throw new Error('not stored');
        await forget(world, [item]);
        expect(await world.database.change(`update library set restored_at = ${Date.now()}`)).toBe(1);
        const { code, stderr } = await run(world, GC);
        expect(code).toBe(1);
        expect(stderr).toContain('restored');
        expect(await whereabouts(world, item)).toEqual(['key']);
        await world.run([...GC, '--yes-really']);
        expect(await whereabouts(world, item)).toEqual(['trash']);
        expect(await world.database.change(`delete from media where id = '${other.id}'`)).toBe(1);
        expect(await gc(world)).toMatchObject({ set_aside: 1, withheld: 0 });
      }));

    test('a file that was sent for an item which the database has forgotten stays as long as the trash', () =>
      opened(storage, async (world) => {
        const issued = await issue(world, fixtures.jpeg());
        await upload(issued, fixtures.jpeg());
        for (const [table, column] of [
          ['presigned_uploads', 'media_id'],
          ['media', 'id'],
        ]) {
          await world.database.change(`delete from ${table} where ${column} = '${issued.id}'`);
        }
        const kept = async () => (await world.files()).filter((path) => path.includes(`.uploads/${issued.id}`));
        expect(await gc(world)).toMatchObject({ uploads: 0 });
        expect(await kept()).toHaveLength(1);
        expect(await gc(world, { TRASH_DAYS: '0' })).toMatchObject({ uploads: 1, bytes: fixtures.jpeg().length });
        expect(await kept()).toEqual([]);
      }));
  });
}

const [files] = uploadStorages;
if (!files) throw new Error('Files are always there.');

test('a server says that it waits for consent, in its log and its figures, and goes on when it has it', () =>
  opened(files, async (world) => {
    const items: MediaItem[] = [];
    for (let round = 0; round < 3; round += 1) {
      items.push(...(await world.store(...Array.from({ length: 10 }, () => file('beach.jpg', fixtures.jpeg())))));
    }
    await forget(world, items.slice(0, 25));
    const figure = async (name: string): Promise<number> => {
      const text = await (await fetch(`${world.server.url}/metrics`)).text();
      return Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.slice(name.length),
      );
    };
    const runs = (outcome: string) => figure(`postshelf_gc_runs_total{outcome="${outcome}"}`);
    await world.server.end();
    await world.restart();
    await until('a collection has ended', async () => (await runs('withheld')) === 1);
    expect(await figure('postshelf_gc_withheld_objects')).toBe(25);
    expect(await figure('postshelf_gc_removed_total{kind="set_aside"}')).toBe(0);
    const lines = world.server
      .log()
      .split('\n')
      .filter((line) => line.includes('Nothing was set aside'));
    expect(lines).toHaveLength(1);
    const line: unknown = JSON.parse(lines[0] ?? '');
    expect(['"error"', '50']).toContain(JSON.stringify(at(line, 'level')));
    expect(line).toMatchObject({ withheld: 25, objects: 30, reason: 'too_many' });
    expect(stringAt(line, 'msg')).toContain('postshelf gc --yes-really');

    await world.run(['gc', '--yes-really']);
    await world.server.end();
    await world.restart();
    await until('a collection has ended', async () => (await runs('done')) === 1);
    expect(await figure('postshelf_gc_withheld_objects')).toBe(0);
  }));

test('objects that are older than the library wait for consent', () =>
  opened(files, async (world) => {
    const item = await world.storeOne(file('beach.jpg', fixtures.jpeg()));
    await forget(world, [item]);
    expect(await world.database.change(`update library set born_at = ${Date.now() + DAY}`)).toBe(1);
    const { code, stderr } = await run(world, GC);
    expect(code).toBe(1);
    expect(stderr).toContain("older than the database's library");
    expect(await whereabouts(world, item)).toEqual(['key']);
  }));

test('the folders of a trash tell their age by their names, and go with it', () =>
  opened(files, async (world) => {
    const [one, two] = await world.store(file('one.jpg', fixtures.jpeg()), file('two.jpg', fixtures.jpeg()));
    if (!one || !two) throw new Error('not stored');
    await forget(world, [one, two]);
    await gc(world);
    const trash = join(world.dataDir, 'media/.trash');
    const [name, ...more] = readdirSync(trash);
    expect(more).toEqual([]);
    renameSync(join(trash, String(name)), join(trash, String(Number(name) - 7 * DAY + 60_000)));
    expect(await gc(world)).toMatchObject({ trash: 0 });
    expect(await trashed(world)).toHaveLength(2);
    renameSync(join(trash, String(readdirSync(trash)[0])), join(trash, String(Number(name) - 7 * DAY)));
    expect(await gc(world)).toMatchObject({ trash: 2 });
    expect(await trashed(world)).toEqual([]);
  }));

test('words that gc does not know are refused, and nothing is collected', () =>
  opened(files, async (world) => {
    const item = await world.storeOne(file('beach.jpg', fixtures.jpeg()));
    await forget(world, [item]);
    for (const args of [
      ['gc', 'lsit'],
      ['gc', 'restore'],
      ['gc', 'restore', '--all', 'key'],
      ['gc', 'list', '--all'],
    ]) {
      const { code, stdout, stderr } = await run(world, args);
      expect(`${args} ${code > 0}`).toBe(`${args} true`);
      expect(stdout).toBe('');
      expect(stderr).not.toBe('');
    }
    expect(await whereabouts(world, item)).toEqual(['key']);
  }));
