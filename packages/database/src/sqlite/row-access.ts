import type { RowAccess } from '../copy/row-access.ts';
import { isBusy } from './errors.ts';
import type { SqliteStore } from './store.ts';

/** The rows of a file. It is held still by the write lock, of which SQLite has one for the whole file. */
export const rowAccess = ({ reads, transact }: SqliteStore, file: string): RowAccess => ({
  place: `sqlite:${file}`,
  reads,
  transact,
  holdStill: (work) => transact(work),
  isBusy,
});
