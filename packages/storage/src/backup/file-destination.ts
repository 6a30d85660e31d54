import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, lstat, open, readdir, realpath, rename, rm, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import {
  type BackupDestination,
  BackupError,
  type BackupOutcome,
  backupName,
  type ExistingBackup,
  incompleteName,
  isBackupPath,
  isDated,
  isNameOf,
} from '@postshelf/domain';
import { syncFollowingLinks } from '../filesystem/disk/directories.ts';
import { GONE, withFallback } from '../filesystem/disk/failures.ts';
import { writeFully } from '../filesystem/disk/read-write.ts';
import { asBackupError } from './failures.ts';
import { lastFileOf } from './last-file.ts';
import { removeLeftovers } from './leftovers.ts';
import { MODE, type Sink, TarWriter } from './tar-writer.ts';

/** The name of a backup's last file: a tar that contains it is complete. */
const SUMMARY = 'backup.json';

/**
 * Opens a destination for backups in a folder: a single file or, with `{date}` in its name, one file per backup. A
 * backup is written to `{name}.{random}.partial` and then renamed; a later backup removes what killed backups left.
 *
 * @param path the file to write; for a link, its target is replaced
 * @param time the time for `{date}`, in milliseconds since the epoch
 * @throws BackupError when something other than a file exists at the path, or the folder can't be read
 */
export async function openFileDestination(path: string, time: number): Promise<BackupDestination> {
  if (!isBackupPath(path)) throw new BackupError(`${path}: {date} can only be in the name of the file, and only once.`);
  const given = resolve(path);
  const pattern = basename(given);
  const target = await resolveLink(join(dirname(given), backupName(pattern, time)));
  const folder = dirname(target);
  await requireFileOrNothing(incompleteName(target));
  return new FileDestination(target, folder, isDated(pattern) ? pattern : basename(target));
}

class FileDestination implements BackupDestination {
  readonly copyPath: string;

  constructor(
    readonly path: string,
    private readonly folder: string,
    private readonly pattern: string,
  ) {
    this.copyPath = `${path}.${randomUUID()}.copy`;
  }

  async *existing(outcome: BackupOutcome): AsyncGenerator<ExistingBackup> {
    const all = await asBackupError(`${this.folder} cannot be read`, () => readdir(this.folder));
    const wanted = (name: string): boolean =>
      outcome === 'whole'
        ? isNameOf(this.pattern, name)
        : name.endsWith(incompleteName('')) && isNameOf(this.pattern, name.slice(0, -incompleteName('').length));
    for (const name of all.filter(wanted).sort().reverse()) {
      const path = join(this.folder, name);
      const found = await asBackupError(`${path} cannot be read`, () => this.#inspect(path));
      if (found !== null) yield found;
    }
  }

  async #inspect(path: string): Promise<ExistingBackup | null> {
    const found = await withFallback(GONE, lstat(path), null);
    if (!found?.isFile()) return null;
    return { path, size: found.size, summary: await withFallback(GONE, lastFileOf(path, SUMMARY), null) };
  }

  async open(): Promise<TarWriter> {
    await removeLeftovers(this.folder, (name) => isNameOf(this.pattern, name));
    const partial = `${this.path}.${randomUUID()}.partial`;
    const handle = await asBackupError(`${this.path} cannot be written`, () => open(partial, 'wx', MODE));
    return new TarWriter(new FileSink(this.path, partial, handle));
  }

  async remove(path: string): Promise<void> {
    await asBackupError(`${path} cannot be removed`, () => unlink(path));
  }
}

class FileSink implements Sink {
  #position = 0;
  #isOpen = true;

  constructor(
    private readonly path: string,
    private readonly partial: string,
    private readonly handle: FileHandle,
  ) {}

  write(bytes: Uint8Array): Promise<void> {
    return this.#asBackupError(async () => {
      await writeFully(this.handle, bytes, this.#position);
      this.#position += bytes.byteLength;
    });
  }

  finish(outcome: BackupOutcome): Promise<string> {
    return this.#asBackupError(async () => {
      const place = outcome === 'whole' ? this.path : incompleteName(this.path);
      await this.handle.sync();
      await this.#close();
      // Something else may have been put at this path since the start.
      await requireFileOrNothing(place);
      await rename(this.partial, place);
      await syncFollowingLinks(dirname(place));
      return place;
    });
  }

  async discard(): Promise<void> {
    await this.#close();
    await rm(this.partial, { force: true });
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.handle.close();
  }

  #asBackupError<T>(work: () => Promise<T>): Promise<T> {
    return asBackupError(`${this.path} cannot be written`, work);
  }
}

/**
 * Returns the target of a symbolic link, or the path itself if it isn't a link.
 *
 * @throws BackupError if the link is broken, or something other than a regular file exists there
 */
async function resolveLink(path: string): Promise<string> {
  const found = await statOrNull(path, lstat);
  if (found === null) return path;
  if (!found.isSymbolicLink()) {
    requireFile(path, found);
    return path;
  }
  const led = await statOrNull(path, stat);
  if (led === null) throw new BackupError(`${path} is a broken link: no backup is written there.`);
  requireFile(path, led);
  return asBackupError(`${path} cannot be written`, () => realpath(path));
}

/** @throws BackupError when something other than a regular file exists at the path */
async function requireFileOrNothing(path: string): Promise<void> {
  const found = await statOrNull(path, lstat);
  if (found !== null) requireFile(path, found);
}

const statOrNull = (path: string, read: (path: string) => Promise<Stats>): Promise<Stats | null> =>
  asBackupError(`${path} cannot be written`, () => withFallback(['ENOENT'], read(path), null));

/** @throws BackupError if something other than a regular file was found */
function requireFile(path: string, found: Stats): void {
  if (found.isFile()) return;
  const advice = found.isDirectory()
    ? `name a file in it, such as ${join(path, 'postshelf.tar')}`
    : '- is standard output';
  throw new BackupError(`${path} is ${kindOf(found)}: no backup is written there (${advice}).`);
}

function kindOf(found: Stats): string {
  if (found.isDirectory()) return 'a folder';
  if (found.isSymbolicLink()) return 'a link';
  if (found.isFIFO()) return 'a pipe';
  return found.isSocket() ? 'a socket' : 'a device';
}
