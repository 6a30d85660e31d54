import { Refusal } from '@postshelf/domain';
import { unavailable } from '../../store/errors.ts';
import { Sqlite } from './native.ts';

/** (sqlite.org/rescode.html), extended ones included. */
const PASSING = /^SQLITE_(?:BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN|PERM|PROTOCOL|NOMEM)(?:_|$)/;

/** A condition that may pass becomes a `Refusal` `unavailable`, any other error is returned as it is. */
export function translateError(error: unknown): unknown {
  if (!(error instanceof Sqlite.SqliteError) || !PASSING.test(error.code)) return error;
  return unavailable(error);
}

/** Also for a translated error. */
export function isBusy(error: unknown): boolean {
  const cause = error instanceof Refusal ? error.cause : error;
  return cause instanceof Sqlite.SqliteError && /^SQLITE_BUSY(?:_|$)/.test(cause.code);
}

export function translateErrors<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw translateError(error);
  }
}
