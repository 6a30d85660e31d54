import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtemp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BackupError, type BackupWriter } from '@postshelf/domain';
import { outcomeOf, thrownBy } from '@postshelf/testing/outcomes';
import { hasPrograms } from '@postshelf/testing/programs';
import { openFileDestination, readTar } from '../../src/backup/index.ts';
import { TarWriter } from '../../src/backup/tar-writer.ts';
import { digest } from '../../src/index.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postshelf-tar-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function* chunks(...parts: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

const bytes = (length: number): Uint8Array<ArrayBuffer> => crypto.getRandomValues(new Uint8Array(length));
const add = (writer: BackupWriter, name: string, body: Uint8Array, sha256: string | null = null) =>
  writer.add({ name, size: body.length, sha256, body: chunks(body) });

const writeTar = async (path: string): Promise<BackupWriter> => (await openFileDestination(path, 0)).open();

const KEY = `media/${crypto.randomUUID()}/${crypto.randomUUID()}/${'é'.repeat(100)} 😀.jpg`;

describe('a backup as a tar file', () => {
  test('yields the added files in order with their hashes', async () => {
    const path = join(folder, 'a.tar');
    const files = [0, 1, 511, 512, 513, 65_536, 65_537].map((size, n) => ({ name: `${KEY}${n}`, body: bytes(size) }));
    const writer = await writeTar(path);
    for (const { name, body } of files) {
      expect(await add(writer, name, body, 'f'.repeat(64))).toEqual(await digest(chunks(body)));
    }
    await writer.finish('whole');
    await writer.discard();

    const read: unknown[] = [];
    for await (const { name, size, body } of readTar(path)) {
      const found = await digest(body);
      expect(found.size).toBe(size);
      read.push([name, found]);
    }
    const added = files.map(async ({ name, body }) => [name, await digest(chunks(body))]);
    expect(read).toEqual(await Promise.all(added));
  });

  test('stores the given hash without checking it', async () => {
    const path = join(folder, 'a.tar');
    const writer = await writeTar(path);
    await add(writer, 'said', bytes(10), 'a'.repeat(64));
    await add(writer, 'unsaid', bytes(10));
    await writer.finish('whole');
    const said = [];
    for await (const { sha256, body } of readTar(path)) {
      said.push(sha256);
      await digest(body);
    }
    expect(said).toEqual(['a'.repeat(64), null]);
  });

  test('can be written to a folder that is a symbolic link', async () => {
    await symlink('.', join(folder, 'link'));
    const writer = await writeTar(join(folder, 'link', 'a.tar'));
    await add(writer, 'a', bytes(10));
    await writer.finish('whole');
    expect((await readdir(folder)).sort()).toEqual(['a.tar', 'link']);
  });

  test.skipIf(!hasPrograms(['tar'], 'a backup as tar(1) reads it'))(
    'is readable by tar(1) and has mode 0600',
    async () => {
      const path = join(folder, 'a.tar');
      const body = bytes(70_000);
      const writer = await writeTar(path);
      await add(writer, KEY, body, 'f'.repeat(64));
      await writer.finish('whole');
      const { stdout, stderr } = Bun.spawnSync(['tar', 'xOf', path]);
      expect(stderr.toString()).toBe('');
      expect(new Uint8Array(stdout)).toEqual(body);
      expect((await stat(path)).mode & 0o777).toBe(0o600);
    },
  );

  test('replaces an older backup only when finished and leaves no file when discarded', async () => {
    const path = join(folder, 'a.tar');
    await writeFile(path, 'the last one');
    const dropped = await writeTar(path);
    await add(dropped, 'file', bytes(100_000));
    expect(await readFile(path, 'utf8')).toBe('the last one');
    await dropped.discard();
    await dropped.discard();
    expect(await readdir(folder)).toEqual(['a.tar']);
    expect(await readFile(path, 'utf8')).toBe('the last one');

    const finished = await writeTar(path);
    await add(finished, 'file', bytes(10));
    await finished.finish('whole');
    await finished.discard();
    expect(await readdir(folder)).toEqual(['a.tar']);
    expect((await stat(path)).size % 512).toBe(0);
  });

  for (const [what, size] of [
    ['shorter', 101],
    ['longer', 99],
  ] as const) {
    test(`refuses a body that is ${what} than declared`, async () => {
      const writer = await writeTar(join(folder, 'a.tar'));
      const adding = writer.add({ name: 'file', size, sha256: null, body: chunks(bytes(50), bytes(50)) });
      expect(await outcomeOf(adding)).toThrow(`file became ${what} than its ${size} bytes`);
      await writer.discard();
      expect(await readdir(folder)).toEqual([]);
    });
  }

  test('passes on the error of a body that is added', async () => {
    const writer = await writeTar(join(folder, 'a.tar'));
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield bytes(10);
      throw new Error('gone');
    };
    expect(await outcomeOf(writer.add({ name: 'file', size: 20, sha256: null, body: failing() }))).toThrow('gone');
    await writer.discard();
    expect(await readdir(folder)).toEqual([]);
  });

  test('passes on the error of a full disk, even if the disk is full after the last byte of a body was added', async () => {
    let writes = 0;
    const full = new BackupError('The disk is full.');
    const writer = new TarWriter({
      write: async () => {
        writes += 1;
        await Bun.sleep(1);
        if (writes === 4) throw full;
      },
      finish: async () => null,
      discard: async () => undefined,
    });
    const body = async function* (): AsyncGenerator<Uint8Array> {
      for (let count = 0; count < 4; count += 1) yield bytes(100_000);
    };
    const adding = writer.add({ name: 'file', size: 400_000, sha256: null, body: body() });
    expect(await thrownBy(adding)).toBe(full);
    await writer.discard();
  });

  test('that is truncated within a file, a header or padding is refused or ends early, and never hangs', async () => {
    const path = join(folder, 'a.tar');
    const writer = await writeTar(path);
    for (const name of ['one', 'two']) await add(writer, name, bytes(700), 'f'.repeat(64));
    await writer.finish('whole');
    const whole = await readFile(path);
    for (const length of [0, 100, 512, 1500, 1536, 2000, 2560, 3000, 3072, 3500, whole.length - 1024]) {
      await writeFile(path, whole);
      await truncate(path, length);
      const names: string[] = [];
      const reading = (async () => {
        for await (const { name, body } of readTar(path)) {
          await digest(body);
          names.push(name);
        }
      })();
      const error = await reading.then(
        () => null,
        (thrown: unknown) => thrown,
      );
      if (error !== null) expect(`${error}`).toContain(`${path} cannot be read as a backup: it is truncated`);
      expect(['', 'one', 'one two']).toContain(names.join(' '));
      if (length < whole.length - 1024) expect(error !== null || names.length < 2).toBe(true);
    }
  });

  for (const [what, make] of [
    ['is missing', async () => undefined],
    ['is a text file', (path: string) => writeFile(path, 'This is a text about shelves. '.repeat(100))],
    [
      'contains a link',
      async (path: string) =>
        void Bun.spawnSync(['sh', '-c', `ln -s /etc/passwd l && tar cf ${path} l`], { cwd: folder }),
    ],
  ] as const) {
    test(`is refused with a one-line error that names it if it ${what}`, async () => {
      const path = join(folder, 'a.tar');
      await make(path);
      const error = await readTar(path)
        .next()
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(BackupError);
      expect(`${error}`).toContain(path);
      expect(`${error}`).not.toContain('\n');
    });
  }
});
