import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { BackupError, type ObjectSource } from '@postshelf/domain';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { openFileDestination, openObjectSource } from '../../src/backup/index.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postshelf-source-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const key = (name: string) => `${crypto.randomUUID()}/${crypto.randomUUID()}/${name}`;
const bytesOf = (text: string) => Buffer.from(text.repeat(50_000));

async function backupOf(objects: Readonly<Record<string, Uint8Array>>): Promise<string> {
  const path = join(folder, 'b.tar');
  const writer = await (await openFileDestination(path, 0)).open();
  for (const [name, bytes] of Object.entries(objects)) {
    const body = new Blob([Buffer.from(bytes)]).stream();
    await writer.add({ name: `media/${name}`, size: bytes.length, sha256: 'f'.repeat(64), body });
  }
  await writer.finish('whole');
  return path;
}

async function copyOf(root: string, objects: Readonly<Record<string, Uint8Array>>): Promise<string> {
  for (const [name, bytes] of Object.entries(objects)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), bytes);
  }
  return root;
}

async function read(source: ObjectSource, keys: Iterable<string>) {
  const found: [string, string | null, Buffer][] = [];
  for await (const { name, sha256, body } of source.objects(new Set(keys)))
    found.push([name, sha256, Buffer.concat(await Array.fromAsync(body))]);
  return found;
}

const [A, B, C] = [key('a.jpg'), key('b 😀.jpg'), key('c.jpg')];
const objects = { [A]: bytesOf('a'), [B]: bytesOf('b'), [C]: bytesOf('c') };

test('a backup yields the requested objects with their hashes', async () => {
  const source = await openObjectSource(await backupOf(objects));
  expect(await read(source, [C, A, key('no.jpg')])).toEqual([
    [A, 'f'.repeat(64), bytesOf('a')],
    [C, 'f'.repeat(64), bytesOf('c')],
  ]);
});

test('leaving a body unread, or reading only part of it, does not end the iteration', async () => {
  const source = await openObjectSource(await backupOf(objects));
  const seen: string[] = [];
  for await (const { name, body } of source.objects(new Set([A, B, C]))) {
    seen.push(name);
    if (name === A) for await (const _ of body) break;
  }
  expect(seen).toEqual([A, B, C]);
});

test('a truncated backup yields the objects before the cut and then throws', async () => {
  const path = await backupOf(objects);
  await truncate(path, 120_000);
  const source = await openObjectSource(path);
  const seen: string[] = [];
  const reading = (async () => {
    for await (const { name } of source.objects(new Set([A, B, C]))) seen.push(name);
  })();
  expect(await outcomeOf(reading)).toThrow(BackupError);
  expect(seen).toEqual([A, B, C].slice(0, seen.length));
  expect(seen).toContain(A);
});

describe.each(['', 'media'])('a folder with its objects below %j', (below) => {
  test('yields the requested objects and follows no symbolic link', async () => {
    const root = join(folder, 'copy');
    await copyOf(join(root, below), { [A]: bytesOf('a'), [B]: bytesOf('b') });
    await mkdir(dirname(join(root, below, C)), { recursive: true });
    await symlink('/etc/passwd', join(root, below, C));
    const source = await openObjectSource(root);
    expect(await read(source, [C, B])).toEqual([[B, null, bytesOf('b')]]);
  });
});

test.each([
  ['a missing path', async (path: string) => path],
  ['a pipe', async (path: string) => void (await Bun.spawn(['mkfifo', path]).exited)],
])('%s is refused as a source of objects with an error that names it', async (_, make) => {
  const path = join(folder, 'source');
  await make(path);
  const error = await openObjectSource(path).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(BackupError);
  expect(`${error}`).toContain(path);
});
