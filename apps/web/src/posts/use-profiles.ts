import { useQuery } from '@tanstack/react-query';
import { client } from '../service/service.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';

/** Most profiles that are read: more than anybody can use in a list without a search. */
const MOST = 1000;
const PER_PAGE = 100;

export interface Profile {
  readonly id: string;
  readonly name: string;
  readonly network: string;
}

/** The workspace's profiles, sorted by name. */
export function useProfiles(): { readonly profiles: readonly Profile[]; readonly isKnown: boolean } {
  const { id: workspace } = useWorkspace();
  const { data } = useQuery({
    queryKey: ['profiles', workspace],
    queryFn: ({ signal }) => readProfiles(workspace, signal),
    staleTime: 30_000,
    refetchInterval: 30_000,
  });
  return { profiles: data ?? [], isKnown: data !== undefined };
}

async function readProfiles(workspace: string, signal: AbortSignal): Promise<Profile[]> {
  const found: Profile[] = [];
  for await (const { data } of client.pages(client.trpc.profiles.list, { workspace, per_page: PER_PAGE }, { signal })) {
    found.push(...data);
    if (found.length >= MOST) break;
  }
  return found.sort((one, other) => one.name.localeCompare(other.name, 'en'));
}
