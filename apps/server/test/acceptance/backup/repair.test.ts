import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { uploadStorages } from '../presign/support/every-storage.ts';
import { onSqlite } from '../support/database.ts';
import * as fixtures from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { program } from '../support/program.ts';
import { linesOf } from '../support/run.ts';
import { command, expectQuiet, removeFolder, type Settings, scratchFolder } from '../support/server.ts';
import type { MediaItem } from '../support/shapes.ts';
import { onDisk } from '../support/storage.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

const picture = (number: number) => Buffer.concat([fixtures.png(), Buffer.from(`number ${number}`)]);
const pictures = (count: number) => Array.from({ length: count }, (_, n) => file(`${n}.png`, picture(n)));

let folder: string;
beforeEach(() => {
  folder = scratchFolder();
});
afterEach(() => removeFolder(folder));

/** A library on disk with some images, a backup of it that includes media, and a copy of its media folder. */
async function library(count: number) {
  const world = await World.openAlone({ ...onSqlite, ...onDisk });
  const items = (await Promise.all(inTens(pictures(count)).map((ten) => world.store(...ten)))).flat();
  const { settings } = world.server;
  const backup = join(folder, 'b.tar');
  const copy = join(folder, 'copy');
  expect(await command(['backup', backup, '--with-media'], settings)).toMatchObject({ code: 0 });
  cpSync(join(world.dataDir, 'media'), copy, { recursive: true, filter: (path) => !path.includes('/.') });
  const pathOf = (item?: MediaItem) => join(world.dataDir, 'media', `${item?.full_name}`);
  const originals = new Map(items.map((item) => [pathOf(item), readFileSync(pathOf(item))]));
  return { world, items, settings, backup, copy, pathOf, originals };
}

const inTens = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / 10) }, (_, n) => all.slice(n * 10, n * 10 + 10));

const mend = (from: string, settings: Settings, ...args: readonly string[]) =>
  command(['verify', '--repair-from', from, ...args], settings);

test.each(['backup', 'copy'] as const)(
  'a %s repairs missing and damaged objects, and changes no others',
  async (which) => {
    const { world, items, settings, pathOf, originals, ...sources } = await library(5);
    try {
      const [flipped, short, gone, whole] = items;
      writeFileSync(pathOf(flipped), flip(readFileSync(pathOf(flipped))));
      writeFileSync(pathOf(short), 'short');
      rmSync(dirname(pathOf(gone)), { recursive: true });
      const stranger = join(world.dataDir, 'media', crypto.randomUUID(), crypto.randomUUID(), 'stranger.png');
      mkdirSync(dirname(stranger), { recursive: true });
      writeFileSync(stranger, 'nobody wants it');
      const { ino, mtimeMs } = statSync(pathOf(whole));
      const first = await mend(sources[which], settings, '--json');
      expectQuiet(first);
      expect(JSON.parse(first.stdout)).toMatchObject({
        objects: 5,
        repaired: [
          { id: flipped?.id, key: flipped?.full_name, problem: 'hash' },
          { id: short?.id, problem: 'size' },
          { id: gone?.id, problem: 'missing' },
        ],
        problems: [],
        source_error: null,
      });
      for (const [path, bytes] of originals) expect(readFileSync(path)).toEqual(bytes);
      expect(statSync(pathOf(whole))).toMatchObject({ ino, mtimeMs });
      expect(readFileSync(stranger, 'utf8')).toBe('nobody wants it');
      expect(readdirSync(join(world.dataDir, 'media', '.staging')).flatMap(stagedIn(world.dataDir))).toEqual([]);
      expect((await command(['verify'], settings)).code).toBe(0);
      for (const { link } of items) expect((await fetch(`${link}`)).status).toBe(200);
      rmSync(pathOf(gone));
      const { code, stdout } = await mend(sources[which], settings);
      expect(`${code}`).toBe('0');
      expect(linesOf(stdout)).toEqual([
        `${gone?.id}  ${gone?.full_name}  missing: repaired`,
        expect.stringMatching(/^Checked 5 objects, .*: 1 repaired, 0 missing or damaged\.$/),
      ]);
    } finally {
      await world.close();
    }
  },
);

const stagedIn = (dataDir: string) => (run: string) => readdirSync(join(dataDir, 'media', '.staging', run));

