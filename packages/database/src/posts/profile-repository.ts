import {
  type ExpectedVersions,
  type Profile,
  type ProfileRepository,
  type Rows,
  requireVersion,
  type Slice,
  type Uuid,
} from '@postshelf/domain';
import { completeWithin } from '../idempotency/complete.ts';
import { countOf, countOfFew, FEW_ROWS } from '../store/count.ts';
import type { Queries } from '../store/dialect.ts';
import { readNewestFirst } from '../store/paging.ts';
import { insertInWorkspace } from '../store/row-locks.ts';
import { GIVEN, type Scan, type Store } from '../store/store.ts';
import type { ProfileRow } from '../store/tables.ts';

const fromRow = (row: ProfileRow): Profile => ({
  id: row.id,
  workspaceId: row.workspace_id,
  name: row.name,
  network: row.network,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export const profileToRow = (profile: Profile): ProfileRow => ({
  id: profile.id,
  workspace_id: profile.workspaceId,
  name: profile.name,
  network: profile.network,
  version: profile.version,
  created_at: profile.createdAt,
  updated_at: profile.updatedAt,
  removal_begun_at: null,
});

export function profileRepository(store: Store): ProfileRepository {
  const rowOf = store.lookup((queries) =>
    queries.selectFrom('profiles').selectAll().where('id', '=', GIVEN).where('removal_begun_at', 'is', null),
  );

  return {
    insert: (profile, completion) =>
      store.write(async (transaction) => {
        await insertInWorkspace(transaction.insertInto('profiles').values(profileToRow(profile)).execute());
        if (completion) await completeWithin(transaction, completion);
      }),

    async find(id) {
      const [row] = await rowOf(id);
      return row ? fromRow(row) : null;
    },

    async findMany(ids) {
      const rows = await Promise.all(ids.map((id) => rowOf(id)));
      return rows.flat().map(fromRow);
    },

    list: async (workspaceId, slice, signal) =>
      (await listFewProfiles(store, workspaceId, slice)) ??
      store.scan(listProfiles, { workspaceId, signal }, workspaceId, slice),

    update: (id, change, now, expected) =>
      store.write(async (transaction) => {
        const profile = await lockKept(transaction, id, expected);
        if (profile === null) return null;
        const changed: Profile = { ...profile, ...change, version: profile.version + 1, updatedAt: now };
        await transaction
          .updateTable('profiles')
          .set({ ...change, version: changed.version, updated_at: now })
          .where('id', '=', id)
          .execute();
        return changed;
      }),

    delete: (id, expected) =>
      store.write(async (transaction) => {
        if (!(await lockKept(transaction, id, expected))) return null;
        return (await removeProfiles(transaction, [id])) ? 'deleted' : 'in_use';
      }),

    beginRemoval: (id, now, expected) =>
      store.write(async (transaction) => {
        if (!(await lockKept(transaction, id, expected))) return false;
        await transaction.updateTable('profiles').set({ removal_begun_at: now }).where('id', '=', id).execute();
        return true;
      }),

    removeBatch: (limit) =>
      store.write(async (transaction) => {
        const pending = transaction.selectFrom('profiles').select('id').where('removal_begun_at', '>', 0);
        const profile = await pending.limit(1).forUpdate().executeTakeFirst();
        if (!profile) return false;
        const posts = transaction.selectFrom('posts').select('id').where('profile_id', '=', profile.id).limit(limit);
        const removed = await transaction.deleteFrom('posts').where('id', 'in', posts).executeTakeFirst();
        if (removed.numDeletedRows === 0n) await removeProfiles(transaction, [profile.id]);
        return true;
      }),
  };
}

export const listProfiles: Scan<[Uuid, Slice], Rows<Profile>> = {
  name: 'listProfiles',
  run: ({ read }, workspaceId, slice) =>
    read(async (queries) => readPage(queries, workspaceId, slice, await countOf(profilesOf(queries, workspaceId)))),
};

async function listFewProfiles({ read }: Store, workspaceId: Uuid, slice: Slice): Promise<Rows<Profile> | null> {
  if (slice.offset > FEW_ROWS) return null;
  return read(async (queries) => {
    const total = await countOfFew(queries, profilesOf(queries, workspaceId));
    return total === null ? null : readPage(queries, workspaceId, slice, total);
  });
}

const profilesOf = (queries: Queries, workspaceId: Uuid) =>
  queries.selectFrom('profiles').where('workspace_id', '=', workspaceId).where('removal_begun_at', 'is', null);

async function readPage(queries: Queries, workspaceId: Uuid, slice: Slice, total: number): Promise<Rows<Profile>> {
  const rows = await readNewestFirst(profilesOf(queries, workspaceId).selectAll(), 'updated_at', slice, total);
  return { items: rows.map(fromRow), total };
}

/** Locks a profile; null if it doesn't exist or is being removed. @throws Refusal `changed` */
async function lockKept(queries: Queries, id: Uuid, expected?: ExpectedVersions): Promise<Profile | null> {
  const kept = queries.selectFrom('profiles').selectAll().where('id', '=', id).where('removal_begun_at', 'is', null);
  const row = await kept.forUpdate().executeTakeFirst();
  if (!row) return null;
  const profile = fromRow(row);
  requireVersion(profile.version, expected);
  return profile;
}

/** Removes profiles whose rows the caller has locked. Returns false and removes nothing if one of them has posts. */
export async function removeProfiles(queries: Queries, ids: readonly Uuid[]): Promise<boolean> {
  const post = await queries
    .selectFrom('posts')
    .select('id')
    .where('profile_id', 'in', ids)
    .limit(1)
    .executeTakeFirst();
  if (post !== undefined) return false;
  await queries.deleteFrom('post_counts').where('profile_id', 'in', ids).execute();
  await queries.deleteFrom('profiles').where('id', 'in', ids).execute();
  return true;
}
