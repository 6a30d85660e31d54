import {
  type AccessToken,
  isScope,
  OPERATOR,
  type TokenFilter,
  type TokenRepository,
  type Uuid,
} from '@postshelf/domain';
import { LRUCache } from 'lru-cache';
import { completeWithin } from '../idempotency/complete.ts';
import { removeSessionsOf } from '../sessions/remove-sessions.ts';
import { blocksOf } from '../store/blocks.ts';
import { countOf } from '../store/count.ts';
import type { Queries } from '../store/dialect.ts';
import { readNewestFirst } from '../store/paging.ts';
import { insertInWorkspace } from '../store/row-locks.ts';
import { GIVEN, type Store } from '../store/store.ts';
import type { TokenRow } from '../store/tables.ts';

interface TokenWithWorkspace extends TokenRow {
  readonly workspace_id: Uuid | null;
}

/** Maximum number of cached tokens; each takes hundreds of bytes, and a few dozen for each of its workspaces. */
const MAX_REMEMBERED = 10_000;

export function tokenRepository(store: Store): TokenRepository {
  // These queries neither join nor order, because SQLite with STAT4 would otherwise prepare them again for every run.
  const rowOf = store.lookup((queries) => queries.selectFrom('tokens').selectAll().where('id', '=', GIVEN));
  const changingOf = store.lookup((queries) =>
    queries
      .selectFrom('tokens')
      .select((eb) => [
        'expires_at',
        'revoked_at',
        'last_used_at',
        eb
          .selectFrom('token_workspaces')
          .select((inner) => inner.fn.countAll().as('workspaces'))
          .whereRef('token_workspaces.token_id', '=', 'tokens.id')
          .as('workspaces'),
      ])
      .where('id', '=', GIVEN),
  );
  const workspacesOf = store.lookup((queries) =>
    queries.selectFrom('token_workspaces').select(['workspace_id', 'position']).where('token_id', '=', GIVEN),
  );
  // A token's rights are fixed when it is issued, except that its workspaces may be removed. Its workspaces, and
  // whether it was revoked or rotated, are read for every request.
  const remembered = new LRUCache<Uuid, AccessToken>({ max: MAX_REMEMBERED });

  async function read(id: Uuid): Promise<AccessToken | null> {
    const [row] = await rowOf(id);
    if (!row) return null;
    const rows = await workspacesOf(id);
    const ids = rows.toSorted((a, b) => a.position - b.position).map(({ workspace_id }) => workspace_id);
    const token = fromRow(row, ids);
    remembered.set(id, token);
    return token;
  }

  return {
    insert: (token, completion) =>
      store.write(async (transaction) => {
        await insertToken(transaction, token);
        if (completion) await completeWithin(transaction, completion);
      }),

    async find(id) {
      const known = remembered.get(id);
      if (!known) return read(id);
      const [row] = await changingOf(id);
      if (!row) return null;
      if (Number(row.workspaces) !== known.workspaceIds.length) return read(id);
      return { ...known, expiresAt: row.expires_at, revokedAt: row.revoked_at, lastUsedAt: row.last_used_at };
    },

    list: async () => fromRows(await store.read((queries) => tokensWithWorkspaces(queries).execute())),

    page: (filter, slice) =>
      store.read(async (snapshot) => {
        const tokens = filtered(snapshot, filter);
        const total = await countOf(tokens);
        const rows = await readNewestFirst(tokens.selectAll(), 'created_at', slice, total);
        const ids = rows.map((row) => row.id);
        if (ids.length === 0) return { items: [], total };
        const all = fromRows(await tokensWithWorkspaces(snapshot).where('tokens.id', 'in', ids).execute());
        return { items: ids.flatMap((id) => all.find((token) => token.id === id) ?? []), total };
      }),

    revoke: (id, at) =>
      store.write(async (transaction) => {
        const token = await transaction.selectFrom('tokens').select('id').where('id', '=', id).executeTakeFirst();
        if (token) await end(transaction, id, at);
        return token !== undefined;
      }),

    rotate: (id, { token, oldEndsAt, now, completion }) =>
      store.write(async (transaction) => {
        const old = await transaction
          .updateTable('tokens')
          .set({ replaced_by: token.id })
          .where('id', '=', id)
          .where('replaced_by', 'is', null)
          .where('revoked_at', 'is', null)
          .where('expires_at', '>', now)
          .returning('expires_at')
          .executeTakeFirst();
        if (!old) return false;
        await insertToken(transaction, token);
        if (oldEndsAt <= now) await end(transaction, id, now);
        else if (oldEndsAt < old.expires_at) {
          const ends = { expires_at: oldEndsAt };
          await transaction.updateTable('tokens').set(ends).where('id', '=', id).execute();
          const sessions = transaction.updateTable('sessions').set(ends).where('token_id', '=', id);
          await sessions.where('expires_at', '>', oldEndsAt).execute();
        }
        if (completion) await completeWithin(transaction, completion);
        return true;
      }),

    touch: (id, at) =>
      store.write(async (queries) => {
        await queries
          .updateTable('tokens')
          .set({ last_used_at: at })
          .where('id', '=', id)
          .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', at)]))
          .execute();
      }),

    prune: (before, limit) =>
      store.write(async (transaction) => {
        const old = transaction.selectFrom('tokens').select('id').where('expires_at', '<', before);
        const { numDeletedRows } = await transaction
          .deleteFrom('tokens')
          .where('id', 'in', old.orderBy('expires_at').limit(limit))
          .executeTakeFirst();
        return Number(numDeletedRows);
      }),
  };
}

