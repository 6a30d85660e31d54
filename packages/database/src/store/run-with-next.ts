import type { Compilable, CompiledQuery } from 'kysely';
import type { Queries } from './store.ts';

/** Statements that may wait, by their parameters: a driver gets nothing else of a query beside its text. */
const held = new WeakSet<readonly unknown[]>();

/**
 * Runs a statement whose answer nobody needs within a transaction. Over a network it is sent with the next one, or with
 * the commit, which saves a way there and back; its error then comes out of that one, and undoes the transaction as
 * usual.
 */
export async function runWithNext(queries: Queries, statement: Compilable | CompiledQuery): Promise<void> {
  const compiled = 'compile' in statement ? statement.compile() : statement;
  held.add(compiled.parameters);
  await queries.executeQuery(compiled);
}

/** Whether a statement with these parameters may wait for the next. */
export const mayWait = (parameters: readonly unknown[]): boolean => held.has(parameters);
