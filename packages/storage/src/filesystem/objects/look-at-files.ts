import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ObjectStorage } from '@postshelf/domain';
import { TRASH } from '../../trash-names.ts';
import { confine, UPLOADS } from '../disk/confine.ts';
import { isPlace } from '../disk/directories.ts';
import { GONE, reaching, unless } from '../disk/failures.ts';
import { walkUntouched } from './list.ts';
import { lookUp } from './look-up.ts';
import { objectIn } from './object-in.ts';

/** What can be asked of a directory of objects without making or changing anything. */
export interface FilesLook {
  /** A directory that isn't there has no objects. */
  readonly storage: Pick<ObjectStorage, 'open' | 'list'>;
  /** Whether anything waits there that is no object: uploads, or what was set aside. Throws Refusal `unavailable`. */
  hasOthers(): Promise<boolean>;
  isThere(): Promise<boolean>;
}

/**
 * @param root as a storage of files has it: `{root}/{workspace}/{id}/{name}`; it need not be there, and isn't made
 */
export function lookAtFiles(root: string): FilesLook {
  const absolute = resolve(root);
  const isEmpty = async (name: string): Promise<boolean> =>
    (await reaching(() => unless(GONE, readdir(join(absolute, name)), []))).length === 0;
  return {
    storage: {
      async open(key) {
        const path = confine(absolute, key);
        const found = await reaching(() => lookUp(path));
        return found ? objectIn(path, found.size) : null;
      },
      async *list() {
        if (await reaching(() => isPlace(absolute))) yield* walkUntouched(absolute);
      },
    },
    isThere: () => reaching(() => isPlace(absolute)),
    hasOthers: async () => !((await isEmpty(UPLOADS)) && (await isEmpty(TRASH))),
  };
}
