import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import {
  AUDIT_LIFE,
  activate,
  beginImport,
  EVENT_LIFE,
  type ListedObject,
  NO_TERMS,
  type ObjectStorage,
  Refusal,
  SCOPES,
  SIGN_IN_CODE_LIFETIME,
  type Trash,
  type Uuid,
  type Workspace,
} from '@postshelf/domain';
import { sampleEntry } from '@postshelf/testing/contracts/audit/audit-repository';
import { addFolder, newId } from '@postshelf/testing/contracts/samples';
import { fakeFile } from '@postshelf/testing/fakes';
import { thrownBy } from '@postshelf/testing/outcomes';
import {
  appendToUpload,
  type CollectOptions,
  checkCredentials,
  collectGarbage,
  createResumable,
  GARBAGE_AGE,
  type GarbageReport,
  issueSignInCode,
  issueToken,
  OwnershipRefused,
  startSession,
} from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { addImage, addImages, bodyOf, destroyDeleted, publish, publishedKeys } from '../support/objects.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

let world: World;
let workspace: Workspace;

beforeEach(async () => {
  ({ workspace, ...world } = await inhabitedWorld());
});

const orphanKey = (): string => `${workspace.id}/${newId()}/orphan.jpg`;

/** Returns a storage that lists the given objects, and a trash that records which objects are moved to it. */
function listing(objects: readonly ListedObject[]): { storage: ObjectStorage; trash: Trash; gone: readonly string[] } {
  const gone: string[] = [];
  const storage = replacing(world.storage, {
    async *list() {
      yield* objects;
    },
    purge: () => Promise.reject(new Error('Removed for good.')),
  });
  const add = async (key: string) => gone.push(key) > 0;
  return { storage, trash: replacing(world.trash, { add }), gone };
}

const collectFrom = async (objects: readonly ListedObject[], options: CollectOptions = {}) => {
  const { storage, trash, gone } = listing(objects);
  const report = await collectGarbage({ ...world, storage, trash }, options);
  expect(report).toMatchObject({ staged: 0, trashed: gone.length });
  return gone;
};

const NOTHING: GarbageReport = {
  staged: 0,
  trashed: 0,
  restored: 0,
  trash: 0,
  unconfirmed: 0,
  uploads: 0,
  previews: 0,
  bytes: 0,
  withheld: null,
};

const DAY = 24 * 60 * 60 * 1000;

const inTrash = () => Array.fromAsync(world.trash.list());

