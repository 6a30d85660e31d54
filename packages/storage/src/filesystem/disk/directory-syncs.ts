import { closeSync, fsync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { DIRECTORY } from './directories.ts';

const syncDescriptor = promisify(fsync);

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
