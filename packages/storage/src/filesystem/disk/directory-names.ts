import { lstatSync } from 'node:fs';
import { DIRECTORY_OR_LINK } from './directories.ts';
import { syncShared } from './directory-syncs.ts';

/** Directories that are remembered: a few hundred bytes each. */
const MAX_NAMES = 1000;

/** Of directories whose names survive a power cut: which directory it is that has the name. */
const durable = new Map<string, string>();

/**
 * Makes the name of a directory in its parent survive a power cut, once: it stays where it is from then on, so that one that was synced
 * and is still the same needs no sync for each file in it. The parent may be a link of the operator's.
 */
export async function syncName(parent: string, directory: string): Promise<void> {
  const identity = identityOf(directory);
  if (durable.get(directory) === identity) return;
  await syncShared(parent, DIRECTORY_OR_LINK);
  if (durable.size >= MAX_NAMES) durable.clear();
  durable.set(directory, identity);
}

/** Inodes are given to others again, but not with their times. Asked at once: the kernel has it at hand. */
function identityOf(directory: string): string {
  const { dev, ino, birthtimeMs } = lstatSync(directory);
  return `${dev} ${ino} ${birthtimeMs}`;
}
