import { type Fence, type FenceRepository, mayTakeLease } from '@postshelf/domain';
import type { Queries } from '../store/dialect.ts';
import type { Store } from '../store/store.ts';
import { type FenceRow, leaseFromRow } from '../store/tables.ts';

const NONE: FenceRow = { id: 1, current: null, previous: null, moved_to: null, lease_owner: null, lease_until: null };

export function fenceRepository(store: Store): FenceRepository {
  return {
    async find() {
      return fromRow(await store.read(read));
    },

    takeLease: (owner, now, until) =>
      store.write(async (transaction) => {
        if (!mayTakeLease(leaseFromRow(await lock(transaction)), owner, now)) return false;
        await transaction.updateTable('fence').set({ lease_owner: owner, lease_until: until }).execute();
        return true;
      }),

    releaseLease: (owner) =>
      store.write(async (queries) => {
        const none = { lease_owner: null, lease_until: null };
        await queries.updateTable('fence').set(none).where('lease_owner', '=', owner).execute();
      }),

    async isLeased(now) {
      const lease = leaseFromRow(await store.read(read));
      return lease !== null && lease.until > now;
    },

    change: (owner, current, next) =>
      store.write(async (transaction) => {
        const row = await lock(transaction);
        if (row.moved_to !== null || row.lease_owner !== owner || row.current !== current) return false;
        await transaction.updateTable('fence').set({ current: next, previous: current }).execute();
        return true;
      }),

    set: ({ current, previous, movedTo }) =>
      store.write(async (transaction) => {
        await lock(transaction);
        const row = {
          ...(current !== undefined && { current }),
          ...(previous !== undefined && { previous }),
          ...(movedTo !== undefined && { moved_to: movedTo }),
        };
        if (Object.keys(row).length > 0) await transaction.updateTable('fence').set(row).execute();
      }),
  };
}

/**
 * Marks the database as moved, in a transaction of the caller. Repositories commit no more writes after this
 * transaction.
 *
 * @returns the fence at the time of the move; it doesn't change afterwards
 */
export async function markMoved(transaction: Queries, to: string): Promise<Fence> {
  const fence = fromRow(await lock(transaction));
  await transaction.updateTable('fence').set({ moved_to: to }).execute();
  return fence;
}

const fromRow = ({ current, previous, moved_to: movedTo }: FenceRow): Fence => ({ current, previous, movedTo });

const read = async (queries: Queries): Promise<FenceRow> =>
  (await queries.selectFrom('fence').selectAll().executeTakeFirst()) ?? NONE;

/** Locks the fence. Inserts the row first, because a missing row can't be locked. */
async function lock(transaction: Queries): Promise<FenceRow> {
  await transaction
    .insertInto('fence')
    .values(NONE)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return transaction.selectFrom('fence').selectAll().forUpdate().executeTakeFirstOrThrow();
}
