import type { ActiveMedia, Digester } from '@postshelf/domain';
import { chunksOf } from '../objects/read-stored.ts';
import type { Ports } from '../ports.ts';
import { allActive } from './all-active.ts';
import {
  compareObject,
  itemExists,
  missingObject,
  type ObjectProblem,
  openObject,
  type Progress,
  unreadableObject,
} from './object-problem.ts';

export interface VerifyOptions {
  /** Whether hashes are compared; otherwise only existence and size are checked. */
  readonly hashes: boolean;
  readonly onProblem: (problem: ObjectProblem) => void;
  readonly onProgress?: (progress: Progress) => void;
}

export interface VerifyReport extends Progress {
  readonly problems: number;
}

type VerifyPorts = Pick<Ports, 'media' | 'storage'> & { readonly digest: Digester };

/**
 * Checks that every active item has its object, with the size and the hash in its row. Changes nothing, and may run
 * while the service runs.
 */
export async function verify(
  ports: VerifyPorts,
  { hashes, onProblem, onProgress }: VerifyOptions,
): Promise<VerifyReport> {
  let [objects, bytes, problems] = [0, 0, 0];
  for await (const item of allActive(ports.media)) {
    const { found, read } = await verifyObject(ports, item, hashes);
    objects += 1;
    bytes += read;
    if (found !== null && (await itemExists(ports, item))) {
      problems += 1;
      onProblem(found);
    }
    onProgress?.({ objects, bytes });
  }
  return { objects, bytes, problems };
}

/**
 * Returns the problem of an object (null if there is none), and the number of bytes read or, without `hashes`, the
 * object's size.
 */
export async function verifyObject(
  { storage, digest }: Pick<VerifyPorts, 'storage' | 'digest'>,
  item: ActiveMedia,
  hashes: boolean,
) {
  const object = await openObject(storage, item);
  if ('problem' in object) return { found: object, read: 0 };
  const bySize = compareObject(item, { size: object.size });
  if (bySize !== null || !hashes) return { found: bySize, read: object.size };
  const whole = await digest(chunksOf(object)).catch(async (error: unknown) => {
    // The error may mean that the object was removed after it was opened, before its first byte was read.
    return (await storage.open(item.fullName)) === null ? missingObject(item) : unreadableObject(item, error);
  });
  return 'problem' in whole ? { found: whole, read: 0 } : { found: compareObject(item, whole), read: whole.size };
}
