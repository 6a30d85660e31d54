import { describe, expect, test } from 'bun:test';
import { describeObjectStorage, fakeClock, memoryBacking, memoryStorage } from '@postshelf/testing';

describeObjectStorage('memory', async () => {
  const backing = memoryBacking();
  return { one: memoryStorage({ backing }), two: memoryStorage({ backing }), close: async () => {} };
});

describe('the memory storage', () => {
  async function* body(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array([1, 2, 3]);
  }
  const key = '01890a5d-ac96-774b-bcce-b302099a8057/01890a5d-ac96-774b-bcce-b302099a8058/photo.jpg';

  test('goes by the clock it is given', async () => {
    const clock = fakeClock();
    const storage = memoryStorage({ clock });
    const staged = await storage.stage(body(), { limit: 3 });
    expect(await storage.sweepStaging(clock.now())).toBe(0);
    clock.advance(1000);
    await staged.publish(key);
    expect(await Array.fromAsync(storage.list())).toEqual([{ key, modifiedAt: clock.now() }]);
    await storage.stage(body(), { limit: 3 });
    expect(await storage.sweepStaging(clock.now() + 1)).toBe(1);
  });

  test('shares nothing with another unless told to', async () => {
    const staged = await memoryStorage().stage(body(), { limit: 3 });
    await staged.publish(key);
    expect(await memoryStorage().open(key)).toBeNull();
  });
});