describe('collecting garbage', () => {
  test('moves objects without a row to the trash, keeps the others, and purges the trash after seven days', async () => {
    const kept = await addImage(world, workspace.id);
    const key = orphanKey();
    await publish(world, key, new Uint8Array([1]));
    world.clock.advance(2 * GARBAGE_AGE);
    const trashedAt = world.clock.now();
    expect(await collectGarbage(world)).toEqual({ ...NOTHING, trashed: 1 });
    expect(await publishedKeys(world)).toEqual([kept.fullName]);
    expect(await inTrash()).toEqual([{ key, size: 1, trashedAt }]);
    world.clock.advance(7 * DAY);
    expect(await collectGarbage(world)).toEqual(NOTHING);
    expect(await inTrash()).toHaveLength(1);
    world.clock.advance(1);
    expect(await collectGarbage(world)).toEqual({ ...NOTHING, trash: 1, bytes: 1 });
    expect(await inTrash()).toEqual([]);
    expect(await publishedKeys(world)).toEqual([kept.fullName]);
  });

  test('keeps the trash as long as configured', async () => {
    await publish(world, orphanKey(), new Uint8Array([1]));
    expect(await collectGarbage(world, { trashAge: 0 })).toMatchObject({ trashed: 1, trash: 0 });
    // The object stays in the trash for a minute: a copy of the database may have moved it there, and it can take that
    // long until that database is recognised as a copy.
    world.clock.advance(60_000);
    expect(await collectGarbage(world, { trashAge: 0 })).toMatchObject({ trash: 0 });
    world.clock.advance(DAY - 60_000);
    expect(await collectGarbage(world, { trashAge: DAY })).toMatchObject({ trash: 0 });
    expect(await collectGarbage(world, { trashAge: 0 })).toMatchObject({ trash: 1 });
  });

  test('leaves an object until it is too old to still get its row', async () => {
    const key = orphanKey();
    const now = world.clock.now();
    expect(await collectFrom([{ key, size: 1, modifiedAt: now, isSettled: false }])).toEqual([]);
    expect(await collectFrom([{ key, size: 1, modifiedAt: now - GARBAGE_AGE, isSettled: false }])).toEqual([]);
    expect(await collectFrom([{ key, size: 1, modifiedAt: now - GARBAGE_AGE - 1, isSettled: false }])).toEqual([key]);
  });

  test('removes a settled object immediately, even one dated in the future', async () => {
    const key = orphanKey();
    const now = world.clock.now();
    expect(await collectFrom([{ key, size: 1, modifiedAt: now, isSettled: true }])).toEqual([key]);
    expect(await collectFrom([{ key, size: 1, modifiedAt: now + GARBAGE_AGE, isSettled: true }])).toEqual([key]);
  });

  test('removes only objects older than the given age', async () => {
    const objects = [{ key: orphanKey(), size: 1, modifiedAt: world.clock.now() - 11, isSettled: false }];
    expect(await collectFrom(objects, { age: 11 })).toEqual([]);
    expect(await collectFrom(objects, { age: 10 })).toHaveLength(1);
  });

  test('discards bytes that were staged longer ago than the default age, and reports how many', async () => {
    const requested: number[] = [];
    const storage = replacing(world.storage, {
      list: listing([]).storage.list,
      discardAbandoned: async (before, onFreed) => {
        requested.push(before);
        for (const bytes of [5, 6]) onFreed?.(bytes);
        return 3;
      },
    });
    expect(await collectGarbage({ ...world, storage })).toEqual({ ...NOTHING, staged: 3, bytes: 11 });
    expect(requested).toEqual([world.clock.now() - GARBAGE_AGE]);
  });

  test.each([[500], [1501]])('looks up the rows of %d objects 500 at a time', async (count) => {
    const keys = Array.from({ length: count }, orphanKey);
    const kept = new Set(keys.filter((_, index) => index % 7 === 0));
    const sizes: number[] = [];
    const media = replacing(world.media, {
      async existingFullNames(names) {
        sizes.push(names.length);
        return new Set(names.filter((name) => kept.has(name)));
      },
    });
    const modifiedAt = world.clock.now();
    const { storage, trash, gone } = listing(keys.map((key) => ({ key, size: 1, modifiedAt, isSettled: true })));
    await collectGarbage({ ...world, media, storage, trash }, { maxOrphansPercent: 100 });
    expect(gone).toEqual(keys.filter((key) => !kept.has(key)));
    expect(sizes.reduce((sum, size) => sum + size)).toBe(count);
    expect(sizes.length).toBe(Math.ceil(count / 500));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(500);
  });

  test('looks up no rows if there is no object', async () => {
    const media = replacing(world.media, { existingFullNames: () => Promise.reject(new Error('requested')) });
    expect(await collectGarbage({ ...world, media, ...listing([]) })).toEqual(NOTHING);
  });

  test('keeps the object of an import that ends while garbage is collected', async () => {
    // A worker was killed after it had published the object under its final name, and before it wrote this name to the
    // row.
    const id = newId();
    const fullName = `${workspace.id}/${id}/video.mp4`;
    const item = beginImport(
      { id, workspaceId: workspace.id, folderId: null, label: null, name: 'video', fullName: `${fullName}.tmp` },
      0,
    );
    const until = world.clock.now() + 1000;
    const payload = { url: 'https://example.com/', terms: NO_TERMS, requestId: null };
    await world.processing.begin(item, { kind: 'import', payload }, { lease: { owner: 'w', until } });
    await publish(world, fullName, new Uint8Array([1]));
    world.clock.advance(2 * GARBAGE_AGE);

    const media = replacing(world.media, {
      async existingFullNames(names) {
        const existing = await world.media.existingFullNames(names);
        // The next worker finishes the item right after garbage collection has looked it up.
        await world.storage.purge(fullName);
        await publish(world, fullName, new Uint8Array([2]));
        await world.processing.finish({ kind: 'import', subjectId: id }, 'w', (now) => ({
          item: activate(now, { name: 'video.mp4', fullName, content: CONTENT }, 1),
          cover: null,
        }));
        return existing;
      },
    });
    expect(await collectGarbage({ ...world, media })).toEqual(NOTHING);
    expect(await publishedKeys(world)).toEqual([fullName]);
  });

  test('leaves the object of an unfinished import until the item is deleted', async () => {
    const id = newId();
    const fullName = `${workspace.id}/${id}/old name.mp4`;
    const item = beginImport(
      { id, workspaceId: workspace.id, folderId: null, label: null, name: 'new name', fullName: `${fullName}.tmp` },
      0,
    );
    await world.media.insert([item]);
    await publish(world, fullName, new Uint8Array([1]));
    world.clock.advance(2 * GARBAGE_AGE);
    expect((await collectGarbage(world)).trashed).toBe(0);
    await world.media.delete(id);
    expect((await collectGarbage(world)).trashed).toBe(1);
  });
});

