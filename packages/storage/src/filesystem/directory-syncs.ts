import { syncDirectory } from './directories.ts';

/** A sync that runs, and the one that follows for those who came too late for it. */
interface Syncs {
  readonly running: Promise<void>;
  next: Promise<void> | null;
}

const underWay = new Map<string, Syncs>();

/**
 * Makes the directory's entries survive a power cut, as {@link syncDirectory} does, for all who ask at one time at once: each
 * is answered by a sync that began after it asked.
 */
export function syncShared(path: string): Promise<void> {
  const syncs = underWay.get(path);
  if (!syncs) return begin(path);
  // What runs may have passed by the entry already.
  syncs.next ??= syncs.running.then(
    () => begin(path),
    () => begin(path),
  );
  return syncs.next;
}

function begin(path: string): Promise<void> {
  const running = syncDirectory(path).finally(() => {
    if (underWay.get(path)?.next === null) underWay.delete(path);
  });
  underWay.set(path, { running, next: null });
  return running;
}
