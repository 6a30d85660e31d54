import type { ObjectCheck, ObjectChecks } from '@postshelf/domain';
import { addJob, lockJob } from '../jobs/jobs.ts';
import type { Store } from '../store/store.ts';
import type { ObjectCheckRow } from '../store/tables.ts';

const NONE: ObjectCheckRow = {
  id: 1,
  cursor: null,
  started_at: null,
  checked: 0,
  missing: 0,
  finished_at: null,
  last_checked: 0,
  last_missing: 0,
};

export function objectChecks(store: Store): ObjectChecks {
  return {
    async find() {
      const row = await store.read((queries) => queries.selectFrom('object_checks').selectAll().executeTakeFirst());
      return fromRow(row ?? NONE);
    },

    schedule: (libraryId, dueAt) =>
      store.write((transaction) =>
        addJob(
          transaction,
          { kind: 'check', subjectId: libraryId, workspaceId: null, payload: null },
          { dueAt },
          dueAt,
        ),
      ),

    save: (libraryId, owner, check) =>
      store.write(async (transaction) => {
        if (!(await lockJob(transaction, { kind: 'check', subjectId: libraryId }, owner))) return false;
        const row = toRow(check);
        await transaction
          .insertInto('object_checks')
          .values({ ...NONE, ...row })
          .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
          .execute();
        return true;
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
