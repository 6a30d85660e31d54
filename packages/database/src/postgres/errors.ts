import { certificateProblem, Refusal } from '@postshelf/domain';
import { DatabaseError } from 'pg';
import { unavailable } from '../store/errors.ts';

/**
 * Codes (postgresql.org/docs/current/errcodes-appendix.html) of conditions that may pass without a change to the
 * program: connection lost (08), login refused or no such database (28, 3D), read-only server or transaction over its
 * time limit (25006, 25P03, 25P04), a prepared statement missing or already there because a pooler exchanged the
 * connection (26000, 42P05), rolled back for another transaction (40), no such schema or table, or no permission
 * (3F000, 42P01, 42501), out of memory, disk or connections (53), a lock or statement over its time limit (55P03,
 * 57014), the server stopping or starting (57P0), errors in the server's files (58).
 */
const PASSING = /^(?:08|28|3D|3F000|25006|25P03|25P04|26000|40001|40P01|42P01|42P05|42501|53|55P03|57014|57P0|58)/;

/** The codes after which the connection can't be used: the server is closing it, or a pooler exchanged it. */
const ENDING = /^(?:08|25P03|25P04|26000|42P05|57P0)/;

/** Codes for a serialization failure and a deadlock, after which a repeat may succeed. */
const UNDONE = new Set(['40001', '40P01']);

/**
 * Whether a standby refused a transaction that writes. Its code means "unsupported feature" and its text is localized,
 * so only the routine identifies it.
 */
const isByStandby = ({ code, routine }: DatabaseError): boolean =>
  code === '0A000' && routine === 'call_bool_check_hook';

/** Returns what an operator can do about an error, to append to its message; empty if there is nothing to do. */
export type Advice = (code: string, message: string) => string;

const NO_ADVICE: Advice = () => '';

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

export interface Failure {
  readonly error: unknown;
  /** Whether the connection must be closed. */
  readonly isFatal: boolean;
}

/** Classifies the error of a query or of connecting. */
export function failureOf(error: unknown, advice: Advice = NO_ADVICE): Failure {
  if (!(error instanceof DatabaseError)) {
    const problem = certificateProblem(error);
    if (problem !== null) return { error: unavailable(new Error(problem, { cause: error })), isFatal: true };
    // The driver throws a plain `Error` for a lost connection, and a subclass for programming errors.
    const isConnection = error instanceof Error && error.constructor === Error;
    return { error: isConnection ? unavailable(error) : error, isFatal: true };
  }
  // A migration changed a table; a new connection prepares the statement again.
  const isOutdated = error.routine === 'RevalidateCachedQuery';
  const code = error.code ?? '';
  const passes = isOutdated || isByStandby(error) || PASSING.test(code);
  return {
    error: passes ? unavailable(new ServerError(error, advice)) : error,
    isFatal: isOutdated || ENDING.test(code),
  };
}

export function sqlStateOf(error: unknown): string | null {
  const cause = error instanceof Refusal ? error.cause : error;
  return cause instanceof DatabaseError || cause instanceof ServerError ? (cause.code ?? null) : null;
}

export const wasRolledBack = (error: unknown): boolean => UNDONE.has(sqlStateOf(error) ?? '');

/**
 * Returns the reason of an error in one line, with the server's SQLSTATE; for a translated error, returns the reason of
 * its cause.
 */
export function reasonOf(error: unknown, advice: Advice = NO_ADVICE): string {
  if (error instanceof Refusal && error.cause !== undefined) return reasonOf(error.cause, advice);
  if (error instanceof DatabaseError) return new ServerError(error, advice).message;
  if (!(error instanceof Error)) return String(error);
  // An aggregate error contains one error for each address of a host name, and has no message.
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0], advice);
  if (LACKS_PASSWORD.test(error.message)) return 'the server asks for a password, and there is no password in the URL';
  return firstLine(error.message) || error.name;
}

/** The driver's error (pg, `lib/crypto/sasl.js`) if it has no password, or an empty one, for a server that needs one. */
const LACKS_PASSWORD = /client password must be a (?:non-empty )?string/;

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
