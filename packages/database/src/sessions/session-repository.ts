import {
  MAX_SESSIONS,
  type Session,
  type SessionGrounds,
  type SessionHolder,
  type SessionRepository,
  type Uuid,
} from '@postshelf/domain';
import type { ExpressionBuilder } from 'kysely';
import type { Queries } from '../store/dialect.ts';
import { pageNewestFirst } from '../store/paging.ts';
import type { Store } from '../store/store.ts';
import type { SessionRow, Tables } from '../store/tables.ts';
import { removeAllSessions } from './remove-sessions.ts';

export function sessionRepository(store: Store): SessionRepository {
  return {
    insert: (session, { hash, grounds, replacedHash }) =>
      store.write(async (transaction) => {
        // A concurrent use of the same code waits here and then finds that it no longer exists.
        const people = await useUp(transaction, grounds, session.createdAt);
        if (people === null) return false;
        if (replacedHash !== null) await transaction.deleteFrom('sessions').where('hash', '=', replacedHash).execute();
        await transaction
          .insertInto('sessions')
          .values({ ...toRow(session), hash })
          .execute();
        for (const person_id of people)
          await transaction.insertInto('session_people').values({ session_id: session.id, person_id }).execute();
        await removeOldest(transaction, session, session.tokenId === null ? { people } : { tokenId: session.tokenId });
        return true;
      }),

    async find(hash) {
      const row = await store.read((queries) =>
        queries.selectFrom('sessions').selectAll().where('hash', '=', hash).executeTakeFirst(),
      );
      return row ? fromRow(row) : null;
    },

    list: (holder, now, slice) =>
      store.read((snapshot) => {
        const sessions = snapshot.selectFrom('sessions').where(isOf(holder)).where('expires_at', '>', now);
        return pageNewestFirst(sessions.selectAll(), 'created_at', slice, fromRow);
      }),

    end: (holder, id) =>
      store.write(async (transaction) => {
        const { numDeletedRows } = await transaction
          .deleteFrom('sessions')
          .where('id', '=', id)
          .where(isOf(holder))
          .executeTakeFirst();
        return numDeletedRows > 0n;
      }),

    endAll: () => store.write(removeAllSessions),

    touch: (id, at) =>
      store.write(async (queries) => {
        await queries
          .updateTable('sessions')
          .set({ last_used_at: at })
          .where('id', '=', id)
          .where((eb) => eb.or([eb('last_used_at', 'is', null), eb('last_used_at', '<', at)]))
          .execute();
      }),

    insertCode: ({ id, hash, tokenId, expiresAt }) =>
      store.write(async (transaction) => {
        await transaction
          .insertInto('sign_in_codes')
          .values({ id, hash, token_id: tokenId, expires_at: expiresAt })
          .execute();
      }),

    async findCode(hash) {
      const row = await store.read((queries) =>
        queries.selectFrom('sign_in_codes').selectAll().where('hash', '=', hash).executeTakeFirst(),
      );
      return row ? { id: row.id, hash: row.hash, tokenId: row.token_id, expiresAt: row.expires_at } : null;
    },

    prune: (now, limit) =>
      store.write(async (transaction) => {
        const sessions = transaction.selectFrom('sessions').select('id').where('expires_at', '<=', now).limit(limit);
        const codes = transaction.selectFrom('sign_in_codes').select('id').where('expires_at', '<=', now);
        const removed = [
          await transaction.deleteFrom('sessions').where('id', 'in', sessions).executeTakeFirst(),
          await transaction.deleteFrom('sign_in_codes').where('id', 'in', codes.limit(limit)).executeTakeFirst(),
        ];
        return removed.reduce((sum, { numDeletedRows }) => sum + Number(numDeletedRows), 0);
      }),
  };
}

const isOf = (holder: SessionHolder) => (eb: ExpressionBuilder<Tables, 'sessions'>) =>
  'tokenId' in holder
    ? eb('token_id', '=', holder.tokenId)
    : eb(
        'sessions.id',
        'in',
        eb.selectFrom('session_people').select('session_id').where('person_id', 'in', holder.people),
      );

/**
 * Uses up what a session is created from, such as a sign-in code. Returns the people for whom the session acts; an
 * empty list for a token. Returns null if the code, link or identity doesn't exist or was used before.
 */
async function useUp(queries: Queries, grounds: SessionGrounds, now: number): Promise<readonly Uuid[] | null> {
  if (grounds.kind === 'token') {
    if (grounds.codeHash === null) return [];
    const codes = queries.deleteFrom('sign_in_codes').where('hash', '=', grounds.codeHash);
    return (await codes.executeTakeFirst()).numDeletedRows > 0n ? [] : null;
  }
  const people =
    grounds.kind === 'invitation'
      ? await queries
          .updateTable('people')
          .set({ invitation_hash: null, invitation_expires_at: null, status: 'active', updated_at: now })
          .where('invitation_hash', '=', grounds.hash)
          .returning('id')
          .execute()
      : // The people are locked, so that a concurrent call that ends a person's sessions also ends this one.
        await queries
          .selectFrom('people')
          .select('id')
          .where('issuer', '=', grounds.identity.issuer)
          .where('subject', '=', grounds.identity.subject)
          .forUpdate()
          .execute();
  return people.length === 0 ? null : people.map(({ id }) => id);
}

/** Deletes the holder's oldest sessions beyond {@link MAX_SESSIONS}, but never the new one, whatever the clock says. */
async function removeOldest(queries: Queries, { id }: Session, holder: SessionHolder): Promise<void> {
  const oldest = await queries
    .selectFrom('sessions')
    .select('id')
    .where(isOf(holder))
    .where('id', '!=', id)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(MAX_SESSIONS - 1)
    .limit(MAX_SESSIONS)
    .execute();
  const ids = oldest.map((row) => row.id);
  if (ids.length > 0) await queries.deleteFrom('sessions').where('id', 'in', ids).execute();
}

const fromRow = (row: SessionRow): Session => ({
  id: row.id,
  tokenId: row.token_id,
  name: row.name,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
});

const toRow = (session: Session): Omit<SessionRow, 'hash'> => ({
  id: session.id,
  token_id: session.tokenId,
  name: session.name,
  created_at: session.createdAt,
  expires_at: session.expiresAt,
  last_used_at: session.lastUsedAt,
});
