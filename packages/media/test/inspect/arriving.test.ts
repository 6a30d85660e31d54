import { describe, expect, test } from 'bun:test';
import type { MediaFacts, MediaType } from '@postshelf/domain';
import { FIXTURE_NAMES, fixture, sourceOf } from '@postshelf/testing/fixtures';
import { thrownBy } from '@postshelf/testing/outcomes';
import * as fc from 'fast-check';
import { createMediaInspector } from '../../src/index.ts';

const inspector = createMediaInspector();

/** Yields chunks that are overwritten once the next one is requested, like the chunks of requests. */
async function* chunksOf(bytes: Uint8Array, lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  let lent = new Uint8Array();
  for (let [at, number] = [0, 0]; at < bytes.length; number += 1) {
    lent.fill(0xee);
    lent = new Uint8Array(bytes.subarray(at, at + (lengths[number % lengths.length] ?? 1)));
    at += lent.length;
    yield lent;
  }
}

const readAll = async (body: AsyncIterable<Uint8Array>): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(body, (chunk) => new Uint8Array(chunk)));

const arrive = (type: MediaType, bytes: Uint8Array, lengths: readonly number[]) =>
  inspector.inspectWhile(type, chunksOf(bytes, lengths), readAll);

const files = await Promise.all(
  FIXTURE_NAMES.map(async (name) => {
    const file = await fixture(name);
    return { name, type: file.type, bytes: await file.bytes() };
  }),
);
const chunkLengths = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 5 });

describe.each(files)('the file $name', ({ type, bytes }) => {
  test('yields its details while it arrives in any chunks, and passes unchanged', async () => {
    const whole = await inspector.inspect(sourceOf(bytes));
    const isEarly = type.startsWith('image/') && type !== 'image/webp';
    await fc.assert(
      fc.asyncProperty(chunkLengths, fc.constantFrom(0, 1, 200_000), async (lengths, behind) => {
        const sent = Buffer.concat([bytes, new Uint8Array(behind)]);
        const { result, facts } = await arrive(type, sent, lengths);
        expect(result.equals(sent)).toBe(true);
        expect(facts).toEqual(isEarly ? (whole as MediaFacts) : null);
      }),
      { numRuns: 20 },
    );
  });

  test('that is truncated or changed is accepted on arrival only if it passes when read as a whole', async () => {
    await fc.assert(
      fc.asyncProperty(chunkLengths, fc.nat(bytes.length), fc.nat(255), async (lengths, at, byte) => {
        const changed = new Uint8Array(bytes);
        changed[at] = byte;
        for (const sent of [bytes.subarray(0, at), changed]) {
          const begun = await inspector.recognise(sent.subarray(0, inspector.headLength));
          if (typeof begun !== 'string') continue;
          const { result, facts } = await arrive(begun, sent, lengths);
          expect(result.equals(sent)).toBe(true);
          if (facts) expect(await inspector.inspect(sourceOf(sent))).toEqual(facts);
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('a file that is not read to its end', () => {
  const [jpeg] = files.filter(({ name }) => name === 'jpeg');
  const bytes = jpeg?.bytes ?? new Uint8Array();

  test('passes on the error of its reader, and its body is closed', async () => {
    let isReturned = false;
    async function* body(): AsyncGenerator<Uint8Array> {
      try {
        yield* chunksOf(bytes, [100]);
      } finally {
        isReturned = true;
      }
    }
    const full = new Error('no space left');
    const reading = inspector.inspectWhile('image/jpeg', body(), async (passing) => {
      for await (const _ of passing) throw full;
    });
    expect(await thrownBy(reading)).toBe(full);
    expect(isReturned).toBe(true);
  });

  test('passes on the error of its body', async () => {
    const cut = new Error('cut off');
    async function* body(): AsyncGenerator<Uint8Array> {
      yield bytes.subarray(0, 100);
      throw cut;
    }
    expect(await thrownBy(inspector.inspectWhile('image/jpeg', body(), readAll))).toBe(cut);
  });

  test('passes on the error of a reader that read nothing, without waiting', async () => {
    const full = new Error('no space left');
    const reading = inspector.inspectWhile('image/jpeg', chunksOf(bytes, [100]), () => Promise.reject(full));
    expect(await thrownBy(reading)).toBe(full);
  });
});
