import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { gather } from '../../../src/filesystem/staging/gather.ts';

const someChunks = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 12 });

/** Yields chunks whose memory is reused when the next chunk is requested. */
async function* lent(chunks: readonly Uint8Array[], onEnd: () => void): AsyncGenerator<Uint8Array> {
  try {
    for (const chunk of chunks) {
      const bytes = new Uint8Array(chunk);
      yield bytes;
      bytes.buffer.transfer(0);
    }
  } finally {
    onEnd();
  }
}

test('a short body is collected in memory, and a longer one becomes a stream of the same bytes', async () => {
  await fc.assert(
    fc.asyncProperty(someChunks, fc.integer({ min: 0, max: 100 }), async (chunks, max) => {
      const whole = new Uint8Array(Buffer.concat(chunks));
      const gathered = await gather(
        lent(chunks, () => undefined),
        max,
      );
      expect(gathered instanceof Uint8Array).toBe(whole.length <= max);
      if (gathered instanceof Uint8Array) return expect(gathered).toEqual(whole);
      const read: Uint8Array[] = [];
      for await (const chunk of gathered) read.push(new Uint8Array(chunk));
      return expect(new Uint8Array(Buffer.concat(read))).toEqual(whole);
    }),
    { numRuns: 500 },
  );
});

test('a body is closed if the stream that it becomes is not read to its end', async () => {
  let isOver = false;
  const gathered = await gather(
    lent([new Uint8Array(5), new Uint8Array(5), new Uint8Array(5)], () => {
      isOver = true;
    }),
    4,
  );
  if (gathered instanceof Uint8Array) throw new Error('All of it was gathered.');
  for await (const _ of gathered) break;
  expect(isOver).toBe(true);
});
