import { QUARTERS_PER_DAY } from '@postshelf/domain';

/** A profile's posts on one UTC day, and their engagement, for each quarter of an hour from midnight. */
export interface DayTally {
  readonly posts: Float64Array;
  readonly engagement: Float64Array;
}

export const emptyDay = (): DayTally => ({
  posts: new Float64Array(QUARTERS_PER_DAY),
  engagement: new Float64Array(QUARTERS_PER_DAY),
});

/**
 * The stored form: for each quarter that has posts, its number in 1 byte, the posts in 4, and their engagement as a
 * double in 8, little-endian.
 */
const AT = { quarter: 0, posts: 1, engagement: 5 } as const;
const BYTES_PER_QUARTER = 13;

/** @returns null for a day without posts, which has no row */
export function encodeDay({ posts, engagement }: DayTally): Uint8Array | null {
  const quarters = Array.from(posts.keys()).filter((quarter) => (posts[quarter] ?? 0) > 0);
  if (quarters.length === 0) return null;
  const bytes = Buffer.alloc(quarters.length * BYTES_PER_QUARTER);
  for (const [index, quarter] of quarters.entries()) {
    const start = index * BYTES_PER_QUARTER;
    bytes.writeUInt8(quarter, start + AT.quarter);
    bytes.writeUInt32LE(posts[quarter] ?? 0, start + AT.posts);
    bytes.writeDoubleLE(engagement[quarter] ?? 0, start + AT.engagement);
  }
  return bytes;
}

/**
 * Calls back for each quarter that has posts, in order.
 *
 * @throws for bytes that aren't from {@link encodeDay}
 */
export function decodeDay(
  bytes: Uint8Array,
  visit: (quarter: number, posts: number, engagement: number) => void,
): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength % BYTES_PER_QUARTER !== 0) throw new Error(DAMAGED);
  let last = -1;
  for (let start = 0; start < bytes.byteLength; start += BYTES_PER_QUARTER) {
    const quarter = view.getUint8(start + AT.quarter);
    if (quarter <= last || quarter >= QUARTERS_PER_DAY) throw new Error(DAMAGED);
    last = quarter;
    visit(quarter, view.getUint32(start + AT.posts, true), view.getFloat64(start + AT.engagement, true));
  }
}

const DAMAGED = 'The engagement of a day is damaged in the database: run `postshelf analytics rebuild`';
