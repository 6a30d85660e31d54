declare const uuid: unique symbol;

/** Canonical lower case. */
export type Uuid = string & { readonly [uuid]: true };

const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** RFC 9562 section 4, in either case; null for anything else, which so never reaches a store. */
export function parseUuid(text: unknown): Uuid | null {
  if (typeof text !== 'string' || text.length !== 36) return null;
  const lower = text.toLowerCase();
  return CANONICAL.test(lower) ? (lower as Uuid) : null;
}

export interface Ids {
  /** A new UUIDv7 (RFC 9562 section 5.7); within a process each sorts after the one before. */
  next(): Uuid;
}
