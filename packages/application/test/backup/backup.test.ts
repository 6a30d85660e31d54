import { afterEach, describe, expect, test } from 'bun:test';
import { writeFile } from 'node:fs/promises';
import { BackupError } from '@postshelf/domain';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { createPost, pruneBackups } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { bytesUnder, publish, publishedKeys } from '../support/objects.ts';
import { addProfile, bare } from '../support/posts.ts';
import { inhabitedWorld, makeWorld, replacing, untouchedWorld, type World } from '../support/world.ts';
import { library, putBack, restorePlace, SECRET, type Taking, take } from './library-and-backup.ts';
import { memoryArchive } from './memory-archive.ts';

afterEach(databases.closeAll);

describe('a backup', () => {
  test('with media can be restored elsewhere, byte for byte', async () => {
    const { world, items } = await library();
    const { archive, summary, problems } = await take(world);
    expect(problems).toEqual([]);
    expect(archive.state()).toBe('whole');
    expect(archive.files.at(-1)?.name).toBe('backup.json');
    expect(summary.objects).toEqual({
      count: 4,
      bytes: items.reduce((sum, item) => sum + item.content.size, 0),
      problems: 0,
    });
    expect(summary.workspaces).toBe(1);

    const { world: other, place, damaged, secrets, report } = await putBack(archive);
    expect(report).toEqual({ summary, restored: 4, damaged: 0, trashed: 0 });
    expect(damaged).toEqual([]);
    expect(secrets).toEqual([SECRET]);
    expect(await (await place.open())?.media.listActive(null, 10)).toEqual(await world.media.listActive(null, 10));
    expect(await publishedKeys(other)).toEqual(await publishedKeys(world));
    for (const { fullName } of items)
      expect(await bytesUnder(other, fullName)).toEqual(await bytesUnder(world, fullName));
    expect(other.backing.staged.size).toBe(0);
  });

  test('contains either everything or nothing of an item that is deleted meanwhile', async () => {
    const { world, items } = await library();
    const doomed = items[2];
    const storage = replacing(world.storage, {
      open: async (key) => {
        if (key === doomed?.fullName) {
          await world.media.delete(doomed.id);
          await world.storage.purge(key);
        }
        return world.storage.open(key);
      },
    });
    const { archive, summary, problems } = await take({ ...world, storage });
    expect(problems).toEqual([]);
    expect(summary.objects.count).toBe(3);
    const { place, report } = await putBack(archive);
    expect(report).toMatchObject({ restored: 3, damaged: 0 });
    expect(await (await place.open())?.media.listActive(null, 10)).toEqual(await world.media.listActive(null, 10));
  });

  test.each([true, false])(
    'is complete without an item that a post used and that is deleted meanwhile',
    async (withMedia) => {
      const { world, items } = await library();
      const { workspace } = world;
      const [doomed, kept] = items;
      if (!doomed || !kept) throw new Error('There are four.');
      const details = { ...bare(await addProfile(world, workspace)), mediaIds: [doomed.id, kept.id] };
      const post = await createPost(world, workspace, details);
      const storage = replacing(world.storage, {
        open: async (key) => {
          if (key === doomed.fullName) {
            await world.posts.delete(post.id);
            await world.media.delete(doomed.id);
            await world.storage.purge(key);
          }
          return world.storage.open(key);
        },
      });
      const { archive, summary, problems } = await take({ ...world, storage }, { withMedia });
      expect(problems).toEqual([]);
      expect(summary.objects.count).toBe(3);
      const list = new TextDecoder().decode(archive.named('objects.jsonl').bytes);
      expect(list).not.toContain(doomed.fullName);
      if (!withMedia) return;
      const { place } = await putBack(archive);
      const restored = await place.open();
      expect(await restored?.media.findStored(doomed.id)).toBeNull();
      expect((await restored?.posts.find(post.id))?.mediaIds).toEqual([kept.id]);
    },
  );

  test('without media reports missing objects and wrong sizes, and is marked as incomplete', async () => {
    const { world, items } = await library();
    const [gone, short, changed] = items;
    if (!gone || !short || !changed) throw new Error('There are four.');
    for (const { fullName } of [gone, short, changed]) await world.storage.purge(fullName);
    await publish(world, short.fullName, new Uint8Array(3));
    await publish(world, changed.fullName, new Uint8Array(changed.content.size));
    const { problems, path } = await take(world, { withMedia: false });
    expect(path).toBe('/backups/b.tar.incomplete');
    expect(problems.map(({ id, problem }) => [id, problem]).sort()).toEqual([
      [gone.id, 'missing'],
      [short.id, 'size'],
    ]);
  });

  test('without media omits an item that is deleted meanwhile', async () => {
    const { world, items } = await library();
    const doomed = items[2];
    const storage = replacing(world.storage, {
      open: async (key) => {
        if (key !== doomed?.fullName) return world.storage.open(key);
        await world.media.delete(doomed.id);
        return null;
      },
    });
    const { summary } = await take({ ...world, storage }, { withMedia: false });
    expect(summary.objects).toMatchObject({ count: 3, problems: 0 });
  });

  test('lacks its last file, backup.json, if it is streamed and incomplete, so that a restore refuses it', async () => {
    const { world, items } = await library();
    await world.storage.purge(items[0]?.fullName ?? '');
    const { archive, path } = await take(world, { archive: memoryArchive(null) });
    expect(path).toBeNull();
    expect(archive.files.map(({ name }) => name)).not.toContain('backup.json');
    expect(await outcomeOf(putBack(archive))).toThrow('truncated');
    const whole = await take((await library()).world, { archive: memoryArchive(null) });
    expect(whole.archive.files.at(-1)?.name).toBe('backup.json');
  });

  test('includes hashes of objects whose rows have none', async () => {
    const { world, items } = await library();
    const [item] = items;
    if (!item) throw new Error('There are four.');
    await world.media.delete(item.id);
    await world.media.insert([{ ...item, content: { ...item.content, sha256: null } }]);
    const { archive, problems } = await take(world);
    expect(problems).toEqual([]);
    const file = archive.named(`media/${item.fullName}`);
    file.bytes = file.bytes.with(3, 0xff);
    expect((await putBack(archive)).damaged).toEqual([item.fullName]);
  });
});