/** Publishes this many objects that belong to no item. */
const addOrphans = async (count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1) await publish(world, orphanKey(), new Uint8Array([1]));
};

describe('orphaned objects', () => {
  test('stay, as does the trash, if their share of all objects is too large', async () => {
    await addOrphans(1);
    await collectGarbage(world);
    await addOrphans(21);
    world.clock.advance(8 * DAY);
    const withheld = {
      objects: 21,
      orphans: 21,
      older: 0,
      isRestored: false,
      maxPercent: 10,
      reason: 'too_many',
    } as const;
    expect(await collectGarbage(world)).toEqual({ ...NOTHING, withheld });
    expect(await publishedKeys(world)).toHaveLength(21);
    expect(await inTrash()).toHaveLength(1);
    expect(await collectGarbage(world, { maxOrphansPercent: 100 })).toMatchObject({
      trashed: 21,
      trash: 1,
      withheld: null,
    });
  });

  test('are all counted, and moved in batches', async () => {
    const modifiedAt = world.clock.now();
    const objects = Array.from({ length: 10_001 }, () => ({ key: orphanKey(), size: 1, modifiedAt, isSettled: true }));
    const { storage, trash, gone } = listing(objects);
    const media = replacing(world.media, { existingFullNames: async () => new Set(), find: async () => null });
    const report = await collectGarbage({ ...world, media, storage, trash });
    expect(report.withheld).toMatchObject({ objects: 10_001, orphans: 10_001 });
    await collectGarbage({ ...world, media, storage, trash }, { hasConsent: true });
    expect(gone).toHaveLength(10_000);
  });

  test('stay in a restored library until an operator consents, which is needed only once', async () => {
    await addImages(world, workspace.id, 30);
    await addOrphans(1);
    await world.library.update({ restoredAt: 1 });
    expect((await collectGarbage(world)).withheld).toMatchObject({ reason: 'restored', orphans: 1, isRestored: true });
    expect(await publishedKeys(world)).toHaveLength(31);
    expect(await collectGarbage(world, { hasConsent: true })).toMatchObject({ trashed: 1, withheld: null });
    expect(await world.library.find()).toMatchObject({ restoredAt: null });
    await addOrphans(1);
    expect(await collectGarbage(world)).toMatchObject({ trashed: 1, withheld: null });
  });

  test('that are already in the trash are purged from a restored library only with consent', async () => {
    await addOrphans(1);
    await collectGarbage(world);
    await addImages(world, workspace.id, 2);
    await world.library.update({ restoredAt: 1 });
    world.clock.advance(8 * DAY);
    expect(await collectGarbage(world)).toMatchObject({ trash: 0, withheld: null });
    expect(await world.library.find()).toMatchObject({ restoredAt: 1 });
    expect(await collectGarbage(world, { hasConsent: true })).toMatchObject({ trash: 1, withheld: null });
  });

  test('stay if the database is recognised as an older copy', async () => {
    await addOrphans(1);
    const mark = await world.marker.read();
    if (!mark) throw new Error('no mark');
    await world.marker.write({ ...mark, generation: 7 });
    expect(await thrownBy(collectGarbage(world))).toBeInstanceOf(OwnershipRefused);
    expect(await publishedKeys(world)).toHaveLength(1);
  });

  test('exclude objects with a recorded deletion, which are purged separately', async () => {
    const item = await addImage(world, workspace.id);
    await world.media.delete(item.id, world.clock.now());
    world.clock.advance(2 * GARBAGE_AGE);
    expect(await collectGarbage(world)).toMatchObject({ trashed: 0 });
    expect(await publishedKeys(world)).toEqual([item.fullName]);
    await destroyDeleted(world);
    expect(await publishedKeys(world)).toEqual([]);
  });

  test('stay if they are older than the library', async () => {
    const { createdAt } = (await world.library.find()) ?? {};
    if (createdAt === undefined) throw new Error('no library');
    const listed = (modifiedAt: number) => [{ key: orphanKey(), size: 1, modifiedAt, isSettled: true }];
    expect(await collectFrom(listed(createdAt - 10 * 60 * 1000))).toHaveLength(1);
    const old = listed(createdAt - 10 * 60 * 1000 - 1);
    expect(await collectFrom(old)).toEqual([]);
    expect(await collectFrom(old)).toEqual([]);
    expect(await collectFrom(old, { hasConsent: true })).toHaveLength(1);
  });

  test('that are withheld prevent uploads without a row from being removed', async () => {
    const id = newId();
    const presigned = { id, size: 3, type: 'image/png', expiresAt: world.clock.now() } as const;
    await world.presignStorage.receive(presigned, new Blob(['abc']).stream());
    world.clock.advance(8 * DAY);
    await addOrphans(1);
    await world.library.update({ restoredAt: 1 });
    expect(await collectGarbage(world)).toMatchObject({ uploads: 0 });
    expect(await collectGarbage(world, { hasConsent: true })).toMatchObject({
      uploads: 1,
      trashed: 1,
    });
  });

  test('are no longer moved to the trash once the collection is stopped', async () => {
    await addOrphans(5);
    const stop = new AbortController();
    const trash = replacing(world.trash, {
      add: async (key, at) => {
        if ((await publishedKeys(world)).length === 4) stop.abort();
        return world.trash.add(key, at);
      },
    });
    expect(await collectGarbage({ ...world, trash }, { signal: stop.signal })).toMatchObject({ trashed: 2 });
    expect(await publishedKeys(world)).toHaveLength(3);
  });
});

