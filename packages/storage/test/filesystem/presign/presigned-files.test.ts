import { describe, expect, test } from 'bun:test';
import { lstat, mkdir, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Uuid } from '@postshelf/domain';
import { newId } from '@postshelf/testing/contracts/samples';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { sha256, unavailableMessage } from '../../support/objects.ts';
import { testInScratch, withScratch } from '../../support/scratch.ts';
import { stagedFiles } from '../../support/staging.ts';
import {
  bodyOf,
  keptNames,
  openUploads,
  presignedFor,
  receiveText,
  takeText,
  uploadEntries,
  uploadFolder,
} from '../../support/uploads.ts';

const modeOf = async (path: string): Promise<string> => ((await lstat(path)).mode & 0o777).toString(8);

describe('the file of an upload', () => {
  testInScratch(
    'is stored by order and hash for its owner only, and has a second name while it is taken',
    async (root) => {
      const uploads = await openUploads(root);
      const id = await receiveText(uploads, 'bytes');
      const name = `1.${sha256('bytes')}`;
      expect(await keptNames(root, id)).toEqual([name]);
      expect(await readFile(join(uploadFolder(root, id), name), 'utf8')).toBe('bytes');
      expect((await lstat(join(uploadFolder(root, id), name))).nlink).toBe(1);
      expect(await modeOf(join(uploadFolder(root, id), name))).toBe('600');
      expect(await modeOf(uploadFolder(root, id))).toBe('700');
      expect(await modeOf(join(root, '.uploads'))).toBe('700');
      expect(await stagedFiles(root)).toEqual([]);
      const taken = await uploads.take(id);
      expect(taken).toMatchObject({ size: 5, sha256: sha256('bytes') });
      expect(await stagedFiles(root)).toEqual([taken?.path ?? '']);
      await taken?.discard();
      expect(await stagedFiles(root)).toEqual([]);
    },
  );

  testInScratch('is replaced by a later file, even by an equal one', async (root) => {
    const uploads = await openUploads(root);
    const id = await receiveText(uploads, 'first');
    await receiveText(uploads, 'second, longer', id);
    await receiveText(uploads, 'second, longer', id);
    expect(await keptNames(root, id)).toEqual([`3.${sha256('second, longer')}`]);
    expect(await takeText(uploads, id)).toBe('second, longer');
  });

  test.each([
    ['a byte longer', ['bytes', '!']],
    ['longer in its first chunk', ['bytes!']],
    ['a byte shorter', ['by', 'te']],
    ['empty', []],
  ])('stays when a file received later is %s', (_, texts) =>
    withScratch(async (root) => {
      const uploads = await openUploads(root);
      const presigned = presignedFor('bytes');
      expect(await uploads.receive(presigned, bodyOf(...texts))).toBe('wrong_size');
      expect(await uploadEntries(root)).toEqual([]);
      await receiveText(uploads, 'first', presigned.id);
      expect(await uploads.receive(presigned, bodyOf(...texts))).toBe('wrong_size');
      expect(await takeText(uploads, presigned.id)).toBe('first');
      expect(await stagedFiles(root)).toEqual([]);
    })(),
  );

  testInScratch('stays when the next body fails, and the error is passed on unchanged', async (root) => {
    const uploads = await openUploads(root);
    const id = await receiveText(uploads, 'first');
    const failure = Object.assign(new Error('the client hung up'), { code: 'ENOENT' });
    async function* broken(): AsyncGenerator<Uint8Array> {
      yield* bodyOf('sec');
      throw failure;
    }
    const thrown = await uploads.receive(presignedFor('second', id), broken()).catch((error: unknown) => error);
    expect(thrown).toBe(failure);
    expect(await takeText(uploads, id)).toBe('first');
    expect(await stagedFiles(root)).toEqual([]);
  });

  testInScratch('is listed once, with the time of the last file', async (root) => {
    const uploads = await openUploads(root);
    const id = await receiveText(uploads, 'bytes');
    const folder = uploadFolder(root, id);
    await writeFile(join(folder, `10.${sha256('tenth')}`), 'tenth');
    await utimes(join(folder, `10.${sha256('tenth')}`), 1_000_000, 1_000_000);
    expect(await Array.fromAsync(uploads.list())).toEqual([{ id, size: 5, modifiedAt: 1_000_000_000 }]);
    expect(await takeText(uploads, id)).toBe('tenth');
  });

  testInScratch('is removed with its directory, as is an empty directory left by a crash', async (root) => {
    const uploads = await openUploads(root);
    const [id, empty] = [await receiveText(uploads, 'bytes'), newId()];
    await mkdir(uploadFolder(root, empty));
    expect(await takeText(uploads, empty)).toBeNull();
    expect(await Array.fromAsync(uploads.list())).toMatchObject([{ id }]);
    for (const each of [id, empty]) await uploads.purge(each);
    expect(await uploadEntries(root)).toEqual([]);
  });
});

