import type { Post } from './post.ts';

/**
 * Bytes that the texts of one page of posts have together at most, as JSON. A hundred posts of forty thousand bytes each
 * fit; a hundred at the limit of a post's text would be ten times as much.
 */
export const MAX_PAGE_TEXT_BYTES = 4_000_000;

/** Bytes of JSON that one UTF-16 code unit becomes at most: `\u0001`. */
const MAX_UNIT_BYTES = 6;

/**
 * The largest size that each may have so that all together have no more than `total`: what is smaller stays as it is, and
 * leaves its rest to the others.
 *
 * @returns `total` where nothing has to give way
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
 * The posts of a page, the longest texts cut between two characters where all of them would be more than `total` bytes.
 *
 * @returns the posts in their order, and those whose text was cut
 */
export function cutTexts(
  posts: readonly Post[],
  total = MAX_PAGE_TEXT_BYTES,
): { readonly posts: readonly Post[]; readonly cut: readonly Post[] } {
  const units = posts.reduce((sum, { text }) => sum + (text?.length ?? 0), 0);
  // Nearly every page.
  if (units * MAX_UNIT_BYTES <= total) return { posts, cut: [] };
  const share = evenShare(
    posts.map(({ text }) => jsonBytes(text ?? '')),
    total,
  );
  const shown = posts.map((post) => {
    const text = post.text === null ? null : firstJsonBytes(post.text, share);
    return text === post.text ? post : { ...post, text };
  });
  return { posts: shown, cut: shown.filter((post, index) => post !== posts[index]) };
}

/** Bytes of a text as JSON in UTF-8, without the quotes around it. */
const jsonBytes = (text: string): number => measure(text, Number.POSITIVE_INFINITY).bytes;

/** As much of a text as has no more than `limit` bytes of JSON, whole characters only. */
const firstJsonBytes = (text: string, limit: number): string => text.slice(0, measure(text, limit).units);

function measure(text: string, limit: number): { readonly bytes: number; readonly units: number } {
  let [bytes, units] = [0, 0];
  while (units < text.length) {
    const point = text.codePointAt(units) ?? 0;
    const more = bytesOf(point);
    if (bytes + more > limit) break;
    bytes += more;
    units += point > 0xffff ? 2 : 1;
  }
  return { bytes, units };
}

/** What a backslash and one character stand for: `"`, `\`, and the five control characters with a letter (RFC 8259 section 7). */
const SHORT_ESCAPES = new Set([0x22, 0x5c, 0x08, 0x09, 0x0a, 0x0c, 0x0d]);

function bytesOf(point: number): number {
  if (SHORT_ESCAPES.has(point)) return 2;
  // Control characters, and what of a surrogate pair stands alone.
  if (point < 0x20 || (point >= 0xd800 && point <= 0xdfff)) return MAX_UNIT_BYTES;
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  return point > 0xffff ? 4 : 3;
}
