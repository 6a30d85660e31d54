const SINGLE_RANGE = /^bytes *= *(\d*)-(\d*) *$/i;

/**
 * A `Range` header of one range, from first to last byte or the last so many (RFC 9110 section 14.1.2). Own code, as
 * range-parser calls a suffix that is longer than the file unsatisfiable, where it means the whole file.
 *
 * @param size bytes of the file
 * @returns the bytes, both ends included; null for any header that a server ignores: several ranges, another unit, no
 *   range at all
 */
export function parseRange(
  header: string,
  size: number,
): { readonly start: number; readonly end: number } | 'unsatisfiable' | null {
  const [, first = '', last = ''] = SINGLE_RANGE.exec(header) ?? [];
  if (first === '' && last === '') return null;
  if (first === '') return Number(last) === 0 || size === 0 ? 'unsatisfiable' : tail(Number(last), size);
  const start = Number(first);
  if (last !== '' && Number(last) < start) return null;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

const tail = (length: number, size: number) => ({ start: Math.max(0, size - length), end: size - 1 });
