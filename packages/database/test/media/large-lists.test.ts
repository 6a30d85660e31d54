import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { kindOf, type MediaItem, type MediaQuery, type Slice, type Uuid } from '@postshelf/domain';
import {
  addFolder,
  addWorkspace,
  NOW,
  sampleFailed,
  sampleImage,
  sampleVideo,
} from '@postshelf/testing/contracts/samples';
import fc from 'fast-check';
import { mediaToRow } from '../../src/media/media-rows.ts';
import { nameAndLabelOf, searchKey, searchWords } from '../../src/search/search-key.ts';
import { blocksOf } from '../../src/store/blocks.ts';
import { dialects, type Opened, openNew } from '../support/dialects.ts';

const DAY = 86_400_000;
/** The number of items: more than a list may read without the search index. */
const MANY = 5_300;
const [FIRST, LAST] = [NOW - 30 * DAY, NOW];

const never = new AbortController().signal;

/**
 * Pieces of text that databases may compare differently: cases of several alphabets, combining marks, wildcards, quotes
 * and noncharacters.
 */
const PIECES = [
  ...['a', 'A', 'b', 'img', 'IMG_1', '%', '_', '\\', '*', '"', "'", ' ', '-', '\n', '.jpg', 'ab', 'ba'],
  ...[
    'İ',
    'ı',
    'i',
    'I',
    'ß',
    'ẞ',
    'Σ',
    'ς',
    'σ',
    'é',
    'e\u0301',
    '\u0301',
    'Ж',
    'ж',
    '漢',
    '字',
    '😀',
    '👍🏽',
    '\uFFFD',
    '\uFFFE',
  ],
];

const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 5 }).map((pieces) => pieces.join(''));
const time = fc.oneof(
  fc.integer({ min: FIRST - DAY, max: LAST + DAY }),
  // These are the first and the last millisecond of a day.
  fc.integer({ min: 0, max: 31 }).map((day) => (Math.floor(FIRST / DAY) + day) * DAY),
  fc.integer({ min: 0, max: 31 }).map((day) => (Math.floor(FIRST / DAY) + day) * DAY - 1),
);

const change = fc.oneof(
  fc.record({ kind: fc.constant('rename' as const), at: fc.nat(), name: text, label: fc.option(text) }),
  fc.record({
    kind: fc.constant('describe' as const),
    at: fc.nat(),
    altText: fc.option(text),
    tags: fc.array(text, { maxLength: 2 }),
  }),
  fc.record({ kind: fc.constant('insert' as const), name: text, label: fc.option(text), createdAt: time }),
  fc.record({ kind: fc.constant('move' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('remove' as const), at: fc.nat() }),
  fc.record({ kind: fc.constant('keep index' as const) }),
);

/**
 * Generates a search: a random text, a frequent one, or a part of an item's current or former key. The part is given by
 * the number of the item, an offset and a length.
 */
const search = fc.oneof(
  text,
  fc.constantFrom(
    'img',
    'g',
    'mp4',
    '9.',
    'ж',
    '%',
    'mp4 img',
    'g img_1',
    'déjà 5 jpg',
    'terrace',
    'harbour terr',
    'quay 7',
  ),
  fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 1, max: 40 })),
);
const place = {
  folder: fc.constantFrom(undefined, 'root', 'folder'),
  status: fc.constantFrom(undefined, undefined, 'active' as const, 'failed' as const),
  kind: fc.constantFrom(undefined, undefined, undefined, 'image' as const, 'video' as const),
};
const times = { from: fc.option(time, { nil: undefined, freq: 2 }), to: fc.option(time, { nil: undefined, freq: 2 }) };
const part = {
  sort: fc.constantFrom(
    undefined,
    ...(['updated_at', 'created_at', 'name'] as const).flatMap((by) =>
      [true, false].map((descending) => ({ by, descending })),
    ),
  ),
  offset: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 60 }), fc.nat(MANY)),
};
/** A list to request. The test also requests it with only one of its conditions at a time. */
interface Asked {
  readonly search?: string | readonly [number, number, number];
  readonly folder?: 'root' | 'folder' | undefined;
  readonly status?: 'active' | 'failed' | undefined;
  readonly kind?: 'image' | 'video' | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly sort?: MediaQuery['sort'];
  readonly offset: number;
}
const asked: fc.Arbitrary<Asked> = fc.oneof(
  fc.record({ search, ...part }),
  fc.record({ ...times, ...part }),
  fc.record({ search, ...place, ...times, ...part }),
  fc.record({ ...place, ...times, ...part }),
) as fc.Arbitrary<Asked>;

