import { Refusal } from '@postshelf/domain';
import { unavailable } from '../store/errors.ts';
import { Sqlite } from './native.ts';

/** Result codes (sqlite.org/rescode.html) for what is wrong around the database and may pass, extended ones included. */
const PASSING = /^SQLITE_(?:BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN|PERM|PROTOCOL|NOMEM)(?:_|$)/;

/** What to throw for an error of the driver: a `Refusal` for one that may pass, any other as it is. */
export function translateError(error: unknown): unknown {
  if (!(error instanceof Sqlite.SqliteError) || !PASSING.test(error.code)) return error;
  return unavailable(error);
}

/** Whether another connection has the lock that was asked for; of a translated error too. */
export function isBusy(error: unknown): boolean {
  const cause = error instanceof Refusal ? error.cause : error;
  return cause instanceof Sqlite.SqliteError && /^SQLITE_BUSY(?:_|$)/.test(cause.code);
}

/** Runs something of the driver's with its errors translated. */
export function translateErrors<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw translateError(error);
  }
}