describe('a backup that replaces another', () => {
  const summaryOf = (count: number, more = {}) => ({
    format: 1,
    workspaces: 1,
    objects: { count, bytes: 7, problems: 0 },
    with_media: true,
    ...more,
  });
  const B = '/backups/b.tar';
  const refused = async (world: World, archive: ReturnType<typeof memoryArchive>, more: Partial<Taking> = {}) => {
    const error = await take(world, { archive, ...more }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BackupError);
    expect(['unused', 'discarded']).toContain(archive.state());
    return String(error);
  };

  test('needs consent if it has less than half as many objects, and the error names both numbers', async () => {
    const { world } = await library();
    await take(world, { archive: memoryArchive(B, [{ path: B, summary: summaryOf(8) }]) });
    const nine = () => memoryArchive(B, [{ path: B, summary: summaryOf(9) }]);
    const sentence = await refused(world, nine());
    expect(sentence).toContain('9 objects');
    expect(sentence).toContain('4 objects');
    expect(sentence).toContain('--smaller');
    await refused(world, nine(), { consent: { replace: true } });
    await take(world, { archive: nine(), consent: { smaller: true } });
  });

  test('is refused if the library is empty, or if only the earlier backup has media', async () => {
    const standing = () => memoryArchive(B, [{ path: B, summary: summaryOf(1) }]);
    await refused(await inhabitedWorld(), standing());
    await refused(await makeWorld(), memoryArchive(B, [{ path: B, summary: summaryOf(0) }]));
    await refused((await library()).world, standing(), { withMedia: false });
    await take((await library()).world, { archive: standing(), withMedia: false, consent: { smaller: true } });
  });

  test('is compared with a backup of an older release, which counted neither workspaces nor problems', async () => {
    const old = { format: 1, objects: { count: 4, bytes: 7 }, with_media: true };
    await take((await library()).world, { archive: memoryArchive(B, [{ path: B, summary: old }]) });
    await refused(await makeWorld(), memoryArchive(B, [{ path: B, summary: old }]));
  });

  test('is compared with the newest earlier backup, even under another name, ignoring other files', async () => {
    const { world } = await library();
    const files = [{ path: '/backups/b3.tar' }, { path: '/backups/b2.tar', summary: summaryOf(100) }];
    expect(await refused(world, memoryArchive(B, files))).toContain('/backups/b2.tar has 1 workspace and 100 objects');
    const more = [{ path: '/backups/b3.tar', summary: summaryOf(5) }, ...files];
    await take(world, { archive: memoryArchive(B, more) });
  });

  test('needs consent if the file that it replaces is not a backup', async () => {
    const { world } = await library();
    const summaries = [
      ['no summary', undefined],
      ['null', null],
      ['a list', []],
      ['a text', 'backup'],
      ['no format', summaryOf(4, { format: undefined })],
      ['no count', summaryOf(4, { objects: {} })],
      ['no objects', summaryOf(4, { objects: null })],
      ['a negative count', summaryOf(-1)],
      ['a count that is not an integer', summaryOf(0.5)],
      ['a text as its count', summaryOf(4, { objects: { count: '4' } })],
      ['a text as its workspaces', summaryOf(4, { workspaces: 'one' })],
    ] as const;
    for (const [what, summary] of summaries) {
      const archive = () => memoryArchive(B, [{ path: B, summary }]);
      expect([what, await refused(world, archive())]).toEqual([what, expect.stringContaining('--replace')]);
      await refused(world, archive(), { consent: { smaller: true } });
      await take(world, { archive: archive(), consent: { replace: true } });
    }
  });

  test('needs consent if an earlier incomplete backup has many more readable objects', async () => {
    const { world, items } = await library();
    for (const { fullName } of items.slice(1)) await world.storage.purge(fullName);
    const INCOMPLETE = `${B}.incomplete`;
    const standing = (count: number, problems: number) =>
      memoryArchive(B, [{ path: INCOMPLETE, summary: summaryOf(0, { objects: { count, bytes: 7, problems } }) }]);
    await take(world, { archive: standing(10, 8) });
    expect(await refused(world, standing(4, 1))).toContain('3 objects');
    await take(world, { archive: standing(4, 1), consent: { smaller: true } });
  });

  test('prunes the oldest backups whose outcome equals its own, but never itself', async () => {
    const names = ['b5', 'b4', 'other', 'b2', 'b1'].map((name) => ({
      path: name,
      summary: name === 'other' ? {} : summaryOf(4),
    }));
    const after = async (made: string, keep: number, outcome: 'whole' | 'incomplete' = 'whole') => {
      const archive = memoryArchive(B, [...names, { path: 'b0.incomplete', summary: summaryOf(4) }]);
      const reported: string[] = [];
      await pruneBackups(archive.place, outcome, made, keep, (path) => reported.push(path));
      expect(reported).toEqual(archive.removed);
      return reported;
    };
    expect(await after('b5', 2)).toEqual(['b2', 'b1']);
    expect(await after('b5', 1)).toEqual(['b4', 'b2', 'b1']);
    expect(await after('b1', 2)).toEqual(['b4', 'b2']);
    expect(await after('b5', 4)).toEqual([]);
    expect(await after('b9.incomplete', 1, 'incomplete')).toEqual(['b0.incomplete']);
  });
});

