import type { Uuid, Workspace, WorkspaceChange } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { checkName, checkTimeZone } from './check-workspace.ts';

/**
 * Changes what people call a workspace, or its time zone; best times are read by the new one at once.
 *
 * @returns null when there is none
 * @throws Refusal `invalid` on `name` or `timezone`
 */
export async function updateWorkspace(
  ports: Pick<Ports, 'workspaces'>,
  id: Uuid,
  { name, timezone }: WorkspaceChange,
): Promise<Workspace | null> {
  const change: WorkspaceChange = {
    ...(name !== undefined && { name: checkName('name', name) }),
    ...(timezone !== undefined && { timezone: checkTimeZone(timezone) }),
  };
  return ports.workspaces.update(id, change);
}
