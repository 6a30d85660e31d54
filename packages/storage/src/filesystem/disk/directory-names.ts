import { lstatSync } from 'node:fs';
import { DIRECTORY_OR_LINK } from './directories.ts';
import { syncShared } from './directory-syncs.ts';

/** Maximum number of remembered names; each takes a few hundred bytes. */
const MAX_NAMES = 1000;

const durable = new Map<string, string>();

/**
 * Makes the name of a directory durable in its parent. Doesn't sync again as long as the path leads to the same
 * directory.
 */
export async function syncName(parent: string, directory: string): Promise<void> {
  const identity = identityOf(directory);
  if (durable.get(directory) === identity) return;
  await syncShared(parent, DIRECTORY_OR_LINK);
  if (durable.size >= MAX_NAMES) durable.clear();
  durable.set(directory, identity);
}

/**
 * Identifies a directory by inode and birth time, because an inode may be reused. The call is synchronous because the
 * kernel has the entry cached.
 */
function identityOf(directory: string): string {
  const { dev, ino, birthtimeMs } = lstatSync(directory);
  return `${dev} ${ino} ${birthtimeMs}`;
}
