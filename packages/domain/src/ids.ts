declare const uuid: unique symbol;

/** A UUID in canonical lower case. */
export type Uuid = string & { readonly [uuid]: true };

const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Reads a UUID (RFC 9562 section 4) in either case; null for anything else, so that it never reaches a store. */
export function parseUuid(text: unknown): Uuid | null {
  if (typeof text !== 'string' || text.length !== 36) return null;
  const lower = text.toLowerCase();
  return CANONICAL.test(lower) ? (lower as Uuid) : null;
}

export interface Ids {
  /** Returns a new UUIDv7 (RFC 9562 section 5.7); within a process each sorts after the previous one. */
  next(): Uuid;
}