const OPERATORS = JSON.stringify([OPERATOR]);

function filtered(queries: Queries, { workspaceId, name, withOperators = false }: TokenFilter) {
  let tokens = queries.selectFrom('tokens');
  if (!withOperators) tokens = tokens.where('scopes', '!=', OPERATORS);
  if (name !== undefined) tokens = tokens.where('name', '=', name);
  if (workspaceId === undefined) return tokens;
  const entering = queries.selectFrom('token_workspaces').select('token_id').where('workspace_id', '=', workspaceId);
  return tokens.where('id', 'in', entering);
}

async function insertToken(queries: Queries, token: AccessToken): Promise<void> {
  await queries.insertInto('tokens').values(toRow(token)).execute();
  const rows = [...new Set(token.workspaceIds)].map((workspace_id, position) => ({
    token_id: token.id,
    workspace_id,
    position,
  }));
  for (const block of blocksOf(rows))
    await insertInWorkspace(queries.insertInto('token_workspaces').values(block).execute());
}

async function end(queries: Queries, id: Uuid, at: number): Promise<void> {
  await queries
    .updateTable('tokens')
    .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(at)) }))
    .where('id', '=', id)
    .execute();
  // Requests that are still being answered are kept.
  await queries.deleteFrom('repeats').where('token_id', '=', id).where('answer', 'is not', null).execute();
  await removeSessionsOf(queries, id);
}

const tokensWithWorkspaces = (queries: Queries) =>
  queries
    .selectFrom('tokens')
    .leftJoin('token_workspaces', 'token_workspaces.token_id', 'tokens.id')
    .selectAll('tokens')
    .select('token_workspaces.workspace_id')
    .orderBy('tokens.created_at')
    .orderBy('tokens.id')
    .orderBy('token_workspaces.position');

function fromRows(rows: readonly TokenWithWorkspace[]): AccessToken[] {
  const tokens = new Map<Uuid, { row: TokenRow; workspaceIds: Uuid[] }>();
  for (const row of rows) {
    const token = tokens.get(row.id) ?? { row, workspaceIds: [] };
    if (row.workspace_id !== null) token.workspaceIds.push(row.workspace_id);
    tokens.set(row.id, token);
  }
  return Array.from(tokens.values(), ({ row, workspaceIds }) => fromRow(row, workspaceIds));
}

const fromRow = (row: TokenRow, workspaceIds: readonly Uuid[]): AccessToken => ({
  id: row.id,
  name: row.name,
  scopes: (JSON.parse(row.scopes) as string[]).filter(isScope),
  workspaceIds,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
  lastUsedAt: row.last_used_at,
});

const toRow = (token: AccessToken): TokenRow => ({
  id: token.id,
  name: token.name,
  scopes: JSON.stringify(token.scopes),
  created_at: token.createdAt,
  expires_at: token.expiresAt,
  revoked_at: token.revokedAt,
  last_used_at: token.lastUsedAt,
  replaced_by: null,
});
