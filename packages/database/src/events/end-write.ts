import { Refusal, typeOfChange } from '@postshelf/domain';
import type { Transaction } from 'kysely';
import { keepQuotas } from '../quotas/quotas.ts';
import type { Dialect, Outbox, Queries } from '../store/dialect.ts';
import type { Tables } from '../store/tables.ts';

/**
 * Makes events of what a write has changed, and keeps the quotas. Called last in its transaction: by then PostgreSQL has
 * given it the locks that a copy holds until the database is moved.
 *
 * @throws Refusal `unavailable` if it was moved; StorageFull
 */
export async function endWrite(transaction: Queries, dialect: Dialect): Promise<void> {
  const { outbox } = dialect;
  const { movedTo, changes } = await outbox.look(transaction);
  if (movedTo !== null) throw new Refusal({ code: 'unavailable', message: MOVED });
  if (changes.length === 0) return;
  const told = changes.flatMap(({ resource_id: resourceId, kind, before, after, is_heard: isHeard }) => {
    const type = isHeard ? typeOfChange(kind, before, after) : null;
    return type === null ? [] : [{ resourceId, type }];
  });
  const now = Date.now();
  await outbox.tell(transaction, told, now);
  await keepQuotas(transaction, dialect, changes, now);
}

const MOVED = 'The library is read-only here, because it was moved.';

/** The work of a copy, of whose changes nobody is told. */
export const untold =
  <T>(outbox: Outbox, work: (transaction: Transaction<Tables>) => Promise<T>) =>
  async (transaction: Transaction<Tables>): Promise<T> => {
    const result = await work(transaction);
    await outbox.forget(transaction);
    return result;
  };
