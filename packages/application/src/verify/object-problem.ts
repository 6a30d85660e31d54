import type { ActiveMedia, Digest, Uuid } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

export interface ObjectProblem {
  readonly id: Uuid;
  readonly key: string;
  readonly problem: 'missing' | 'size' | 'hash' | 'unreadable';
  /** Of the item's row: bytes or SHA-256; null for a missing or unreadable object. */
  readonly expected: string | null;
  /** Of an unreadable object the system's error. */
  readonly found: string | null;
}

export interface Progress {
  readonly objects: number;
  /** If none are read, the sizes of the objects. */
  readonly bytes: number;
}

export const missingObject = (item: ActiveMedia): ObjectProblem => ({ ...named(item), problem: 'missing', ...NOTHING });

/**
 * An object that this user may not read.
 *
 * @throws the error if it is any other: then the storage has failed
 */
export function unreadableObject(item: ActiveMedia, error: unknown): ObjectProblem {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (!(error instanceof Error) || (code !== 'EACCES' && code !== 'EPERM')) throw error;
  return { ...named(item), problem: 'unreadable', expected: null, found: error.message.split('\n', 1)[0] ?? '' };
}

const NOTHING = { expected: null, found: null };
const named = ({ id, fullName }: ActiveMedia) => ({ id, key: fullName });

/** An object against its item's row, by size only if the row has no hash. null when they match. */
export function compareObject(item: ActiveMedia, found: Pick<Digest, 'size'> & Partial<Digest>): ObjectProblem | null {
  const { size, sha256 } = item.content;
  if (found.size !== size) return { ...named(item), problem: 'size', expected: `${size}`, found: `${found.size}` };
  if (sha256 === null || found.sha256 === undefined || found.sha256 === sha256) return null;
  return { ...named(item), problem: 'hash', expected: sha256, found: found.sha256 };
}

/** The missing object of a deleted item is no problem. */
export async function itemExists({ media }: Pick<Ports, 'media'>, { id }: ActiveMedia): Promise<boolean> {
  return (await media.findStored(id)) !== null;
}
