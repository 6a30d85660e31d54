import { Refusal } from '@postshelf/domain';

/** Thrown when the database can't be opened, or isn't this program's. The message is one line for an operator. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
}

export const unavailable = (cause: unknown): Refusal =>
  new Refusal({ code: 'unavailable', message: 'The database is unavailable. Try again later.' }, { cause });

/** The codes, in PostgreSQL and in SQLite, of a row that refers to a row that doesn't exist. */
const REFERS_TO_NOTHING: readonly unknown[] = ['23503', 'SQLITE_CONSTRAINT_FOREIGNKEY'];

export const refersToNothing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && REFERS_TO_NOTHING.includes(error.code);
