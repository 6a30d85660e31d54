import type { Workspace, WorkspaceChange, WorkspaceRepository } from '@postshelf/domain';
import { folderToRow } from '../folders/folder-rows.ts';
import { completeWithin } from '../idempotency/complete.ts';
import { addJob } from '../jobs/jobs.ts';
import { removePeopleOf } from '../people/person-repository.ts';
import { emitQuotaEvents, lockUsage, usageOf } from '../quotas/quotas.ts';
import { pageNewestFirst } from '../store/paging.ts';
import { GIVEN, type Store } from '../store/store.ts';
import type { Flag, WorkspaceRow } from '../store/tables.ts';
import { disableWebhooksOf } from '../webhooks/remove-webhooks.ts';
import { beginCounts, countContents, countsFrom, countsRow, endAccess, removeBatch } from './remove-workspace.ts';
import { setSystemFolders, systemFoldersOf } from './system-folders.ts';

const fromRow = (row: WorkspaceRow): Workspace => ({
  id: row.id,
  name: row.name,
  timezone: row.timezone,
  stripLocation: row.strip_location === null ? null : row.strip_location === 1,
  maxBytes: row.max_bytes,
  maxItems: row.max_items,
  links: row.links,
  linkKey: row.link_key,
  createdAt: row.created_at,
});

const flagOf = (value: boolean | null): Flag | null => (value === null ? null : value ? 1 : 0);

const columnsOf = ({ stripLocation, maxBytes, maxItems, ...change }: WorkspaceChange) => ({
  ...change,
  ...(maxBytes !== undefined && { max_bytes: maxBytes }),
  ...(maxItems !== undefined && { max_items: maxItems }),
  ...(stripLocation !== undefined && { strip_location: flagOf(stripLocation) }),
});

export function workspaceRepository(store: Store): WorkspaceRepository {
  const rowOf = store.lookup((queries) => queries.selectFrom('workspaces').selectAll().where('id', '=', GIVEN));

  return {
    insert: (workspace, systemFolders, completion) =>
      store.write(async (transaction) => {
        const { id, name, timezone, links, linkKey: link_key, maxBytes, maxItems, createdAt: created_at } = workspace;
        const settings = { strip_location: flagOf(workspace.stripLocation), max_bytes: maxBytes, max_items: maxItems };
        const hidden = { link_key, created_at, removal_begun_at: null, listened_until: null };
        await transaction
          .insertInto('workspaces')
          .values({ id, name, timezone, ...settings, links, ...hidden })
          .execute();
        for (const folder of systemFolders) {
          await transaction.insertInto('folders').values(folderToRow(folder)).execute();
        }
        if (completion) await completeWithin(transaction, completion);
      }),

    async find(id) {
      const [row] = await rowOf(id);
      return row && row.removal_begun_at === null ? fromRow(row) : null;
    },

    async list() {
      const rows = await store.read((queries) => {
        const known = queries.selectFrom('workspaces').selectAll().where('removal_begun_at', 'is', null);
        return known.orderBy('created_at').orderBy('id').execute();
      });
      return rows.map(fromRow);
    },

    page: (slice) =>
      store.read((snapshot) => {
        const known = snapshot.selectFrom('workspaces').where('removal_begun_at', 'is', null);
        return pageNewestFirst(known.selectAll(), 'created_at', slice, fromRow);
      }),

    systemFolders: (ids) => store.read((queries) => systemFoldersOf(queries, ids)),

    update: (id, change, systemFolders) =>
      store.write(async (transaction) => {
        if (systemFolders) await store.dialect.lock(transaction, 'folders', [id]);
        const setsQuota = change.maxBytes !== undefined || change.maxItems !== undefined;
        const before = setsQuota ? await lockUsage(transaction, store.dialect, id) : null;
        const row = await transaction
          .updateTable('workspaces')
          // The id is included because at least one column must be set.
          .set({ id, ...columnsOf(change) })
          .where('id', '=', id)
          .where('removal_begun_at', 'is', null)
          .returningAll()
          .executeTakeFirst();
        if (row && before) await emitQuotaEvents(transaction, id, before, { ...before, ...fromRow(row) }, Date.now());
        if (row && systemFolders) await setSystemFolders(transaction, id, systemFolders);
        return row ? fromRow(row) : null;
      }),

    usage: (id) => store.read((queries) => usageOf(queries, id)),
    rotateLinkKey: (id, link_key, completion) =>
      store.write(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('workspaces')
          .set({ link_key })
          .where('id', '=', id)
          .where('removal_begun_at', 'is', null)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        if (completion) await completeWithin(transaction, completion);
        return true;
      }),

    contents: (id) => store.read((snapshot) => countContents(snapshot, id)),

    beginRemoval: (id, now) =>
      store.write(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('workspaces')
          .set({ removal_begun_at: now })
          .where('id', '=', id)
          .where('removal_begun_at', 'is', null)
          .executeTakeFirst();
        const people = await removePeopleOf(transaction, id);
        if (numUpdatedRows > 0n) {
          await beginCounts(transaction, id, now, people);
          const removal = { kind: 'removal', subjectId: id, workspaceId: id, payload: null } as const;
          await addJob(transaction, removal, { dueAt: now }, now);
        }
        await endAccess(transaction, id, now);
        await disableWebhooksOf(transaction, store.dialect, id);
        return numUpdatedRows > 0n;
      }),

    async pendingRemovals() {
      const rows = await store.read((queries) =>
        queries.selectFrom('workspaces').select('id').where('removal_begun_at', 'is not', null).execute(),
      );
      return rows.map((row) => row.id);
    },

    removeBatch: (id, limit, now) =>
      store.write((transaction) => removeBatch(transaction, store.dialect, id, limit, now)),

    async removed(id) {
      const row = await store.read((queries) => countsRow(queries, id).executeTakeFirst());
      return row ? countsFrom(row) : null;
    },
  };
}
