import type { Slice } from '@postshelf/domain';

/**
 * The rows of a slice as one asks for them from the end of the list that is nearer, since what is before them has to be
 * passed over: a list's last page costs what its first does.
 *
 * @param total rows of the whole list; the slice begins within it
 */
export function pageFromNearerEnd({ offset, limit }: Slice, total: number) {
  const size = Math.min(limit, total - offset);
  const behind = total - offset - size;
  if (offset <= behind) return { direction: 'desc', offset, limit: size } as const;
  return { direction: 'asc', offset: behind, limit: size } as const;
}
