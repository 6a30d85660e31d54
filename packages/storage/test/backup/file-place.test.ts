import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import {
  chmod,
  link,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BackupDestination, BackupError, type BackupOutcome } from '@postshelf/domain';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { openFileDestination } from '../../src/backup/index.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postshelf-place-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const TIME = Date.UTC(2026, 10, 21, 6, 15, 10);
const DAY = 24 * 60 * 60 * 1000;

async function* bodyOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Writes a backup to the path, with `backup.json` as its last file unless other files are given. */
async function write(
  place: BackupDestination,
  outcome: BackupOutcome = 'whole',
  files: Readonly<Record<string, string>> = { 'objects.jsonl': '{}', 'backup.json': '{"format":1}' },
): Promise<string | null> {
  const writer = await place.open();
  try {
    for (const [name, text] of Object.entries(files)) {
      const bytes = Buffer.from(text);
      await writer.add({ name, size: bytes.length, sha256: null, body: bodyOf(bytes) });
    }
    return await writer.finish(outcome);
  } finally {
    await writer.discard();
  }
}

const backUpTo = async (path: string, time = TIME, outcome: BackupOutcome = 'whole') =>
  write(await openFileDestination(path, time), outcome);

/** Lists the existing backups of a destination. Returns the path and the summary of each. */
async function look(path: string, outcome: BackupOutcome = 'whole', time = TIME) {
  const found = await Array.fromAsync((await openFileDestination(path, time)).existing(outcome));
  return found.map((file) => [file.path, file.summary && Buffer.from(file.summary).toString()]);
}

const refusal = async (path: string, time = TIME): Promise<string> => {
  const before = await readdir(folder);
  const error = await openFileDestination(path, time).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BackupError);
  expect(`${error}`).not.toContain('\n');
  expect(await readdir(folder)).toEqual(before);
  return String(error);
};

describe('a destination without {date} in its name', () => {
  test('holds the complete backup, and the incomplete one under its name with the suffix .incomplete', async () => {
    const path = join(folder, 'b.tar');
    expect(await look(path)).toEqual([]);
    expect(await backUpTo(path)).toBe(path);
    expect(await look(path)).toEqual([[path, '{"format":1}']]);
    expect(await look(path, 'incomplete')).toEqual([]);
    const before = await readFile(path);
    expect(await backUpTo(path, TIME, 'incomplete')).toBe(`${path}.incomplete`);
    expect(await readFile(path)).toEqual(before);
    expect(await look(path, 'incomplete')).toEqual([[`${path}.incomplete`, '{"format":1}']]);
  });

  test('may be a link to a file: the file is replaced and the link stays', async () => {
    await mkdir(join(folder, 'disk'));
    const target = join(folder, 'disk', 'real.tar');
    const path = join(folder, 'b.tar');
    await writeFile(target, '');
    await symlink(target, path);
    expect(await backUpTo(path)).toBe(target);
    expect(await readlink(path)).toBe(target);
    expect(await look(path)).toEqual([[target, '{"format":1}']]);
    expect(await backUpTo(path, TIME, 'incomplete')).toBe(`${target}.incomplete`);
    expect((await readdir(folder)).sort()).toEqual(['b.tar', 'disk']);
  });

  test('is refused if it is a dangling link', async () => {
    await symlink(join(folder, 'nothing'), join(folder, 'b.tar'));
    expect(await refusal(join(folder, 'b.tar'))).toContain('broken link');
  });

  test.each([
    ['a folder', (path: string) => mkdir(path)],
    ['a pipe', (path: string) => Bun.spawn(['mkfifo', path]).exited],
    ['a device', (path: string) => symlink('/dev/null', path)],
    ['a folder', (path: string) => symlink(folder, path)],
  ])('is refused if it is %s (case %#)', async (kind, make) => {
    const path = join(folder, 'b.tar');
    await make(path);
    expect(await refusal(path)).toContain(`is ${kind}`);
    if (kind !== 'a pipe') return;
    await rm(path);
    await make(`${path}.incomplete`);
    expect(await refusal(path)).toContain('is a pipe');
  });

  test('is refused if it is a socket', async () => {
    const path = join(folder, 's');
    const server = createServer();
    await new Promise<void>((resolve) => void server.listen(path, resolve));
    try {
      expect(await refusal(path)).toContain('is a socket');
    } finally {
      server.close();
    }
  });

  test('is not replaced if a folder was created at the path while the backup was written', async () => {
    const path = join(folder, 'b.tar');
    const writer = await (await openFileDestination(path, TIME)).open();
    await mkdir(path);
    expect(await outcomeOf(writer.finish('whole'))).toThrow('is a folder');
    await writer.discard();
    expect(await readdir(folder)).toEqual(['b.tar']);
  });

  test('fails with a one-line error if its folder is missing, or is deleted while the backup is written', async () => {
    const path = join(folder, 'gone', 'b.tar');
    const place = await openFileDestination(path, TIME);
    expect(await outcomeOf(place.open())).toThrow(BackupError);
    await mkdir(join(folder, 'gone'));
    const writer = await place.open();
    await rm(join(folder, 'gone'), { recursive: true });
    expect(await outcomeOf(writer.finish('whole'))).toThrow(`${path} cannot be written: ENOENT`);
    await writer.discard();
  });
});