describe('a restore', () => {
  const refused = async (archive: ReturnType<typeof memoryArchive>, place = restorePlace()): Promise<string> => {
    const error = await putBack(archive, await untouchedWorld(), place).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BackupError);
    expect(await place.open()).toBeNull();
    return String(error);
  };

  test('fails if there is a file at the path of the database, and publishes no object', async () => {
    const { archive } = await take((await library()).world);
    const world = await untouchedWorld();
    const file = databases.freePath();
    await writeFile(file, 'no database');
    expect(await outcomeOf(putBack(archive, world, restorePlace(file)))).toThrow('never overwrites one');
    expect(await publishedKeys(world)).toEqual([]);
  });

  test('of a truncated backup leaves no database', async () => {
    const { archive } = await take((await library()).world);
    while (archive.files.length > 0) {
      archive.files.pop();
      expect(await refused(archive)).toContain('truncated');
    }
  });

  test('of a damaged database leaves no database', async () => {
    const { archive } = await take((await library()).world);
    const file = archive.named('postshelf.db');
    file.bytes = file.bytes.with(5, (file.bytes[5] ?? 0) ^ 1);
    expect(await refused(archive)).toContain('damaged');
  });

  test("refuses a summary that this version can't read", async () => {
    const { archive } = await take((await library()).world);
    for (const [summary, sentence] of [
      ['{', 'damaged'],
      ['[]', 'damaged'],
      ['null', 'damaged'],
      ['{"format":2,"database":{"sha256":""}}', 'newer'],
      [' '.repeat(100_000), 'too long'],
    ] as const) {
      archive.named('backup.json').bytes = new TextEncoder().encode(summary);
      expect(await refused(archive)).toContain(sentence);
    }
  });

  test('refuses an object whose key is not the key of an item', async () => {
    const { archive } = await take((await library()).world);
    for (const name of ['media/../../etc/passwd', 'media//etc/passwd', 'media/a/b/c']) {
      archive.files.unshift({ name, sha256: null, bytes: new Uint8Array(3) });
      expect(await refused(archive)).toContain("isn't the key of a media item");
      archive.files.shift();
    }
  });
});
