import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { sized } from '../support/long.ts';
import { expectPeakBelow } from '../support/memory.ts';
import { World } from '../support/world.ts';
import { counts, importAll, imported, line, streamImport } from './support/imports.ts';
import { makeProfile, postCount } from './support/posts.ts';

const megabyte = 1024 * 1024;
const none = { lines: 0, created: 0, updated: 0, unchanged: 0, rejected: 0 };

let world: World;

beforeAll(async () => {
  world = await World.openAlone();
});

beforeEach(async () => {
  world.ids.profile = await makeProfile(world);
});

// The server forces garbage collections only above 200 MB. Peak memory never decreases, so if several tests fail, the
// first one exceeded the limit.
afterEach(() => expectPeakBelow(world.server.pid, 224));

afterAll(() => world.close());

/** Imports a body that is generated while it is sent. */
async function stream(length: number, chunks: Iterable<string | Uint8Array>) {
  const reply = await streamImport(world, length, chunks);
  if (reply === undefined) throw new Error('The connection was closed without an answer.');
  return counts(imported(reply));
}

/** Imports a body of about `total` megabytes that repeats the block. */
function streamBlocks(block: Uint8Array, total: number) {
  const times = Math.floor((total * megabyte) / block.length);
  return stream(block.length * times, new Array<Uint8Array>(times).fill(block));
}

/** Imports `total` megabytes of lines with the same fields and different external ids. */
async function streamLines(fields: object, total: number) {
  const one = line(world, { ...fields, external_id: '00000' });
  const lines = Math.floor((total * megabyte) / Buffer.byteLength(one));
  function* made() {
    for (let nth = 0; nth < lines; nth++) {
      yield `${one.replace('"00000"', `"${String(nth).padStart(5, '0')}"`)}\n`;
    }
  }
  expect(await stream((Buffer.byteLength(one) + 1) * lines, made())).toEqual({ ...none, lines, created: lines });
}

test('an import creates and updates many posts in limited memory, and can be repeated', async () => {
  const total = sized(5_000, 100_000);
  const body = (likes: number) =>
    Array.from({ length: total }, (_, nth) => {
      const published_at = new Date(Date.UTC(2025, 0, 1) + nth * 300_000).toISOString();
      return line(world, { external_id: `${nth}`, published_at, text: `Post ${nth}`, metrics: { likes, saves: nth } });
    }).join('\n');
  expect(counts(await importAll(world, body(1)))).toEqual({ ...none, lines: total, created: total });
  expect(counts(await importAll(world, body(1)))).toEqual({ ...none, lines: total, unchanged: total });
  expect(counts(await importAll(world, body(2)))).toEqual({ ...none, lines: total, updated: total });
  expect(await postCount(world)).toBe(total);
});

// In megabytes. Even the smaller size, which is used by default, exceeds the memory that the server may use.
const aboveLimit = sized(250, 500);

test('an import rejects a line larger than the memory limit', async () =>
  expect(await streamBlocks(Buffer.alloc(megabyte, 'x'), aboveLimit)).toEqual({ ...none, lines: 1, rejected: 1 }));

test('an import stores lines with the longest text in limited memory', () =>
  streamLines({ text: '🌊'.repeat(65_535) }, sized(20, 500)));

test('an import stores lines with a megabyte in an unknown field in limited memory', () =>
  streamLines({ padding: 'x'.repeat(megabyte - 1000) }, sized(120, 500)));

test('an import rejects many lines, long lines and lines with many invalid media ids in limited memory', async () => {
  const total = sized(20_000, 100_000);
  const answer = await importAll(world, '{"metrics": {"likes": -1}}\n'.repeat(total));
  expect(counts(answer)).toEqual({ ...none, lines: total, rejected: total });
  const block = Buffer.alloc(megabyte / 2, '[');
  block[block.length - 1] = 0x0a;
  const size = sized(50, 500);
  expect(await streamBlocks(block, size)).toEqual({ ...none, lines: size * 2, rejected: size * 2 });
  const media_content_ids = Array.from({ length: 100_000 }, () => 0);
  const wrong = Buffer.from(`${line(world, { external_id: 'x', media_content_ids })}\n`);
  const { lines, rejected } = await streamBlocks(wrong, sized(10, 40));
  expect(rejected).toBe(lines);
});

test('four concurrent imports stay within limited memory', async () => {
  const lines = sized(1_000, 25_000);
  const bodies = await Promise.all(
    Array.from({ length: 4 }, async (_, client) => {
      const profile = await makeProfile(world, `Client ${client}`);
      return Array.from({ length: lines }, (_, nth) => line(world, { profile, external_id: `${nth}` })).join('\n');
    }),
  );
  const answers = await Promise.all(bodies.map((body) => importAll(world, body)));
  for (const answer of answers) expect(counts(answer)).toEqual({ ...none, lines, created: lines });
});
