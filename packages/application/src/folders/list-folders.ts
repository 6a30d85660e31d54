import {
  type Folder,
  type FolderFilter,
  type PageRequest,
  type Rows,
  sliceOf,
  type Workspace,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { requireFolder } from './require-folder.ts';

/** Most recently updated first. @throws Refusal `invalid` when the parent of the filter is no folder of the workspace */
export async function listFolders(
  ports: Pick<Ports, 'folders'>,
  workspace: Workspace,
  filter: FolderFilter,
  page: PageRequest,
): Promise<Rows<Folder>> {
  await requireFolder(ports, workspace, 'parent_id', filter.parentId);
  return ports.folders.list(workspace.id, filter, sliceOf(page));
}
