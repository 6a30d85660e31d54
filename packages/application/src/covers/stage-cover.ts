import {
  type ActiveMedia,
  type ByteSource,
  fullNameOf,
  kindOf,
  type MediaContent,
  nameFromFileName,
  type StagedObject,
  storeCover,
} from '@postshelf/domain';
import type { Ports } from '../ports.ts';

/** An item whose bytes are staged, not published yet. */
export interface StagedItem {
  readonly item: ActiveMedia;
  readonly object: StagedObject;
}

/** Makes the cover of a video, an item of its own; null for images, and where none can be made. */
export async function stageCover(
  ports: Pick<Ports, 'covers' | 'storage' | 'ids'>,
  video: ActiveMedia,
  source: ByteSource,
): Promise<StagedItem | null> {
  if (kindOf(video.content.type) !== 'video') return null;
  const cover = await ports.covers.make(source);
  if (!cover) return null;
  const { bytes, width, height } = cover;
  const object = await ports.storage.stage(once(bytes), { limit: bytes.length });
  const { size, sha256 } = object;
  const content: MediaContent = { type: 'image/jpeg', size, sha256, width, height, time: null };
  const id = ports.ids.next();
  const { workspaceId } = video;
  const name = nameFromFileName(video.name, 'image/jpeg');
  const details = { id, workspaceId, folderId: null, name, label: null, fullName: fullNameOf(workspaceId, id, name) };
  return { item: storeCover(details, content, video.id, video.updatedAt), object };
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
