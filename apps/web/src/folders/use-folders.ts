import { useQuery } from '@tanstack/react-query';
import { FRESH_UNTIL_TOLD } from '../service/live.ts';
import { trpc } from '../service/service.ts';

/** A folder by its id; undefined while it isn't known, and for none. */
export function useFolder(id: string | null) {
  const found = useQuery({
    ...trpc.folders.get.queryOptions({ folder: id ?? '' }),
    ...FRESH_UNTIL_TOLD,
    enabled: id !== null,
  });
  return found.data?.data;
}
