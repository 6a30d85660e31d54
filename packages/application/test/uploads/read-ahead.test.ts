import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { readAhead } from '../../src/uploads/receive.ts';
import { readAll, watchedBody } from '../support/bodies.ts';
import { thrownBy } from '../support/refusals.ts';

const someChunks = fc.array(fc.uint8Array({ maxLength: 20 }), { maxLength: 12 });
const someLength = fc.integer({ min: 1, max: 60 });
const join = (chunks: readonly Uint8Array[]) => new Uint8Array(Buffer.concat(chunks));

describe('readAhead', () => {
  test('returns the first bytes and the whole body, however it is divided into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(someChunks, someLength, async (chunks, length) => {
        const bytes = join(chunks);
        const { head, whole } = await readAhead(watchedBody(chunks), length);
        expect(head).toEqual(bytes.slice(0, length));
        expect(await readAll(whole)).toEqual(bytes);
      }),
      { numRuns: 500 },
    );
  });

  test('returns the right bytes even if each chunk is valid only until the next one is read', async () => {
    async function* lent(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
      for (const chunk of chunks) {
        const bytes = Buffer.from(new Uint8Array(chunk).buffer);
        yield bytes;
        bytes.buffer.transfer(0);
      }
    }
    const readLent = async (body: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
      const read: Uint8Array[] = [];
      for await (const chunk of body) read.push(new Uint8Array(chunk));
      return join(read);
    };
    await fc.assert(
      fc.asyncProperty(someChunks, someLength, async (chunks, length) => {
        const { head, whole } = await readAhead(lent(chunks), length);
        expect(head).toEqual(join(chunks).slice(0, length));
        expect(await readLent(whole)).toEqual(join(chunks));
      }),
      { numRuns: 300 },
    );
  });

  test('reads no more chunks than it needs for the first bytes', async () => {
    await fc.assert(
      fc.asyncProperty(someChunks, someLength, async (chunks, length) => {
        const body = watchedBody(chunks);
        await readAhead(body, length);
        // The last chunk that was read was needed: the chunks before it are shorter than `length`.
        const before = join(chunks.slice(0, Math.max(0, body.pulled - 1)));
        expect(body.pulled === 0 || before.length < length).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('closes the body wherever the caller stops reading', async () => {
    await fc.assert(
      fc.asyncProperty(someChunks, someLength, fc.nat(14), async (chunks, length, stopAfter) => {
        const body = watchedBody(chunks);
        const { whole } = await readAhead(body, length);
        for (let read = 0; read < stopAfter; read += 1) await whole.next();
        await whole.return?.();
        expect((await whole.next()).done).toBe(true);
        expect(body.pulled === 0 || body.isOver).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('throws an error within the first bytes immediately, and a later one when the body is read', async () => {
    const broken = new Error('broken');
    const chunks = [new Uint8Array(4)];
    expect(await thrownBy(readAhead(watchedBody(chunks, broken), 5))).toBe(broken);
    const { head, whole } = await readAhead(watchedBody(chunks, broken), 4);
    expect(head).toEqual(new Uint8Array(4));
    expect(await thrownBy(readAll(whole))).toBe(broken);
  });
});
