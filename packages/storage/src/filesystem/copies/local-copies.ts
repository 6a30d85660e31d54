import { existsSync, rmSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { resolve } from 'node:path';
import { COPY_LIFE, type LocalCopies, nameOfPart, Refusal } from '@postshelf/domain';
import { LRUCache } from 'lru-cache';
import { ensureRoot } from '../disk/directories.ts';
import { translateErrors } from '../disk/failures.ts';
import { diskFreeSpace, whileSpaceIsFree } from '../disk/free-space.ts';
import { storedFile } from '../objects/find-file.ts';
import { BlockWriter } from '../staging/block-writer.ts';
import { StagingArea, type StagingFile } from '../staging/staging-area.ts';

/**
 * Milliseconds for which the file of an expired copy is kept, because a response that has the copy opens the file only
 * when sending begins.
 */
const LINGER = 5_000;

const CHECK_INTERVAL = 60_000;

/** Maximum number of copies. Each takes an inode on the disk and the memory for a name. */
const MAX_COPIES = 20_000;

export interface LocalCopiesOptions {
  /** Maximum size of all copies together, in bytes. */
  readonly maxBytes: number;
  /** Bytes of disk space that copies must leave free. */
  readonly minFree: number;
}

/** The copies of this process. {@link close} must be called. */
export interface OpenLocalCopies extends LocalCopies {
  close(): void;
}

interface Copy {
  readonly path: string;
  readonly size: number;
}

/**
 * Opens local copies in a directory, which is created with the first copy. If the directory exists already, copies of
 * dead processes are removed at once and then at intervals.
 */
export function openLocalCopies(root: string, { maxBytes, minFree }: LocalCopiesOptions): OpenLocalCopies {
  const absolute = resolve(root);
  let opening: Promise<StagingArea> | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  const copies = new LRUCache<string, Copy>({
    max: MAX_COPIES,
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: ({ size }) => size,
    ttl: COPY_LIFE,
    updateAgeOnGet: true,
    dispose: ({ path }) => {
      // If this fails, another process discards the file as abandoned.
      setTimeout(() => void unlink(path).catch(() => undefined), LINGER).unref();
    },
  });

  const open = async (): Promise<StagingArea> => {
    await ensureRoot(absolute);
    const area = await StagingArea.open(absolute);
    // If this fails, the next interval tries again.
    const discardAbandoned = (): void => void area.discardAbandoned(0).catch(() => undefined);
    discardAbandoned();
    timer = setInterval(() => {
      copies.purgeStale();
      discardAbandoned();
    }, CHECK_INTERVAL);
    timer.unref();
    return area;
  };
  const openOnce = (): Promise<StagingArea> => {
    opening ??= translateErrors(open).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  // If this fails, the first copy fails as well, and its caller gets the error.
  if (existsSync(absolute)) openOnce().catch(() => undefined);

  const write = async (file: StagingFile, length: number, body: AsyncIterable<Uint8Array>): Promise<void> => {
    const writer = new BlockWriter(file.handle, 0, false);
    try {
      for await (const chunk of whileSpaceIsFree(diskFreeSpace(absolute, minFree), body)) {
        await translateErrors(() => writer.add(chunk));
      }
      await translateErrors(() => writer.flush());
      if (writer.written !== length) throw new Error(`The storage sent ${writer.written} of ${length} bytes.`);
    } catch (error) {
      await Promise.allSettled([unlink(file.path)]);
      throw error;
    } finally {
      await writer.close();
      await file.handle.close();
    }
  };

  return {
    find(part) {
      const name = nameOfPart(part);
      const copy = copies.get(name);
      if (copy === undefined) return null;
      // An operator may have emptied the directory.
      if (existsSync(copy.path)) return blobOf(copy);
      copies.delete(name);
      return null;
    },
    async make(part, body) {
      const size = part.end - part.start + 1;
      if (size > maxBytes || size === 0) return null;
      const area = await openOnce();
      if (!(await diskFreeSpace(absolute, minFree).has(size))) return null;
      const file = await area.createFile();
      try {
        await write(file, size, body());
      } catch (error) {
        if (error instanceof Refusal && error.problem.code === 'storage_low') return null;
        throw error;
      }
      const copy = { path: file.path, size };
      copies.set(nameOfPart(part), copy);
      return blobOf(copy);
    },
    close() {
      clearInterval(timer);
      for (const { path } of copies.values()) rmSync(path, { force: true });
    },
  };
}

const blobOf = ({ path, size }: Copy): Blob => storedFile(path, size).body() as Blob;
