import { certificateProblem, Refusal } from '@postshelf/domain';
import { storageUnavailable } from '../../unavailable.ts';

/** Codes of a full store. Ceph: QuotaExceeded; MinIO: XMinioStorageFull. */
const FULL = new Set(['QuotaExceeded', 'XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded', 'InsufficientCapacity']);

/** Codes of transient errors with a status other than 5xx and 429. */
const TRANSIENT = new Set(['RequestTimeout', 'SlowDown', 'OperationAborted', 'ConcurrentModification']);

/** The SDK's error when no credentials were given or found. */
const NO_CREDENTIALS = 'CredentialsProviderError';

/** Names of errors that have neither a status nor a code. */
const BY_NAME = new Set(['AbortError', 'TimeoutError', NO_CREDENTIALS]);

interface Answer {
  /** The error code of S3 (`NoSuchKey`) or of the operating system (`ECONNRESET`), or the name of the SDK's error. */
  readonly code: string;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
}

/**
 * The part of an SDK or network error that may be logged: the errors themselves contain the request and the access key.
 */
class StoreFailure extends Error implements Answer {
  override readonly name = 'StoreFailure';

  constructor(
    readonly code: string,
    readonly status: number,
    detail: string,
  ) {
    super(`The store failed with ${code}${status > 0 ? ` (HTTP ${status})` : ''}${detail && `: ${detail}`}`);
  }
}

export class TruncatedBody extends Error {
  override readonly name = 'TruncatedBody';
}

/** Returns null for an error that comes from neither the SDK nor the network. */
function answerOf(error: unknown): Answer | null {
  if (error instanceof StoreFailure) return error;
  if (!(error instanceof Error)) return null;
  const status = statusOf(error);
  if (status > 0) return { code: error.name, status };
  if ('code' in error && typeof error.code === 'string') return { code: error.code, status };
  const isKnown = '$metadata' in error || BY_NAME.has(error.name) || error instanceof TruncatedBody;
  return isKnown ? { code: error.name, status } : null;
}

function statusOf(error: Error): number {
  const metadata = '$metadata' in error ? error.$metadata : undefined;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return 0;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : 0;
}

/**
 * Returns an error that may be logged. An error that comes from neither the SDK nor the network is returned unchanged.
 */
export function withoutSecrets(error: unknown): unknown {
  const answer = answerOf(error);
  if (!answer || error instanceof StoreFailure) return error;
  const detail = error instanceof Error && error.message !== 'UnknownError' ? error.message : '';
  return new StoreFailure(answer.code, answer.status, certificateProblem(error) ?? detail);
}

export const codeOf = (error: unknown): string | null => answerOf(error)?.code ?? null;

export const httpStatusOf = (error: unknown): number => answerOf(error)?.status ?? 0;

/**
 * Whether an error means that no object has the key. The response to a HEAD request has no error code, so a missing
 * bucket isn't distinguished.
 */
export const isMissing = (error: unknown): boolean => httpStatusOf(error) === 404 && codeOf(error) !== 'NoSuchBucket';

/** Waits for a request about a key. Returns false if no object has the key; throws all other errors. */
export async function unlessMissing(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

export const isConditionFailed = (error: unknown): boolean => httpStatusOf(error) === 412;

/**
 * Whether the store doesn't support the request or one of its headers, such as a condition (RFC 9110 section 15.6.2).
 *
 * @param error as {@link translateErrors} throws it
 */
export const isNotImplemented = (error: unknown): boolean =>
  error instanceof Refusal && httpStatusOf(error.cause) === 501;

/** Whether the same request may succeed if it is repeated. */
export function isTransient(error: unknown): boolean {
  const answer = answerOf(error);
  if (!answer || answer.code === NO_CREDENTIALS) return false;
  return answer.status === 0 || answer.status >= 500 || answer.status === 429 || TRANSIENT.has(answer.code);
}

/** Whether the store fails independently of the request: it is full, unreachable, or refuses access. */
function isUnavailable(error: unknown): boolean {
  const answer = answerOf(error);
  if (!answer) return false;
  const keepsOut = [0, 401, 403].includes(answer.status) || answer.code === 'NoSuchBucket';
  return keepsOut || isTransient(error);
}

/** Returns Refusal `unavailable` if the store can't be used; any other error {@link withoutSecrets}. */
export function translateError(error: unknown): unknown {
  const safe = withoutSecrets(error);
  if (!isUnavailable(safe)) return safe;
  return storageUnavailable(safe, FULL.has(codeOf(safe) ?? '') || httpStatusOf(safe) === 507);
}

/** @throws errors as {@link translateError} returns them */
export async function translateErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translateError(error);
  }
}
