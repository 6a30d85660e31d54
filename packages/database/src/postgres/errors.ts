import { Refusal } from '@postshelf/domain';
import { DatabaseError } from 'pg';
import { unavailable } from '../unavailable.ts';

/**
 * Error codes (postgresql.org/docs/current/errcodes-appendix.html), by their beginnings, for what is wrong around the
 * database and may pass: connection lost (08), no way in (28, 3D), a transaction that outlived its time or met a server that
 * only reads (25006, 25P03), undone for another's sake (40), out of memory, disk or connections (53), a lock or the
 * statement's time (55P03, 57014), the server going or coming (57P0), its files (58).
 */
const PASSING = /^(?:08|28|3D|25006|25P03|40001|40P01|53|55P03|57014|57P0|58)/;

/** Undone so that another transaction could go on: done again, it may succeed. */
const UNDONE = new Set(['40001', '40P01']);

/** What the connection may be used for after an error of a query. */
export interface Failure {
  /** What to throw: a `Refusal` for what may pass, any other error as it is. */
  readonly error: unknown;
  /** Whether the connection is of no more use. */
  readonly isFatal: boolean;
}

/** Reads an error that a query ended with. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof DatabaseError)) {
    // The driver's own: connection lost or silent. What a program did wrong is a `TypeError` or the like.
    const isConnection = error instanceof Error && error.constructor === Error;
    return { error: isConnection ? unavailable(error) : error, isFatal: true };
  }
  // Another program version changed a table that a prepared statement reads; a new connection prepares anew.
  const isOutdated = error.routine === 'RevalidateCachedQuery';
  const passes = isOutdated || PASSING.test(error.code ?? '');
  return { error: passes ? unavailable(error) : error, isFatal: isOutdated };
}

/** Whether a transaction was undone for the sake of another. */
export function isUndone(error: unknown): boolean {
  const cause = error instanceof Refusal ? error.cause : error;
  return cause instanceof DatabaseError && UNDONE.has(cause.code ?? '');
}

/** One line that says why there was no connection. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // One for each address that a name has, and no message of its own.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error.message.split('\n', 1)[0] || error.name;
}
