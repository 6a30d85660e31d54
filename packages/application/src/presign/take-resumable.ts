import type { StagedObject, TemporaryMedia, Uuid } from '@postshelf/domain';
import type { Ports, Shared } from '../ports.ts';

/** Whether it is a resumable upload whose last byte hasn't come. */
export async function isUnfinished({ resumable }: Pick<Ports, 'resumable'>, id: Uuid): Promise<boolean> {
  const upload = await resumable.find(id);
  return upload !== null && upload.received < upload.size;
}

/**
 * The whole file, with its hash, in a slot, as it is read for that. null if it hasn't come, or was begun before the
 * database was moved.
 */
export async function takeResumable(
  { resumable, resumableStorage, shares }: Pick<Ports, 'resumable' | 'resumableStorage'> & Pick<Shared, 'shares'>,
  { id, workspaceId }: TemporaryMedia,
): Promise<StagedObject | 'missing' | null> {
  const upload = await resumable.find(id);
  if (!upload || upload.received < upload.size) return null;
  // Also for a client that has gone: nobody else would do it soon.
  const releaseSlot = await shares.take('hashes', workspaceId, new AbortController().signal);
  try {
    return (await resumableStorage.take(id, await resumable.pieces(id))) ?? 'missing';
  } finally {
    releaseSlot();
  }
}
