import type { Queries, Store } from '../repositories/store.ts';

/** All rows of a database, whatever they mean: for moving them to another. */
export interface RowAccess extends Pick<Store, 'reads' | 'transact'> {
  /** Which database, for messages; no password is in it. */
  readonly place: string;
  /**
   * Does the work while nobody can write to a table of {@link COPIED_TABLES}, in whatever process: who tries waits, and
   * is told `unavailable` at last. Reading goes on. A kill ends it as the end of the work does.
   */
  holdStill<T>(work: () => Promise<T>): Promise<T>;
  /** Whether an error says that somebody else was writing for too long. */
  isBusy(error: unknown): boolean;
}

/** Whether the database has the tables of a library. */
export async function hasLibrary(queries: Queries): Promise<boolean> {
  const tables = await queries.introspection.getTables();
  return tables.some((table) => table.name === 'workspaces') && tables.some((table) => table.name === 'media');
}