describe('an object in the trash', () => {
  const putInTrash = async (key: string): Promise<void> => {
    await world.trash.add(key, world.clock.now());
  };

  test('is restored if an active item lacks it, even if it is due to be purged or orphans are withheld', async () => {
    const item = await addImage(world, workspace.id);
    await putInTrash(item.fullName);
    world.clock.advance(30 * DAY);
    await addOrphans(1);
    await world.library.update({ restoredAt: 1 });
    const report = await collectGarbage(world);
    expect(report).toMatchObject({ restored: 1, trash: 0 });
    expect(report.withheld).not.toBeNull();
    expect(await publishedKeys(world)).toContain(item.fullName);
    expect(await inTrash()).toEqual([]);
  });

  test('that an active item lacks is not purged if the collection is stopped before restoring it', async () => {
    const items = [await addImage(world, workspace.id), await addImage(world, workspace.id)];
    for (const { fullName } of items) await putInTrash(fullName);
    world.clock.advance(30 * DAY);
    const stop = new AbortController();
    const trash = replacing(world.trash, {
      restore: async (trashed) => {
        stop.abort();
        return world.trash.restore(trashed);
      },
    });
    const report = await collectGarbage({ ...world, trash }, { signal: stop.signal });
    expect(report).toMatchObject({ restored: 1, trash: 0 });
    expect(await inTrash()).toHaveLength(1);
    expect(await collectGarbage(world)).toMatchObject({ restored: 1, trash: 0 });
  });

  test('stays if it belongs to no item, or if its item has an object, even of another size', async () => {
    const item = await addImage(world, workspace.id);
    const other = await addImage(world, workspace.id);
    await putInTrash(item.fullName);
    await publish(world, item.fullName, new Uint8Array(item.content.size));
    // The item's object is replaced with a different file, such as an interrupted import may leave behind.
    await world.storage.purge(other.fullName);
    await publish(world, other.fullName, new Uint8Array([1]));
    await putInTrash(other.fullName);
    await addOrphans(1);
    for (const key of await publishedKeys(world)) if (key !== item.fullName) await putInTrash(key);
    expect(await collectGarbage(world)).toEqual(NOTHING);
    expect(await inTrash()).toHaveLength(3);
    expect(await publishedKeys(world)).toEqual([item.fullName]);
  });

  test('is looked up in batches of 500', async () => {
    const trashed = Array.from({ length: 1001 }, () => ({ key: orphanKey(), size: 1, trashedAt: world.clock.now() }));
    const sizes: number[] = [];
    const media = replacing(world.media, {
      existingFullNames: async (names) => {
        sizes.push(names.length);
        return new Set();
      },
    });
    const trash = replacing(world.trash, {
      async *list() {
        yield* trashed;
      },
    });
    await collectGarbage({ ...world, media, trash });
    expect(sizes).toEqual([500, 500, 1]);
  });
});

