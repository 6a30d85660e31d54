import type { Uuid } from '../ids.ts';

/** Makes identifiers. */
export interface Ids {
  /**
   * A new UUIDv7 (RFC 9562 section 5.7). Within one process each sorts after the one before, also within a
   * millisecond; between processes they sort by their clocks. Never one that was given before.
   */
  next(): Uuid;
}
