import { lstatSync } from 'node:fs';
import { DIRECTORY_OR_LINK } from './directories.ts';
import { syncShared } from './directory-syncs.ts';

/** Directories that are cached: a few hundred bytes each. */
const MAX_NAMES = 1000;

/** Directories whose names survive a power cut: the path, and which directory has it. */
const durable = new Map<string, string>();

/**
 * Makes the name of a directory in its parent survive a power cut. Cached: as long as it is the same directory, no file
 * in it needs another sync. The parent may be a link of the operator's.
 */
export async function syncName(parent: string, directory: string): Promise<void> {
  const identity = identityOf(directory);
  if (durable.get(directory) === identity) return;
  await syncShared(parent, DIRECTORY_OR_LINK);
  if (durable.size >= MAX_NAMES) durable.clear();
  durable.set(directory, identity);
}

/** Inodes are reused, but not with the same times. Synchronous, as the kernel has it cached. */
function identityOf(directory: string): string {
  const { dev, ino, birthtimeMs } = lstatSync(directory);
  return `${dev} ${ino} ${birthtimeMs}`;
}