const CONTENT = {
  type: 'video/mp4',
  size: 1,
  sha256: '0'.repeat(64),
  width: 1,
  height: 1,
  time: 1,
  details: null,
} as const;

describe('complete uploads', () => {
  const bytes = fakeFile({ type: 'image/jpeg', width: 4, height: 3, time: null });

  const announce = () =>
    createResumable(world, workspace, {
      fileName: 'beach.jpg',
      size: bytes.length,
      label: null,
      folderId: null,
      terms: NO_TERMS,
      createdBy: null,
      metadata: '',
    });

  /** Sends all bytes of an upload, as if the process had been killed before it settled the upload. */
  async function sendWhole(): Promise<Uuid> {
    const upload = await announce();
    const { signal } = new AbortController();
    await appendToUpload(world, upload, { offset: 0, body: () => bodyOf(bytes), signal });
    return upload.id;
  }

  /** Returns the world, in which settling these uploads fails with this cause. */
  const failing = (ids: readonly Uuid[], cause: Error): World => {
    const find = (id: Uuid) => (ids.includes(id) ? Promise.reject(cause) : world.presign.find(id));
    return { ...world, presign: replacing(world.presign, { find }) };
  };

  const statusOf = async (id: Uuid) => (await world.media.find(id))?.item.status;

  test('are settled, and the rest is collected, even if one of them cannot be settled', async () => {
    const abandoned = await announce();
    world.clock.advance(2 * DAY);
    const [broken, whole] = [await sendWhole(), await sendWhole()];
    world.clock.advance(60_001);
    const cause = new Error('A fault.');
    expect(await thrownBy(collectGarbage(failing([broken], cause)))).toMatchObject({ errors: [cause] });
    expect(await statusOf(whole)).toBe('active');
    expect(await statusOf(abandoned.id)).toBeUndefined();
    expect(await collectGarbage(world)).toEqual(NOTHING);
    expect(await statusOf(broken)).toBe('active');
  });

  test('are settled even if a hundred earlier ones are refused', async () => {
    const refused = await Promise.all(Array.from({ length: 100 }, sendWhole));
    const last = await sendWhole();
    world.clock.advance(60_001);
    expect(await collectGarbage(failing(refused, new Refusal({ code: 'storage_low' })))).toEqual(NOTHING);
    expect(await statusOf(last)).toBe('active');
  });
});

test('garbage collection keeps events for a day', async () => {
  await world.events.listen([workspace.id], Number.MAX_SAFE_INTEGER);
  await addFolder(world, workspace.id);
  const [kept] = await world.events.listAfter(0, 1);
  expect(kept?.event.type).toBe('folder.created');
  for (const [passed, isThere] of [
    [EVENT_LIFE, true],
    [EVENT_LIFE + 1, false],
  ] as const) {
    world.clock.set((kept?.event.at ?? 0) + passed);
    await collectGarbage(world);
    expect((await world.events.listAfter(0, 1)).length > 0).toBe(isThere);
  }
});

test('garbage collection keeps audit log entries for 90 days', async () => {
  const at = world.clock.now();
  await world.audit.record([sampleEntry({ at })]);
  for (const [passed, total] of [
    [AUDIT_LIFE, 1],
    [AUDIT_LIFE + 1, 0],
  ] as const) {
    world.clock.set(at + passed);
    await collectGarbage(world);
    expect(await world.audit.list({ from: 0 }, { offset: 0, limit: 1 })).toMatchObject({ total });
  }
});

test('garbage collection deletes expired sessions and codes', async () => {
  const request = { name: 'browser', scopes: SCOPES, workspaceIds: [workspace.id], lifetime: DAY };
  const { token } = await issueToken(world, request);
  const codes = [await issueSignInCode(world, token), await issueSignInCode(world, token)];
  const signIn = await checkCredentials(world, { code: `${codes[0]}` });
  const { secret } = await startSession(world, signIn, null, null);
  const [session, code] = [secret, `${codes[1]}`].map((text) => world.sessionSecrets.hashOf(text) ?? '');
  const left = async () => [await world.sessions.find(`${session}`), await world.sessions.findCode(`${code}`)];
  for (const [passed, isThere] of [
    [SIGN_IN_CODE_LIFETIME - 1, [true, true]],
    [SIGN_IN_CODE_LIFETIME, [true, false]],
    [DAY, [false, false]],
  ] as const) {
    world.clock.set(token.createdAt + passed);
    await collectGarbage(world);
    expect((await left()).map((each) => each !== null)).toEqual([...isThere]);
  }
});
