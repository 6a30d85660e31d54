import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { NO_TERMS, type StagedObject, stripsLocation, type Workspace } from '@postshelf/domain';
import { FAKE_PLACE } from '@postshelf/testing/fakes';
import { confirmUpload, issueUploads, UploadBatch } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { JPEG } from '../support/files.ts';
import { bodyOf, bytesUnder, countStaged } from '../support/objects.ts';
import { thrownBy } from '../support/refusals.ts';
import { changingStaged } from '../support/storages.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const SENT = Buffer.concat([JPEG, Buffer.from(FAKE_PLACE), JPEG]);
const STORED = Buffer.concat([JPEG, Buffer.alloc(FAKE_PLACE.length, ' '), JPEG]);
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

let world: World;
let workspace: Workspace;

beforeEach(async () => {
  ({ workspace, ...world } = await inhabitedWorld());
  world = { ...world, stripsLocation: true };
});

test.each([
  [null, true, true],
  [null, false, false],
  [true, false, true],
  [false, true, false],
] as const)(
  'with a workspace setting of %p and a default of %p, coordinates are stripped: %p',
  (own, byDefault, strips) => {
    expect(stripsLocation({ stripLocation: own }, byDefault)).toBe(strips);
  },
);

describe('a file with coordinates', () => {
  async function store(ports: World, declared: readonly string[] = []) {
    const batch = new UploadBatch(ports, workspace);
    try {
      await batch.add('beach.jpg', bodyOf(SENT));
      batch.compare(declared);
      return { errors: batch.errors, stored: await batch.commit({ label: null, folderId: null }) };
    } finally {
      await batch.discard();
    }
  }

  test('is stored without coordinates and with a new hash, and a declared hash must match the bytes sent', async () => {
    const { errors, stored } = await store(world, [sha256(SENT)]);
    expect(errors).toEqual({});
    expect(stored[0]?.item).toMatchObject({ content: { size: SENT.length, sha256: sha256(STORED) } });
    expect(Buffer.from((await bytesUnder(world, stored[0]?.item.fullName ?? '')) ?? [])).toEqual(STORED);
    expect(countStaged(world)).toBe(0);
    expect((await store(world, [sha256(STORED)])).errors).toHaveProperty(['files.0']);
  });

  test("leaves nothing if it can't be read, staged again or stripped", async () => {
    const full = new Error('The disk is full.');
    const failing = (object: StagedObject, index: number): StagedObject => {
      if (index === 1) void object.discard();
      if (index === 1) throw full;
      return object;
    };
    expect(await thrownBy(store({ ...world, storage: changingStaged(world.storage, failing) }))).toBe(full);
    const short = { read: async (offset: number) => (offset === 0 ? SENT.subarray(0, 100) : new Uint8Array()) };
    const find = async () => [{ offset: 0, length: 1, fill: 0 }];
    const storage = changingStaged(world.storage, (object) => replacing(object, short));
    expect(String(await thrownBy(store({ ...world, storage, location: { find } })))).toContain('ends at 100');
    const { errors } = await store({ ...world, location: { find: async () => null } });
    expect(errors).toHaveProperty(['files.0']);
    expect(countStaged(world)).toBe(0);
  });

  test('from a presigned upload takes a slot while its coordinates are stripped', async () => {
    const file = { name: 'beach.jpg', size: SENT.length, type: 'image/jpeg', label: null, folderId: null } as const;
    const [issued] = await issueUploads(world, workspace, [{ ...file, terms: NO_TERMS }]);
    const id = issued?.item.id;
    const presigned = id && (await world.presign.find(id));
    if (!presigned) throw new Error('unreachable');
    expect(await world.presignStorage.receive(presigned, bodyOf(SENT))).toBe('kept');
    const taken: string[] = [];
    const shares = replacing(world.shares, {
      take: (kind, owner, signal) => {
        taken.push(kind);
        return world.shares.take(kind, owner, signal);
      },
    });
    const { item } = await confirmUpload({ ...world, shares }, id);
    expect(item).toMatchObject({ status: 'active', content: { size: SENT.length, sha256: sha256(STORED) } });
    expect(taken).toEqual(['hashes']);
    expect(countStaged(world)).toBe(0);
  });
});
