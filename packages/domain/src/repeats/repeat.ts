import { invalid, Refusal } from '../errors.ts';

/** Milliseconds for which the answer to a request is kept for repeated requests. */
export const REPEAT_LIFETIME = 24 * 60 * 60 * 1000;

const MAX_KEY_LENGTH = 255;

/**
 * Most bytes of an answer that is kept. The largest possible one, of a post whose text is escaped throughout, has a
 * third of it.
 */
export const MAX_KEPT_ANSWER_BYTES = 1024 * 1024;

/**
 * Most units of {@link KEPT_UNIT} that the kept answers of a token take; each takes at least one. Beyond it the oldest
 * are removed rather than new ones refused: clients repeat within minutes, and some send a key with every request.
 */
export const MAX_KEPT_UNITS = 10_000;
export const KEPT_UNIT = 4096;

/** The units that an answer of this size takes. */
export const keptUnits = (bytes: number): number => Math.max(1, Math.ceil(bytes / KEPT_UNIT));

const VISIBLE = /^[\x21-\x7e]+$/;

/**
 * Parses the key that a client sends with a request which it may repeat (draft-ietf-httpapi-idempotency-key-header).
 *
 * @returns null without the header
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

/** The refusal of a request whose key was used for a different request. */
export const keyReused = (): Refusal =>
  invalid('idempotency_key', 'The idempotency key field was used for another request.');

/** `Retry-After` in seconds, after which the first request may have been answered. */
const RETRY_AFTER = 1;

export const REQUEST_IN_PROGRESS = 'A request with this Idempotency-Key is being answered.';

/** The refusal if a request with this key is being answered at the moment. */
export const requestInProgress = (): Refusal =>
  new Refusal({ code: 'conflict', message: REQUEST_IN_PROGRESS, retryAfter: RETRY_AFTER });

/** An answer as it is kept for repeats. */
export interface KeptAnswer {
  /** Fingerprint of the request: the same for every repeat, and different for every other request. */
  readonly fingerprint: string;
  readonly status: number;
  /** JSON. */
  readonly body: string;
}
