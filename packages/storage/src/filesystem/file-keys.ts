import { unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type FreeSpace, parseUuid, type StageOptions } from '@postshelf/domain';
import type { Found, KeyStore, ListedKey, StagedBytes } from '../key-store.ts';
import { confine, splitFolder } from './disk/confine.ts';
import { entries, isDirectory, makeDirectories, removeIfEmpty } from './disk/directories.ts';
import { codeOf, GONE, succeeds, translateError, translateErrors, withFallback } from './disk/failures.ts';
import { whileSpaceIsFree } from './disk/free-space.ts';
import { BytesInFile } from './objects/bytes-in-file.ts';
import { stageBytes } from './objects/bytes-in-memory.ts';
import { findFile, isRealDirectory, storedFile } from './objects/find-file.ts';
import { listObjects } from './objects/list.ts';
import { moveFile } from './objects/move.ts';
import { publishFile, replaceFile } from './objects/publish.ts';
import { removeFile } from './objects/remove.ts';
import { requireUsable } from './objects/usable.ts';
import type { OnFreed } from './staging/discard-abandoned.ts';
import { gather } from './staging/gather.ts';
import { receive } from './staging/receive.ts';
import { discardStagingFile, type StagingArea } from './staging/staging-area.ts';

/**
 * Stores keys as files of a directory, `{root}/{key}`, and staged bytes in `{root}/.staging/{process}`. A folder is
 * created with its first key. The folders of items and of the trash are removed with their last key. Full guarantees
 * need hard links; `hard-links.ts` says what holds without them.
 */
export class FileKeys implements KeyStore {
  readonly isReadByOthers = false;
  #refusedIn: readonly string[] = [];

  /** @param gathered maximum size of a body that is held in memory; negative to hold none */
  constructor(
    private readonly root: string,
    private readonly staging: StagingArea,
    private readonly space: FreeSpace,
    private readonly gathered: number,
  ) {}

  async stage(body: AsyncIterable<Uint8Array>, options: StageOptions): Promise<StagedBytes> {
    const gathered = await gather(body, Math.min(this.gathered, options.limit));
    if (gathered instanceof Uint8Array) return stageBytes(this.root, this.staging, this.space, gathered);
    try {
      return new BytesInFile(this.root, await receive(this.staging, whileSpaceIsFree(this.space, gathered), options));
    } catch (error) {
      // If no file could be created or there is no space, nothing has read the rest of the body, so it has to be ended
      // here.
      await gathered.return();
      throw error;
    }
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    const { path, outer } = this.#placeOf(key);
    const staged = await receive(this.staging, whileSpaceIsFree(this.space, once(bytes)), { limit: bytes.length });
    try {
      await translateErrors(async () => {
        await makeDirectories(outer);
        await replaceFile(outer.at(-1) ?? this.root, staged.path, path);
      });
    } finally {
      // A file that can't be removed is later discarded as abandoned.
      await Promise.allSettled([discardStagingFile(staged)]);
    }
  }

  async find(key: string): Promise<Found | null> {
    const { path, outer } = this.#placeOf(key);
    const found = await translateErrors(() => findFile(path, outer));
    return found && { key, ...storedFile(path, found.size) };
  }

  requirePresent(): Promise<void> {
    return this.staging.requirePresent();
  }

  async *list(prefix: string): AsyncGenerator<ListedKey> {
    const { path, outer, name, rest } = splitFolder(this.root, prefix);
    try {
      if (!outer.every(isRealDirectory)) return;
      const within = rest.split('/').slice(0, -1);
      if (!within.every((id) => parseUuid(id) === id)) throw new Error('Not the folder of a workspace or an item.');
      for await (const found of listObjects(path, within)) {
        yield name === '' ? found : { ...found, key: `${name}/${found.key}` };
      }
      // A process may have been killed before it removed these folders.
      if (within.length === 0) await removeEmpty([], outer);
    } catch (error) {
      // A folder of the trash may disappear meanwhile, because other processes remove it once it is empty.
      if (outer.length === 0 || !GONE.includes(codeOf(error) ?? '')) throw translateError(error);
    }
  }

  async folders(prefix: string): Promise<readonly string[]> {
    const { path } = splitFolder(this.root, prefix);
    return translateErrors(async () => {
      const names: string[] = [];
      if (!(await isDirectory(path))) return names;
      for await (const entry of entries(path, GONE)) if (entry.isDirectory()) names.push(entry.name);
      return names;
    });
  }

  async publish(found: Found, key: string): Promise<'published' | 'taken' | 'gone'> {
    const [from, to] = [this.#placeOf(found.key), this.#placeOf(key)];
    return translateErrors(async () => {
      try {
        return (await publishFile(this.root, from.path, to.path)) ? 'published' : 'taken';
      } catch (error) {
        if (!(await findFile(from.path, from.outer))) return 'gone';
        throw error;
      }
    });
  }

  async move(found: Found, key: string): Promise<boolean> {
    const [from, to] = [this.#placeOf(found.key), this.#placeOf(key)];
    return translateErrors(() => succeeds(moveFile(this.root, from.path, to.path, to.outer), ['ENOENT']));
  }

  async purge(key: string): Promise<void> {
    const { path, outer } = this.#placeOf(key);
    await this.staging.requirePresent();
    const workspace = dirname(dirname(path));
    try {
      await translateErrors(async () => {
        if (!outer.every(isRealDirectory)) return;
        await removeFile(path);
        if (outer.length > 0) await removeEmpty([workspace], outer);
      });
    } catch (error) {
      this.#refusedIn = [dirname(path), workspace];
      throw error;
    }
  }

  async purgeListed(key: string): Promise<void> {
    const { path, outer } = this.#placeOf(key);
    await translateErrors(async () => {
      await withFallback(GONE, unlink(path), undefined);
      await removeEmpty([dirname(path), dirname(dirname(path))], outer);
    });
  }

  discardAbandoned(before: number, onFreed?: OnFreed): Promise<number> {
    return this.staging.discardAbandoned(before, onFreed);
  }

  async check(): Promise<void> {
    await requireUsable(this.root, this.staging, this.#refusedIn);
    this.#refusedIn = [];
  }

  #placeOf(key: string): { readonly path: string; readonly outer: readonly string[] } {
    const { path, outer, rest } = splitFolder(this.root, key);
    return { path: confine(path, rest), outer };
  }
}

/**
 * Removes empty folders, the innermost first, and then those of the trash, which {@link moveFile} recreates if needed.
 */
async function removeEmpty(folders: readonly string[], outer: readonly string[]): Promise<void> {
  const ofTrash = outer.length > 1 ? outer.toReversed() : [];
  for (const folder of [...folders, ...ofTrash]) if (!(await removeIfEmpty(folder))) return;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
