import { Refusal } from '@postshelf/domain';
import { unavailable } from '../../store/errors.ts';
import { Sqlite } from './native.ts';

/** Codes (sqlite.org/rescode.html) of conditions that may pass, including extended codes. */
const PASSING = /^SQLITE_(?:BUSY|LOCKED|FULL|READONLY|IOERR|CANTOPEN|PERM|PROTOCOL|NOMEM)(?:_|$)/;

/** Returns Refusal `unavailable` for a condition that may pass; returns any other error unchanged. */
export function translateError(error: unknown): unknown {
  if (!(error instanceof Sqlite.SqliteError) || !PASSING.test(error.code)) return error;
  return unavailable(error);
}

/** Whether another connection held the lock for too long; recognizes translated errors as well. */
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
