import { Refusal } from '@postshelf/domain';
import { DatabaseError } from 'pg';
import { unavailable } from '../store/errors.ts';

/**
 * Error codes (postgresql.org/docs/current/errcodes-appendix.html), by their beginnings, for conditions that may pass
 * without a change of the program: connection lost (08), login refused or no such database (28, 3D), a read-only server
 * or a transaction over its time limit (25006, 25P03, 25P04), prepared statements that differ from this connection's
 * (26000, 42P05), rolled back in favour of another transaction (40), a schema or table that the role can't see or use
 * (3F000, 42P01, 42501), out of memory, disk or connections (53), a lock or statement over its time limit (55P03,
 * 57014), the server shutting down or starting (57P0), errors of its files (58).
 */
const PASSING = /^(?:08|28|3D|3F000|25006|25P03|25P04|26000|40001|40P01|42P01|42P05|42501|53|55P03|57014|57P0|58)/;

/**
 * Of those, the ones after which the connection can't be used any more: the server is closing it (the error arrives
 * before the close is noticed), or its prepared statements aren't the ones that the driver expects, for instance
 * because a pooler exchanged the server connection or somebody ran `deallocate all`.
 */
const ENDING = /^(?:08|25P03|25P04|26000|42P05|57P0)/;

/** Rolled back in favour of another transaction (serialization failure, deadlock); a repeat may succeed. */
const UNDONE = new Set(['40001', '40P01']);

/**
 * Whether a standby refused a read-write transaction. Its code is "unsupported feature" (0A000) and its text is
 * localized, so it is recognized by the routine: no other setting of ours can be unsupported.
 */
const isByStandby = ({ code, routine }: DatabaseError): boolean =>
  code === '0A000' && routine === 'call_bool_check_hook';

/** What an operator can do about an error, to be appended to its message; empty if there is nothing to add. */
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
  /** Whether the connection must be closed. */
  readonly isFatal: boolean;
}

/** Classifies the error of a query or of connecting. */
export function failureOf(error: unknown, advice: Advice = NO_ADVICE): Failure {
  if (!(error instanceof DatabaseError)) {
    // A plain `Error` of the driver: connection lost or timed out. Programming errors are a `TypeError` or another
    // subclass.
    const isConnection = error instanceof Error && error.constructor === Error;
    return { error: isConnection ? unavailable(error) : error, isFatal: true };
  }
  // A migration changed a table that a prepared statement reads; a new connection prepares it again.
  const isOutdated = error.routine === 'RevalidateCachedQuery';
  const code = error.code ?? '';
  const passes = isOutdated || isByStandby(error) || PASSING.test(code);
  return {
    error: passes ? unavailable(new ServerError(error, advice)) : error,
    isFatal: isOutdated || ENDING.test(code),
  };
}

/** The SQLSTATE of an error, translated or not; null if the error isn't the server's. */
export function sqlStateOf(error: unknown): string | null {
  const cause = error instanceof Refusal ? error.cause : error;
  return cause instanceof DatabaseError || cause instanceof ServerError ? (cause.code ?? null) : null;
}

/** Whether a transaction was rolled back in favour of another. */
export const wasRolledBack = (error: unknown): boolean => UNDONE.has(sqlStateOf(error) ?? '');

/**
 * The reason of an error in one line, with its SQLSTATE if it is the server's. For a translated error, the reason of
 * its cause.
 */
export function reasonOf(error: unknown, advice: Advice = NO_ADVICE): string {
  if (error instanceof Refusal && error.cause !== undefined) return reasonOf(error.cause, advice);
  if (error instanceof DatabaseError) return new ServerError(error, advice).message;
  if (!(error instanceof Error)) return String(error);
  // Connecting failed for every address of a host name: one error each, and no message of its own.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0], advice);
  return firstLine(error.message) || error.name;
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
