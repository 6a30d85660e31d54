import { Refusal, typeOfChange } from '@postshelf/domain';
import type { Transaction } from 'kysely';
import { keepQuotas } from '../quotas/quotas.ts';
import type { Dialect, Outbox, Queries } from '../store/dialect.ts';
import type { Tables } from '../store/tables.ts';

/**
 * Turns the changes of a write into events, and enforces quotas. This must be the last call in a transaction. In
 * PostgreSQL, a write waits while the database is being copied. If the database has been moved by the time the write
 * gets its locks, the write is refused here.
 *
 * @throws Refusal `unavailable` if the database was moved; StorageFull
 */
export async function endWrite(transaction: Queries, dialect: Dialect): Promise<void> {
  const { outbox } = dialect;
  const { movedTo, changes } = await outbox.readChanges(transaction);
  if (movedTo !== null) {
    // The cause is for operators: clients don't learn where the library is.
    throw new Refusal({ code: 'unavailable', message: MOVED }, { cause: new Error(`It was copied to ${movedTo}`) });
  }
  if (changes.length === 0) return;
  const events = changes.flatMap(({ resource_id: resourceId, kind, before, after, is_heard: isHeard }) => {
    const type = isHeard ? typeOfChange(kind, before, after) : null;
    return type === null ? [] : [{ resourceId, type }];
  });
  const now = Date.now();
  await outbox.emit(transaction, events, now);
  await keepQuotas(transaction, dialect, changes, now);
}

const MOVED = 'The library is read-only here, because it was moved.';

/** Wraps work that copies rows, so that its changes emit no events. */
export const withoutEvents =
  <T>(outbox: Outbox, work: (transaction: Transaction<Tables>) => Promise<T>) =>
  async (transaction: Transaction<Tables>): Promise<T> => {
    const result = await work(transaction);
    await outbox.clearChanges(transaction);
    return result;
  };
