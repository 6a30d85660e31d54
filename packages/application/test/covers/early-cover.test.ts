import { beforeEach, describe, expect, test } from 'bun:test';
import type { ByteSource, Cover, CoverMaker, StageOptions, Workspace } from '@postshelf/domain';
import { EarlyCover } from '../../src/covers/early-cover.ts';
import { UploadBatch } from '../../src/index.ts';
import { MP4 } from '../support/files.ts';
import { bodyOf } from '../support/objects.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

const COVER: Cover = { bytes: new Uint8Array([1, 2, 3]), width: 3, height: 2 };
const NEVER = new AbortController().signal;

const beginningOf = (size: number): ByteSource => ({ size, read: async () => new Uint8Array() });

/** Resolves when everything that only waits for other promises has continued. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

let world: World;
let workspace: Workspace;
let events: string[];
let free: boolean;

beforeEach(async () => {
  const inhabited = await inhabitedWorld();
  [world, workspace] = [inhabited, inhabited.workspace];
  [events, free] = [[], true];
});

/** A cover that records what is done with it. */
function early(covers: Partial<CoverMaker>): EarlyCover {
  const shares = {
    tryTake: () => {
      events.push(free ? 'slot' : 'no slot');
      return free ? () => void events.push('given back') : null;
    },
  };
  const make: CoverMaker['make'] = async ({ size }) => {
    events.push(`made of ${size}`);
    return COVER;
  };
  return new EarlyCover({ covers: { make, ...covers }, shares: replacing(world.shares, shares) }, workspace.id);
}

async function offer(cover: EarlyCover, ...sizes: readonly number[]): Promise<void> {
  for (const size of sizes) {
    cover.offer(beginningOf(size));
    await settle();
  }
}

describe('an early cover', () => {
  test.each<[string, Partial<CoverMaker>, readonly string[], Cover | null | 'undecided']>([
    [
      'is made once, as soon as enough bytes have arrived',
      { enough: async () => 15 },
      ['slot', 'made of 20', 'given back'],
      COVER,
    ],
    [
      'is made of the first bytes, if they are enough',
      { enough: async () => 5 },
      ['slot', 'made of 10', 'given back'],
      COVER,
    ],
    ['is not made if it is unknown how much is enough', { enough: async () => null }, [], 'undecided'],
    ['is not made if the maker never knows how much is enough', {}, [], 'undecided'],
    [
      'is not made of a video that cannot be read',
      { enough: () => Promise.reject(new Error('closed')) },
      [],
      'undecided',
    ],
    [
      'that could not be made is made of the whole video',
      { enough: async () => 5, make: async () => null },
      ['slot', 'given back'],
      'undecided',
    ],
    [
      'that fails is made of the whole video, which reports the error',
      { enough: async () => 5, make: () => Promise.reject(new Error('closed')) },
      ['slot', 'given back'],
      'undecided',
    ],
  ])('%s', async (_, covers, happened, made) => {
    const cover = early(covers);
    await offer(cover, 10, 20, 30);
    expect(await cover.take(NEVER)).toBe(made);
    await cover.stop();
    expect(events).toEqual([...happened]);
  });

  test.each<[string, Partial<CoverMaker>, readonly string[], Cover | null | 'undecided']>([
    ['is begun with the last byte', {}, ['slot', 'made of 30', 'given back'], COVER],
    ['is not begun again', { enough: async () => 5 }, ['slot', 'made of 10', 'given back'], COVER],
    ['is null if none can be made', { make: async () => null }, ['slot', 'given back'], null],
    [
      'that fails is made again, which reports the error',
      { make: () => Promise.reject(new Error('closed')) },
      ['slot', 'given back'],
      'undecided',
    ],
  ])('of the whole video %s', async (_, covers, happened, made) => {
    const cover = early(covers);
    await offer(cover, 10, 20);
    cover.offer(beginningOf(30), true);
    expect(await cover.take(NEVER)).toBe(made);
    await cover.stop();
    expect(events).toEqual([...happened]);
  });

  test('takes a slot that becomes free while the video is received, and never waits for one', async () => {
    const cover = early({ enough: async () => 5 });
    free = false;
    await offer(cover, 10, 20);
    free = true;
    await offer(cover, 30);
    expect(await cover.take(NEVER)).toBe(COVER);
    expect(events).toEqual(['no slot', 'no slot', 'slot', 'made of 30', 'given back']);
  });

  test('is not begun after the cover of the whole video is requested', async () => {
    const cover = early({ enough: async () => 15 });
    await offer(cover, 10);
    expect(await cover.take(NEVER)).toBe('undecided');
    await offer(cover, 20);
    expect(events).toEqual([]);
  });

  test.each(['stop', 'signal'])('ends and frees its slot when it is not needed any more: %s', async (how) => {
    const make: CoverMaker['make'] = (_, signal) =>
      new Promise((resolve) => signal?.addEventListener('abort', () => resolve(null)));
    const cover = early({ enough: async () => 5, make });
    await offer(cover, 10);
    expect(events).toEqual(['slot']);
    if (how === 'stop') await cover.stop();
    const gone = new AbortController();
    const taken = cover.take(gone.signal);
    gone.abort();
    expect(await taken).toBe('undecided');
    expect(events).toEqual(['slot', 'given back']);
  });
});

test('a video of a batch gets the cover made while it was received, and no other', async () => {
  const { storage, covers } = world;
  let made = 0;
  const ports: World = {
    ...world,
    storage: replacing(storage, {
      stage: async (body: AsyncIterable<Uint8Array>, options: StageOptions) => {
        options.onGrown?.({ size: MP4.length, read: async (at, length) => MP4.slice(at, at + length) }, false);
        await settle();
        return storage.stage(body, options);
      },
    }),
    covers: {
      enough: async () => 1,
      make: (source, signal) => {
        made += 1;
        return covers.make(source, signal);
      },
    },
  };
  const batch = new UploadBatch(ports, workspace);
  await batch.add('clip.mp4', bodyOf(MP4));
  expect(made).toBe(1);
  const [stored] = await batch.commit({ label: null, folderId: null });
  await batch.discard();
  expect(stored?.cover?.content.type).toBe('image/jpeg');
  expect(made).toBe(1);
});
