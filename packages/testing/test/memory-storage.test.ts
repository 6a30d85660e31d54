import { describe, expect, test } from 'bun:test';
import type { ObjectStorage } from '@postshelf/domain';
import { describeObjectStorage } from '../src/contracts/objects/object-storage.ts';
import { fakeClock } from '../src/fakes/fake-clock.ts';
import { memoryBacking, memoryStorage } from '../src/fakes/memory-storage.ts';

async function* bodyOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Stages, publishes when there is a key, and never discards. */
async function abandon(storage: ObjectStorage, bytes: Uint8Array, key: string | null): Promise<void> {
  const staged = await storage.stage(bodyOf(bytes), { limit: bytes.length });
  if (key !== null) await staged.publish(key);
}

describeObjectStorage('memory that goes by time', { tellsWhoLives: false }, async () => {
  const backing = memoryBacking();
  return {
    one: memoryStorage({ backing }),
    two: memoryStorage({ backing }),
    crash: (bytes, key) => abandon(memoryStorage({ backing }), bytes, key),
    close: async () => {},
  };
});

describeObjectStorage('memory that knows who lives', { tellsWhoLives: true }, async () => {
  const backing = memoryBacking();
  return {
    one: memoryStorage({ backing, process: 'one' }),
    two: memoryStorage({ backing, process: 'two' }),
    crash: async (bytes, key) => {
      await abandon(memoryStorage({ backing, process: 'another' }), bytes, key);
      backing.killed.add('another');
    },
    close: async () => {},
  };
});

describe('the memory storage', () => {
  const body = (): AsyncGenerator<Uint8Array> => bodyOf(new Uint8Array([1, 2, 3]));
  const key = '01890a5d-ac96-774b-bcce-b302099a8057/01890a5d-ac96-774b-bcce-b302099a8058/photo.jpg';

  test('goes by the clock it is given', async () => {
    const clock = fakeClock();
    const storage = memoryStorage({ clock });
    const staged = await storage.stage(body(), { limit: 3 });
    expect(await storage.sweepStaging(clock.now())).toBe(0);
    clock.advance(1000);
    await staged.publish(key);
    expect(await Array.fromAsync(storage.list())).toEqual([
      { key, size: 3, modifiedAt: clock.now(), isSettled: false },
    ]);
    await storage.stage(body(), { limit: 3 });
    expect(await storage.sweepStaging(clock.now() + 1)).toBe(1);
  });

  test('goes by time with what a process of a storage that can not tell left', async () => {
    const clock = fakeClock();
    const backing = memoryBacking();
    await memoryStorage({ clock, backing }).stage(body(), { limit: 3 });
    const storage = memoryStorage({ clock, backing, process: 'one' });
    expect(await storage.sweepStaging(clock.now())).toBe(0);
    expect(await storage.sweepStaging(clock.now() + 1)).toBe(1);
  });

  test('shares nothing with another unless told to', async () => {
    const staged = await memoryStorage().stage(body(), { limit: 3 });
    await staged.publish(key);
    expect(await memoryStorage().open(key)).toBeNull();
  });
});
