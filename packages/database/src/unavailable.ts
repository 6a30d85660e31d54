import { Refusal } from '@postshelf/domain';

/** What callers hear of a database that is busy for too long, full or out of reach; the cause is for the log. */
export const unavailable = (cause: unknown): Refusal =>
  new Refusal({ code: 'unavailable', message: 'The database is unavailable. Try again later.' }, { cause });
