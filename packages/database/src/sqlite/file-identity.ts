import { type Stats, statSync } from 'node:fs';
import { unavailable } from '../store/errors.ts';

/**
 * Checks that the open files are still those at their paths. If they were replaced, SQLite would continue to write to
 * unlinked files (sqlite.org/howtocorrupt.html, section 2.4).
 */
export interface FileIdentity {
  /**
   * Called before each transaction and after its commit, so that acknowledged data is in the files at those paths.
   *
   * @throws Refusal `unavailable` until the same files are back
   */
  require(): void;
}

/**
 * Returns the checks for a database. Each check takes two `stat` calls, which is little compared with the milliseconds
 * of a commit.
 *
 * @param path the path of an open database
 */
export function fileIdentity(path: string): FileIdentity {
  const files = [path, `${path}-wal`].map((name) => ({ name, opened: statSync(name) }));
  return {
    require() {
      for (const { name, opened } of files) {
        const found = lookAt(name);
        if (!found || !isSame(found, opened)) {
          throw unavailable(
            new Error(`${name} was removed or replaced: before you stop the service, see docs/operating/backups.md.`),
          );
        }
      }
    },
  };
}

/** Returns null if there is no file. @throws Refusal `unavailable` */
function lookAt(name: string): Stats | null {
  try {
    return statSync(name, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    throw unavailable(error);
  }
}

const isSame = (one: Stats, other: Stats): boolean => one.ino === other.ino && one.dev === other.dev;
