import { unlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  type FreeSpace,
  type ListedPreview,
  type PreviewKey,
  type PreviewStorage,
  parsePreviewPath,
  parseUuid,
  type StoredObject,
} from '@postshelf/domain';
import { listedPreview, PREVIEWS, requirePreviewFolder, requirePreviewPath } from '../../layout/previews.ts';
import { confine } from '../disk/confine.ts';
import {
  ensureDirectory,
  entries,
  isDirectory,
  removeIfEmpty,
  requireDirectoryOrNothing,
} from '../disk/directories.ts';
import { GONE, translateError, translateErrors, withFallback } from '../disk/failures.ts';
import { diskFreeSpace, whileSpaceIsFree } from '../disk/free-space.ts';
import { listObjects } from '../objects/list.ts';
import { lookUp, storedFile } from '../objects/look-up.ts';
import { replaceFile } from '../objects/publish.ts';
import { receive } from '../staging/receive.ts';
import { dropStagingFile, StagingArea } from '../staging/staging-area.ts';

/**
 * Opens the previews in a directory of objects, kept as `{root}/.previews/{workspace}/{id}/{width}.webp`.
 *
 * @param root the root of the objects
 * @param minFree bytes of its disk to leave free
 */
export async function openFilePreviews(root: string, minFree = 0): Promise<PreviewStorage> {
  const absolute = resolve(root);
  const staging = await StagingArea.open(absolute);
  return new FilePreviews(join(absolute, PREVIEWS), staging, diskFreeSpace(absolute, minFree));
}

class FilePreviews implements PreviewStorage {
  constructor(
    private readonly root: string,
    private readonly staging: StagingArea,
    private readonly space: FreeSpace,
  ) {}

  async open(key: PreviewKey): Promise<StoredObject | null> {
    const path = confine(this.root, requirePreviewPath(key));
    return translateErrors(async () => {
      const found = (await isDirectory(this.root)) ? await lookUp(path) : null;
      return found && storedFile(path, found.size);
    });
  }

  async put(key: PreviewKey, bytes: Uint8Array): Promise<void> {
    const path = confine(this.root, requirePreviewPath(key));
    const staged = await receive(this.staging, whileSpaceIsFree(this.space, once(bytes)), { limit: bytes.length });
    try {
      await translateErrors(async () => {
        await ensureDirectory(this.root);
        await requireDirectoryOrNothing(this.root);
        await replaceFile(this.root, staged.path, path);
      });
    } finally {
      await translateErrors(() => dropStagingFile(staged));
    }
  }

  async remove({ workspaceId, id }: Parameters<PreviewStorage['remove']>[0]): Promise<void> {
    const folder = join(this.root, requirePreviewFolder({ workspaceId, ...(id && { id }) }));
    await translateErrors(async () => {
      if (!(await areDirectories(this.root, join(this.root, workspaceId)))) return;
      if (id !== undefined) return this.#removeItem(folder);
      for await (const { name } of entries(folder, GONE)) {
        if (parseUuid(name) === name) await this.#removeItem(join(folder, name));
      }
      await removeIfEmpty(folder);
    });
  }

  /**
   * Removes an item's previews but no foreign files. Not synced: what reappears after a power cut is removed as
   * garbage.
   */
  async #removeItem(folder: string): Promise<void> {
    if (!(await areDirectories(folder))) return;
    for await (const entry of entries(folder, GONE)) {
      const path = join(folder, entry.name);
      const isOurs = entry.isFile() && parsePreviewPath(path.slice(this.root.length + 1)) !== null;
      if (isOurs) await withFallback(GONE, unlink(path), undefined);
    }
    await removeIfEmpty(folder);
  }

  async *list(): AsyncGenerator<ListedPreview> {
    if (!(await translateErrors(() => areDirectories(this.root)))) return;
    try {
      for await (const { key, size } of listObjects(this.root)) {
        const listed = listedPreview(key, size);
        if (listed) yield listed;
      }
    } catch (error) {
      throw translateError(error);
    }
  }
}

async function areDirectories(...paths: readonly string[]): Promise<boolean> {
  for (const path of paths) if (!(await isDirectory(path))) return false;
  return true;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
