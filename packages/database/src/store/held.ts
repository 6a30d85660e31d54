import type { Compilable, CompiledQuery } from 'kysely';
import type { Queries } from './store.ts';

/** By their parameters, as those are all that a driver is given of a query beside its text. */
const held = new WeakSet<readonly unknown[]>();

/**
 * Runs a statement within a transaction whose answer nobody needs. Over a network it goes with the next one, or with the
 * commit, and saves its way; what is wrong with it comes out of that, and undoes the transaction as ever.
 */
export async function runWithNext(queries: Queries, statement: Compilable | CompiledQuery): Promise<void> {
  const compiled = 'compile' in statement ? statement.compile() : statement;
  held.add(compiled.parameters);
  await queries.executeQuery(compiled);
}

/** Whether a statement with these parameters may wait for the next. */
export const mayWait = (parameters: readonly unknown[]): boolean => held.has(parameters);
