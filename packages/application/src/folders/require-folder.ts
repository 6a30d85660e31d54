import { type Folder, invalid, selectedInvalid, type Workspace } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

/** A folder named in a body or query must be one of the workspace; null and absent name none. */
export async function requireFolder(
  ports: Pick<Ports, 'folders'>,
  workspace: Pick<Workspace, 'id'>,
  field: 'parent_id' | 'folder_id',
  id: Folder['id'] | null | undefined,
): Promise<void> {
  if (!id) return;
  const folder = await ports.folders.find(id);
  if (folder?.workspaceId !== workspace.id) throw noSuchFolder(field);
}

export const noSuchFolder = (field: 'parent_id' | 'folder_id') => invalid(field, selectedInvalid(field));
