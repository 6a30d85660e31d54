import {
  type AuditEntry,
  MAX_FOLDER_DEPTH,
  type RemovedCounts,
  type RemovedFiles,
  type Uuid,
  type WorkspaceContents,
} from '@postshelf/domain';
import type { ExpressionBuilder } from 'kysely';
import { auditToRow } from '../audit/audit-repository.ts';
import { parentsAmong } from '../folders/folder-tree.ts';
import { removeJobsOf } from '../jobs/jobs.ts';
import { removeAliases } from '../media/write-items.ts';
import { removeProfiles } from '../posts/profile-repository.ts';
import { countOf } from '../store/count.ts';
import type { Dialect, Queries } from '../store/dialect.ts';
import type { Tables } from '../store/tables.ts';
import { removeTrashOf } from '../trash/trash-repository.ts';
import { removeWebhooksOf } from '../webhooks/remove-webhooks.ts';

export async function countContents(queries: Queries, id: Uuid): Promise<WorkspaceContents> {
  const of = (table: 'folders' | 'profiles' | 'posts' | 'token_workspaces') =>
    countOf(queries.selectFrom(table).where('workspace_id', '=', id));
  const media = queries.selectFrom('media').where('workspace_id', '=', id);
  const { bytes } = await media.select((eb) => eb.fn.sum('size').as('bytes')).executeTakeFirstOrThrow();
  const trash = await queries
    .selectFrom('trash_usage')
    .select((eb) => [eb.fn.sum('items').as('items'), eb.fn.sum('bytes').as('bytes')])
    .where('workspace_id', '=', id)
    .executeTakeFirstOrThrow();
  return {
    media: await countOf(media.where('cover_of', 'is', null)),
    bytes: Number(bytes ?? 0),
    trash: Number(trash.items ?? 0),
    trashBytes: Number(trash.bytes ?? 0),
    folders: await of('folders'),
    profiles: await of('profiles'),
    posts: await of('posts'),
    tokens: await of('token_workspaces'),
  };
}

const NOTHING: RemovedFiles = { fullNames: [], uploads: [] };

type Counts = { -readonly [Kind in keyof RemovedCounts]: number };

const NONE: RemovedCounts = {
  rows: 0,
  objects: 0,
  previews: 0,
  events: 0,
  webhooks: 0,
  tokens: 0,
  people: 0,
  sessions: 0,
};

/** Starts the counts of a workspace's removal. @param people number of people who were already removed */
export async function beginCounts(queries: Queries, id: Uuid, now: number, people = 0): Promise<void> {
  const row = { workspace_id: id, begun_at: now, ended_at: null, counts: JSON.stringify({ ...NONE, people }) };
  await queries.insertInto('removals').values(row).execute();
}

export const countsRow = (queries: Queries, id: Uuid) =>
  queries.selectFrom('removals').select('counts').where('workspace_id', '=', id);

export const countsFrom = ({ counts }: { readonly counts: string }): RemovedCounts => JSON.parse(counts);

/**
 * Ends the access of tokens to a workspace. Tokens that can enter no other workspace are revoked, and removed with this
 * workspace.
 */
export async function endAccess(queries: Queries, id: Uuid, now: number): Promise<void> {
  const others = queries
    .selectFrom('token_workspaces')
    .select('token_id')
    .where('workspace_id', '=', id)
    .where(entersMore(id));
  await queries.deleteFrom('token_workspaces').where('workspace_id', '=', id).where('token_id', 'in', others).execute();
  await queries
    .updateTable('tokens')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(now)) }))
    .where('id', 'in', queries.selectFrom('token_workspaces').select('token_id').where('workspace_id', '=', id))
    .execute();
}

const entersMore = (id: Uuid) => (eb: ExpressionBuilder<Tables, 'token_workspaces'>) =>
  eb.exists(
    eb
      .selectFrom('token_workspaces as beside')
      .select('beside.token_id')
      .whereRef('beside.token_id', '=', 'token_workspaces.token_id')
      .where('beside.workspace_id', '!=', id),
  );

