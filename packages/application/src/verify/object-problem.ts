import type { ActiveMedia, Digest, Uuid } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

export interface ObjectProblem {
  readonly id: Uuid;
  readonly key: string;
  readonly problem: 'missing' | 'size' | 'hash' | 'unreadable';
  /** The size in bytes, or the SHA-256, in the item's row; null for a missing or unreadable object. */
  readonly expected: string | null;
  /** The value found; for an unreadable object, the system's error. */
  readonly found: string | null;
}

export interface Progress {
  readonly objects: number;
  /** Number of bytes read; if objects aren't read, the sum of their sizes. */
  readonly bytes: number;
}

export const missingObject = (item: ActiveMedia): ObjectProblem => ({ ...named(item), problem: 'missing', ...NOTHING });

/**
 * Returns the problem of an object that the process has no permission to read.
 *
 * @throws the given error if it has another cause, because then the storage has failed
 */
export function unreadableObject(item: ActiveMedia, error: unknown): ObjectProblem {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (!(error instanceof Error) || (code !== 'EACCES' && code !== 'EPERM')) throw error;
  return { ...named(item), problem: 'unreadable', expected: null, found: error.message.split('\n', 1)[0] ?? '' };
}

const NOTHING = { expected: null, found: null };
const named = ({ id, fullName }: ActiveMedia) => ({ id, key: fullName });

/** Compares an object with its item's row, only by size if the row has no hash. Returns null if they match. */
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