type Tags = ReadonlyMap<Uuid, readonly string[]>;
const keyOf = (item: MediaItem, tags: Tags): string => searchKey(item, tags.get(item.id) ?? []);
const bytes = (item: MediaItem): Buffer => Buffer.from(nameAndLabelOf(searchKey(item, [])));

type ValueOf<A> = A extends fc.Arbitrary<infer Value> ? Value : never;

/** Returns the expected page and total, found by a scan of all items. */
function expected(items: readonly MediaItem[], tags: Tags, query: MediaQuery, { offset, limit }: Slice) {
  const { search, folderId, status, kind, from = -Infinity, to = Infinity, sort } = query;
  const words = search === undefined ? [] : searchWords(search);
  const { by, descending } = sort ?? { by: 'updated_at', descending: true };
  const compare = (a: MediaItem, b: MediaItem): number =>
    by === 'name'
      ? Buffer.compare(bytes(a), bytes(b))
      : by === 'created_at'
        ? a.createdAt - b.createdAt
        : a.updatedAt - b.updatedAt;
  const found = items
    .filter((item) => words.every((word) => keyOf(item, tags).includes(word)))
    .filter((item) => folderId === undefined || item.folderId === folderId)
    .filter((item) => status === undefined || item.status === status)
    .filter((item) => kind === undefined || (item.status === 'active' && kindOf(item.content.type) === kind))
    .filter(({ createdAt }) => createdAt >= from && createdAt <= to)
    .sort((a, b) => (descending ? -1 : 1) * (compare(a, b) || (a.id < b.id ? -1 : 1)));
  return { ids: found.slice(offset, offset + limit).map(({ id }) => id), total: found.length };
}

const worlds = dialects.flatMap((dialect) => [
  { name: dialect.name, dialect, isIndexed: dialect.name === 'SQLite' },
  ...(dialect.name === 'SQLite' ? [] : [{ name: `${dialect.name} with pg_trgm`, dialect, isIndexed: true }]),
]);

