import { lstat, rename, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { ListedObject, Trash, TrashedObject, TrashRestoreOutcome } from '@postshelf/domain';
import { nameOfTime, TRASH, timesOf } from '../../layout/trash-names.ts';
import { confine } from '../disk/confine.ts';
import {
  DIRECTORY_OR_LINK,
  ensureDirectory,
  entries,
  isDirectory,
  removeIfEmpty,
  requireDirectoryOrNothing,
  syncDirectory,
} from '../disk/directories.ts';
import { syncShared } from '../disk/directory-syncs.ts';
import { codeOf, GONE, translateError, translateErrors, withFallback } from '../disk/failures.ts';
import { listObjects } from '../objects/list.ts';
import { lookUp } from '../objects/look-up.ts';
import { publishFile } from '../objects/publish.ts';
import { syncRemoval } from '../objects/remove.ts';

/** Number of attempts to move an object: another process may remove the still empty folders in between. */
const ATTEMPTS = 16;

/**
 * The trash of a directory of objects: `{root}/.trash/{time}/{workspace}/{id}/{name}`. Its folders are created with the
 * first object and removed once they are empty.
 */
export const fileTrash = (root: string): Trash => new FileTrash(resolve(root));

class FileTrash implements Trash {
  readonly #path: string;

  constructor(private readonly root: string) {
    this.#path = join(root, TRASH);
  }

  async add(key: string, at: number): Promise<boolean> {
    const source = confine(this.root, key);
    nameOfTime(at);
    return translateErrors(async () => {
      for (let attempt = 1; ; attempt += 1) {
        if (!(await lookUp(source))) return false;
        try {
          await this.#move(source, await this.#freePlace(key, at));
          return true;
        } catch (error) {
          // The object, or a folder of the target, was removed meanwhile.
          if (codeOf(error) !== 'ENOENT' || attempt === ATTEMPTS) throw error;
        }
      }
    });
  }

  /** Finds a free path at this time or a later one, as rename(2) would replace a file. */
  async #freePlace(key: string, at: number): Promise<string> {
    for (let time = at; ; time += 1) {
      const place = confine(this.#folder(time), key);
      if (!(await withFallback(GONE, lstat(place), null))) return place;
    }
  }

  /**
   * Moves a file with rename(2), so that a kill leaves the object in one place or the other. The target's folders are
   * made durable first.
   */
  async #move(source: string, target: string): Promise<void> {
    const item = dirname(target);
    const workspace = dirname(item);
    const folder = dirname(workspace);
    for (const directory of [this.#path, folder, workspace, item]) {
      await ensureDirectory(directory);
      await requireDirectoryOrNothing(directory);
    }
    // An existing folder may not have been synced yet by the call that created it.
    const parents = [workspace, folder, this.#path].map((directory) => syncShared(directory));
    await Promise.all([...parents, syncShared(this.root, DIRECTORY_OR_LINK)]);
    await rename(source, target);
    await syncDirectory(item);
    await syncRemoval(dirname(source));
  }

  async *list(): AsyncGenerator<TrashedObject> {
    for (const trashedAt of await this.#times()) {
      for await (const { key, size } of this.#within(trashedAt)) yield { key, size, trashedAt };
    }
  }

  async restore({ key, trashedAt }: Pick<TrashedObject, 'key' | 'trashedAt'>): Promise<TrashRestoreOutcome> {
    const target = confine(this.root, key);
    const place = confine(this.#folder(trashedAt), key);
    return translateErrors(async () => {
      if (!(await this.#holds(place, trashedAt))) return 'not_in_trash';
      try {
        await publishFile(this.root, place, target);
      } catch (error) {
        if (codeOf(error) === 'EEXIST') return 'object_there';
        if (!(await this.#holds(place, trashedAt))) return 'not_in_trash';
        throw error;
      }
      await withFallback(GONE, unlink(place), undefined);
      await syncRemoval(dirname(place));
      await this.#dropFolders(trashedAt, [dirname(dirname(place))]);
      return 'restored';
    });
  }

  async remove({ key, trashedAt }: Pick<TrashedObject, 'key' | 'trashedAt'>): Promise<void> {
    const place = confine(this.#folder(trashedAt), key);
    await translateErrors(async () => {
      if (!(await this.#holds(place, trashedAt))) return;
      await withFallback(GONE, unlink(place), undefined);
      await syncRemoval(dirname(place));
      await this.#dropFolders(trashedAt, [dirname(dirname(place))]);
    });
  }

  async empty(before: number, onFreed: (bytes: number) => void = () => undefined): Promise<number> {
    let removed = 0;
    for (const at of await this.#times()) {
      if (at >= before) continue;
      const workspaces = new Set<string>();
      for await (const { key, size, isSettled } of this.#within(at)) {
        const place = confine(this.#folder(at), key);
        // Not synced: a file that reappears after a power cut is removed the next time.
        await translateErrors(() => withFallback(GONE, unlink(place), undefined));
        await translateErrors(() => removeIfEmpty(dirname(place)));
        workspaces.add(dirname(dirname(place)));
        removed += 1;
        // A file with a second name was being restored when its process was killed: removing this name frees no bytes.
        if (isSettled) onFreed(size);
      }
      await translateErrors(() => this.#dropFolders(at, workspaces));
    }
    return removed;
  }

  #folder(at: number): string {
    return join(this.#path, nameOfTime(at));
  }

  /** Whether the trash has the file, in folders that are not links. */
  async #holds(place: string, at: number): Promise<boolean> {
    const folders = await Promise.all([isDirectory(this.#path), isDirectory(this.#folder(at))]);
    return folders.every(Boolean) && (await lookUp(place)) !== null;
  }

  async #times(): Promise<number[]> {
    return translateErrors(async () => {
      if (!(await isDirectory(this.#path))) return [];
      const names: string[] = [];
      for await (const entry of entries(this.#path, GONE)) if (entry.isDirectory()) names.push(entry.name);
      return timesOf(names);
    });
  }

  async *#within(at: number): AsyncGenerator<ListedObject> {
    try {
      yield* listObjects(this.#folder(at));
    } catch (error) {
      if (!GONE.includes(codeOf(error) ?? '')) throw translateError(error);
    }
  }

  /** Removes the folders of the workspaces, of the time and of the trash itself, if they are empty. */
  async #dropFolders(at: number, workspaces: Iterable<string>): Promise<void> {
    for (const directory of [...workspaces, this.#folder(at), this.#path]) await removeIfEmpty(directory);
  }
}
