import { type ActiveMedia, type Digest, Refusal, type StoredObject, type Uuid } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

export interface ObjectProblem {
  readonly id: Uuid;
  readonly key: string;
  readonly problem: 'missing' | 'size' | 'hash' | 'unreadable';
  /**
   * What the item's row says: the size in bytes for `size`, the SHA-256 for `hash`; null for a missing or unreadable
   * object.
   */
  readonly expected: string | null;
  /** The object's actual size or SHA-256; for an unreadable object, the system's error; null for a missing one. */
  readonly found: string | null;
}

export interface Progress {
  readonly objects: number;
  /** Number of bytes read; if objects aren't read, the sum of their sizes. */
  readonly bytes: number;
}

export const missingObject = (item: ActiveMedia): ObjectProblem => ({ ...named(item), problem: 'missing', ...NOTHING });

/**
 * Returns the problem of an object that can't be read because the process lacks the permission.
 *
 * @throws the given error if it has another cause, because then the storage has failed
 */
export function unreadableObject(item: ActiveMedia, error: unknown): ObjectProblem {
  const cause = error instanceof Refusal ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : null;
  if (!(cause instanceof Error) || (code !== 'EACCES' && code !== 'EPERM')) throw error;
  return { ...named(item), problem: 'unreadable', expected: null, found: cause.message.split('\n', 1)[0] ?? '' };
}

/** A key that no object has. */
const NOWHERE = '00000000-0000-7000-8000-000000000000/00000000-0000-7000-8000-000000000000/none';

/**
 * Opens an item's object, or returns its problem: it is missing, or the process has no permission to read its folder,
 * for example because a command that was run as root made it.
 *
 * @throws Refusal `unavailable`, also if the process may read no folder of the storage
 */
export async function openObject(
  storage: Pick<Ports['storage'], 'open'>,
  item: ActiveMedia,
): Promise<StoredObject | ObjectProblem> {
  try {
    return (await storage.open(item.fullName)) ?? missingObject(item);
  } catch (error) {
    const problem = unreadableObject(item, error);
    await storage.open(NOWHERE);
    return problem;
  }
}

const NOTHING = { expected: null, found: null };
const named = ({ id, fullName }: ActiveMedia) => ({ id, key: fullName });

/**
 * Compares an object's size and hash with its item's row; a hash that isn't known counts as equal. Returns null if they
 * match.
 */
export function compareObject(item: ActiveMedia, found: Pick<Digest, 'size'> & Partial<Digest>): ObjectProblem | null {
  const { size, sha256 } = item.content;
  if (found.size !== size) return { ...named(item), problem: 'size', expected: `${size}`, found: `${found.size}` };
  if (sha256 === null || found.sha256 === undefined || found.sha256 === sha256) return null;
  return { ...named(item), problem: 'hash', expected: sha256, found: found.sha256 };
}

/** Whether the item still exists; the missing object of a deleted item isn't a problem. */
export async function itemExists({ media }: Pick<Ports, 'media'>, { id }: ActiveMedia): Promise<boolean> {
  return (await media.findStored(id)) !== null;
}
