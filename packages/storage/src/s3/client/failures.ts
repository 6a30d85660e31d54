import { Refusal } from '@postshelf/domain';

/** Codes of answers that say the store can't take more. Ceph says QuotaExceeded, MinIO XMinioStorageFull. */
const FULL = new Set(['QuotaExceeded', 'XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded', 'InsufficientCapacity']);

/** Codes of answers other than 5xx and 429 after which a repeat may succeed. */
const TRANSIENT = new Set(['RequestTimeout', 'SlowDown', 'OperationAborted', 'ConcurrentModification']);

/** The SDK's name for credentials that are neither given nor found. */
const NO_CREDENTIALS = 'CredentialsProviderError';

/** Errors of the SDK that carry nothing but their name. */
const BY_NAME = new Set(['AbortError', 'TimeoutError', NO_CREDENTIALS]);

/** What a store or the way to it said. */
interface Answer {
  /** S3's code (`NoSuchKey`), the operating system's (`ECONNRESET`), or the SDK's name for the error. */
  readonly code: string;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
}

/**
 * The loggable part of an error of the SDK or the network. The errors themselves have the whole request and, for a wrong
 * signature, the access key and the signed text.
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

/** A body that ended before its announced length. */
export class BrokenOff extends Error {
  override readonly name = 'BrokenOff';
}

/** null for an error that neither the SDK nor the network threw. */
function answerOf(error: unknown): Answer | null {
  if (error instanceof StoreFailure) return error;
  if (!(error instanceof Error)) return null;
  const status = statusOf(error);
  if (status > 0) return { code: error.name, status };
  if ('code' in error && typeof error.code === 'string') return { code: error.code, status };
  const isKnown = '$metadata' in error || BY_NAME.has(error.name) || error instanceof BrokenOff;
  return isKnown ? { code: error.name, status } : null;
}

function statusOf(error: Error): number {
  const metadata = '$metadata' in error ? error.$metadata : undefined;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return 0;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : 0;
}

/** The error without secrets; other errors than the SDK's and the network's unchanged. */
export function withoutSecrets(error: unknown): unknown {
  const answer = answerOf(error);
  if (!answer || error instanceof StoreFailure) return error;
  const detail = error instanceof Error && error.message !== 'UnknownError' ? error.message : '';
  return new StoreFailure(answer.code, answer.status, detail);
}

/** S3's code of the answer, or what the SDK or the system calls it; null for an error of neither. */
export const codeOf = (error: unknown): string | null => answerOf(error)?.code ?? null;

/** HTTP status of the answer; 0 where there was none. */
export const httpStatusOf = (error: unknown): number => answerOf(error)?.status ?? 0;

/** Nothing is under the key. An answer to HEAD has no code, so a missing bucket looks the same there. */
export const isMissing = (error: unknown): boolean => httpStatusOf(error) === 404 && codeOf(error) !== 'NoSuchBucket';

/** Whether the object doesn't meet the request's condition (RFC 9110 section 15.5.13). */
export const isConditionFailed = (error: unknown): boolean => httpStatusOf(error) === 412;

/** Whether the same request may go better the next time. */
export function isTransient(error: unknown): boolean {
  const answer = answerOf(error);
  if (!answer || answer.code === NO_CREDENTIALS) return false;
  return answer.status === 0 || answer.status >= 500 || answer.status === 429 || TRANSIENT.has(answer.code);
}

/** Whether the store is full, unreachable, or refuses access (now): not the fault of the request. */
function isUnavailable(error: unknown): boolean {
  const answer = answerOf(error);
  if (!answer) return false;
  const keepsOut = [0, 401, 403].includes(answer.status) || answer.code === 'NoSuchBucket';
  return keepsOut || isTransient(error);
}

/** Refusal `unavailable` for an error that means so; every other {@link withoutSecrets}. */
export function translateError(error: unknown): unknown {
  const safe = withoutSecrets(error);
  if (!isUnavailable(safe)) return safe;
  const isFull = FULL.has(codeOf(safe) ?? '') || httpStatusOf(safe) === 507;
  const message = isFull ? 'The storage is full.' : 'The storage is unavailable.';
  return new Refusal({ code: 'unavailable', message }, { cause: safe });
}

/** Runs work on the store. @throws as {@link translateError} has it */
export async function translateErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translateError(error);
  }
}
