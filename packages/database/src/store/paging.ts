import type { Slice } from '@postshelf/domain';

/**
 * Reads a slice from the nearer end of the list, in its order (`desc`) or in reverse (`asc`), as a database steps over
 * all rows before the offset.
 *
 * @param total rows of the whole list; greater than the slice's offset
 */
export function pageFromNearerEnd({ offset, limit }: Slice, total: number) {
  const size = Math.min(limit, total - offset);
  const behind = total - offset - size;
  if (offset <= behind) return { direction: 'desc', offset, limit: size } as const;
  return { direction: 'asc', offset: behind, limit: size } as const;
}
