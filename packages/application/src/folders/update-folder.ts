import { type Folder, type FolderChange, notFound } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { folderRefused } from './refusal.ts';

/**
 * Renames and moves a folder; what is absent stays.
 *
 * @throws Refusal `not_found` when it went meanwhile, `invalid` on `name`, `parent_id` or `folder`
 */
export async function updateFolder(
  ports: Pick<Ports, 'folders' | 'clock'>,
  folder: Folder,
  change: FolderChange,
): Promise<Folder> {
  const updated = await ports.folders.update(folder.id, change, ports.clock.now());
  if (updated === null) throw notFound();
  if (typeof updated === 'string') throw folderRefused(updated);
  return updated;
}
