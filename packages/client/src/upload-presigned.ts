import { parseJson, refusal } from './answer.ts';
import type { Connection } from './connection.ts';
import { PostshelfError } from './error.ts';
import { type NamedFile, named, type UploadFile } from './files.ts';
import type { MediaItem } from './media-item.ts';
import type { Operations } from './operations.ts';
import type { OnProgress } from './progress.ts';
import { type RepeatOptions, repeating } from './repeat.ts';
import { send } from './send/send.ts';
import type { PostshelfTrpc } from './trpc.ts';

/**
 * With a key of your own the call may be repeated after it was lost, however far it had come: it continues with the
 * same item, and doesn't send a file that has arrived.
 */
export interface UploadPresignedOptions extends RepeatOptions {
  /** None where it is null or absent. */
  readonly label?: string | null | undefined;
  /** A folder of the workspace; the root of the library where it is null or absent. */
  readonly folder_id?: string | null | undefined;
  /** Of the file, in hex; one that differs is refused. */
  readonly sha256?: string | null | undefined;
  /** `return`: if the workspace has the file already, its item comes back. Default `keep`. */
  readonly on_duplicate?: 'keep' | 'return' | undefined;
  /** Called with the item's id before the file is sent: the item to delete if the upload is given up. */
  readonly onIssued?: ((id: string) => void) | undefined;
  readonly onProgress?: OnProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Presign, PUT, confirm. @throws PostshelfError */
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
  // Only a call with a caller's own key may have been made before. Reading the item confirms a file that has arrived.
  const known = idempotencyKey ? await trpc.media.get.query({ id: issued.id }, { signal }) : null;
  if (known === null || known.data.status === 'temporary') await repeating(put, connection.repeats, signal);
  const confirmed = await trpc.media.confirm.mutate({ id: issued.id }, { signal });
  return confirmed.data;
}

/**
 * The address for a file. A page of the service may have been opened under another name of the service, such as
 * `localhost`; files that the service itself receives are sent to the page's own origin.
 */
function addressOf(
  { root, bySession }: Connection,
  issued: { readonly id: string; readonly upload_url: string },
): string {
  const url = new URL(issued.upload_url);
  const isOurs = url.pathname.endsWith(`/uploads/${issued.id}`) && url.searchParams.has('signature');
  return bySession && isOurs ? `${root}/uploads/${issued.id}${url.search}` : issued.upload_url;
}

type MediaType = Operations['media']['presign']['input']['files'][number]['mime'];

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
 * The type to announce for a presigned upload: the blob's own, else, as for blobs of `fs.openAsBlob`, the one of the
 * name's extension. The service checks it, as it reads the bytes anyway.
 */
function mediaTypeOf({ name, data }: NamedFile): MediaType {
  const extension = name.split('.').at(-1)?.toLowerCase() ?? '';
  return (data.type || (BY_EXTENSION[extension] ?? 'application/octet-stream')) as MediaType;
}