describe.each(worlds)('lists of very many items in $name', ({ dialect, isIndexed }) => {
  let opened: Opened;
  let workspaceId: Uuid;
  let folderId: Uuid;
  const items: MediaItem[] = [];
  const tags = new Map<Uuid, readonly string[]>();
  /** Former keys of items that were removed or renamed. */
  const formerKeys: string[] = [];

  beforeAll(async () => {
    opened = await openNew(dialect);
    const { one, store } = opened;
    ({ id: workspaceId } = await addWorkspace(one));
    const { id: other } = await addWorkspace(one);
    ({ id: folderId } = await addFolder(one, workspaceId));
    for (let n = 0; n < MANY; n++) {
      const createdAt = FIRST + Math.floor(((LAST - FIRST) * n) / MANY);
      const details = {
        name: `IMG_${n}.${n % 7 === 0 ? 'MP4' : 'jpg'}`,
        label: n % 5 === 0 ? `Déjà ${n % 11}` : null,
        altText: n % 9 === 0 ? `The HARBOUR from terrace ${n % 13}` : null,
        folderId: n % 4 === 0 ? folderId : null,
        createdAt,
        updatedAt: n % 3 === 0 ? createdAt : NOW - ((n * 7919) % (30 * DAY)),
      };
      const sample = n % 50 === 0 ? sampleFailed : n % 60 === 1 ? sampleVideo : sampleImage;
      items.push(sample(workspaceId, details));
    }
    const foreign = Array.from({ length: MANY }, () => sampleImage(other, { name: 'IMG_ab.jpg' }));
    const tagged = items.filter((_, n) => n % 100 === 0);
    for (const { id } of tagged) tags.set(id, ['Quay', '7']);
    for (const block of blocksOf([...items, ...foreign])) {
      const rows = block.map((item) => mediaToRow(item, tags.get(item.id) ?? []));
      await store.write((transaction) => transaction.insertInto('media').values(rows).execute());
    }
    await store.write(async (transaction) => {
      for (const { id } of tagged) {
        const rows = ['Quay', '7'].map((tag, position) => ({
          media_id: id,
          position,
          workspace_id: workspaceId,
          tag,
          tag_key: tag.toLowerCase(),
        }));
        await transaction.insertInto('media_tags').values(rows).execute();
      }
    });
    if (isIndexed) await one.keepSearchIndex(never);
  });
  afterAll(() => opened?.close());

  /** Maps any number to the index of an existing item. */
  const placeOf = (at: number): number => at % items.length;

  async function apply(done: ValueOf<typeof change>): Promise<void> {
    const { one } = opened;
    if (done.kind === 'keep index') {
      if (isIndexed) await one.keepSearchIndex(never);
    } else if (done.kind === 'insert') {
      const item = sampleImage(workspaceId, {
        name: done.name,
        label: done.label,
        createdAt: done.createdAt,
        updatedAt: NOW,
      });
      await one.media.insert([item]);
      items.push(item);
    } else if (done.kind === 'remove') {
      const [gone] = items.splice(placeOf(done.at), 1);
      if (!gone) return;
      await one.media.delete(gone.id);
      formerKeys.push(keyOf(gone, tags));
    } else {
      const place = placeOf(done.at);
      const item = items[place];
      if (!item) return;
      formerKeys.push(keyOf(item, tags));
      if (done.kind === 'describe') {
        const { altText, tags: given } = done;
        await one.media.update(item.id, { altText, tags: [], addedTags: given }, NOW + 1);
        tags.set(item.id, given);
        items[place] = { ...item, altText, updatedAt: NOW + 1 };
        return;
      }
      const fields =
        done.kind === 'move'
          ? { folderId: item.folderId === null ? folderId : null }
          : { name: done.name, label: done.label };
      await one.media.update(item.id, fields, NOW + 1);
      items[place] = { ...item, ...fields, version: item.version + 1, updatedAt: NOW + 1 };
    }
  }

  function queryOf({ search, folder, offset: _, ...others }: Asked): MediaQuery {
    const partOf = ([at, start, length]: readonly [number, number, number]): string => {
      const former = at % 2 === 0 ? formerKeys.at(-1 - (start % 4)) : undefined;
      const characters = Array.from(former ?? keyOf(items[placeOf(at)] ?? sampleImage(workspaceId), tags));
      const first = start % Math.max(1, characters.length);
      return characters.slice(first, first + length).join('');
    };
    const given = {
      search: typeof search === 'object' ? partOf(search) : search,
      folderId: folder === undefined ? undefined : folder === 'root' ? null : folderId,
      ...others,
    };
    return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  }

  test('give the same results as a scan of all items, in any order and after any writes', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 4 }),
        fc.array(asked, { minLength: 4, maxLength: 4 }),
        async (changes, queries) => {
          for (const each of changes) await apply(each);
          for (const each of queries) {
            const query = queryOf(each);
            const slice = { offset: each.offset, limit: 25 };
            const { items: found, total } = await opened.two.media.list(workspaceId, query, slice);
            expect({ query, slice, ids: found.map(({ item }) => item.id), total }).toEqual({
              query,
              slice,
              ...expected(items, tags, query, slice),
            });
          }
        },
      ),
      // The writes of a run stay in the database, so shrinking can't reproduce a failure.
      { numRuns: isIndexed ? 10 : 5, endOnFailure: true },
    ));

  test('use the search index if it can look up the text, and a scan otherwise', async () => {
    const find = (search: string) =>
      opened.store.dialect.searchIndex.find(opened.store.reads, workspaceId, searchWords(search), 2 * MANY);
    const knows = [
      ['IMG_', true],
      ['Déjà', true],
      ['Déjà 5 IMG', true],
      ['%'.repeat(10_000), dialect.name === 'SQLite'],
      ['#', dialect.name === 'SQLite'],
      ['\uFFFE\uFFFEa', false],
      ['a\0b', false],
    ] as const;
    for (const [search, isKnown] of knows) {
      expect([search.slice(0, 9), (await find(search)) !== null]).toEqual([search.slice(0, 9), isIndexed && isKnown]);
    }
    expect(
      (await opened.two.media.list(workspaceId, { search: '%'.repeat(10_000) }, { offset: 0, limit: 1 })).total,
    ).toBe(0);
  });

  test('have exact totals after all kinds of changes', async () => {
    const { one } = opened;
    const { id } = await addWorkspace(one);
    const other = await addFolder(one, id);
    const created = Math.floor(NOW / DAY) * DAY;
    const inDay = (folder: Uuid | null) =>
      one.media.list(id, { folderId: folder, from: created, to: created + DAY - 1 }, { offset: 0, limit: 1 });
    const item = sampleImage(id, { createdAt: created });
    await one.media.insert([item, sampleImage(id, { createdAt: created + DAY })]);
    expect([(await inDay(null)).total, (await inDay(other.id)).total]).toEqual([1, 0]);
    await one.media.update(item.id, { folderId: other.id }, NOW);
    expect([(await inDay(null)).total, (await inDay(other.id)).total]).toEqual([0, 1]);
    await one.media.delete(item.id);
    expect([(await inDay(null)).total, (await inDay(other.id)).total]).toEqual([0, 0]);
    expect((await one.media.list(id, { from: created, to: created + DAY }, { offset: 0, limit: 1 })).total).toBe(1);
  });
});
