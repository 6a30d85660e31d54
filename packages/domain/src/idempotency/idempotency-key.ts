import { invalid, Refusal } from '../errors.ts';
import type { Uuid } from '../ids.ts';

export const KEY_LIFETIME = 24 * 60 * 60 * 1000;

const MAX_KEY_LENGTH = 255;

/** Maximum size of a stored response; the largest possible response is a third of this. */
export const MAX_KEPT_ANSWER_BYTES = 1024 * 1024;

/**
 * Maximum total size of a caller's stored responses, in units of {@link KEPT_UNIT} bytes. Beyond it, the oldest
 * responses are removed. The limit is needed because some clients send a key with every request, and does little harm
 * because clients repeat requests within minutes.
 */
export const MAX_KEPT_UNITS = 10_000;
export const KEPT_UNIT = 4096;

export const keptUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / KEPT_UNIT));

const VISIBLE = /^[\x21-\x7e]+$/;

/**
 * Reads an Idempotency-Key (draft-ietf-httpapi-idempotency-key-header); null if there is none.
 *
 * @throws Refusal `invalid`
 */
export function readIdempotencyKey(header: string | null): string | null {
  if (header === null) return null;
  if (header.length <= MAX_KEY_LENGTH && VISIBLE.test(header)) return header;
  throw invalid(
    'idempotency_key',
    `The idempotency key field must be 1 to ${MAX_KEY_LENGTH} visible ASCII characters.`,
  );
}

export const keyReused = (): Refusal =>
  invalid('idempotency_key', 'The idempotency key was already used for another request.');

/** Seconds. */
const RETRY_AFTER = 1;

export const REQUEST_IN_PROGRESS = 'A request with this Idempotency-Key is still in progress.';

export const requestInProgress = (): Refusal =>
  new Refusal({ code: 'conflict', message: REQUEST_IN_PROGRESS, retryAfter: RETRY_AFTER });

export interface KeptAnswer {
  /** The workspaces that the caller must still be able to enter to get the response again. */
  readonly entered: readonly Uuid[];
  /** Equal only for repeats of the same request. */
  readonly fingerprint: string;
  readonly status: number;
  /** The JSON body. */
  readonly body: string;
}
