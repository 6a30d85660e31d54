import { type Folder, folderNameKey, invalid, type Workspace } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { checkName, checkTimeZone } from './check-workspace.ts';

export interface WorkspaceRequest {
  readonly name: string;
  /** IANA name. */
  readonly timezone: string;
  /** Folders at the top level that users can't rename, move or delete. */
  readonly systemFolders: readonly string[];
}

/**
 * Makes a workspace with its system folders.
 *
 * @throws Refusal `invalid` on `name`, `timezone` or `system_folder`
 */
export async function createWorkspace(
  ports: Pick<Ports, 'workspaces' | 'clock' | 'ids'>,
  request: WorkspaceRequest,
): Promise<Workspace> {
  const name = checkName('name', request.name);
  const timezone = checkTimeZone(request.timezone);
  const now = ports.clock.now();
  const workspace: Workspace = { id: ports.ids.next(), name, timezone, createdAt: now };
  const names = request.systemFolders.map((folder) => checkName('system_folder', folder));
  if (new Set(names.map(folderNameKey)).size < names.length) {
    throw invalid('system_folder', 'The system folders must have different names.');
  }
  const folders = names.map(
    (folder): Folder => ({
      id: ports.ids.next(),
      workspaceId: workspace.id,
      parentId: null,
      name: folder,
      isSystem: true,
      createdAt: now,
      updatedAt: now,
    }),
  );
  await ports.workspaces.insert(workspace, folders);
  return workspace;
}
