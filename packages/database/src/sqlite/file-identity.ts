import { type Stats, statSync } from 'node:fs';
import { unavailable } from '../store/errors.ts';

/**
 * Whether the files that are open still stand under their names. Once they are removed or replaced, SQLite goes on
 * writing to files that nobody will find again (sqlite.org/howtocorrupt.html, section 2.4): with a write-ahead log it
 * doesn't look.
 */
export interface FileIdentity {
  /**
   * Ask right behind a commit too: what is acknowledged then was in the files that have the names.
   *
   * @throws Refusal `unavailable`, until they are back
   */
  require(): void;
}

/** Two `stat` calls, a few microseconds, beside the milliseconds of a commit. @param path a database that is open */
export function fileIdentity(path: string): FileIdentity {
  const files = [path, `${path}-wal`].map((name) => ({ name, opened: statSync(name) }));
  return {
    require() {
      for (const { name, opened } of files) {
        const found = lookAt(name);
        if (!found || !isSame(found, opened)) throw unavailable(new Error(`${name} was removed or replaced.`));
      }
    },
  };
}

/** null where nothing is, nor a folder for it. @throws Refusal `unavailable` */
function lookAt(name: string): Stats | null {
  try {
    return statSync(name, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    throw unavailable(error);
  }
}

const isSame = (one: Stats, other: Stats): boolean => one.ino === other.ino && one.dev === other.dev;
