import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasPrograms } from '@postshelf/testing/programs';
import { onSqlite } from '../support/database.ts';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { stringAt } from '../support/reply.ts';
import { linesOf } from '../support/run.ts';
import { command, type Settings, scratchFolder, startServer } from '../support/server.ts';
import { type MediaItem, mediaItems } from '../support/shapes.ts';
import { onDisk } from '../support/storage.ts';
import { World } from '../support/world.ts';

/** The folder for backups, and for the data folders to which they are restored. */
let folder: string;
/** Makes the program generate its secret, so that the backup has to contain the secret. */
const ownSecret = { JWT_SECRET: undefined };
let world: World;

beforeAll(async () => {
  folder = scratchFolder();
  world = await World.openAlone({ ...onSqlite, ...onDisk, ...ownSecret });
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const run = (args: readonly string[], settings: Settings = world.server.settings) => command(args, settings);

/** A different image for every number. */
const picture = (number: number) =>
  Buffer.concat([fixtures.png(), Buffer.from(`number ${number}`), Buffer.alloc(1 + ((number * 7919) % 31) * 10_000)]);

/** A new data folder to restore to, and the settings for it. */
function elsewhere(name: string): Settings {
  return { ...world.server.settings, DATA_DIR: join(folder, name) };
}

describe('a backup made while clients write', () => {
  const acknowledged = new Map<string, string>();
  let number = 0;

  /** Uploads images until `until` returns true, and records those that were answered with 201. */
  async function upload(until: () => boolean): Promise<void> {
    while (!until()) {
      const [first, second] = [picture(number++), picture(number++)];
      const reply = await world.upload([file('p.png', first), file('q.png', second)]);
      expect(reply.status).toBe(201);
      for (const [n, item] of mediaItems(reply).entries()) acknowledged.set(item.id, sha256(n === 0 ? first : second));
    }
  }

  test('has every item acknowledged before it began, byte for byte, and tokens that stay valid', async () => {
    await upload(() => acknowledged.size >= 20);
    await world.storeOne(file('film.mp4', fixtures.mp4()));
    const before = new Map(acknowledged);
    let isDone = false;
    const clients = [1, 2, 3].map(() => upload(() => isDone));
    const backup = join(folder, 'busy.tar');
    const taken = await run(['backup', backup, '--with-media', '--json']);
    isDone = true;
    await Promise.all(clients);
    expect(taken).toMatchObject({ code: 0 });
    expect(JSON.parse(taken.stdout)).toMatchObject({ with_media: true, problems: [] });
    expect(acknowledged.size).toBeGreaterThan(before.size);

    const place = elsewhere('busy');
    expect(await run(['restore', backup, '--json'], place)).toMatchObject({ code: 0 });
    const verified = await run(['verify', '--json'], place);
    expect(verified).toMatchObject({ code: 0 });
    expect(JSON.parse(verified.stdout).problems).toEqual([]);

    const { PORT: _, ...settings } = place;
    const server = await startServer(join(folder, 'busy'), { ...settings, ...ownSecret });
    try {
      const headers = { authorization: `Bearer ${world.tokens.all}` };
      for (const [id, hash] of before) {
        const reply = await fetch(`${server.url}/v1/media_contents/${id}`, { headers });
        expect(`${id} ${reply.status}`).toBe(`${id} 200`);
        const link = stringAt(await reply.json(), 'data', 'link');
        expect(sha256(new Uint8Array(await (await fetch(link)).arrayBuffer()))).toBe(hash);
      }
    } finally {
      await server.end();
    }
  });
});

describe('a backup', () => {
  let items: MediaItem[];
  const backup = () => join(folder, 'quiet.tar');

  beforeAll(async () => {
    items = await world.store(file('one.png', picture(1_000_001)), file('two.png', picture(1_000_002)));
    expect(await run(['backup', backup(), '--with-media'])).toMatchObject({ code: 0 });
  });

  test('is readable only by its owner, and leaves no temporary files', () => {
    expect(statSync(backup()).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => /partial|copy/.test(name))).toEqual([]);
  });

  test.skipIf(!hasPrograms(['tar'], 'a backup as tar(1) reads it'))(
    'that excludes media lists their ids, keys and sizes',
    async () => {
      const listed = join(folder, 'listed.tar');
      const { code, stdout } = await run(['backup', listed]);
      expect(`${code} ${stdout}`).toMatch(/^0 Wrote .* listed, not included\.\n$/);
      const list = Bun.spawnSync(['tar', 'xOf', listed, 'objects.jsonl']).stdout.toString();
      for (const { id, full_name, size } of items)
        expect(list).toContain(`{"id":"${id}","key":"${full_name}","size":${size},`);
      const place = elsewhere('listed');
      expect((await run(['restore', listed], place)).stdout).toContain('postshelf verify');
      const verified = await run(['verify'], place);
      expect(verified.code).toBe(1);
      expect(verified.stdout).toContain(`${items[0]?.id}  ${items[0]?.full_name}  missing`);
    },
  );

  test('is not restored over existing files', async () => {
    const { code, stderr } = await run(['restore', backup()]);
    expect(code).toBe(1);
    expect(linesOf(stderr)).toEqual([expect.stringContaining('never overwrites one')]);
  });
});

test('verify and backup fail and report a flipped bit, a truncated file and a missing file', async () => {
  const library = await World.openAlone({ ...onSqlite, ...onDisk });
  try {
    const pictures = [1, 2, 3, 4].map((n) => file(`${n}.png`, picture(n)));
    const [flipped, short, gone, whole] = await library.store(...pictures);
    const pathOf = (item?: MediaItem): string => join(library.dataDir, 'media', `${item?.full_name}`);
    flip(pathOf(flipped), 'number 1');
    truncateSync(pathOf(short), 100);
    rmSync(pathOf(gone));
    const damaged = [
      expect.stringMatching(
        new RegExp(`^${flipped?.id}  ${flipped?.full_name}  hash is [0-9a-f]{64} and should be [0-9a-f]{64}$`),
      ),
      expect.stringMatching(
        new RegExp(`^${short?.id}  ${short?.full_name}  size is 100 and should be ${short?.size}$`),
      ),
      expect.stringMatching(new RegExp(`^${gone?.id}  ${gone?.full_name}  missing$`)),
    ];
    const { settings } = library.server;
    const [all, quick, backup] = await Promise.all([
      run(['verify'], settings),
      run(['verify', '--no-hashes'], settings),
      run(['backup', join(folder, 'damaged.tar'), '--with-media'], settings),
    ]);
    expect(all.code).toBe(1);
    expect(linesOf(all.stdout)).toEqual([...damaged, expect.stringContaining('Checked 4 objects')]);
    expect(all.stdout).not.toContain(`${whole?.id}`);
    expect(quick.code).toBe(1);
    expect(linesOf(quick.stdout)).toEqual([...damaged.slice(1), expect.stringContaining('Checked 4 objects')]);
    expect(backup.code).toBe(1);
    expect(linesOf(backup.stdout).slice(0, 3)).toEqual(damaged);
    expect(readdirSync(folder)).not.toContain('damaged.tar');
    const restored = await run(['restore', join(folder, 'damaged.tar.incomplete'), '--json'], elsewhere('damaged'));
    expect(restored.code).toBe(1);
    expect(JSON.parse(restored.stdout)).toMatchObject({ restored: 1, damaged: [flipped?.full_name, short?.full_name] });
  } finally {
    await library.close();
  }
});

/** Flips a bit in the first occurrence of the text. */
function flip(path: string, text: string): void {
  const bytes = readFileSync(path);
  const at = bytes.indexOf(text);
  expect(at).toBeGreaterThan(0);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}
