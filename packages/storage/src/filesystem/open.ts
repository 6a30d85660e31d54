import { resolve } from 'node:path';
import type { ObjectStorage, PreviewStorage, ResumableStorage, StorageMarker, Trash } from '@postshelf/domain';
import { KeyedTrash } from '../garbage/trash.ts';
import { KeyedObjects } from '../objects/object-storage.ts';
import { KeyedPreviews } from '../previews/preview-storage.ts';
import { ensureRoot } from './disk/directories.ts';
import { diskFreeSpace } from './disk/free-space.ts';
import { FileKeys } from './file-keys.ts';
import { fileMarker } from './library/storage-marker.ts';
import { FileResumableStorage } from './resumable/resumable-storage.ts';
import { MAX_GATHERED_BYTES } from './staging/gather.ts';
import { StagingArea } from './staging/staging-area.ts';

export interface Files {
  readonly storage: ObjectStorage;
  readonly trash: Trash;
  readonly previews: PreviewStorage;
  readonly resumable: ResumableStorage;
  readonly marker: StorageMarker;
}

export interface FilesOptions {
  /** Bytes of the disk to leave free: a call that would use them throws Refusal `storage_low`. Default 0. */
  readonly minFree?: number;
  /** Maximum size of a body that is held in memory; negative to hold none. */
  readonly gathered?: number;
}

/**
 * Opens a directory of objects. Any number of processes may share it.
 *
 * @param root created, for the service's user only, when it is missing
 * @throws the operating system's error when the directory can't be created; Error when the path isn't a directory
 */
export async function openFiles(
  root: string,
  { minFree = 0, gathered = MAX_GATHERED_BYTES }: FilesOptions = {},
): Promise<Files> {
  const absolute = resolve(root);
  await ensureRoot(absolute);
  const [staging, space] = [await StagingArea.open(absolute), diskFreeSpace(absolute, minFree)];
  const keys = new FileKeys(absolute, staging, space, gathered);
  return {
    storage: new KeyedObjects(keys),
    trash: new KeyedTrash(keys),
    previews: new KeyedPreviews(keys),
    resumable: new FileResumableStorage(absolute, staging, space),
    marker: fileMarker(absolute),
  };
}
