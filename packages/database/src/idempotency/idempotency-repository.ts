import {
  type ClaimOutcome,
  type IdempotencyRepository,
  MAX_KEPT_UNITS,
  mayTakeLease,
  type Uuid,
} from '@postshelf/domain';
import type { Queries } from '../store/dialect.ts';
import type { Store } from '../store/store.ts';
import { leaseFromRow, type RepeatRow } from '../store/tables.ts';
import { lastPosition, storeAnswer } from './complete.ts';

export function idempotencyRepository(store: Store): IdempotencyRepository {
  return {
    claim: ({ id, callerId }, lease, { now, expiresAt }) =>
      store.write(async (transaction) => {
        const position = (await lastPosition(transaction, callerId)) + 1;
        const row: RepeatRow = {
          id,
          token_id: callerId,
          position,
          expires_at: expiresAt,
          answer: null,
          lease_owner: lease.owner,
          lease_until: lease.until,
        };
        const found = await transaction
          .insertInto('repeats')
          .values(row)
          // This waits for a concurrent insert of the same key, and locks the row.
          .onConflict((conflict) => conflict.column('id').doUpdateSet({ id }))
          .returningAll()
          .executeTakeFirstOrThrow();
        const refusal = refuseClaim(found, lease.owner, now);
        if (refusal !== null) return refusal;
        if (found.lease_owner !== lease.owner)
          await transaction.updateTable('repeats').set(row).where('id', '=', id).execute();
        await pruneOldest(transaction, callerId, position - MAX_KEPT_UNITS, now);
        return { state: 'claimed' };
      }),

    renew: ({ id, owner }, until) =>
      store.write(async (queries) => {
        const { numUpdatedRows } = await queries
          .updateTable('repeats')
          .set({ lease_until: until })
          .where('id', '=', id)
          .where('lease_owner', '=', owner)
          .executeTakeFirst();
        return numUpdatedRows > 0n;
      }),

    release: ({ id, owner }) =>
      store.write(async (queries) => {
        await queries.deleteFrom('repeats').where('id', '=', id).where('lease_owner', '=', owner).execute();
      }),

    complete: (completion) => store.write((transaction) => storeAnswer(transaction, completion)),

    prune: (now, limit) =>
      store.write(async (transaction) => {
        const ids = await endedIds(transaction, now, limit);
        if (ids.length === 0) return 0;
        const { numDeletedRows } = await transaction
          .deleteFrom('repeats')
          .where('id', 'in', ids)
          // The lease is checked again, because some rows may have been claimed meanwhile.
          .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', now)]))
          .executeTakeFirst();
        return Number(numDeletedRows);
      }),
  };
}

/** Returns null if the owner can claim the row. */
function refuseClaim(row: RepeatRow, owner: string, now: number): ClaimOutcome | null {
  if (row.answer !== null) return row.expires_at <= now ? null : { state: 'answered', answer: row.answer };
  const lease = leaseFromRow(row);
  return lease === null || mayTakeLease(lease, owner, now) ? null : { state: 'running' };
}

/** Deletes rows up to a position, except the rows of requests that are still being answered. */
async function pruneOldest(queries: Queries, callerId: Uuid, position: number, now: number): Promise<void> {
  if (position <= 0) return;
  await queries
    .deleteFrom('repeats')
    .where('token_id', '=', callerId)
    .where('position', '<=', position)
    .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', now)]))
    .execute();
}

/** Returns fewer ids than `limit` only if no more have ended. */
async function endedIds(queries: Queries, now: number, limit: number): Promise<readonly Uuid[]> {
  const isFree = queries
    .selectFrom('repeats')
    .select('id')
    .where((eb) => eb.or([eb('lease_until', 'is', null), eb('lease_until', '<=', now)]));
  const expired = await isFree.where('expires_at', '<=', now).orderBy('expires_at').limit(limit).execute();
  const ended = queries
    .selectFrom('tokens')
    .select('id')
    .where((eb) => eb.or([eb('revoked_at', 'is not', null), eb('expires_at', '<=', now)]));
  const orphaned = await isFree
    .where('token_id', 'in', ended)
    .where('expires_at', '>', now)
    .limit(limit - expired.length)
    .execute();
  return [...expired, ...orphaned].map((row) => row.id);
}
