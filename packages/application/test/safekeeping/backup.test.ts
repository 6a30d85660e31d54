import { describe, expect, test } from 'bun:test';
import { type ActiveMedia, BackupError } from '@postshelf/domain';
import { bytesUnder, publish, publishedKeys } from '../support/objects.ts';
import { replacing, unmarked } from '../support/world.ts';
import { library, putBack, SECRET, take } from './library-and-backup.ts';
import { type memoryArchive, memoryPlace } from './memory-backups.ts';

describe('a backup', () => {
  test('with media is restored elsewhere, byte for byte', async () => {
    const { world, items } = await library();
    const { archive, summary, problems } = await take(world);
    expect(problems).toEqual([]);
    expect(archive.state()).toBe('finished');
    expect(archive.files.at(-1)?.name).toBe('backup.json');
    expect(summary.objects).toEqual({ count: 4, bytes: items.reduce((sum, item) => sum + item.content.size, 0) });

    const { world: other, place, damaged, secrets, report } = await putBack(archive);
    expect(report).toEqual({ summary, restored: 4, damaged: 0, setAside: 0 });
    expect(damaged).toEqual([]);
    expect(secrets).toEqual([SECRET]);
    expect(JSON.parse(place.committed() ?? '').items).toEqual(await world.media.listActive(null, 10));
    expect(await publishedKeys(other)).toEqual(await publishedKeys(world));
    for (const { fullName } of items)
      expect(await bytesUnder(other, fullName)).toEqual(await bytesUnder(world, fullName));
    expect(other.backing.staged.size).toBe(0);
  });

  test('without media lists every object with its hash', async () => {
    const { world, items } = await library();
    const { archive } = await take(world, false);
    expect(archive.files.map((file) => file.name)).toEqual([
      'objects.jsonl',
      'postshelf.db',
      'jwt-secret',
      'backup.json',
    ]);
    const lines = new TextDecoder().decode(archive.named('objects.jsonl').bytes).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      items.map(({ id, fullName, content: { size, sha256 } }) => ({ id, key: fullName, size, sha256 })),
    );
    const { report } = await putBack(archive);
    expect(report).toMatchObject({ restored: 0, damaged: 0, summary: { objects: { count: 4 }, with_media: false } });
  });

  test('has an item that is deleted meanwhile whole or not at all', async () => {
    const { world, items } = await library();
    const doomed = items[2];
    const storage = replacing(world.storage, {
      open: async (key) => {
        if (key === doomed?.fullName) {
          await world.media.remove(doomed.id);
          await world.storage.remove(key);
        }
        return world.storage.open(key);
      },
    });
    const { archive, summary, problems } = await take({ ...world, storage });
    expect(problems).toEqual([]);
    expect(summary.objects.count).toBe(3);
    const { place, report } = await putBack(archive);
    expect(report).toMatchObject({ restored: 3, damaged: 0 });
    expect(JSON.parse(place.committed() ?? '').items.map((item: ActiveMedia) => item.id)).not.toContain(doomed?.id);
  });

  test('tells what is missing or damaged already, and saves the rest', async () => {
    const { world, items } = await library();
    const [gone, changed] = items;
    if (!gone || !changed) throw new Error('There are four.');
    await world.storage.remove(gone.fullName);
    await world.storage.remove(changed.fullName);
    await publish(world, changed.fullName, new Uint8Array(changed.content.size));
    const { archive, problems } = await take(world);
    expect(problems.map(({ id, problem }) => [id, problem])).toEqual([
      [gone.id, 'missing'],
      [changed.id, 'hash'],
    ]);
    const { world: other, damaged, report } = await putBack(archive);
    expect(report).toMatchObject({ restored: 2, damaged: 1, summary: { objects: { count: 4 } } });
    expect(damaged).toEqual([changed.fullName]);
    expect(await bytesUnder(other, changed.fullName)).toBeNull();
  });

  test('of objects whose hash nobody knew has it all the same', async () => {
    const { world, items } = await library();
    const [item] = items;
    if (!item) throw new Error('There are four.');
    await world.media.remove(item.id);
    await world.media.insert([{ ...item, content: { ...item.content, sha256: null } }]);
    const { archive, problems } = await take(world);
    expect(problems).toEqual([]);
    const file = archive.named(`media/${item.fullName}`);
    file.bytes = file.bytes.with(3, 0xff);
    expect((await putBack(archive)).damaged).toEqual([item.fullName]);
  });
});

describe('a restore', () => {
  const refused = async (archive: ReturnType<typeof memoryArchive>, place = memoryPlace()): Promise<string> => {
    const error = await putBack(archive, unmarked(), place).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BackupError);
    expect(place.committed()).toBeNull();
    return String(error);
  };

  test('overwrites no database, and reads nothing then', async () => {
    const { archive } = await take((await library()).world);
    const world = unmarked();
    await expect(putBack(archive, world, memoryPlace(true))).rejects.toThrow('overwrites none');
    expect(await publishedKeys(world)).toEqual([]);
  });

  test('of a backup that is cut off anywhere leaves no database', async () => {
    const { archive } = await take((await library()).world);
    while (archive.files.length > 0) {
      archive.files.pop();
      expect(await refused(archive)).toContain('cut off');
    }
  });

  test('of a damaged database leaves none', async () => {
    const { archive } = await take((await library()).world);
    const file = archive.named('postshelf.db');
    file.bytes = file.bytes.with(5, (file.bytes[5] ?? 0) ^ 1);
    expect(await refused(archive)).toContain('damaged');
  });

  for (const [what, summary, sentence] of [
    ['no JSON', '{', 'damaged'],
    ['something else', '[]', 'damaged'],
    ['null', 'null', 'damaged'],
    ['of a later format', '{"format":2,"database":{"sha256":""}}', 'newer'],
    ['long', ' '.repeat(100_000), 'too long'],
  ] as const) {
    test(`refuses a summary that is ${what}`, async () => {
      const { archive } = await take((await library()).world);
      archive.named('backup.json').bytes = new TextEncoder().encode(summary);
      expect(await refused(archive)).toContain(sentence);
    });
  }

  for (const name of ['media/../../etc/passwd', 'media//etc/passwd', 'media/a/b/c']) {
    test(`refuses ${name}`, async () => {
      const { archive } = await take((await library()).world);
      archive.files.unshift({ name, sha256: null, bytes: new Uint8Array(3) });
      expect(await refused(archive)).toContain('holds no media item');
    });
  }
});
