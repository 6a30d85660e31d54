import type { Uuid } from '@postshelf/domain';
import type { Queries } from '../store/dialect.ts';

export async function profileIds(
  queries: Queries,
  workspaceId: Uuid | null,
  after: Uuid | null,
  limit: number,
): Promise<readonly Uuid[]> {
  let profiles = queries.selectFrom('profiles').select('id').where('removal_begun_at', 'is', null);
  if (workspaceId !== null) profiles = profiles.where('workspace_id', '=', workspaceId);
  if (after !== null) profiles = profiles.where('id', '>', after);
  const rows = await profiles.orderBy('id').limit(limit).execute();
  return rows.map((row) => row.id);
}