test('a repair rejects damaged bytes, and restores every object that a truncated backup still contains', async () => {
  const { world, items, settings, pathOf, backup, copy } = await library(4);
  try {
    const [first, second, third, fourth] = items;
    for (const item of [first, second]) rmSync(pathOf(item));
    const rotten = flip(readFileSync(pathOf(third)));
    writeFileSync(pathOf(third), rotten);
    writeFileSync(join(copy, `${first?.full_name}`), flip(picture(0)));
    rmSync(join(copy, `${second?.full_name}`));
    writeFileSync(join(copy, `${third?.full_name}`), 'short');
    const { code, stdout } = await mend(copy, settings);
    expect(code).toBe(1);
    expect(linesOf(stdout)).toEqual([
      `${first?.id}  ${first?.full_name}  missing: damaged in ${copy} too`,
      `${second?.id}  ${second?.full_name}  missing: not in ${copy}`,
      expect.stringMatching(new RegExp(`^${third?.id}  ${third?.full_name}  hash is .*: damaged in ${copy} too$`)),
      expect.stringContaining('0 repaired, 3 missing'),
    ]);
    expect(readFileSync(pathOf(third))).toEqual(rotten);
    expect(readFileSync(pathOf(fourth))).toEqual(picture(3));

    const tar = readFileSync(backup);
    writeFileSync(backup, tar.subarray(0, tar.indexOf('number 1') - 10));
    const cut = await mend(backup, settings, '--json');
    expect(cut.code).toBe(1);
    expect(linesOf(cut.stderr)).toEqual([expect.stringMatching(/b\.tar cannot be read as a backup/)]);
    expect(JSON.parse(cut.stdout)).toMatchObject({
      repaired: [{ id: first?.id }],
      problems: [
        { id: second?.id, source: 'damaged' },
        { id: third?.id, source: 'absent' },
      ],
      source_error: expect.stringContaining('cannot be read as a backup'),
    });
    expect(readFileSync(pathOf(first))).toEqual(picture(0));
  } finally {
    await world.close();
  }
});

test('a repair killed at any point leaves each object unchanged or repaired, and can be run again', async () => {
  const { world, items, settings, pathOf, originals, copy } = await library(60);
  try {
    const rotten = new Map(items.map((item) => [pathOf(item), flip(readFileSync(pathOf(item)))]));
    for (const [path, bytes] of rotten) writeFileSync(path, bytes);
    const child = Bun.spawn([...program.command, 'verify', '--repair-from', copy], {
      cwd: program.cwd,
      env: { ...program.environment, ...settings },
      stdout: 'ignore',
      stderr: 'ignore',
    });
    const repaired = () => [...originals].filter(([path, bytes]) => readFileSync(path).equals(bytes)).length;
    await until('one is repaired', () => repaired() > 0 || child.exitCode !== null);
    child.kill('SIGKILL');
    await child.exited;
    for (const [path, bytes] of originals) {
      const found = readFileSync(path);
      expect(found.equals(bytes) || found.equals(rotten.get(path) ?? bytes)).toBe(true);
    }
    expect(await mend(copy, settings)).toMatchObject({ code: 0 });
    expect(repaired()).toBe(60);
  } finally {
    await world.close();
  }
});

test('a repair from a missing file, a file that is not a backup, or a pipe is refused with one line', async () => {
  const { world, items, settings, pathOf } = await library(1);
  try {
    rmSync(pathOf(items[0]));
    const text = join(folder, 'text');
    writeFileSync(text, 'This is a text. '.repeat(100));
    const pipe = join(folder, 'pipe');
    Bun.spawnSync(['mkfifo', pipe]);
    const sources = [join(folder, 'nothing'), text, pipe];
    const ended = await Promise.all(sources.map((source) => mend(source, settings)));
    for (const [n, { code, stderr }] of ended.entries()) {
      expect(code).toBe(1);
      expect(linesOf(stderr)).toEqual([expect.stringContaining(sources[n] ?? '')]);
    }
  } finally {
    await world.close();
  }
});

// The tests above cover storage in a folder. This one covers buckets.
describe.each([...uploadStorages.filter(({ receives }) => !receives)])('a library ($name)', ({ open }) => {
  test('can be verified and completely repaired from a backup and from a copy of its media', async () => {
    const { world, loseAll, close } = await open({ ...onSqlite });
    try {
      const { settings } = world.server;
      const items = await world.store(...pictures(3));
      const ids = items.map(({ id }) => id);
      const backup = join(folder, 'b.tar');
      expectQuiet(await command(['backup', backup, '--with-media'], settings));
      expect(Bun.spawnSync(['tar', 'xf', backup, '-C', folder, 'media']).success).toBe(true);
      // Extracted folders get the owner and permissions that the tar file records for them, and may be read-only.
      chmodSync(join(folder, 'media'), 0o700);
      for (const source of [backup, folder]) {
        await loseAll();
        const missing = await command(['verify', '--json'], settings);
        expect(missing.code).toBe(1);
        expect(JSON.parse(missing.stdout).problems).toMatchObject(ids.map((id) => ({ id, problem: 'missing' })));
        const { code, stdout } = await mend(source, settings, '--json');
        expect(code).toBe(0);
        expect(JSON.parse(stdout).repaired.map(({ id }: MediaItem) => id)).toEqual(ids);
      }
      expectQuiet(await command(['verify'], settings));
      for (const [n, { link }] of items.entries())
        expect(Buffer.from(await (await fetch(`${link}`)).arrayBuffer())).toEqual(picture(n));
    } finally {
      await close();
    }
  });
});

/** Returns a copy of an image in which one bit of the last byte is flipped. This byte is part of the image's number. */
function flip(bytes: Buffer): Buffer<ArrayBuffer> {
  const flipped = Buffer.from(new Uint8Array(bytes));
  const at = flipped.length - 1;
  flipped[at] = (flipped[at] ?? 0) ^ 1;
  return flipped;
}