/**
 * Removes some rows of a workspace, starting with the kinds of rows that no others refer to. Requests that began before
 * the removal may still add rows, so each step starts with the first kind again. When none are left, the workspace's
 * row is removed under a lock that prevents new rows.
 */
export async function removeBatch(
  queries: Queries,
  dialect: Dialect,
  id: Uuid,
  limit: number,
  now: number,
): Promise<RemovedFiles | null> {
  if (!(await lockRemoved(queries, id))) return null;
  const counts: Counts = countsFrom(await countsRow(queries, id).executeTakeFirstOrThrow());
  const removed = await removeSome(queries, dialect, id, limit, counts);
  const step = { counts: JSON.stringify(counts), ...(removed === null && { ended_at: now }) };
  // The audit entry has the workspace's id as its own id, so there is only one such entry.
  if (removed === null)
    await queries
      .insertInto('audit')
      .values(auditToRow(endOf(id, now, counts)))
      .execute();
  await queries.updateTable('removals').set(step).where('workspace_id', '=', id).execute();
  return removed;
}

const endOf = (id: Uuid, at: number, counts: RemovedCounts): AuditEntry => {
  const byNobody = { tokenId: null, personId: null, address: null };
  return { ...byNobody, id, at, action: 'workspaces.deleted', subjectId: id, workspaceId: id, counts: { ...counts } };
};

async function removeSome(
  queries: Queries,
  dialect: Dialect,
  id: Uuid,
  limit: number,
  counts: Counts,
): Promise<RemovedFiles | null> {
  const events = await removeEvents(queries, id, limit);
  counts.events += events;
  if (events === limit) return NOTHING;
  const posts = await removePosts(queries, id, limit);
  counts.rows += posts;
  if (posts > 0) return NOTHING;
  const remains = await removeMedia(queries, id, limit, counts);
  if (remains) return remains;
  if (await removeFolders(queries, id, limit, counts)) return NOTHING;
  if (await removeProfilesOf(queries, id, limit, counts)) return NOTHING;
  const webhooks = await removeWebhooksOf(queries, dialect, id, limit);
  counts.webhooks += webhooks;
  if (webhooks > 0 || (await removeTokens(queries, id, limit, counts))) return NOTHING;
  await queries.deleteFrom('media_counts').where('workspace_id', '=', id).execute();
  // This includes the job of this removal.
  await removeJobsOf(queries, id);
  await queries.deleteFrom('workspaces').where('id', '=', id).execute();
  return null;
}

/**
 * Removes tokens that can enter no other workspace, with their sessions and kept answers. Returns whether there may be
 * more.
 */
async function removeTokens(queries: Queries, id: Uuid, limit: number, counts: Counts): Promise<boolean> {
  const some = queries.selectFrom('token_workspaces').where('workspace_id', '=', id);
  const rows = await some
    .select((eb) => ['token_id', entersMore(id)(eb).as('enters_more')])
    // Tokens are removed in smaller steps, because each has up to 50 sessions.
    .limit(Math.ceil(limit / 20))
    .execute();
  if (rows.length === 0) return false;
  const ids = rows.filter(({ enters_more }) => !enters_more).map((row) => row.token_id);
  if (ids.length > 0) {
    const kept = queries.selectFrom('repeats').select('id').where('token_id', 'in', ids).limit(limit);
    const answers = await queries.deleteFrom('repeats').where('id', 'in', kept).executeTakeFirst();
    if (answers.numDeletedRows > 0n) return true;
    const sessions = await queries.deleteFrom('sessions').where('token_id', 'in', ids).executeTakeFirst();
    counts.sessions += Number(sessions.numDeletedRows);
    counts.tokens += ids.length;
    await queries.deleteFrom('tokens').where('id', 'in', ids).execute();
  }
  const all = rows.map((row) => row.token_id);
  await queries.deleteFrom('token_workspaces').where('workspace_id', '=', id).where('token_id', 'in', all).execute();
  return true;
}

/** Locks a workspace that is being removed, so that no new rows are added; returns false if there is none. */
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

