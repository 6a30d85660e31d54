import { expect, spyOn, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { open, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { FileHash } from '../../../src/filesystem/staging/file-hash.ts';
import { HashThreads } from '../../../src/filesystem/staging/hash-threads.ts';
import { randomBytes } from '../../support/objects.ts';
import { testInScratch, withScratch } from '../../support/scratch.ts';

const LARGE = 64 * 1024;
const PIECE = 100_000;
const MIB = 1024 * 1024;

/** Programs of threads that fail. */
const program = (does: string): URL =>
  new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'; ${does}`)}`);
const DEAD = program('throw new Error("dead")');
const DIES_AT_THE_END = program('parentPort.on("message", ({ isWhole }) => isWhole && process.exit(1))');
const FAILS = program('parentPort.on("message", ({ id }) => parentPort.postMessage({ id, sha256: null }))');

/** Hashes a file while it is written. Returns the hash, the expected one, and where it was computed. */
async function hashWhileWritten(path: string, size: number, threads: HashThreads) {
  await using handle = await open(path, 'wx+');
  const [read, begin] = [spyOn(handle, 'read'), spyOn(threads, 'begin')];
  const bytes = randomBytes(size);
  const hash = new FileHash({ path, handle }, threads, LARGE);
  try {
    for (let written = 0; written < size; written += PIECE) {
      const lent = bytes.slice(written, written + PIECE);
      hash.add(lent, written);
      await handle.write(lent);
      lent.fill(0);
    }
    const sha256 = await hash.digest();
    const beside = begin.mock.results.some(({ value }) => value !== null);
    const where = read.mock.calls.length > 0 ? 'read again' : beside ? 'beside' : 'here';
    return { sha256, where, expected: createHash('sha256').update(bytes).digest('hex') };
  } finally {
    hash.close();
  }
}

test.each([
  ['nothing', 0, undefined, true, 'here'],
  ['a small file', LARGE, undefined, true, 'here'],
  ['a large file', 5 * MIB + 1, undefined, true, 'beside'],
  ['a large file in several turns of the thread', 12 * MIB, undefined, true, 'beside'],
  ['a large file on a single core', 5 * MIB, undefined, false, 'here'],
  ['a large file whose thread ends at once', 5 * MIB, DEAD, true, 'read again'],
  ['a large file whose thread ends before it answers', 5 * MIB, DIES_AT_THE_END, true, 'read again'],
  ['a large file that its thread can not read', 5 * MIB, FAILS, true, 'read again'],
] as const)('hashes %s', (_, size, threadProgram, isUseful, place) =>
  withScratch(async (scratch) => {
    const threads = new HashThreads(threadProgram, 0, isUseful);
    const { sha256, where, expected } = await hashWhileWritten(join(scratch, 'file'), size, threads);
    expect([sha256, where]).toEqual([expected, place]);
  })(),
);

testInScratch('of three large files at once the third is hashed without the thread', async (scratch) => {
  const threads = new HashThreads(undefined, 0, true);
  const path = join(scratch, 'file');
  await using handle = await open(path, 'wx+');
  const others = [new FileHash({ path, handle }), new FileHash({ path, handle })];
  expect((await hashWhileWritten(join(scratch, 'third'), MIB, threads)).where).toBe('here');
  for (const other of others) other.close();
  expect((await hashWhileWritten(join(scratch, 'alone'), MIB, threads)).where).toBe('beside');
});

testInScratch('a file whose hash was dropped is closed, and the thread ends (needs /proc)', async (scratch) => {
  const threads = new HashThreads(undefined, 0, true);
  const path = join(scratch, 'file');
  const openings = async (): Promise<number> => {
    const names = await readdir('/proc/self/fd').catch(() => []);
    const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')));
    return targets.filter((target) => target === path).length;
  };
  const until = async (count: number): Promise<void> => {
    while (process.platform === 'linux' && (await openings()) !== count) await wait(5);
  };
  await using handle = await open(path, 'wx+');
  const hash = new FileHash({ path, handle }, threads, LARGE);
  hash.add(randomBytes(MIB), LARGE);
  await until(2);
  expect(threads.isRunning).toBe(true);
  hash.close();
  await until(1);
  while (threads.isRunning) await wait(5);
});
