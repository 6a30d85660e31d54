import { afterAll, expect, test } from 'bun:test';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ObjectPart } from '@postshelf/domain';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { until } from '@postshelf/testing/waiting';
import { openLocalCopies } from '../../../src/index.ts';
import { makeScratch } from '../../support/scratch.ts';

const { directory: root, remove } = await makeScratch();
const opened = openLocalCopies(root, { maxBytes: 250, minFree: 0 });
afterAll(async () => {
  opened.close();
  await remove();
});

const part = (key: string, length = 100, version = '"1"'): ObjectPart => ({ key, version, start: 0, end: length - 1 });

async function* bytes(length: number): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(Math.floor(length / 2)).fill(7);
  yield new Uint8Array(Math.ceil(length / 2)).fill(8);
}

const make = (key: string, length = 100) => opened.make(part(key, length), () => bytes(length));

test('a local copy has the bytes and length of its part and is found again', async () => {
  expect(opened.find(part('a'))).toBeNull();
  const made = await make('a', 100);
  expect(made?.size).toBe(100);
  expect(new Uint8Array((await made?.arrayBuffer()) ?? [])).toEqual(new Uint8Array(100).fill(7, 0, 50).fill(8, 50));
  expect(opened.find(part('a'))?.size).toBe(100);
});

test('a local copy is not found for another version or another range of its object', () => {
  expect(opened.find(part('a', 100, '"2"'))).toBeNull();
  expect(opened.find(part('a', 99))).toBeNull();
});

test('a part is not read if there is no room for its local copy', async () => {
  const body = () => {
    throw new Error('Nothing has to be read.');
  };
  expect(await opened.make(part('large', 251), body)).toBeNull();
  const full = openLocalCopies(join(root, 'full'), { maxBytes: 250, minFree: Number.MAX_SAFE_INTEGER });
  expect(await full.make(part('a'), body)).toBeNull();
});

test('the oldest local copies are deleted to make room, but callers that hold them can still read them', async () => {
  const first = opened.find(part('a'));
  await make('b');
  await make('c');
  expect([opened.find(part('a')), opened.find(part('b'))?.size, opened.find(part('c'))?.size]).toEqual([
    null,
    100,
    100,
  ]);
  expect((await first?.arrayBuffer())?.byteLength).toBe(100);
});

test('copies of a killed process are removed by the next one, before it makes any', async () => {
  const scratch = await makeScratch();
  const killed = join(scratch.directory, '.staging', crypto.randomUUID());
  await mkdir(killed, { recursive: true });
  await writeFile(join(killed, crypto.randomUUID()), 'a copy');
  const hourAgo = new Date(Date.now() - 3_600_000);
  await utimes(killed, hourAgo, hourAgo);
  const next = openLocalCopies(scratch.directory, { maxBytes: 250, minFree: 0 });
  await until('the removal of the copies', () => !existsSync(killed));
  next.close();
  await scratch.remove();
});

test('a body that ends early or fails leaves no local copy', async () => {
  const files = (): number => readdirSync(join(root, '.staging'), { recursive: true }).length;
  const before = files();
  expect(await outcomeOf(opened.make(part('short'), () => bytes(99)))).toThrow('99 of 100 bytes');
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield* bytes(10);
    throw new Error('gone');
  }
  expect(await outcomeOf(opened.make(part('broken'), failing))).toThrow('gone');
  expect([opened.find(part('short')), opened.find(part('broken')), files()]).toEqual([null, null, before]);
});
