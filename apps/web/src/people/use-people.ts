import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { readAll } from '../service/read-all.ts';
import { client, ME_KEY, queryClient } from '../service/service.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import type { Person } from './roles.ts';

const KEY = 'people';

/** Queries the workspace's people, newest first. A workspace has at most a few hundred people. */
export function usePeople(isAllowed: boolean): UseQueryResult<readonly Person[]> {
  const { id: workspace } = useWorkspace();
  return useQuery({
    queryKey: [KEY, workspace],
    queryFn: async ({ signal }) => (await readAll(client.trpc.people.list, { workspace }, { signal })).rows,
    enabled: isAllowed,
    // No event reports changes to people, so the list is polled.
    refetchInterval: 4000,
  });
}

/** Refreshes the people and, because the user's own role may have changed, the session. */
export const refreshPeople = async (): Promise<void> => {
  await Promise.all([KEY, ...ME_KEY].map((key) => queryClient.invalidateQueries({ queryKey: [key] })));
};
