declare const uuid: unique symbol;

/** A UUID in its canonical lower-case spelling. Only {@link parseUuid} and the ids port make one. */
export type Uuid = string & { readonly [uuid]: true };

const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * Reads an identifier as a caller sent it (RFC 9562 section 4; upper case is accepted and lowered). Returns null for
 * anything else, so that a malformed id never reaches a store.
 */
export function parseUuid(text: unknown): Uuid | null {
  if (typeof text !== 'string' || text.length !== 36) return null;
  const lower = text.toLowerCase();
  return CANONICAL.test(lower) ? (lower as Uuid) : null;
}

/** Makes identifiers. */
export interface Ids {
  /**
   * A new UUIDv7 (RFC 9562 section 5.7). Within one process each sorts after the previous one, also within a
   * millisecond; those of several processes sort by their clocks. Never returns the same id twice.
   */
  next(): Uuid;
}
