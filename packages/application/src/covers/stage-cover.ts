import {
  type ActiveMedia,
  type ByteSource,
  type Cover,
  type CoverPriority,
  fullNameOf,
  kindOf,
  type MediaContent,
  type MediaDetails,
  nameFromFileName,
  Refusal,
  type StagedObject,
  storeCover,
  type Uuid,
} from '@postshelf/domain';
import type { Ports, Shared } from '../ports.ts';

export interface StagedItem {
  readonly item: ActiveMedia;
  readonly object: StagedObject;
}

type CoverPorts = Pick<Ports, 'covers' | 'storage' | 'ids'> & Pick<Shared, 'shares'>;

/**
 * Makes the cover of a video, an item of its own. null for images, and if none can be made; `due` if no slot is free in
 * time, or the caller has gone: it is then made in the background.
 */
export async function stageCover(
  ports: CoverPorts,
  video: ActiveMedia,
  source: ByteSource,
  signal: AbortSignal = new AbortController().signal,
  priority: CoverPriority = 'normal',
): Promise<StagedItem | 'due' | null> {
  if (kindOf(video.content.type) !== 'video') return null;
  const releaseSlot = await takeSlot(ports, video.workspaceId, signal);
  if (releaseSlot === null) return 'due';
  try {
    const cover = await ports.covers.make(source, signal, priority);
    if (signal.aborted) return 'due';
    return cover && (await stage(ports, video, cover));
  } finally {
    releaseSlot();
  }
}

/** null when too many wait, or the wait takes too long. */
async function takeSlot(
  { shares }: Pick<Shared, 'shares'>,
  workspaceId: Uuid,
  signal: AbortSignal,
): Promise<(() => void) | null> {
  try {
    return await shares.take('covers', workspaceId, signal);
  } catch (error) {
    if (error instanceof Refusal && error.problem.code === 'busy') return null;
    throw error;
  }
}

export const COVER_DETAILS: MediaDetails = { image: { frames: 1, hasAlpha: false }, video: null };

async function stage(
  ports: Pick<Ports, 'storage' | 'ids'>,
  video: ActiveMedia,
  { bytes, width, height }: Cover,
): Promise<StagedItem> {
  const object = await ports.storage.stage(once(bytes), { limit: bytes.length });
  const { size, sha256 } = object;
  const content: MediaContent = { type: 'image/jpeg', size, sha256, width, height, time: null, details: COVER_DETAILS };
  const id = ports.ids.next();
  const { workspaceId } = video;
  const name = nameFromFileName(video.name, 'image/jpeg');
  const details = { id, workspaceId, folderId: null, name, label: null, fullName: fullNameOf(workspaceId, id, name) };
  return { item: storeCover(details, content, video.id, video.updatedAt), object };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
