import type { IssuedUpload } from '@postshelf/application';
import { type ActiveMedia, linkOf, type MediaItem, type MediaWithCover } from '@postshelf/domain';
import type { Service } from '../../service.ts';
import type { MediaContentResource } from './schema.ts';

/** Returns a media item in the form that answers show (docs/api.md, "Media items"). */
export function showMedia(
  { mediaBase }: Pick<Service, 'mediaBase'>,
  { item, cover }: MediaWithCover,
): MediaContentResource {
  const show = (shown: MediaItem | ActiveMedia) => showFields(shown, mediaBase);
  return { ...show(item), thumbnail: cover && { ...show(cover), thumbnail: null } };
}

/** Returns a presigned upload in the form that answers show (docs/api.md, "Presigned uploads"). */
export function showUpload(service: Service, { item, address, expiresIn }: IssuedUpload) {
  return {
    id: item.id,
    name: item.name,
    full_name: item.fullName,
    link: linkOf(service.mediaBase, item.fullName),
    upload_url: address.url,
    upload_headers: JSON.stringify(address.headers),
    upload_method: 'PUT' as const,
    expires_in: String(expiresIn),
  };
}

function showFields(item: MediaItem, base: string) {
  const content = item.status === 'active' ? item.content : null;
  return {
    id: item.id,
    name: item.name,
    full_name: item.fullName,
    label: item.label,
    link: linkOf(base, item.fullName),
    status: item.status,
    error_message: item.status === 'failed' ? item.errorMessage : null,
    size: content?.size ?? null,
    width: content?.width ?? null,
    height: content?.height ?? null,
    time: content?.time ?? null,
    folder_id: item.folderId,
  };
}
