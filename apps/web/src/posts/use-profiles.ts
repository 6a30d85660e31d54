import { useQuery } from '@tanstack/react-query';
import { type Profile, profilesQuery } from '../networks/profiles.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';

/** Queries the workspace's profiles, sorted by name. */
export function useProfiles(): { readonly profiles: readonly Profile[]; readonly isKnown: boolean } {
  const { id: workspace } = useWorkspace();
  const { data } = useQuery({ ...profilesQuery(workspace), staleTime: 30_000, refetchInterval: 30_000 });
  return { profiles: data ?? [], isKnown: data !== undefined };
}
