import type { Folder, Uuid, Workspace } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { folderRefused } from './refusal.ts';

/** @throws Refusal `invalid` on `name` or `parent_id` */
export async function createFolder(
  ports: Pick<Ports, 'folders' | 'clock' | 'ids'>,
  workspace: Workspace,
  details: { readonly name: string; readonly parentId: Uuid | null },
): Promise<Folder> {
  const now = ports.clock.now();
  const folder: Folder = {
    id: ports.ids.next(),
    workspaceId: workspace.id,
    ...details,
    isSystem: false,
    createdAt: now,
    updatedAt: now,
  };
  const refusal = await ports.folders.insert(folder);
  if (refusal) throw folderRefused(refusal);
  return folder;
}
