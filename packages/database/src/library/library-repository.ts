import type { Library, LibraryRepository } from '@postshelf/domain';
import type { Queries } from '../store/dialect.ts';
import type { Store } from '../store/store.ts';
import type { LibraryRow } from '../store/tables.ts';

export function libraryRepository(store: Store): LibraryRepository {
  return {
    async find() {
      const row = await store.read(readLibrary);
      return row ? fromRow(row) : null;
    },

    findOrCreate: (id, now) =>
      store.write(async (transaction) => {
        const { first } = await transaction
          .selectFrom('workspaces')
          .select((eb) => eb.fn.min('created_at').as('first'))
          .executeTakeFirstOrThrow();
        const row: LibraryRow = {
          id,
          born_at: Math.min(first ?? now, now),
          generation: 0,
          restored_at: null,
          storage_marked_at: null,
          secret_fingerprint: null,
          backed_up_at: null,
          verified_at: null,
        };
        await transaction
          .insertInto('library')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        return fromRow(required(await readLibrary(transaction)));
      }),

    update: (change) =>
      store.write(async (transaction) => {
        const row = {
          ...(change.restoredAt !== undefined && { restored_at: change.restoredAt }),
          ...(change.storageMarkedAt !== undefined && { storage_marked_at: change.storageMarkedAt }),
          ...(change.secretFingerprint !== undefined && { secret_fingerprint: change.secretFingerprint }),
          ...(change.backedUpAt !== undefined && { backed_up_at: change.backedUpAt }),
          ...(change.verifiedAt !== undefined && { verified_at: change.verifiedAt }),
        };
        if (Object.keys(row).length > 0) await transaction.updateTable('library').set(row).execute();
        return fromRow(required(await readLibrary(transaction)));
      }),

    claimSecret: (fingerprint) =>
      store.write(async (transaction) => {
        const { secret_fingerprint: kept } = required(await lockLibrary(transaction));
        if (kept !== null) return kept;
        await transaction.updateTable('library').set({ secret_fingerprint: fingerprint }).execute();
        return fingerprint;
      }),
  };
}

const readLibrary = (queries: Queries): Promise<LibraryRow | undefined> =>
  queries.selectFrom('library').selectAll().executeTakeFirst();

const lockLibrary = (queries: Queries): Promise<LibraryRow | undefined> =>
  queries.selectFrom('library').selectAll().forUpdate().executeTakeFirst();

function required(row: LibraryRow | undefined): LibraryRow {
  if (!row) throw new Error('The database has no library yet.');
  return row;
}

const fromRow = (row: LibraryRow): Library => ({
  id: row.id,
  createdAt: row.born_at,
  generation: row.generation,
  restoredAt: row.restored_at,
  storageMarkedAt: row.storage_marked_at,
  secretFingerprint: row.secret_fingerprint,
  backedUpAt: row.backed_up_at,
  verifiedAt: row.verified_at,
});
