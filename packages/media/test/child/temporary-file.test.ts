import { afterEach, describe, expect, setSystemTime, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { findConfinement } from '../../src/child/confinement.ts';
import { runDecoder } from '../../src/child/decoder.ts';
import { createTemporaryFile, openLocally, removeLeftovers } from '../../src/child/temporary-file.ts';

const HOUR = 60 * 60 * 1000;

afterEach(() => void setSystemTime());

/** Runs a function with its own folder for temporary files. */
async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const before = process.env.TMPDIR;
  const folder = await mkdtemp(join(tmpdir(), 'temporary-files-'));
  process.env.TMPDIR = folder;
  try {
    await run(folder);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    await rm(folder, { recursive: true });
  }
}

describe('a temporary file', () => {
  test('is private to its user and removed once it is released', () =>
    inFolder(async (folder) => {
      const { file, path, unlink } = await createTemporaryFile();
      await file.write('made');
      expect(await Bun.file(path).text()).toBe('made');
      expect((await file.stat()).mode & 0o777).toBe(0o600);
      await unlink();
      expect(await readdir(folder)).toEqual([]);
      await file.close();
    }));

  test('that copies a source has no directory entry, even while it is copied', () =>
    inFolder(async (folder) => {
      const bytes = Buffer.from('a film in a bucket');
      const read = async (from: number, length: number) => {
        expect(await readdir(folder)).toEqual([]);
        return bytes.subarray(from, from + length);
      };
      const file = await openLocally({ size: bytes.length, read });
      expect(String(await file?.readFile())).toBe('a film in a bucket');
      await file?.close();
    }));

  test('that cannot be created is the reason why an image of a bucket is not decoded', () =>
    inFolder(async (folder) => {
      process.env.TMPDIR = join(folder, 'full');
      const source = { size: 1, read: async () => Buffer.from('a') };
      const jobs = [{ source, order: { task: 'convert', type: 'image/heic', libheif: null } as const }];
      const options = {
        confinement: await findConfinement('low'),
        timeout: 1000,
        signal: new AbortController().signal,
      };
      expect(await outcomeOf(runDecoder({ command: ['false'] }, jobs, options))).toThrow(
        'TMPDIR has no room for a copy',
      );
    }));

  test('left by a killed process is removed after some hours, also by a process that made files before', () =>
    inFolder(async (folder) => {
      const first = await createTemporaryFile();
      const left = await mkdtemp(join(folder, 'postshelf-child-'));
      setSystemTime(Date.now() + 4 * HOUR);
      const second = await createTemporaryFile();
      expect(existsSync(left)).toBe(false);
      for (const { file } of [first, second]) await file.close();
    }));

  test('left by a killed process is removed without removing other files', () =>
    inFolder(async (folder) => {
      const old = new Date(Date.now() - 3 * HOUR);
      for (const name of ['postshelf-child-old', 'postshelf-child-new', 'postshelf-other', 'other']) {
        await mkdir(join(folder, name));
        await writeFile(join(folder, name, 'file'), 'bytes');
        if (name !== 'postshelf-child-new') await utimes(join(folder, name), old, old);
      }
      await removeLeftovers();
      expect((await readdir(folder)).toSorted()).toEqual(['other', 'postshelf-child-new', 'postshelf-other']);
    }));
});
