import { Refusal } from '@postshelf/domain';

/** Thrown when the database can't be opened, or isn't this program's. The message is one line for an operator. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
}

export const unavailable = (cause: unknown): Refusal =>
  new Refusal({ code: 'unavailable', message: 'The database is unavailable. Try again later.' }, { cause });
