import { sql } from 'kysely';
import type { Dialect, Queries } from '../store/dialect.ts';

/**
 * Advisory locks, which end with their transaction. They are numbers in a space shared with other programs, so names
 * are hashed; a collision only waits needlessly.
 */
const lockOf = (name: string) => sql`pg_advisory_xact_lock(hashtextextended(${`postshelf ${name}`}, 0))`;

export const lock: Dialect['lock'] = async (queries, guarded, names) => {
  if (names.length === 0) return;
  // One after the other, in the order of the list.
  const locks = [...new Set(names)].sort().map((name) => lockOf(`${guarded} ${name}`));
  await sql`select ${sql.join(locks)}`.execute(queries);
};

/** Until the transaction ends. */
export async function lockSchema(queries: Queries): Promise<void> {
  await sql`select ${lockOf('migrations')}`.execute(queries);
}
