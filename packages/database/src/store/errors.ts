import { Refusal } from '@postshelf/domain';

/** The database can't be opened, or isn't a database of this program. The message is one line for an operator. */
export class UnusableDatabase extends Error {
  override readonly name = 'UnusableDatabase';
}

/** The refusal while a database is busy for too long, full or out of reach; the cause is only logged. */
export const unavailable = (cause: unknown): Refusal =>
  new Refusal({ code: 'unavailable', message: 'The database is unavailable. Try again later.' }, { cause });
