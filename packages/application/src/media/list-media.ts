import {
  type MediaFilter,
  type MediaWithCover,
  type PageRequest,
  type Rows,
  sliceOf,
  type Workspace,
} from '@postshelf/domain';
import { requireFolder } from '../folders/require-folder.ts';
import type { Ports } from '../ports.ts';

/** Most recently updated first, covers left out. @throws Refusal `invalid` when `folder_id` is no folder of the workspace */
export async function listMedia(
  ports: Pick<Ports, 'media' | 'folders'>,
  workspace: Workspace,
  filter: MediaFilter,
  page: PageRequest,
): Promise<Rows<MediaWithCover>> {
  await requireFolder(ports, workspace, 'folder_id', filter.folderId);
  return ports.media.list(workspace.id, filter, sliceOf(page));
}
