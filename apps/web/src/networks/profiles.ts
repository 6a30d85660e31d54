import { queryOptions } from '@tanstack/react-query';
import { readAll } from '../service/read-all.ts';
import { client } from '../service/service.ts';

/** Maximum number of profiles that are read. A list of more profiles would be unusable without a search field. */
const MAX_PROFILES = 1000;

export interface Profile {
  readonly id: string;
  readonly name: string;
  readonly network: string;
}

/** Returns the query for a workspace's profiles, sorted by name. */
export const profilesQuery = (workspace: string) =>
  queryOptions({
    queryKey: ['profiles', workspace],
    queryFn: ({ signal }) => readProfiles(workspace, signal),
  });

async function readProfiles(workspace: string, signal: AbortSignal): Promise<Profile[]> {
  const { rows } = await readAll(client.trpc.profiles.list, { workspace }, { signal, max: MAX_PROFILES });
  return rows.sort((one, other) => one.name.localeCompare(other.name, 'en'));
}
