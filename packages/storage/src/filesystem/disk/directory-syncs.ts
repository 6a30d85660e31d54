import { type openDirectory, syncDirectory } from './directories.ts';

/** The running sync, and the next one, for callers that came after it began. */
interface Syncs {
  readonly running: Promise<void>;
  next: Promise<void> | null;
}

const underWay = new Map<string, Syncs>();

/**
 * Makes the directory's entries survive a power cut as {@link syncDirectory} does, with shared syncs: each caller waits
 * for one that began after its call.
 *
 * @param opened as in {@link syncDirectory}
 */
export function syncShared(path: string, opened?: typeof openDirectory): Promise<void> {
  const syncs = underWay.get(path);
  if (!syncs) return begin(path, opened);
  // The running sync may have begun before the entry was made.
  syncs.next ??= syncs.running.then(
    () => begin(path, opened),
    () => begin(path, opened),
  );
  return syncs.next;
}

function begin(path: string, opened?: typeof openDirectory): Promise<void> {
  const running = syncDirectory(path, opened).finally(() => {
    if (underWay.get(path)?.next === null) underWay.delete(path);
  });
  underWay.set(path, { running, next: null });
  return running;
}
