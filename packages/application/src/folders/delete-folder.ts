import { type Folder, notFound } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { folderRefused } from './refusal.ts';

/** @throws Refusal `not_found` when it went meanwhile, `invalid` on `folder` unless it is empty and no system folder */
export async function deleteFolder(ports: Pick<Ports, 'folders'>, folder: Folder): Promise<void> {
  const answer = await ports.folders.remove(folder.id);
  if (answer === null) throw notFound();
  if (answer !== 'removed') throw folderRefused(answer);
}
