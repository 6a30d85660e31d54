import { describe, expect, test } from 'bun:test';
import type { ActiveMedia, PendingOutcome, Uuid } from '@postshelf/domain';
import { LEASE_TIME } from '../job-samples.ts';
import { arrived, PENDING_KINDS, type PendingKind, type PendingMedia } from '../pending/kinds.ts';
import { testRace } from '../race.ts';
import { addWorkspace, NOW, newId, sampleCover, sampleFailed, sampleImage, sampleVideo } from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';

const UNTIL = NOW + 1000;

/** Returns a hash that no other item has. */
const newHash = (): string => new Bun.CryptoHasher('sha256').update(newId()).digest('hex');

const withHash = (item: ActiveMedia, sha256: string): ActiveMedia => ({
  ...item,
  content: { ...item.content, sha256 },
});

const imageOf = (workspaceId: Uuid, sha256: string) => withHash(sampleImage(workspaceId), sha256);

/** The contract of {@link DuplicateRepository} and {@link UploadRepository}. */
export function describeDuplicateRepository(name: string, open: OpenStores): void {
  describe(`${name}: duplicates`, () => {
    describeFinding(open);
    describeInserting(open);
    describe.each(PENDING_KINDS)('finishing $name', (kind) => describeAliases(open, kind));
  });
}

function describeFinding(open: OpenStores): void {
  const stores = storesOfEachTest(open);

  test('finds an active item of the workspace by its hash, with its cover, and nothing else', async () => {
    const [{ id }, { id: foreign }] = [await addWorkspace(stores.one), await addWorkspace(stores.one)];
    const [sha256, ofCover] = [newHash(), newHash()];
    const video = withHash(sampleVideo(id), sha256);
    const cover = withHash(sampleCover(video), ofCover);
    await stores.one.media.insert([video, cover, sampleFailed(id)]);
    expect(await stores.two.duplicates.find(id, sha256)).toEqual({ item: video, cover });
    for (const other of [ofCover, newHash(), '']) expect(await stores.two.duplicates.find(id, other)).toBeNull();
    expect(await stores.two.duplicates.find(foreign, sha256)).toBeNull();
    await stores.two.media.delete(video.id);
    expect(await stores.one.duplicates.find(id, sha256)).toBeNull();
  });
}

function describeInserting(open: OpenStores): void {
  const stores = storesOfEachTest(open);

  test('inserts the first of equal files, and returns the existing item instead of the others', async () => {
    const { id } = await addWorkspace(stores.one);
    const foreign = imageOf((await addWorkspace(stores.one)).id, newHash());
    const there = imageOf(id, newHash());
    await stores.one.media.insert([there, foreign]);
    const sha256 = newHash();
    const video = withHash(sampleVideo(id), sha256);
    const cover = sampleCover(video);
    const again = imageOf(id, there.content.sha256 ?? '');
    const ofForeign = imageOf(id, foreign.content.sha256 ?? '');
    const files = [
      { item: video, cover },
      { item: imageOf(id, sha256), cover: null },
      { item: again, cover: null },
      { item: ofForeign, cover: null },
    ];
    const kept = await stores.two.uploads.insertNew(id, files, []);
    expect(kept).toEqual(
      new Map([
        [sha256, { item: video, cover }],
        [`${there.content.sha256}`, { item: there, cover: null }],
        [`${foreign.content.sha256}`, { item: ofForeign, cover: null }],
      ]),
    );
    expect((await stores.one.media.list(id, {}, { offset: 0, limit: 10 })).total).toBe(3);
    expect(await stores.one.media.find(video.id)).toEqual({ item: video, cover });
  });

  test('inserts nothing if a known item or the folder was deleted meanwhile', async () => {
    const { id } = await addWorkspace(stores.one);
    const file = { item: withHash(sampleVideo(id), newHash()), cover: 'due' } as const;
    expect(await stores.one.uploads.insertNew(id, [file], [newHash()])).toBe('gone');
    const homeless = { ...file, item: { ...file.item, folderId: newId() } };
    expect(await stores.one.uploads.insertNew(id, [homeless], [])).toBe('folder_missing');
    expect(await stores.two.media.find(file.item.id)).toBeNull();
    expect(await stores.two.jobs.due(NOW)).toEqual([]);
    await stores.one.uploads.insertNew(id, [file], []);
    expect(await stores.two.jobs.due(NOW)).toEqual(['cover']);
  });

  testRace(stores, 'keeps one of each file if two callers insert the same files in any order', async (race) => {
    const { id } = await addWorkspace(stores.one);
    const hashes = [newHash(), newHash(), newHash()];
    const bring = (of: Stores, brought: readonly string[]) =>
      of.uploads.insertNew(
        id,
        brought.map((sha256) => ({ item: imageOf(id, sha256), cover: null })),
        [],
      );
    const [first, second] = await race(
      (of) => bring(of, hashes),
      (of) => bring(of, hashes.toReversed()),
    );
    expect(first).toEqual(second);
    expect((await stores.one.media.list(id, {}, { offset: 0, limit: 10 })).total).toBe(hashes.length);
  });

  testRace(stores, 'inserts a file only if the known duplicate is not deleted concurrently', async (race) => {
    const { id } = await addWorkspace(stores.one);
    const there = imageOf(id, newHash());
    await stores.one.media.insert([there]);
    const file = { item: imageOf(id, newHash()), cover: null };
    const [answer] = await race(
      ({ uploads }) => uploads.insertNew(id, [file], [`${there.content.sha256}`]),
      ({ media }) => media.delete(there.id),
    );
    const isKept = (await stores.two.media.find(file.item.id)) !== null;
    expect(isKept).toBe(answer !== 'gone');
  });
}

