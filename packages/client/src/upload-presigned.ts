import { parseJson, refusal } from './answer.ts';
import type { Connection } from './connection.ts';
import { PostshelfError } from './error.ts';
import { type NamedFile, named, type UploadFile } from './files.ts';
import type { MediaItem } from './media-item.ts';
import type { OnProgress } from './progress.ts';
import { type RepeatOptions, repeating } from './retry.ts';
import { send } from './send/send.ts';
import type { PostshelfTrpc } from './trpc.ts';

/**
 * Options of `uploadPresigned`. With your own `idempotencyKey` you may retry an interrupted call. The retry continues
 * with the same item, and doesn't send the file again if it has already arrived.
 */
export interface UploadPresignedOptions extends RepeatOptions {
  readonly label?: string | null | undefined;
  /** A folder of the workspace; the root of the library if null or absent. */
  readonly folder_id?: string | null | undefined;
  /** The file's SHA-256 in hex; a file with a different hash is refused. */
  readonly sha256?: string | null | undefined;
  /** `return`: if the workspace already has the file, its existing item is returned. Default `keep`. */
  readonly on_duplicate?: 'keep' | 'return' | undefined;
  /** Called with the item's id before the file is sent. Delete this item if you abandon the upload. */
  readonly onIssued?: ((id: string) => void) | undefined;
  readonly onProgress?: OnProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Uploads a file directly to the storage: presign, PUT, confirm. @throws PostshelfError */
export async function uploadPresigned(
  connection: Connection,
  trpc: PostshelfTrpc,
  workspace: string,
  uploadFile: UploadFile,
  { idempotencyKey, onIssued, onProgress, signal, ...fields }: UploadPresignedOptions,
): Promise<MediaItem> {
  const file = named(uploadFile);
  const announced = { name: file.name, size: file.data.size, mime: mediaTypeOf(file), ...fields };
  const { data } = await trpc.media.presign.mutate({ workspace, files: [announced] }, { signal, idempotencyKey });
  const [issued] = data;
  if (!issued) throw new PostshelfError('unreadable', 'No upload address was issued.');
  onIssued?.(issued.id);
  const put = async (): Promise<void> => {
    const { status, text, ...facts } = await send({
      method: issued.upload_method,
      url: addressOf(connection, issued),
      headers: JSON.parse(issued.upload_headers) as Record<string, string>,
      body: file.data,
      onProgress,
      signal,
    });
    if (status < 200 || status > 299) throw refusal(status, parseJson(text), facts);
  };
  // The file may already have arrived only if the caller passed a key, because only then can this call be a retry.
  const known = idempotencyKey ? await trpc.media.get.query({ id: issued.id }, { signal }) : null;
  if (known === null || known.data.status === 'temporary') await repeating(put, connection.repeats, signal);
  const confirmed = await trpc.media.confirm.mutate({ id: issued.id }, { signal });
  return confirmed.data;
}

/**
 * Returns the URL to upload to. If the service itself receives the file and the page has a session, the upload URL's
 * origin is replaced with the page's own, because the page may have been opened under a different host name.
 */
function addressOf(
  { root, bySession }: Connection,
  issued: { readonly id: string; readonly upload_url: string },
): string {
  const url = new URL(issued.upload_url);
  const isOurs = url.pathname.endsWith(`/uploads/${issued.id}`) && url.searchParams.has('signature');
  return bySession && isOurs ? `${root}/uploads/${issued.id}${url.search}` : issued.upload_url;
}

const BY_EXTENSION: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  gif: 'image/gif',
  webp: 'image/webp',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  heic: 'image/heic',
  heif: 'image/heif',
  avif: 'image/avif',
};

/**
 * Returns the blob's media type; if it has none, as with `fs.openAsBlob`, returns the type of the file name's
 * extension.
 */
function mediaTypeOf({ name, data }: NamedFile): string {
  const extension = name.split('.').at(-1)?.toLowerCase() ?? '';
  return data.type || (BY_EXTENSION[extension] ?? 'application/octet-stream');
}
