import type { NamedFile } from './files.ts';
import type { Operations } from './operations.ts';

export type MediaType = Operations['media']['presign']['input']['files'][number]['mime'];

const BY_EXTENSION: Readonly<Record<string, MediaType>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
};

/**
 * The type to announce for a presigned upload: the blob's own, or else, as for blobs of `fs.openAsBlob`, the one that
 * the name's extension stands for. Whether it is one of the six is the service's to say, which reads the bytes anyway.
 */
export function mediaTypeOf({ name, data }: NamedFile): MediaType {
  const extension = name.split('.').at(-1)?.toLowerCase() ?? '';
  return (data.type || (BY_EXTENSION[extension] ?? 'application/octet-stream')) as MediaType;
}
