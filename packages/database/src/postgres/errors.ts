import { Refusal } from '@postshelf/domain';
import { DatabaseError } from 'pg';
import { unavailable } from '../store/errors.ts';

/**
 * Error codes (postgresql.org/docs/current/errcodes-appendix.html), by their beginnings, for what is wrong around the
 * database and may pass: connection lost (08), no way in (28, 3D), a transaction that outlived its time or met a server that
 * only reads (25006, 25P03, 25P04), prepared statements other than this connection made them (26000, 42P05), undone for
 * another's sake (40), a schema or a table that the role doesn't see or may not use (3F000, 42P01, 42501), out of memory,
 * disk or connections (53), a lock or the statement's time (55P03, 57014), the server going or coming (57P0), its files (58).
 */
const PASSING = /^(?:08|28|3D|3F000|25006|25P03|25P04|26000|40001|40P01|42P01|42P05|42501|53|55P03|57014|57P0|58)/;

/**
 * Of those, the ones after which the connection is of no more use: the server has ended it (it says so before the end is
 * noticed here), or its prepared statements aren't those that the driver believes in, as when a pooler exchanged the server
 * behind it or somebody said `deallocate all`.
 */
const ENDING = /^(?:08|25P03|25P04|26000|42P05|57P0)/;

/** Undone in favour of another transaction: repeated, it may succeed. */
const UNDONE = new Set(['40001', '40P01']);

/**
 * A standby refuses a transaction that says it writes with "unsupported feature" (0A000), in the server's language.
 * This setting is the only one of ours that can be unsupported.
 */
const isByStandby = ({ code, routine }: DatabaseError): boolean =>
  code === '0A000' && routine === 'call_bool_check_hook';

/** What an operator can do about an error, appended to its message; empty where that says enough. */
export type Advice = (code: string, message: string) => string;

const NO_ADVICE: Advice = () => '';

/** An error of the server as one line, with its SQLSTATE and advice. */
class ServerError extends Error {
  override readonly name = 'ServerError';
  readonly code: string;

  constructor(error: DatabaseError, advice: Advice) {
    const code = error.code ?? 'none';
    super(
      `${firstLine(error.message)} (SQLSTATE ${code})${advice(isByStandby(error) ? '25006' : code, error.message)}`,
    );
    this.code = code;
  }
}

/** What an error of a query means. */
export interface Failure {
  /** What to throw: a `Refusal` for what may pass, any other error as it is. */
  readonly error: unknown;
  /** Whether the connection can't be used any more. */
  readonly isFatal: boolean;
}

/** Reads an error that a query or a connection ended with. */
export function failureOf(error: unknown, advice: Advice = NO_ADVICE): Failure {
  if (!(error instanceof DatabaseError)) {
    // The driver's own errors: connection lost or silent. Mistakes of the program are a `TypeError` or the like.
    const isConnection = error instanceof Error && error.constructor === Error;
    return { error: isConnection ? unavailable(error) : error, isFatal: true };
  }
  // Another program version changed a table that a prepared statement reads; a new connection prepares anew.
  const isOutdated = error.routine === 'RevalidateCachedQuery';
  const code = error.code ?? '';
  const passes = isOutdated || isByStandby(error) || PASSING.test(code);
  return {
    error: passes ? unavailable(new ServerError(error, advice)) : error,
    isFatal: isOutdated || ENDING.test(code),
  };
}

/** SQLSTATE of what a query threw, translated or not; null for an error that isn't the server's. */
export function sqlStateOf(error: unknown): string | null {
  const cause = error instanceof Refusal ? error.cause : error;
  return cause instanceof DatabaseError || cause instanceof ServerError ? (cause.code ?? null) : null;
}

/** Whether a transaction was undone for the sake of another. */
export const isUndone = (error: unknown): boolean => UNDONE.has(sqlStateOf(error) ?? '');

/** One line that says why, with the SQLSTATE where the server said it; of a translated error its cause's. */
export function reasonOf(error: unknown, advice: Advice = NO_ADVICE): string {
  if (error instanceof Refusal && error.cause !== undefined) return reasonOf(error.cause, advice);
  if (error instanceof DatabaseError) return new ServerError(error, advice).message;
  if (!(error instanceof Error)) return String(error);
  // An error for each address of a name, without a message of its own.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0], advice);
  return firstLine(error.message) || error.name;
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
