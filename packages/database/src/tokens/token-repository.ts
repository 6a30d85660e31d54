import { type AccessToken, isScope, type TokenRepository, type Uuid } from '@postshelf/domain';
import { LRUCache } from 'lru-cache';
import { removeSessionsOf } from '../sessions/session-repository.ts';
import type { Queries } from '../store/dialect.ts';
import { GIVEN, type Store } from '../store/store.ts';
import type { TokenRow } from '../store/tables.ts';

interface TokenWithWorkspace extends TokenRow {
  readonly workspace_id: Uuid | null;
}

/** Each takes some hundred bytes, and a few dozen for each of its workspaces. */
const MAX_REMEMBERED = 10_000;

export function tokenRepository(store: Store): TokenRepository {
  // SQLite with STAT4 would prepare a join or an order again for every run.
  const rowOf = store.lookup((queries) => queries.selectFrom('tokens').selectAll().where('id', '=', GIVEN));
  const changingOf = store.lookup((queries) =>
    queries
      .selectFrom('tokens')
      .select((eb) => [
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
  // A token's rights are fixed when it is issued, but for removed workspaces. That, and its revocation, is read for
  // every request.
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
    insert: (token) =>
      store.write(async (transaction) => {
        await transaction.insertInto('tokens').values(toRow(token)).execute();
        for (const [position, workspaceId] of [...new Set(token.workspaceIds)].entries()) {
          await transaction
            .insertInto('token_workspaces')
            .values({ token_id: token.id, workspace_id: workspaceId, position })
            .execute();
        }
      }),

    async find(id) {
      const known = remembered.get(id);
      if (!known) return read(id);
      const [row] = await changingOf(id);
      if (!row) return null;
      if (Number(row.workspaces) !== known.workspaceIds.length) return read(id);
      return { ...known, revokedAt: row.revoked_at, lastUsedAt: row.last_used_at };
    },

    list: async () => fromRows(await store.read((queries) => tokensWithWorkspaces(queries).execute())),

    revoke: (id, at) =>
      store.write(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('tokens')
          .set((eb) => ({ revoked_at: eb.fn.coalesce('revoked_at', eb.val(at)) }))
          .where('id', '=', id)
          .executeTakeFirst();
        // Requests that are still being answered stay.
        await transaction.deleteFrom('repeats').where('token_id', '=', id).where('answer', 'is not', null).execute();
        await removeSessionsOf(transaction, id);
        return numUpdatedRows > 0n;
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
  };
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
});