/** Removes events of earlier changes; the removal itself causes no events. */
async function removeEvents(queries: Queries, workspaceId: Uuid, limit: number): Promise<number> {
  const events = queries.selectFrom('events').select('id').where('workspace_id', '=', workspaceId).limit(limit);
  const { numDeletedRows } = await queries.deleteFrom('events').where('id', 'in', events).executeTakeFirst();
  return Number(numDeletedRows);
}

async function removePosts(queries: Queries, workspaceId: Uuid, limit: number): Promise<number> {
  const posts = queries.selectFrom('posts').select('id').where('workspace_id', '=', workspaceId);
  const { numDeletedRows } = await queries.deleteFrom('posts').where('id', 'in', posts.limit(limit)).executeTakeFirst();
  return Number(numDeletedRows);
}

async function removeMedia(
  queries: Queries,
  workspaceId: Uuid,
  limit: number,
  counts: Counts,
): Promise<RemovedFiles | null> {
  const items = queries.selectFrom('media').select(['id', 'status']).where('workspace_id', '=', workspaceId);
  const rows = await items.where('cover_of', 'is', null).limit(limit).forUpdate().execute();
  if (rows.length === 0) {
    const fullNames = await removeTrashOf(queries, workspaceId, limit);
    counts.rows += fullNames.length;
    counts.objects += fullNames.length;
    return fullNames.length === 0 ? null : { fullNames, uploads: [] };
  }
  // If a post was added before the items were locked, it is visible now. The next step removes it.
  const post = queries.selectFrom('posts').select('id').where('workspace_id', '=', workspaceId);
  if (await post.limit(1).executeTakeFirst()) return NOTHING;
  const ids = rows.map((row) => row.id);
  // Aliases are deleted in steps; otherwise the database would delete all of them with their items in one statement.
  if ((await removeAliases(queries, (aliases) => aliases.where('media_id', 'in', ids), limit)) > 0) return NOTHING;
  counts.previews += await countOf(queries.selectFrom('previews').where('media_id', 'in', ids));
  const removed = await queries
    .deleteFrom('media')
    .where((eb) => eb.or([eb('id', 'in', ids), eb('cover_of', 'in', ids)]))
    .returning(['full_name', 'status'])
    .execute();
  counts.rows += removed.length;
  counts.objects += removed.filter(({ status }) => status === 'active').length;
  const uploads = rows.filter(({ status }) => status === 'temporary').map((row) => row.id);
  return { fullNames: removed.map((row) => row.full_name), uploads };
}

/**
 * Removes folders that contain no other folders; later steps remove their parents. Reads at most `limit` folders of
 * each level.
 */
async function removeFolders(queries: Queries, workspaceId: Uuid, limit: number, counts: Counts): Promise<boolean> {
  const folders = queries.selectFrom('folders').select('id').where('workspace_id', '=', workspaceId).limit(limit);
  let level = await folders.where('parent_id', 'is', null).execute();
  for (let depth = 1; level.length > 0 && depth <= MAX_FOLDER_DEPTH; depth += 1) {
    const ids = level.map(({ id }) => id);
    const parents = (await parentsAmong(queries, workspaceId, ids)).map(({ id }) => id);
    const empty = ids.filter((id) => !parents.includes(id));
    if (empty.length > 0) {
      await queries.deleteFrom('folders').where('id', 'in', empty).execute();
      counts.rows += empty.length;
      return true;
    }
    level = await folders.where('parent_id', 'in', parents).execute();
  }
  return false;
}

async function removeProfilesOf(queries: Queries, workspaceId: Uuid, limit: number, counts: Counts): Promise<boolean> {
  const profiles = queries.selectFrom('profiles').select('id').where('workspace_id', '=', workspaceId);
  const rows = await profiles
    .limit(Math.ceil(limit / 20))
    .forUpdate()
    .execute();
  if (rows.length === 0) return false;
  const ids = rows.map((row) => row.id);
  // If a post was added meanwhile, the next step removes it.
  if (await removeProfiles(queries, ids)) counts.rows += ids.length;
  return true;
}
