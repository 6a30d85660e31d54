import { mayTakeLease, type ObjectCheck, type ObjectChecks } from '@postshelf/domain';
import type { Store } from '../store/store.ts';
import { leaseFromRow, type ObjectCheckRow } from '../store/tables.ts';

const NONE: ObjectCheckRow = {
  id: 1,
  cursor: null,
  started_at: null,
  checked: 0,
  missing: 0,
  finished_at: null,
  last_checked: 0,
  last_missing: 0,
  lease_owner: null,
  lease_until: null,
};

export function objectChecks(store: Store): ObjectChecks {
  return {
    async find() {
      const row = await store.read((queries) => queries.selectFrom('object_checks').selectAll().executeTakeFirst());
      return fromRow(row ?? NONE);
    },

    claim: ({ owner, until }, now) =>
      store.write(async (transaction) => {
        await transaction
          .insertInto('object_checks')
          .values(NONE)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        const row = await transaction.selectFrom('object_checks').selectAll().forUpdate().executeTakeFirstOrThrow();
        if (!mayTakeLease(leaseFromRow(row), owner, now)) return null;
        await transaction.updateTable('object_checks').set({ lease_owner: owner, lease_until: until }).execute();
        return fromRow(row);
      }),

    save: ({ owner, until }, check) =>
      store.write(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('object_checks')
          .set({ ...toRow(check), lease_until: until })
          .where('lease_owner', '=', owner)
          .executeTakeFirst();
        return numUpdatedRows > 0n;
      }),

    release: (owner) =>
      store.write(async (transaction) => {
        await transaction
          .updateTable('object_checks')
          .set({ lease_owner: null, lease_until: null })
          .where('lease_owner', '=', owner)
          .execute();
      }),
  };
}

const fromRow = (row: ObjectCheckRow): ObjectCheck => ({
  cursor: row.cursor,
  startedAt: row.started_at,
  checked: row.checked,
  missing: row.missing,
  finishedAt: row.finished_at,
  lastChecked: row.last_checked,
  lastMissing: row.last_missing,
});

const toRow = (check: ObjectCheck) => ({
  cursor: check.cursor,
  started_at: check.startedAt,
  checked: check.checked,
  missing: check.missing,
  finished_at: check.finishedAt,
  last_checked: check.lastChecked,
  last_missing: check.lastMissing,
});
