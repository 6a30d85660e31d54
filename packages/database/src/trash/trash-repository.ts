import {
  isCover,
  isUsable,
  kindOf,
  type MediaWithCover,
  type Rows,
  type Slice,
  type TrashedMedia,
  type TrashRepository,
  type Uuid,
} from '@postshelf/domain';
import { type SelectQueryBuilder, sql } from 'kysely';
import { completeWithin } from '../idempotency/complete.ts';
import { recordDeletions } from '../library/deletion-repository.ts';
import { deleteItem, lockToDelete } from '../media/delete-item.ts';
import { activeFromRow, mediaToRow } from '../media/media-rows.ts';
import { findTags, replaceTags } from '../media/tags.ts';
import { addCoverJob, insertItem, refuseFolderOf } from '../media/write-items.ts';
import { containsWords, searchWords } from '../search/search-key.ts';
import { countOf } from '../store/count.ts';
import type { Queries } from '../store/dialect.ts';
import { readNewestFirst } from '../store/paging.ts';
import type { Scan, Store } from '../store/store.ts';
import type { Tables, TrashedMediaRow } from '../store/tables.ts';

export function trashRepository(store: Store): TrashRepository {
  return {
    add: (id, now, expected) =>
      store.write(async (transaction) => {
        const found = await lockToDelete(transaction, id, expected);
        if (found === null || found === 'in_use') return found;
        if (!isUsable(found.item) || isCover(found.item)) return 'not_active';
        await insertRows(transaction, found, now);
        return deleteItem(transaction, found);
      }),

    async find(id) {
      const rows = await store.read((queries) => withCoverOf(unemptied(queries), [id]).execute());
      const found = trashedFrom(rows, id);
      if (found) await store.settled();
      return found;
    },

    async list(workspaceId, search, slice, signal) {
      const page = await store.scan(listTrash, { workspaceId, signal }, workspaceId, search, slice);
      await store.settled();
      return page;
    },

    restore: (id, now, complete) =>
      store.write(async (transaction) => {
        const rows = await withCoverOf(unemptied(transaction), [id]).forUpdate().execute();
        const row = rows.find((candidate) => candidate.id === id);
        const found = trashedFrom(rows, id);
        if (!row || found === null) return null;
        await removeTrashed(transaction, [id]);
        const { cover } = found;
        const there = { ...found.item, version: found.item.version + 1, updatedAt: now };
        const item = (await refuseFolderOf(transaction, there)) ? { ...there, folderId: null } : there;
        const tags: string[] = JSON.parse(row.tags);
        await insertItem(transaction, item, tags);
        if (tags.length > 0) await replaceTags(transaction, item, tags);
        if (cover) await insertItem(transaction, cover);
        else if (kindOf(item.content.type) === 'video') await addCoverJob(transaction, item);
        const restored: MediaWithCover = { item, cover };
        if (complete) await completeWithin(transaction, complete(restored));
        return restored;
      }),

    purge: (id, now) =>
      store.write(async (transaction) => {
        const rows = await withCoverOf(unemptied(transaction), [id]).forUpdate().execute();
        if (!rows.some((row) => row.id === id)) return false;
        await purge(transaction, [{ id }], now);
        return true;
      }),

    empty: (workspaceId, now) =>
      store.write(async (transaction) => {
        // Clocks differ, so the latest of three times is used: now, the time of the newest item in the trash, and the
        // time of the last emptying. So everything that is in the trash now counts as emptied, and nothing that was
        // emptied before reappears.
        const latest = await transaction
          .selectFrom('trashed_media')
          .select('trashed_at')
          .where('workspace_id', '=', workspaceId)
          .where('cover_of', 'is', null)
          .orderBy('trashed_at', 'desc')
          .limit(1)
          .executeTakeFirst();
        const before = await lastEmptied(transaction, workspaceId);
        const emptied_at = Math.max(now, latest?.trashed_at ?? 0, before ?? 0);
        await transaction
          .insertInto('trash_emptied')
          .values({ workspace_id: workspaceId, emptied_at })
          .onConflict((conflict) => conflict.column('workspace_id').doUpdateSet({ emptied_at }))
          .execute();
      }),

    purgeEmptied: (workspaceId, now, limit) =>
      store.write((transaction) => purgeEmptied(transaction, workspaceId, now, limit)),

    async purgeDue(before, now, limit) {
      const isDue = await store.read(async (queries) => {
        const emptied = queries.selectFrom('trash_emptied').select('workspace_id').limit(1).executeTakeFirst();
        return (await dueRows(queries, before, 1).executeTakeFirst()) ?? (await emptied);
      });
      if (!isDue) return 0;
      return store.write(async (transaction) => {
        const due = await dueRows(transaction, before, limit).forUpdate().execute();
        if (due.length > 0) return purge(transaction, due, now);
        // A random workspace is picked, so that one with many rows doesn't keep the others waiting.
        const some = transaction.selectFrom('trash_emptied').select('workspace_id').orderBy(sql`random()`).limit(1);
        const one = await some.executeTakeFirst();
        if (!one) return 0;
        return Math.max(1, await purgeEmptied(transaction, one.workspace_id, now, limit));
      });
    },

    async among(fullNames) {
      if (fullNames.length === 0) return { trashed: new Set(), live: new Set() };
      return store.read(async (queries) => {
        const of = async (table: 'media' | 'trashed_media') => {
          const named = queries.selectFrom(table).select('full_name').where('full_name', 'in', fullNames);
          return new Set((await named.execute()).map((row) => row.full_name));
        };
        return { trashed: await of('trashed_media'), live: await of('media') };
      });
    },
  };
}