describe('a destination with {date} in its name', () => {
  const nameAt = (second: number) => join(folder, `b-20261121T0615${second}Z.tar`);

  test('has a file for each backup, listed newest first', async () => {
    const path = join(folder, 'b-{date}.tar');
    for (const second of [10, 12, 11]) expect(await backUpTo(path, TIME + (second - 10) * 1000)).toBe(nameAt(second));
    await backUpTo(path, TIME + 13_000, 'incomplete');
    expect((await look(path)).map(([name]) => name)).toEqual([12, 11, 10].map(nameAt));
    expect((await look(path, 'incomplete')).map(([name]) => name)).toEqual([`${nameAt(23)}.incomplete`]);
  });

  test('ignores folders and links, and files whose names are only similar', async () => {
    const path = join(folder, 'b-{date}.tar');
    const whole = await backUpTo(join(folder, 'whole.tar'));
    await mkdir(nameAt(11));
    await symlink(String(whole), nameAt(12));
    for (const name of ['b-2026.tar', 'b-20261121T061513Z.tar.gz', 'a-b-20261121T061513Z.tar', 'b-.tar'])
      await link(String(whole), join(folder, name));
    expect(await look(path)).toEqual([]);
    expect(await look(path, 'incomplete')).toEqual([]);
  });

  test('is refused if {date} is in the folder or occurs twice in the name', async () => {
    expect(await refusal(join(folder, '{date}', 'b.tar'))).toContain('{date}');
    expect(await refusal(join(folder, '{date}-{date}.tar'))).toContain('{date}');
  });

  test('removes a backup on request', async () => {
    const path = join(folder, 'b-{date}.tar');
    await backUpTo(path);
    const place = await openFileDestination(path, TIME);
    await place.remove(nameAt(10));
    expect(await readdir(folder)).toEqual([]);
    expect(await outcomeOf(place.remove(nameAt(10)))).toThrow(BackupError);
  });
});

describe('the last file of a backup', () => {
  const path = () => join(folder, 'b.tar');
  const found = async () => (await look(path()))[0]?.[1];

  test('is read from the end of a large backup without reading the bytes before it', async () => {
    const tar = await readFile(String(await backUpTo(path())));
    const handle = await open(path(), 'w');
    // A hole of 100 GiB precedes the tar file. Reading the hole would take minutes.
    await handle.write(tar, 0, tar.length, 100 * 2 ** 30);
    await handle.close();
    expect(await found()).toBe('{"format":1}');
  });

  test('is not found in a backup that is truncated, has bytes after its end or ends with another file', async () => {
    const tar = await readFile(String(await backUpTo(path())));
    for (const length of [
      0,
      1,
      511,
      512,
      1024,
      tar.length - 1536,
      tar.length - 1024,
      tar.length - 512,
      tar.length - 1,
    ]) {
      await writeFile(path(), tar.subarray(0, length));
      expect(await found()).toBeNull();
    }
    await writeFile(path(), Buffer.concat([tar, Buffer.alloc(512, 'x')]));
    expect(await found()).toBeNull();
    await write(await openFileDestination(path(), TIME), 'whole', { 'backup.json': '{}', 'another.json': '{}' });
    expect(await found()).toBeNull();
    await write(await openFileDestination(path(), TIME), 'whole', { 'backup.json': ' '.repeat(80_000) });
    expect(await found()).toBeNull();
  });

  test('is not found in files that only resemble a tar', async () => {
    const block = Buffer.alloc(512);
    block.write('backup.json');
    const zeros = Buffer.alloc(1024);
    for (const bytes of [
      zeros,
      Buffer.alloc(200_192),
      Buffer.concat([block, zeros]),
      Buffer.concat([block, Buffer.alloc(512, '7'), zeros]),
      Buffer.concat([Buffer.alloc(204_800, 'backup.json'), zeros]),
      Buffer.concat([crypto.getRandomValues(Buffer.alloc(51_200)), zeros]),
    ]) {
      await writeFile(path(), bytes);
      expect(await found()).toBeNull();
    }
  });

  test.skipIf(process.getuid?.() === 0)('causes a one-line error if the backup cannot be read', async () => {
    await backUpTo(path());
    await chmod(path(), 0);
    expect(await outcomeOf(look(path()))).toThrow(`${path()} cannot be read`);
  });
});

test('only leftovers of killed backups are deleted, and only once they are old enough', async () => {
  const id = crypto.randomUUID();
  const names = [
    `b.tar.${id}.partial`,
    `b.tar.${id}.copy`,
    `b.tar.${id}.copy-wal`,
    `c.tar.${id}.partial`,
    'b.tar.partial',
    `b.tar.${id}.partial.txt`,
    `b.tar.${id}.incomplete`,
  ];
  const made = async (age: number) => {
    for (const name of names) {
      await writeFile(join(folder, name), '');
      await utimes(join(folder, name), new Date(Date.now() - age), new Date(Date.now() - age));
    }
    await backUpTo(join(folder, 'b.tar'));
    return names.filter((name) => !existsSync(join(folder, name)));
  };
  expect(await made(0.9 * DAY)).toEqual([]);
  expect(await made(1.1 * DAY)).toEqual(names.slice(0, 1));
  expect(await made(7.1 * DAY)).toEqual(names.slice(0, 3));
});
