import type { BestTimesScope, Uuid } from '@postshelf/domain';
import type { Queries } from '../store/dialect.ts';

/** Number of profiles that are read in one transaction. It is small, because other queries wait for the connection. */
export const PROFILES = 10;

/** Returns the profiles of a scope in the order of their ids, without profiles that are being removed. */
export async function profileIds(
  queries: Queries,
  { workspaceId, profileId }: BestTimesScope,
  after: Uuid | null,
  limit: number,
): Promise<readonly Uuid[]> {
  let profiles = queries
    .selectFrom('profiles')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('removal_begun_at', 'is', null);
  if (profileId !== null) profiles = profiles.where('id', '=', profileId);
  if (after !== null) profiles = profiles.where('id', '>', after);
  const rows = await profiles.orderBy('id').limit(limit).execute();
  return rows.map((row) => row.id);
}