describe('a foreign name', () => {
  testInScratch('is neither listed, taken nor removed, and does not disturb receiving', async (root) => {
    const uploads = await openUploads(root);
    const id = newId();
    const hash = sha256('x');
    await mkdir(uploadFolder(root, id));
    const names = [`0.${hash}`, `01.${hash}`, `1.${hash.toUpperCase()}`, `1.${hash}.tmp`, `1.${hash}\n`, hash, 'a'];
    for (const name of names) await writeFile(join(uploadFolder(root, id), name), 'x');
    await mkdir(join(uploadFolder(root, id), `7.${hash}`));
    await writeFile(join(root, '.uploads', newId()), 'x');
    await mkdir(join(root, '.uploads', 'notes'));
    const upper = join(root, '.uploads', newId().toUpperCase());
    await mkdir(upper);
    await writeFile(join(upper, `1.${hash}`), 'x');
    expect(await Array.fromAsync(uploads.list())).toEqual([]);
    expect(await uploads.take(id)).toBeNull();
    await uploads.purge(id);
    expect(await keptNames(root, id)).toEqual([...names, `7.${hash}`].sort());
    expect(await uploadEntries(root)).toHaveLength(4);
    await receiveText(uploads, 'bytes', id);
    expect(await takeText(uploads, id)).toBe('bytes');
  });

  test.each(['', '..', '.', '../../etc', `${newId()}/..`, newId().toUpperCase(), `${newId()}\0`])(
    'is not an id: %j',
    (id) =>
      withScratch(async (root) => {
        const uploads = await openUploads(join(root, 'media'));
        const bad = id as Uuid;
        expect(await outcomeOf(uploads.receive({ ...presignedFor('bytes'), id: bad }, bodyOf('bytes')))).toThrow(
          'Not the id',
        );
        expect(await outcomeOf(uploads.take(bad))).toThrow('Not the id');
        expect(await outcomeOf(uploads.purge(bad))).toThrow('Not the id');
        expect(await readdir(root)).toEqual(['media']);
      })(),
  );
});

describe('a symbolic link', () => {
  testInScratch('or a file in place of .uploads prevents opening', async (scratch) => {
    await mkdir(join(scratch, 'elsewhere'));
    await mkdir(join(scratch, 'linked'));
    await symlink(join(scratch, 'elsewhere'), join(scratch, 'linked/.uploads'));
    expect(await outcomeOf(openUploads(join(scratch, 'linked')))).toThrow('must be a directory');
    await mkdir(join(scratch, 'file'));
    await writeFile(join(scratch, 'file/.uploads'), '');
    expect(await outcomeOf(openUploads(join(scratch, 'file')))).toThrow('must be a directory');
  });

  test.each([
    ['.uploads', (root: string) => join(root, '.uploads')],
    ["an id's directory", uploadFolder],
  ])('planted in place of %s is not followed', (_, placeOf) =>
    withScratch(async (scratch) => {
      const root = join(scratch, 'root');
      const uploads = await openUploads(root);
      const id = await receiveText(uploads, 'secret');
      const [name = ''] = await keptNames(root, id);
      const place = placeOf(root, id);
      await rename(place, join(scratch, 'outside'));
      await symlink(join(scratch, 'outside'), place);
      expect(await uploads.take(id)).toBeNull();
      expect(await Array.fromAsync(uploads.list())).toEqual([]);
      await uploads.purge(id);
      expect(await outcomeOf(receiveText(uploads, 'mine', id))).toThrow();
      expect((await lstat(place)).isSymbolicLink()).toBe(true);
      const outside = await readdir(join(scratch, 'outside'), { recursive: true });
      expect(outside.filter((path) => path.endsWith(name))).toHaveLength(1);
      expect(outside.filter((path) => path.includes('.'))).toHaveLength(1);
      expect(await stagedFiles(root)).toEqual([]);
    })(),
  );

  testInScratch('planted in place of a file is not followed, and the next file can be received', async (scratch) => {
    const root = join(scratch, 'root');
    const uploads = await openUploads(root);
    await writeFile(join(scratch, 'secret'), 'secret');
    const id = newId();
    await mkdir(uploadFolder(root, id));
    await symlink(join(scratch, 'secret'), join(uploadFolder(root, id), `1.${sha256('secret')}`));
    expect(await uploads.take(id)).toBeNull();
    expect(await Array.fromAsync(uploads.list())).toEqual([]);
    await uploads.purge(id);
    await receiveText(uploads, 'mine', id);
    expect(await takeText(uploads, id)).toBe('mine');
    expect(await readFile(join(scratch, 'secret'), 'utf8')).toBe('secret');
  });
});

testInScratch(
  'every method of uploads is unavailable if the root is missing or an empty mount point',
  async (scratch) => {
    const root = join(scratch, 'media');
    const uploads = await openUploads(root);
    const id = await receiveText(uploads, 'bytes');
    const message = 'The storage is unavailable.';
    const expectUnavailable = async (): Promise<void> => {
      expect(await unavailableMessage(receiveText(uploads, 'bytes', id))).toBe(message);
      expect(await unavailableMessage(uploads.take(id))).toBe(message);
      expect(await unavailableMessage(uploads.purge(id))).toBe(message);
      expect(await unavailableMessage(Array.fromAsync(uploads.list()))).toBe(message);
    };
    await rm(root, { recursive: true });
    await expectUnavailable();
    expect(await readdir(scratch)).toEqual([]);
    await mkdir(root);
    await expectUnavailable();
    expect(await readdir(root)).toEqual([]);
  },
);
