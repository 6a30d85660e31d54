import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ObjectStorage } from '@postshelf/domain';
import { TRASH } from '../../reserved-keys/trash-names.ts';
import { UPLOADS } from '../disk/confine.ts';
import { isDirectoryOrLink } from '../disk/directories.ts';
import { GONE, translateErrors, unavailable, withFallback } from '../disk/failures.ts';
import { openObject } from './find-file.ts';
import { listObjectsReadOnly } from './list.ts';

/**
 * Opens a directory of objects for reading only. Creates nothing, because the directory may be mounted read-only, be a
 * snapshot, or be in use.
 *
 * @param root has the layout of a file storage
 * @throws Error when it isn't a directory
 */
export async function readFileStorage(root: string): Promise<Pick<ObjectStorage, 'open'>> {
  const absolute = resolve(root);
  if (!(await translateErrors(() => isDirectoryOrLink(absolute)))) throw new Error(`There is no folder ${absolute}`);
  return {
    async open(key) {
      const found = await openObject(absolute, key);
      if (!found && !(await translateErrors(() => isDirectoryOrLink(absolute))))
        throw unavailable(new Error(`${absolute} no longer exists.`));
      return found;
    },
  };
}

export interface ReadOnlyFiles {
  /** The objects; none if the directory is missing. */
  readonly storage: Pick<ObjectStorage, 'open' | 'list'>;
  /** Whether there are presigned uploads, or objects in the trash. Throws Refusal `unavailable`. */
  hasOthers(): Promise<boolean>;
  isThere(): Promise<boolean>;
}

/** Opens a directory for reading only. @param root has the layout of a file storage; not created when it is missing */
export function readOnlyFiles(root: string): ReadOnlyFiles {
  const absolute = resolve(root);
  const isEmpty = async (name: string): Promise<boolean> =>
    (await translateErrors(() => withFallback(GONE, readdir(join(absolute, name)), []))).length === 0;
  return {
    storage: {
      open: (key) => openObject(absolute, key),
      async *list() {
        if (await translateErrors(() => isDirectoryOrLink(absolute))) yield* listObjectsReadOnly(absolute);
      },
    },
    isThere: () => translateErrors(() => isDirectoryOrLink(absolute)),
    hasOthers: async () => !((await isEmpty(UPLOADS)) && (await isEmpty(TRASH))),
  };
}
