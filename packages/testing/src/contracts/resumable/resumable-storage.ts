import { describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import type { ObjectStorage, Piece, PresignStorage, ResumableStorage, Uuid } from '@postshelf/domain';
import { outcomeOf } from '../../outcomes.ts';
import { inChunks, newKey, readObject, sampleBytes } from '../objects/samples.ts';
import { newId } from '../samples.ts';

/**
 * Two instances that share one empty store, the storage of presigned uploads in the same store, and a function that
 * cleans up.
 */
export interface OpenedResumable {
  readonly one: ResumableStorage;
  readonly two: ResumableStorage;
  readonly presign: Pick<PresignStorage, 'list' | 'purge'>;
  readonly storage: ObjectStorage;
  close(): Promise<void>;
}

const MIB = 1024 * 1024;

/** Collects pieces as a repository does. */
function keeper() {
  const kept = new Map<number, Piece>();
  const keep = async (piece: Piece): Promise<void> => void kept.set(piece.start, piece);
  return { keep, pieces: () => [...kept.values()].sort((a, b) => a.start - b.start) };
}

async function* thenFails(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield* inChunks(bytes, 100_000);
  throw new Error('The connection broke.');
}

/** The contract of {@link ResumableStorage}. */
export function describeResumableStorage(name: string, open: () => Promise<OpenedResumable>): void {
  const testOpened = (title: string, run: (opened: OpenedResumable) => Promise<void>): void =>
    test(title, async () => {
      const opened = await open();
      try {
        await run(opened);
      } finally {
        await opened.close();
      }
    });

  async function readAll({ one }: OpenedResumable, id: Uuid, pieces: readonly Piece[]): Promise<Uint8Array | null> {
    const taken = await one.take(id, pieces);
    if (!taken) return null;
    const bytes = await taken.read(0, taken.size);
    expect(taken.sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
    await taken.discard();
    return bytes;
  }

  describe(`${name}: pieces of resumable uploads`, () => {
    testOpened('form one file, whichever instance stored them, in one request or several', async (opened) => {
      const bytes = sampleBytes(12 * MIB + 5);
      for (const cuts of [[], [1], [5 * MIB, 5 * MIB + 3], [3 * MIB, 6 * MIB, 11 * MIB]]) {
        const id = newId();
        const { keep, pieces } = keeper();
        let start = 0;
        for (const [index, end] of [...cuts, bytes.length].entries()) {
          const writer = index % 2 === 0 ? opened.one : opened.two;
          await writer.append(id, start, inChunks(bytes.subarray(start, end), 300_000), keep, pieces().at(-1));
          start = end;
        }
        expect(pieces().reduce((sum, { size }) => sum + size, 0)).toBe(bytes.length);
        expect(Buffer.compare((await readAll(opened, id, pieces())) ?? Buffer.of(), bytes)).toBe(0);
      }
    });

    testOpened('may grow in the next request, unless another instance has continued after them', async (opened) => {
      const [id, bytes] = [newId(), sampleBytes(5 * MIB)];
      const { keep, pieces } = keeper();
      const append = (writer: ResumableStorage, start: number, keepOne = keep) =>
        writer.append(id, start, inChunks(bytes.subarray(start, start + MIB)), keepOne, pieces().at(-1));
      await append(opened.one, 0);
      await append(opened.one, MIB);
      // This piece is stored but not recorded, as if its checksum were wrong.
      await append(opened.one, 2 * MIB, async () => undefined);
      await append(opened.two, 2 * MIB);
      await append(opened.one, 3 * MIB);
      await append(opened.one, 4 * MIB);
      expect(Buffer.compare((await readAll(opened, id, pieces())) ?? Buffer.of(), bytes)).toBe(0);
    });

    testOpened('of small requests are merged, whichever instance stored them', async (opened) => {
      const [id, bytes] = [newId(), sampleBytes(1_500_000)];
      const { keep, pieces } = keeper();
      for (let start = 0; start < bytes.length; start += 100_000) {
        const [last] = pieces().slice(-1);
        const writer = start % 200_000 === 0 ? opened.one : opened.two;
        await writer.append(id, start, inChunks(bytes.subarray(start, start + 100_000)), keep, last);
        const isReplaced = last && !pieces().some(({ name }) => name === last.name);
        if (isReplaced) await writer.discard(id, [last]);
      }
      expect(pieces().length).toBeLessThan(4);
      expect((await Array.fromAsync(opened.presign.list())).map(({ size }) => size)).toEqual([bytes.length]);
      expect(Buffer.compare((await readAll(opened, id, pieces())) ?? Buffer.of(), bytes)).toBe(0);
    });

    testOpened('are reported before the end of the body, at most 8 MiB behind it', async ({ one }) => {
      let kept = 0;
      let sent = 0;
      const body = async function* () {
        for (; sent < 24 * MIB; sent += MIB) {
          expect(sent - kept).toBeLessThanOrEqual(8 * MIB);
          yield sampleBytes(MIB);
        }
      };
      await one.append(newId(), 0, body(), async ({ start, size }) => {
        kept = start + size;
      });
      expect(kept).toBe(24 * MIB);
    });

    testOpened('contain what arrived before a body failed', async (opened) => {
      const [id, bytes] = [newId(), sampleBytes(900_000)];
      const { keep, pieces } = keeper();
      expect(await outcomeOf(opened.one.append(id, 0, thenFails(bytes), keep))).toThrow('The connection broke.');
      expect(Buffer.compare((await readAll(opened, id, pieces())) ?? Buffer.of(), bytes)).toBe(0);
    });

    testOpened("end the body once they can't be kept", async ({ one }) => {
      const lost = async () => {
        throw new Error('The lease was lost.');
      };
      expect(await outcomeOf(one.append(newId(), 0, inChunks(sampleBytes(16 * MIB), MIB), lost))).toThrow(
        'The lease was lost.',
      );
    });

    testOpened('are not affected by an abandoned writer that continues', async (opened) => {
      const [id, bytes, other] = [newId(), sampleBytes(MIB), sampleBytes(MIB, 2)];
      const goOn = Promise.withResolvers<void>();
      const stalled = async function* () {
        yield other.subarray(0, 1000);
        await goOn.promise;
        yield other.subarray(1000);
      };
      const old = opened.two.append(id, 0, stalled(), async () => undefined);
      const { keep, pieces } = keeper();
      await opened.one.append(id, 0, inChunks(bytes), keep);
      goOn.resolve();
      await old;
      expect(Buffer.compare((await readAll(opened, id, pieces())) ?? Buffer.of(), bytes)).toBe(0);
    });

    testOpened('become an object, and are listed and removed like a presigned upload', async (opened) => {
      const { one, presign, storage } = opened;
      const [id, bytes, key] = [newId(), sampleBytes(6 * MIB), newKey()];
      const { keep, pieces } = keeper();
      await one.append(id, 0, inChunks(bytes.subarray(0, MIB)), keep);
      await one.append(id, MIB, inChunks(bytes.subarray(MIB)), keep, pieces().at(-1));
      const taken = await one.take(id, pieces());
      await taken?.publish(key);
      await taken?.discard();
      expect(Buffer.compare((await readObject(storage, key)) ?? Buffer.of(), bytes)).toBe(0);
      const listed = await Array.fromAsync(presign.list());
      expect(listed).toEqual([{ id, size: bytes.length, modifiedAt: expect.any(Number) }]);
      await presign.purge(id);
      expect(await Array.fromAsync(presign.list())).toEqual([]);
      expect(await one.take(id, pieces())).toBeNull();
      expect(Buffer.compare((await readObject(storage, key)) ?? Buffer.of(), bytes)).toBe(0);
    });

    testOpened('that are dropped or missing form no file', async ({ one }) => {
      const id = newId();
      const { keep, pieces } = keeper();
      await one.append(id, 0, inChunks(sampleBytes(1000)), keep);
      await one.append(id, 1000, inChunks(sampleBytes(1000)), keep);
      const [first, second] = pieces();
      if (!first || !second) throw new Error('Two pieces were stored.');
      await one.discard(id, [second]);
      await one.discard(id, [second]);
      expect(await one.take(id, [first, second])).toBeNull();
      expect(await one.take(newId(), [first])).toBeNull();
      const taken = await one.take(id, [first]);
      expect(taken?.size).toBe(1000);
      await taken?.discard();
    });

    testOpened("don't result from an empty body", async ({ one, presign }) => {
      const { keep, pieces } = keeper();
      await one.append(newId(), 0, inChunks(new Uint8Array()), keep);
      expect(pieces()).toEqual([]);
      expect((await Array.fromAsync(presign.list())).length).toBe(0);
    });
  });
}
