import { useQuery } from '@tanstack/react-query';
import { client, LIVE } from '../service/service.ts';

/** More than folders can be nested. */
const MAX_DEPTH = 32;

/** "Campaigns / Summer"; undefined until it is known, and where there is no such folder. */
export function useFolderPath(folder: string | null): string | undefined {
  const { data } = useQuery({
    ...LIVE,
    queryKey: ['folder-path', folder],
    enabled: folder !== null,
    async queryFn({ signal }) {
      const names: string[] = [];
      for (let id = folder; id !== null && names.length < MAX_DEPTH; ) {
        const { data: found } = await client.trpc.folders.get.query({ folder: id }, { signal });
        names.unshift(found.name);
        id = found.parent_id;
      }
      return names.join(' / ');
    },
  });
  return data;
}
