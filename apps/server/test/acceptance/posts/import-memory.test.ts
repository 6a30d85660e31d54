import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { World } from '../support/world.ts';
import { counts, importAll, imported, line, openImport, sendChunk, streamImport } from './support/imports.ts';
import { memoryLimit, peakMemory } from './support/memory.ts';
import { makeProfile, postCount } from './support/posts.ts';

setDefaultTimeout(300_000);

let world: World;

/** A server of its own for each test: a peak never goes down again. */
beforeEach(async () => {
  world = await World.openAlone();
  world.ids.profile = await makeProfile(world);
});

afterEach(() => world.close());

const none = { lines: 0, created: 0, updated: 0, unchanged: 0, rejected: 0 };

const expectFlat = () => expect(peakMemory(world.server.pid)).toBeLessThan(memoryLimit);

/** Imports a stream of equal lines that are made while they are sent. */
async function stream(length: number, chunks: Iterable<string | Uint8Array>) {
  const reply = await streamImport(world, length, chunks);
  if (reply === undefined) throw new Error('The connection was closed without an answer.');
  return imported(reply);
}

function* repeated(block: Uint8Array, times: number): Generator<Uint8Array> {
  for (let nth = 0; nth < times; nth++) yield block;
}

describe('"100,000 lines in one request, memory flat"', () => {
  const total = 100_000;

  test('taken, repeated, brought up to date', async () => {
    const body = (likes: number) =>
      Array.from({ length: total }, (_, nth) => {
        const published_at = new Date(Date.UTC(2025, 0, 1) + nth * 300_000).toISOString();
        return line(world, {
          external_id: `${nth}`,
          published_at,
          text: `Post ${nth}`,
          metrics: { likes, saves: nth },
        });
      }).join('\n');
    expect(counts(await importAll(world, body(1)))).toEqual({ ...none, lines: total, created: total });
    expect(counts(await importAll(world, body(1)))).toEqual({ ...none, lines: total, unchanged: total });
    expect(counts(await importAll(world, body(2)))).toEqual({ ...none, lines: total, updated: total });
    expect(await postCount(world)).toBe(total);
    expectFlat();
  });

  test('rejected', async () => {
    const answer = await importAll(world, `${'{"metrics": {"likes": -1}}\n'.repeat(total)}`);
    expect(counts(answer)).toEqual({ ...none, lines: total, rejected: total });
    expectFlat();
  });
});

describe('Whatever the lines are', () => {
  const megabyte = 1024 * 1024;

  test('two thousand with the longest text', async () => {
    const lines = Array.from({ length: 2000 }, (_, nth) =>
      Buffer.from(`${line(world, { external_id: `${nth}`, text: '🌊'.repeat(65_535) })}\n`),
    );
    const length = lines.reduce((sum, one) => sum + one.length, 0);
    expect(counts(await stream(length, lines))).toEqual({ ...none, lines: 2000, created: 2000 });
    expectFlat();
  });

  test('five hundred of nearly a megabyte in a field that nobody reads', async () => {
    const padding = 'x'.repeat(megabyte - 1000);
    const lines = Array.from({ length: 500 }, (_, nth) =>
      Buffer.from(`${line(world, { external_id: `${nth}`, padding })}\n`),
    );
    const length = lines.reduce((sum, one) => sum + one.length, 0);
    expect(counts(await stream(length, lines))).toEqual({ ...none, lines: 500, created: 500 });
    expectFlat();
  });

  test('one of 500 MB without an end', async () => {
    const block = Buffer.alloc(megabyte, 'x');
    expect(counts(await stream(500 * megabyte, repeated(block, 500)))).toEqual({ ...none, lines: 1, rejected: 1 });
    expectFlat();
  });

  test('a thousand of half a megabyte that are no JSON', async () => {
    const block = Buffer.alloc(megabyte / 2, '[');
    block[block.length - 1] = 0x0a;
    expect(counts(await stream(500 * megabyte, repeated(block, 1000)))).toEqual({
      ...none,
      lines: 1000,
      rejected: 1000,
    });
    expectFlat();
  });

  test('two hundred with a hundred thousand wrong media each', async () => {
    const media_content_ids = Array.from({ length: 100_000 }, () => 0);
    const block = Buffer.from(`${line(world, { external_id: 'x', media_content_ids })}\n`);
    const answer = await stream(block.length * 200, repeated(block, 200));
    expect(counts(answer)).toEqual({ ...none, lines: 200, rejected: 200 });
    expectFlat();
  });

  test('a line of a megabyte that comes byte by byte', async () => {
    const bytes = Buffer.from(line(world, { external_id: 'x', padding: 'x'.repeat(500_000) }));
    const connection = await openImport(world, 'chunked');
    const chunk = (nth: number) => Buffer.from(`1\r\n${String.fromCharCode(bytes[nth] ?? 0)}\r\n`);
    for (let start = 0; start < bytes.length; start += 4096) {
      const many = Array.from({ length: Math.min(4096, bytes.length - start) }, (_, nth) => chunk(start + nth));
      await connection.send(Buffer.concat(many));
    }
    await sendChunk(connection, '\n');
    await connection.send('0\r\n\r\n');
    const reply = await connection.reply;
    connection.hangUp();
    if (reply === undefined) throw new Error('The connection was closed without an answer.');
    expect(imported(reply).created).toBe(1);
    expectFlat();
  });

  test('four clients at once, each with 25,000', async () => {
    const bodies = await Promise.all(
      Array.from({ length: 4 }, async (_, client) => {
        const profile = await makeProfile(world, `Client ${client}`);
        return Array.from({ length: 25_000 }, (_, nth) => line(world, { profile, external_id: `${nth}` })).join('\n');
      }),
    );
    const answers = await Promise.all(bodies.map((body) => importAll(world, body)));
    for (const answer of answers) expect(counts(answer)).toEqual({ ...none, lines: 25_000, created: 25_000 });
    expectFlat();
  });
});
