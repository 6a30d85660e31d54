import { sql } from 'kysely';
import type { Dialect, Queries } from '../store/dialect.ts';

/**
 * Returns SQL that takes an advisory lock, which ends with its transaction. Locks are numbers in a space shared with
 * other programs, so names are hashed; a collision only causes needless waiting.
 */
const lockOf = (name: string) => sql`pg_advisory_xact_lock(hashtextextended(${`postshelf ${name}`}, 0))`;

export const lock: Dialect['lock'] = async (queries, guarded, names) => {
  if (names.length === 0) return;
  // The locks are taken one after the other, in the order of the list.
  const locks = [...new Set(names)].sort().map((name) => lockOf(`${guarded} ${name}`));
  await sql`select ${sql.join(locks)}`.execute(queries);
};

/** Locks the schema until the transaction ends. */
export async function lockSchema(queries: Queries): Promise<void> {
  await sql`select ${lockOf('migrations')}`.execute(queries);
}
