import { type AnnouncedUpload, type MediaItem, NO_TERMS, type TemporaryMedia, type Uuid } from '@postshelf/domain';
import { addWorkspace, NOW, sampleTemporary } from '../samples.ts';
import type { Stores } from '../stores.ts';

export interface SampleUpload {
  readonly item: TemporaryMedia;
  readonly upload: Extract<AnnouncedUpload, { readonly kind: 'presigned' }>;
}

/** The default expiry time of the samples. */
export const EXPIRY = Math.ceil(NOW / 1000) * 1000 + 3_600_000;

export const sampleUpload = (
  workspaceId: Uuid,
  { expiresAt = EXPIRY, ...details }: Parameters<typeof sampleTemporary>[1] & { readonly expiresAt?: number } = {},
): SampleUpload => {
  const item = sampleTemporary(workspaceId, details);
  return {
    item,
    upload: {
      kind: 'presigned',
      id: item.id,
      size: 2 * 1024 ** 3,
      type: 'video/quicktime',
      expiresAt,
      terms: NO_TERMS,
    },
  };
};

/** Inserts a new upload, into a new workspace unless one is given. */
export async function addUpload(stores: Stores, workspaceId?: Uuid): Promise<SampleUpload> {
  const upload = sampleUpload(workspaceId ?? (await addWorkspace(stores)).id);
  await stores.presign.add([upload]);
  return upload;
}

/** Inserts a new upload, and a lease that the owner holds for a second from {@link NOW}. */
export async function addHeldUpload(stores: Stores, owner: string, workspaceId?: Uuid): Promise<SampleUpload> {
  const upload = await addUpload(stores, workspaceId);
  const lease = { owner, until: NOW + 1000 };
  if (!(await stores.presign.claim(upload.item.id, lease, NOW))) throw new Error('A new upload could not be claimed');
  return upload;
}

/** Returns the item as another instance sees it. */
export const itemOf = async ({ media }: Stores, id: Uuid): Promise<MediaItem | null> =>
  (await media.find(id))?.item ?? null;
