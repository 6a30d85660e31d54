import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { NO_TERMS, type PresignRepository, type Uuid } from '@postshelf/domain';
import { fakeFile } from '@postshelf/testing/fakes';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { confirmUpload, issueUploads } from '../../src/index.ts';
import { withUploadLease } from '../../src/presign/upload-lease.ts';
import { databases } from '../support/databases.ts';
import { bodyOf, publishedKeys } from '../support/objects.ts';
import { inhabitedWorld, replacing, restarted, type World } from '../support/world.ts';

afterEach(databases.closeAll);

/**
 * Milliseconds of a lease. The tests set the clock that decides when a lease expires, but renewals run on a real timer.
 */
const LEASE_TIME = 30;

const jpeg = fakeFile({ type: 'image/jpeg', width: 4, height: 3, time: null });

let world: World;
let id: Uuid;

beforeEach(async () => {
  const { workspace, ...rest } = await inhabitedWorld();
  world = rest;
  const file = { name: 'beach.jpg', size: jpeg.length, type: 'image/jpeg', label: null, folderId: null } as const;
  const [issued] = await issueUploads(world, workspace, [{ ...file, terms: NO_TERMS }]);
  if (!issued) throw new Error('One upload was requested.');
  id = issued.item.id;
});

async function send(): Promise<void> {
  const presigned = await world.presign.find(id);
  if (!presigned) throw new Error('Nobody waits for this file.');
  expect(await world.presignStorage.receive(presigned, bodyOf(jpeg))).toBe('kept');
}

const claim = (owner: string): Promise<boolean> =>
  world.presign.claim(id, { owner, until: world.clock.now() + LEASE_TIME }, world.clock.now());

/** Returns the world, and a function that waits for the next renewal. */
function watched(change: Partial<PresignRepository> = {}) {
  let next = Promise.withResolvers<void>();
  const presign = replacing(world.presign, {
    claim: async (...given) => {
      const held = await (change.claim ?? world.presign.claim)(...given);
      next.resolve();
      return held;
    },
  });
  const renewal = (): Promise<void> => {
    next = Promise.withResolvers();
    return next.promise;
  };
  return { ports: { ...world, presign }, renewal };
}

describe('the lease of an upload', () => {
  test('is renewed as long as the work lasts, and ends with it', async () => {
    const { ports, renewal } = watched();
    const done = await withUploadLease(
      ports,
      id,
      async (lease) => {
        for (let time = 0; time < 5; time += 1) {
          await renewal();
          world.clock.advance(LEASE_TIME - 1);
          expect(await claim('another')).toBe(false);
        }
        return lease.renew();
      },
      LEASE_TIME,
    );
    expect(done).toEqual({ result: true });
    expect(await claim('another')).toBe(true);
  });

  test('keeps the work from starting while another owner holds it', async () => {
    await claim('another');
    const work = (): never => {
      throw new Error('It worked without the lease.');
    };
    expect(await withUploadLease(world, id, work, LEASE_TIME)).toBeNull();
  });

  test('of a killed process can be taken when it expires', async () => {
    const work = async () => 'done';
    await claim('killed');
    expect(await withUploadLease(restarted(world, { kill: false }), id, work, LEASE_TIME)).toBeNull();
    expect(await withUploadLease(restarted(world), id, work, LEASE_TIME)).toEqual({ result: 'done' });
    expect(await claim('another')).toBe(true);
  });

  test('survives a renewal that fails because the database is unreachable', async () => {
    let failures = 1;
    const { ports, renewal } = watched({
      claim: async (...given) => {
        if (isBegun && failures-- > 0) throw new Error('busy');
        return world.presign.claim(...given);
      },
    });
    let isBegun = false;
    const done = await withUploadLease(
      ports,
      id,
      async (lease) => {
        isBegun = true;
        await renewal();
        return lease.renew();
      },
      LEASE_TIME,
    );
    expect(done).toEqual({ result: true });
    expect(failures).toBeLessThan(1);
  });

  test('is released when the work fails, and not renewed afterwards', async () => {
    const { ports, renewal } = watched();
    const failed = withUploadLease(
      ports,
      id,
      async () => {
        await renewal();
        throw new Error('failed');
      },
      LEASE_TIME,
    );
    expect(await outcomeOf(failed)).toThrow('failed');
    expect(await claim('another')).toBe(true);
  });
});

test('a confirmation that loses its lease tries again and completes the upload', async () => {
  await send();
  let losses = 1;
  const presign = replacing(world.presign, {
    finish: async (...given) => losses-- <= 0 && world.presign.finish(...given),
  });
  // The same call also makes the next attempt, because it tries again until the item is no longer `temporary`.
  const confirmed = await confirmUpload({ ...world, presign }, id);
  expect(losses).toBe(-1);
  expect(confirmed.item.status).toBe('active');
  expect(await publishedKeys(world)).toEqual([confirmed.item.fullName]);
});
