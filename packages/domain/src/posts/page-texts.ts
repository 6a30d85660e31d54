import type { Post } from './post.ts';

/**
 * Most bytes that the texts of one page of posts may have together, as JSON. A hundred posts of forty thousand bytes
 * each fit; a hundred at the limit of a post's text would be ten times as much.
 */
export const MAX_PAGE_TEXT_BYTES = 4_000_000;

/** Most bytes of JSON for one UTF-16 code unit: `\u0001`. */
const MAX_UNIT_BYTES = 6;

/**
 * The largest limit for which the sizes, each capped at it, sum up to at most `total`: sizes below it leave the rest of
 * their share to the others.
 *
 * @returns `total` if no size has to be capped
 */
export function evenShare(sizes: readonly number[], total: number): number {
  const ascending = sizes.toSorted((a, b) => a - b);
  let left = total;
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (size > share) return share;
    left -= size;
  }
  return total;
}

/**
 * Cuts the longest texts of a page's posts, between two characters, if all of them would have more than `total` bytes.
 *
 * @returns the posts in their order, and those whose text was cut
 */
export function cutTexts(
  posts: readonly Post[],
  total = MAX_PAGE_TEXT_BYTES,
): { readonly posts: readonly Post[]; readonly cut: readonly Post[] } {
  const units = posts.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
  // The common case: nothing has to be cut.
  if (units * MAX_UNIT_BYTES <= total) return { posts, cut: [] };
  // A text may have at least an equal share of the total, and at most that share plus everything that shorter ones
  // leave.
  const least = Math.floor(total / posts.length);
  const beginnings = posts.map(({ text }) => measure(text ?? '', least));
  const most = beginnings.reduce((left, { bytes }) => left - bytes, least + total);
  const measured = posts.map(({ text }, index) => measure(text ?? '', most, beginnings[index]));
  const share = evenShare(
    measured.map(({ bytes, isWhole }) => (isWhole ? bytes : most + 1)),
    total,
  );
  const shown = posts.map((post, index) => {
    const { text } = post;
    if (text === null) return post;
    const { units, isWhole } = measure(text, share, beginnings[index]);
    return isWhole ? post : { ...post, text: text.slice(0, units) };
  });
  return { posts: shown, cut: shown.filter((post, index) => post !== posts[index]) };
}

/** How much of a text was measured. */
interface Measured {
  readonly units: number;
  /** Of JSON in UTF-8, without the quotes around it. */
  readonly bytes: number;
  readonly isWhole: boolean;
}

/**
 * Measures as much of a text as has no more than `limit` bytes of JSON, in whole characters.
 *
 * @param from where to continue
 */
function measure(text: string, limit: number, from?: Measured): Measured {
  let [units, bytes] = [from?.units ?? 0, from?.bytes ?? 0];
  while (units < text.length) {
    const unit = text.charCodeAt(units);
    const isPair = (unit & 0xfc00) === 0xd800 && (text.charCodeAt(units + 1) & 0xfc00) === 0xdc00;
    const more = unit < 0x80 ? (ASCII_BYTES[unit] ?? 1) : isPair ? 4 : bytesBeyondAscii(unit);
    if (bytes + more > limit) break;
    bytes += more;
    units += isPair ? 2 : 1;
  }
  return { units, bytes, isWhole: units === text.length };
}

/** Characters whose escape is a backslash and one character: `"`, `\` and five control characters (RFC 8259 section 7). */
const SHORT_ESCAPES = new Set([0x22, 0x5c, 0x08, 0x09, 0x0a, 0x0c, 0x0d]);

/** Bytes of JSON of each ASCII character. */
const ASCII_BYTES = Uint8Array.from({ length: 0x80 }, (_, unit) => {
  if (SHORT_ESCAPES.has(unit)) return 2;
  return unit < 0x20 ? MAX_UNIT_BYTES : 1;
});

/** Bytes of JSON of a UTF-16 code unit outside of pairs: a lone surrogate is escaped. */
function bytesBeyondAscii(unit: number): number {
  if (unit < 0x800) return 2;
  return unit >= 0xd800 && unit <= 0xdfff ? MAX_UNIT_BYTES : 3;
}
