import { invalid, Refusal } from '../errors.ts';

/** Milliseconds that the answer of a request is kept for its repeats. */
export const REPEAT_LIFETIME = 24 * 60 * 60 * 1000;

const MAX_KEY_LENGTH = 255;

/** Bytes of an answer that is kept. The largest one, of a post whose text is escaped throughout, has a third of it. */
export const MAX_KEPT_ANSWER_BYTES = 1024 * 1024;

/**
 * What the kept answers of a token may take up, in units of {@link KEPT_UNIT}; each takes one at least. Beyond, the oldest
 * go: a client repeats within minutes, and one that sends a key with all that it does must not be refused for it.
 */
export const MAX_KEPT_UNITS = 10_000;
export const KEPT_UNIT = 4096;

/** What an answer of so many bytes takes up. */
export const keptUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / KEPT_UNIT));

const VISIBLE = /^[\x21-\x7e]+$/;

/**
 * The key that a client gives with a request which it may repeat (draft-ietf-httpapi-idempotency-key-header).
 *
 * @returns null where there is none
 * @throws Refusal `invalid` on `idempotency_key`
 */
export function readIdempotencyKey(header: string | null): string | null {
  if (header === null) return null;
  if (header.length <= MAX_KEY_LENGTH && VISIBLE.test(header)) return header;
  throw invalid(
    'idempotency_key',
    `The idempotency key field must be 1 to ${MAX_KEY_LENGTH} visible ASCII characters.`,
  );
}

/** The refusal of a request whose key was used for another one. */
export const keyIsTaken = (): Refusal =>
  invalid('idempotency_key', 'The idempotency key field was used for another request.');

/** Seconds after which the first request may have been answered. */
const RETRY_AFTER = 1;

export const BEING_ANSWERED = 'A request with this Idempotency-Key is being answered.';

/** The refusal where a request with this key is being answered just now. */
export const isBeingAnswered = (): Refusal =>
  new Refusal({ code: 'conflict', message: BEING_ANSWERED, retryAfter: RETRY_AFTER });

/** An answer as it is kept for repeats. */
export interface KeptAnswer {
  /** Of the request: the same for every repeat, another one for every other request. */
  readonly fingerprint: string;
  readonly status: number;
  /** JSON. */
  readonly body: string;
}
