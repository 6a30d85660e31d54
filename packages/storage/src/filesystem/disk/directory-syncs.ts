import { closeSync, fsync, lstatSync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { DIRECTORY, DIRECTORY_OR_LINK } from './directories.ts';

/** Syncs an open file or directory. */
export const syncDescriptor = promisify(fsync);

/**
 * The running sync of a directory, and the next one, which serves the callers that came after the running one started.
 */
interface Syncs {
  readonly running: Promise<void>;
  next: Promise<void> | null;
}

const underWay = new Map<string, Syncs>();

/** Like `syncDirectory`, but callers share syncs: each caller waits for a sync that starts after its call. */
export function syncShared(path: string, flags: number = DIRECTORY): Promise<void> {
  const syncs = underWay.get(path);
  if (!syncs) return begin(path, flags);
  // The running sync may have started before the entry was made.
  syncs.next ??= syncs.running.then(
    () => begin(path, flags),
    () => begin(path, flags),
  );
  return syncs.next;
}

function begin(path: string, flags: number): Promise<void> {
  const running = sync(path, flags).finally(() => {
    if (underWay.get(path)?.next === null) underWay.delete(path);
  });
  underWay.set(path, { running, next: null });
  return running;
}

async function sync(path: string, flags: number): Promise<void> {
  const directory = openSync(path, flags);
  try {
    await syncDescriptor(directory);
  } finally {
    closeSync(directory);
  }
}

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
