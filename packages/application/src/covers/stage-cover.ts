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
 * Makes the cover of a video; the cover is a separate item. Returns null for images and if no cover can be made.
 * Returns `due` if no slot is free in time or the caller has disconnected; the cover is then made in the background.
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

/** Takes a slot; null if too many callers wait, or waiting takes too long. */
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

async function stage(ports: Pick<Ports, 'storage' | 'ids'>, video: ActiveMedia, cover: Cover): Promise<StagedItem> {
  const { object, content } = await stageFrame(ports, cover);
  return { item: coverItem(ports, video, content, video.updatedAt), object };
}

const DETAILS: MediaDetails = { image: { frames: 1, hasAlpha: false }, video: null };

export interface StagedImage {
  readonly object: StagedObject;
  readonly content: MediaContent;
}

export async function stageFrame(
  { storage }: Pick<Ports, 'storage'>,
  { bytes, width, height }: Cover,
  signal?: AbortSignal,
): Promise<StagedImage> {
  const object = await storage.stage(once(bytes), { limit: bytes.length, ...(signal && { signal }) });
  const { size, sha256 } = object;
  return { object, content: { type: 'image/jpeg', size, sha256, width, height, time: null, details: DETAILS } };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Returns a new cover item. @param now milliseconds since the epoch */
export function coverItem(
  { ids }: Pick<Ports, 'ids'>,
  { id: video, workspaceId, name: videoName }: ActiveMedia,
  content: MediaContent,
  now: number,
): ActiveMedia {
  const id = ids.next();
  const name = nameFromFileName(videoName, content.type);
  const details = { id, workspaceId, folderId: null, name, label: null, fullName: fullNameOf(workspaceId, id, name) };
  return storeCover(details, content, video, now);
}
