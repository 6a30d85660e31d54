import { describe, expect, test } from 'bun:test';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { splitIntoParts } from '../../../src/s3/objects/parts.ts';
import { PartsUnderWay, SpareParts } from '../../../src/s3/objects/parts-under-way.ts';
import { randomBytes } from '../../support/objects.ts';

describe('a body split into parts', () => {
  const SIZE = 200_000;

  test.each([
    ['empty', 0, 1, [0]],
    ['shorter than a part', 70_000, 70_000, [70_000]],
    ['as long as a part', SIZE, 1_000, [SIZE]],
    ['a byte longer than a part', SIZE + 1, 65_536, [SIZE, 1]],
    ['in one chunk of several parts', 3 * SIZE, 3 * SIZE, [SIZE, SIZE, SIZE]],
  ])(
    'has parts of the expected lengths and bytes, which can be read again until they are dropped: %s',
    async (_, length, chunk, lengths) => {
      const bytes = randomBytes(length);
      const parts: Uint8Array[] = [];
      for await (const { part, isLast } of splitIntoParts(lent(bytes, chunk), SIZE, length)) {
        const [once, again] = [Buffer.concat([...part.pieces()]), Buffer.concat([...part.pieces()])];
        expect(once.equals(again)).toBe(true);
        expect(once.length).toBe(part.length);
        parts.push(once);
        expect(isLast).toBe(parts.length === lengths.length);
        const [piece] = part.pieces();
        part.free();
        expect([piece?.length ?? 0, [...part.pieces()]]).toEqual([0, []]);
      }
      expect(parts.map((part) => part.length)).toEqual(lengths);
      expect(Buffer.concat(parts).equals(bytes)).toBe(true);
    },
  );

  /** Yields chunks that are overwritten when the next chunk is requested. */
  async function* lent(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
    for (let start = 0; start < bytes.length; start += size) {
      const chunk = new Uint8Array(bytes.subarray(start, start + size));
      yield chunk;
      chunk.fill(0);
    }
  }
});

describe('parts in flight', () => {
  const sending = () => Promise.withResolvers<void>();
  const isDone = (work: Promise<void>): Promise<boolean> =>
    Promise.race([work.then(() => true), Bun.sleep(0).then(() => false)]);

  test('include another part while the process has spare parts and the upload has not used up its share', async () => {
    const spares = new SpareParts(3, 2);
    const [one, other] = [new PartsUnderWay(spares), new PartsUnderWay(spares)];
    const [a, b, c, d, e] = [sending(), sending(), sending(), sending(), sending()];
    expect(await isDone(one.add(a.promise))).toBe(true);
    expect(await isDone(one.add(b.promise))).toBe(true);
    const third = one.add(c.promise);
    expect(await isDone(third)).toBe(false);
    expect(await isDone(other.add(d.promise))).toBe(true);
    const fifth = other.add(e.promise);
    expect(await isDone(fifth)).toBe(false);
    c.resolve();
    await third;
    e.resolve();
    await fifth;
    a.resolve();
    await Bun.sleep(0);
    expect(await isDone(other.add(sending().promise))).toBe(true);
    const end = one.end();
    expect(await isDone(end)).toBe(false);
    b.resolve();
    await end;
  });

  test('reject a part that waits when another one fails, and free the spare part', async () => {
    const spares = new SpareParts(1, 2);
    const [one, other] = [new PartsUnderWay(spares), new PartsUnderWay(spares)];
    const [a, b] = [sending(), sending()];
    await one.add(a.promise);
    const waiting = one.add(b.promise);
    a.reject(new Error('the store is down'));
    expect(await outcomeOf(waiting)).toThrow('the store is down');
    expect(await outcomeOf(one.end())).toThrow('the store is down');
    expect(await isDone(other.add(sending().promise))).toBe(true);
  });
});
