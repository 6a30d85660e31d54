import { type Stats, statSync } from 'node:fs';
import { unavailable } from '../store/errors.ts';

/**
 * Checks that the open files are still those under their names. After they were removed or replaced, SQLite keeps
 * writing to files that nobody will find again (sqlite.org/howtocorrupt.html, section 2.4); with a write-ahead log it
 * doesn't check.
 */
export interface FileIdentity {
  /**
   * Called right after each commit, too, so that what is acknowledged was in the files that have the names.
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

/** null where there is no such file or folder. @throws Refusal `unavailable` */
function lookAt(name: string): Stats | null {
  try {
    return statSync(name, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    throw unavailable(error);
  }
}

const isSame = (one: Stats, other: Stats): boolean => one.ino === other.ino && one.dev === other.dev;
