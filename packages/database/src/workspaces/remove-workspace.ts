import { MAX_FOLDER_DEPTH, type RemovedFiles, type Uuid, type WorkspaceContents } from '@postshelf/domain';
import { removeWebhooksOf } from '../events/remove-webhooks.ts';
import { parentsAmong } from '../folders/folder-tree.ts';
import { removeAliases } from '../media/write-items.ts';
import { removeProfiles } from '../posts/profile-repository.ts';
import { countOf } from '../store/count.ts';
import type { Dialect, Queries } from '../store/dialect.ts';

export async function countContents(queries: Queries, id: Uuid): Promise<WorkspaceContents> {
  const of = (table: 'folders' | 'profiles' | 'posts' | 'token_workspaces') =>
    countOf(queries.selectFrom(table).where('workspace_id', '=', id));
  const media = queries.selectFrom('media').where('workspace_id', '=', id);
  const { bytes } = await media.select((eb) => eb.fn.sum('size').as('bytes')).executeTakeFirstOrThrow();
  return {
    media: await countOf(media.where('cover_of', 'is', null)),
    bytes: Number(bytes ?? 0),
    folders: await of('folders'),
    profiles: await of('profiles'),
    posts: await of('posts'),
    tokens: await of('token_workspaces'),
  };
}

const NOTHING: RemovedFiles = { fullNames: [], uploads: [] };

/**
 * Removes some rows of a workspace, beginning with kinds that nothing refers to. Earlier requests may still add rows,
 * so each step starts over. When none are left, the workspace's row goes under a lock that prevents new ones.
 */
export async function removeBatch(
  queries: Queries,
  dialect: Dialect,
  id: Uuid,
  limit: number,
): Promise<RemovedFiles | null> {
  if (!(await lockRemoved(queries, id))) return null;
  if (await removeEvents(queries, id, limit)) return NOTHING;
  if (await removePosts(queries, id, limit)) return NOTHING;
  const remains = await removeMedia(queries, id, limit);
  if (remains) return remains;
  if (await removeFolders(queries, id, limit)) return NOTHING;
  if (await removeProfilesOf(queries, id, limit)) return NOTHING;
  if (await removeWebhooksOf(queries, dialect, id, limit)) return NOTHING;
  await queries.deleteFrom('token_workspaces').where('workspace_id', '=', id).execute();
  await queries.deleteFrom('media_counts').where('workspace_id', '=', id).execute();
  await queries.deleteFrom('workspaces').where('id', '=', id).execute();
  return null;
}

/** Locks a workspace that is being removed against new rows; false if there is none. */
async function lockRemoved(queries: Queries, id: Uuid): Promise<boolean> {
  const row = await queries
    .selectFrom('workspaces')
    .select('id')
    .where('id', '=', id)
    .where('removal_begun_at', 'is not', null)
    .forUpdate()
    .executeTakeFirst();
  return row !== undefined;
}

/** Those of earlier changes; the removal itself leaves none. Returns whether there may be more. */
async function removeEvents(queries: Queries, workspaceId: Uuid, limit: number): Promise<boolean> {
  const events = queries.selectFrom('events').select('id').where('workspace_id', '=', workspaceId).limit(limit);
  const { numDeletedRows } = await queries.deleteFrom('events').where('id', 'in', events).executeTakeFirst();
  return numDeletedRows === BigInt(limit);
}

/** Nothing reads the roll-up meanwhile. */
async function removePosts(queries: Queries, workspaceId: Uuid, limit: number): Promise<boolean> {
  const posts = queries.selectFrom('posts').select('id').where('workspace_id', '=', workspaceId);
  const { numDeletedRows } = await queries.deleteFrom('posts').where('id', 'in', posts.limit(limit)).executeTakeFirst();
  return numDeletedRows > 0n;
}

async function removeMedia(queries: Queries, workspaceId: Uuid, limit: number): Promise<RemovedFiles | null> {
  const items = queries.selectFrom('media').select(['id', 'status']).where('workspace_id', '=', workspaceId);
  const rows = await items.where('cover_of', 'is', null).limit(limit).forUpdate().execute();
  if (rows.length === 0) return null;
  // A post added meanwhile is visible now; the next step removes it.
  const post = queries.selectFrom('posts').select('id').where('workspace_id', '=', workspaceId);
  if (await post.limit(1).executeTakeFirst()) return NOTHING;
  const ids = rows.map((row) => row.id);
  // The database would remove any number of them with their items.
  if ((await removeAliases(queries, (aliases) => aliases.where('media_id', 'in', ids), limit)) > 0) return NOTHING;
  const gone = await queries
    .deleteFrom('media')
    .where((eb) => eb.or([eb('id', 'in', ids), eb('cover_of', 'in', ids)]))
    .returning('full_name')
    .execute();
  const uploads = rows.filter(({ status }) => status === 'temporary').map((row) => row.id);
  return { fullNames: gone.map((row) => row.full_name), uploads };
}

/** Goes down to folders without others; later steps remove their parents. Reads at most `limit` of each level. */
async function removeFolders(queries: Queries, workspaceId: Uuid, limit: number): Promise<boolean> {
  const folders = queries.selectFrom('folders').select('id').where('workspace_id', '=', workspaceId).limit(limit);
  let level = await folders.where('parent_id', 'is', null).execute();
  for (let depth = 1; level.length > 0 && depth <= MAX_FOLDER_DEPTH; depth += 1) {
    const ids = level.map(({ id }) => id);
    const parents = (await parentsAmong(queries, workspaceId, ids)).map(({ id }) => id);
    const empty = ids.filter((id) => !parents.includes(id));
    if (empty.length > 0) {
      await queries.deleteFrom('folders').where('id', 'in', empty).execute();
      return true;
    }
    level = await folders.where('parent_id', 'in', parents).execute();
  }
  return false;
}

/** Each comes with up to some thousand days of roll-up. */
async function removeProfilesOf(queries: Queries, workspaceId: Uuid, limit: number): Promise<boolean> {
  const profiles = queries.selectFrom('profiles').select('id').where('workspace_id', '=', workspaceId);
  const rows = await profiles
    .limit(Math.ceil(limit / 20))
    .forUpdate()
    .execute();
  if (rows.length === 0) return false;
  const ids = rows.map((row) => row.id);
  // If a post was added meanwhile, the next step removes it.
  await removeProfiles(queries, ids);
  return true;
}