function describeAliases(open: OpenStores, { sample, add, claim, finish, isPending }: PendingKind): void {
  const stores = storesOfEachTest(open);

  const addHeld = async (workspaceId: Uuid): Promise<PendingMedia> => {
    const item = sample(workspaceId);
    await add(stores.one, [item]);
    expect(await claim(stores.one, item.id, 'owner', NOW)).toBe(true);
    return item;
  };

  /**
   * Returns a decision that makes the item active with this hash. If another item has the same hash, the id becomes an
   * alias of that item.
   */
  const arrivesAs =
    (sha256: string | null, cover: ActiveMedia | null = null) =>
    (item: PendingMedia): PendingOutcome => ({ item: arrived(item, { sha256 }), cover, aliasUntil: UNTIL });

  const leavesIdTo = (sha256: string) => (): PendingOutcome => ({ item: null, sha256, aliasUntil: UNTIL });

  test('replaces an item whose file already exists with an alias that expires', async () => {
    const { id } = await addWorkspace(stores.one);
    const sha256 = newHash();
    const there = withHash(sampleVideo(id), sha256);
    const cover = sampleCover(there);
    await stores.one.media.insert([there, cover]);
    for (const decide of [arrivesAs(sha256, null), leavesIdTo(sha256)]) {
      const item = await addHeld(id);
      expect(await stores.one.duplicates.resolve(item.id, NOW)).toBeNull();
      expect(await finish(stores.one, item.id, 'owner', decide)).toBe(true);
      expect(await stores.two.media.find(item.id)).toBeNull();
      expect(await isPending(stores.two, item.id)).toBe(false);
      expect(await stores.two.duplicates.resolve(item.id, UNTIL - 1)).toEqual({ item: there, cover });
      expect(await stores.two.duplicates.resolve(item.id, UNTIL)).toBeNull();
      expect(await stores.two.media.delete(item.id)).toBeNull();
      expect(await finish(stores.two, item.id, 'owner', decide)).toBe(false);
    }
    expect((await stores.two.media.list(id, {}, { offset: 0, limit: 10 })).items).toEqual([{ item: there, cover }]);
    expect(await stores.one.duplicates.prune(UNTIL - 1, 10)).toBe(0);
    for (const left of [1, 1, 0]) expect(await stores.one.duplicates.prune(UNTIL, 1)).toBe(left);
  });

  test('activates an item with new bytes, bytes of another workspace or unknown bytes', async () => {
    const { id } = await addWorkspace(stores.one);
    const foreign = imageOf((await addWorkspace(stores.one)).id, newHash());
    await stores.one.media.insert([foreign]);
    for (const sha256 of [newHash(), foreign.content.sha256, null]) {
      const item = await addHeld(id);
      if (sha256 !== null) expect(await finish(stores.one, item.id, 'owner', leavesIdTo(sha256))).toBe(false);
      expect(await isPending(stores.two, item.id)).toBe(true);
      expect(await finish(stores.two, item.id, 'owner', arrivesAs(sha256))).toBe(true);
      expect((await stores.one.media.find(item.id))?.item).toEqual(arrived(item, { sha256 }));
      expect(await stores.one.duplicates.resolve(item.id, NOW)).toBeNull();
    }
  });

  test('creates no alias without the lease, and deletes an alias with its item', async () => {
    const { id } = await addWorkspace(stores.one);
    const there = imageOf(id, newHash());
    await stores.one.media.insert([there]);
    const item = await addHeld(id);
    const decide = leavesIdTo(`${there.content.sha256}`);
    expect(await finish(stores.two, item.id, 'other', decide)).toBe(false);
    expect(await stores.two.media.find(item.id)).toEqual({ item, cover: null });
    expect(await finish(stores.one, item.id, 'owner', decide)).toBe(true);
    expect(await stores.two.media.delete(there.id)).toEqual([there.fullName]);
    expect(await stores.one.duplicates.resolve(item.id, NOW)).toBeNull();
    expect(await stores.one.duplicates.prune(UNTIL, 10)).toBe(0);
  });

  testRace(stores, 'makes one item of two whose files are equal', async (race) => {
    const { id } = await addWorkspace(stores.one);
    const sha256 = newHash();
    const [first, second] = [await addHeld(id), await addHeld(id)];
    const answers = await race(
      (of) => finish(of, first.id, 'owner', arrivesAs(sha256)),
      (of) => finish(of, second.id, 'owner', arrivesAs(sha256)),
    );
    expect(answers).toEqual([true, true]);
    const { items } = await stores.one.media.list(id, {}, { offset: 0, limit: 10 });
    expect(items).toHaveLength(1);
    for (const item of [first, second]) {
      const { media, duplicates } = stores.two;
      const shown = (await media.find(item.id)) ?? (await duplicates.resolve(item.id, NOW));
      expect(shown?.item.id).toBe(items[0]?.item.id);
    }
  });

  testRace(stores, 'makes an id an alias of another item, unless that one is deleted first', async (race) => {
    const { id } = await addWorkspace(stores.one);
    const there = imageOf(id, newHash());
    await stores.one.media.insert([there]);
    const item = await addHeld(id);
    const [left, removed] = await race(
      (of) => finish(of, item.id, 'owner', leavesIdTo(`${there.content.sha256}`)),
      ({ media }) => media.delete(there.id),
    );
    expect(removed).toEqual([there.fullName]);
    expect((await stores.two.media.find(item.id)) === null).toBe(left);
    expect(await stores.two.duplicates.resolve(item.id, NOW)).toBeNull();
    if (!left) expect(await claim(stores.two, item.id, 'next', NOW + LEASE_TIME)).toBe(true);
    await stores.one.media.delete(item.id);
  });
}
