import type { ActiveMedia, Digester } from '@postshelf/domain';
import type { Ports } from '../ports.ts';
import { allActive } from './all-active.ts';
import {
  chunksOf,
  compareObject,
  itemExists,
  missingObject,
  type ObjectProblem,
  type Progress,
} from './object-problem.ts';

export interface VerifyOptions {
  /** Whether the bytes are read and hashed; otherwise presence and size are looked at alone. */
  readonly hashes: boolean;
  readonly onProblem: (problem: ObjectProblem) => void;
  readonly onProgress?: (progress: Progress) => void;
}

export interface VerifyReport extends Progress {
  readonly problems: number;
}

type Needs = Pick<Ports, 'media' | 'storage'> & { readonly digest: Digester };

/**
 * Looks whether every active item has its object, with the size and the hash that its row names. Changes nothing, holds
 * no more than a chunk in memory, and may run beside the service: items that come meanwhile may be looked at or not.
 */
export async function verify(ports: Needs, { hashes, onProblem, onProgress }: VerifyOptions): Promise<VerifyReport> {
  let [objects, bytes, problems] = [0, 0, 0];
  for await (const item of allActive(ports.media)) {
    const { found, read } = await inspectObject(ports, item, hashes);
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

/** What is wrong with the item's object, null for nothing, and how many bytes of it were looked at. */
export async function inspectObject(
  { storage, digest }: Pick<Needs, 'storage' | 'digest'>,
  item: ActiveMedia,
  hashes: boolean,
) {
  const object = await storage.open(item.fullName);
  if (object === null) return { found: missingObject(item), read: 0 };
  const bySize = compareObject(item, { size: object.size });
  if (bySize !== null || !hashes) return { found: bySize, read: object.size };
  const whole = await digest(chunksOf(object)).catch(async (error: unknown) => {
    // Removed between its opening and its first byte (ObjectStorage.open).
    if ((await storage.open(item.fullName)) === null) return null;
    throw error;
  });
  return whole === null
    ? { found: missingObject(item), read: 0 }
    : { found: compareObject(item, whole), read: whole.size };
}
