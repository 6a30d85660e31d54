import type { Profile, ProfileRepository, Uuid } from '@postshelf/domain';
import { completeWithin } from '../repeats/complete.ts';
import { countOf } from '../store/count.ts';
import type { Queries } from '../store/dialect.ts';
import { GIVEN, type Store } from '../store/store.ts';
import type { ProfileRow } from '../store/tables.ts';

const fromRow = (row: ProfileRow): Profile => ({
  id: row.id,
  workspaceId: row.workspace_id,
  name: row.name,
  network: row.network,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toRow = (profile: Profile): ProfileRow => ({
  id: profile.id,
  workspace_id: profile.workspaceId,
  name: profile.name,
  network: profile.network,
  created_at: profile.createdAt,
  updated_at: profile.updatedAt,
});

export function profileRepository(store: Store): ProfileRepository {
  const rowOf = store.lookup((queries) => queries.selectFrom('profiles').selectAll().where('id', '=', GIVEN));

  return {
    insert: (profile, completion) =>
      store.write(async (transaction) => {
        await transaction.insertInto('profiles').values(toRow(profile)).execute();
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

    list: (workspaceId, { offset, limit }) =>
      store.read(async (snapshot) => {
        const profiles = snapshot.selectFrom('profiles').where('workspace_id', '=', workspaceId);
        const total = await countOf(profiles);
        if (offset >= total) return { items: [], total };
        const rows = await profiles
          .selectAll()
          .orderBy('updated_at', 'desc')
          .orderBy('id', 'desc')
          .limit(limit)
          .offset(offset)
          .execute();
        return { items: rows.map(fromRow), total };
      }),

    update: (id, change, now) =>
      store.write(async (transaction) => {
        const row = await transaction
          .updateTable('profiles')
          .set({ ...change, updated_at: now })
          .where('id', '=', id)
          .returningAll()
          .executeTakeFirst();
        return row ? fromRow(row) : null;
      }),

    remove: (id) =>
      store.write(async (transaction) => {
        const found = await transaction.selectFrom('profiles').select('id').where('id', '=', id).forUpdate().execute();
        if (found.length === 0) return null;
        return (await removeProfiles(transaction, [id])) ? 'removed' : 'in_use';
      }),
  };
}

/** Removes profiles, whose rows are locked, and their roll-up. Returns false and removes nothing if one has posts. */
export async function removeProfiles(queries: Queries, ids: readonly Uuid[]): Promise<boolean> {
  const post = await queries
    .selectFrom('posts')
    .select('id')
    .where('profile_id', 'in', ids)
    .limit(1)
    .executeTakeFirst();
  if (post !== undefined) return false;
  await queries.deleteFrom('engagement_days').where('profile_id', 'in', ids).execute();
  await queries.deleteFrom('post_counts').where('profile_id', 'in', ids).execute();
  await queries.deleteFrom('profiles').where('id', 'in', ids).execute();
  return true;
}
