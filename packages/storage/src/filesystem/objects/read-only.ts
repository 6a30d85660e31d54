import { resolve } from 'node:path';
import type { ObjectStorage } from '@postshelf/domain';
import { confine } from '../disk/confine.ts';
import { isPlace } from '../disk/directories.ts';
import { reaching, unavailable } from '../disk/failures.ts';
import { lookUp } from './look-up.ts';
import { objectIn } from './object-in.ts';

/**
 * The objects in a directory, to be read and nothing else: nothing is made or changed there, so that it may be mounted
 * read-only, be a snapshot, or be in use by a service.
 *
 * @param root as a storage of files has it: `{root}/{workspace}/{id}/{name}`
 * @throws Error when it is no directory
 */
export async function readFileStorage(root: string): Promise<Pick<ObjectStorage, 'open'>> {
  const absolute = resolve(root);
  if (!(await reaching(() => isPlace(absolute)))) throw new Error(`There is no folder ${absolute}`);
  return {
    async open(key) {
      const path = confine(absolute, key);
      return reaching(async () => {
        const found = await lookUp(path);
        if (found) return objectIn(path, found.size);
        if (!(await isPlace(absolute))) throw unavailable(new Error(`${absolute} is gone.`));
        return null;
      });
    },
  };
}