/** Purges items of an emptied trash. Once none is left, also deletes the record that it was emptied. */
async function purgeEmptied(transaction: Queries, workspaceId: Uuid, now: number, limit: number): Promise<number> {
  const emptied = await transaction
    .selectFrom('trash_emptied')
    .select('emptied_at')
    .where('workspace_id', '=', workspaceId)
    .forUpdate()
    .executeTakeFirst();
  if (!emptied) return 0;
  const rows = dueRows(transaction, emptied.emptied_at + 1, limit)
    .where('workspace_id', '=', workspaceId)
    .forUpdate();
  const purged = await purge(transaction, await rows.execute(), now);
  if (purged === 0) await transaction.deleteFrom('trash_emptied').where('workspace_id', '=', workspaceId).execute();
  return purged;
}

/** Lists a page of the trash, and counts all matching items. */
export const listTrash: Scan<[Uuid, string | undefined, Slice], Rows<TrashedMedia>> = {
  name: 'listTrash',
  run: ({ read, dialect }, workspaceId, search, slice) =>
    read(async (queries) => {
      let trashed = unemptied(queries).where('workspace_id', '=', workspaceId).where('cover_of', 'is', null);
      if (dialect.whileWanted !== undefined) trashed = trashed.where(dialect.whileWanted);
      if (search !== undefined) {
        trashed = trashed.where((eb) => containsWords(dialect.position, eb.ref('search_key'), searchWords(search)));
      }
      const total = await countOf(trashed);
      const page = await readNewestFirst(trashed.selectAll(), 'trashed_at', slice, total);
      const ids = page.map(({ id }) => id);
      const rows = ids.length === 0 ? [] : await withCoverOf(queries.selectFrom('trashed_media'), ids).execute();
      return { items: ids.flatMap((id) => trashedFrom(rows, id) ?? []), total };
    }),
};

type Trashed = SelectQueryBuilder<Tables, 'trashed_media', object>;

/** Selects the rows that {@link TrashRepository.empty} has not hidden. */
const unemptied = (queries: Queries): Trashed =>
  queries
    .selectFrom('trashed_media')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('trash_emptied')
            .select('emptied_at')
            .whereRef('trash_emptied.workspace_id', '=', 'trashed_media.workspace_id')
            .whereRef('emptied_at', '>=', 'trashed_at'),
        ),
      ),
    );

/** Selects items with their covers, using two indexes. */
const withCoverOf = (trashed: Trashed, ids: readonly Uuid[]) =>
  trashed.selectAll().where((eb) => eb.or([eb('id', 'in', ids), eb('cover_of', 'in', ids)]));

const dueRows = (queries: Queries, before: number, limit: number) =>
  queries
    .selectFrom('trashed_media')
    .select('id')
    .where('cover_of', 'is', null)
    .where('trashed_at', '<', before)
    .orderBy('trashed_at')
    .limit(limit);

function trashedFrom(rows: readonly TrashedMediaRow[], id: Uuid): TrashedMedia | null {
  const row = rows.find((candidate) => candidate.id === id && candidate.cover_of === null);
  const cover = rows.find((candidate) => candidate.cover_of === id);
  return row
    ? { item: activeFromRow(row), cover: cover ? activeFromRow(cover) : null, trashedAt: row.trashed_at }
    : null;
}

/**
 * Puts an item and its cover into the trash. Their `trashed_at` is later than the trash's last emptying, even if that
 * time comes from a clock that is ahead.
 */
async function insertRows(transaction: Queries, { item, cover }: MediaWithCover, now: number): Promise<void> {
  const tags = await findTags(transaction, item.id);
  const emptied = await lastEmptied(transaction, item.workspaceId);
  const added = { tags: JSON.stringify(tags), trashed_at: emptied === null ? now : Math.max(now, emptied + 1) };
  const rows = [mediaToRow(item, tags), ...(cover ? [mediaToRow(cover, [])] : [])];
  await transaction
    .insertInto('trashed_media')
    .values(rows.map((row) => ({ ...row, ...added })))
    .execute();
}

async function lastEmptied(transaction: Queries, workspaceId: Uuid): Promise<number | null> {
  const row = await transaction
    .selectFrom('trash_emptied')
    .select('emptied_at')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirst();
  return row?.emptied_at ?? null;
}

/** Deletes items and their covers from the trash. */
export const removeTrashed = (transaction: Queries, ids: readonly Uuid[]) =>
  transaction
    .deleteFrom('trashed_media')
    .where((eb) => eb.or([eb('id', 'in', ids), eb('cover_of', 'in', ids)]))
    .returning(['id', 'full_name'])
    .execute();

/** Deletes items from the trash, and records that their objects can be purged. Returns how many were deleted. */
async function purge(transaction: Queries, some: readonly { readonly id: Uuid }[], now: number): Promise<number> {
  if (some.length === 0) return 0;
  const rows = await removeTrashed(
    transaction,
    some.map(({ id }) => id),
  );
  const deletions = rows.map((row) => ({ id: row.id, fullName: row.full_name, deletedAt: now }));
  await recordDeletions(transaction, deletions);
  return rows.length;
}

/**
 * Removes rows from the trash of a workspace that is being removed.
 *
 * @returns the full names of what was removed; none if nothing is left
 */
export async function removeTrashOf(
  transaction: Queries,
  workspaceId: Uuid,
  limit: number,
): Promise<readonly string[]> {
  const some = await transaction
    .selectFrom('trashed_media')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('cover_of', 'is', null)
    .limit(limit)
    .forUpdate()
    .execute();
  if (some.length === 0) return [];
  return (
    await removeTrashed(
      transaction,
      some.map(({ id }) => id),
    )
  ).map((row) => row.full_name);
}
