import { parseJson, refusal } from './answer.ts';
import type { Connection } from './connection.ts';
import { PostshelfError } from './error.ts';
import { named, type UploadFile } from './files.ts';
import type { MediaItem } from './media-item.ts';
import { mediaTypeOf } from './media-type.ts';
import type { OnProgress } from './progress.ts';
import { type RepeatOptions, repeating } from './repeat.ts';
import { send } from './send/send.ts';
import type { PostshelfTrpc } from './trpc.ts';

/**
 * With a key of yours the call may be made again after it was lost, however far it had come: it goes on with the same
 * item, and the file isn't sent where it has arrived.
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
  /** Hears the item's id, before the file is sent: what to delete where the upload is given up. */
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
  // Only a call with a key of its caller's may have been made before. Looking confirms what has arrived.
  const known = idempotencyKey ? await trpc.media.get.query({ id: issued.id }, { signal }) : null;
  if (known === null || known.data.status === 'temporary') await repeating(put, connection.repeats, signal);
  const confirmed = await trpc.media.confirm.mutate({ id: issued.id }, { signal });
  return confirmed.data;
}

/**
 * Where a file goes to. A page of the service may have been opened by another name than the one that the service gives
 * itself, such as `localhost`; what the service receives itself goes the way the page came.
 */
function addressOf(
  { root, bySession }: Connection,
  issued: { readonly id: string; readonly upload_url: string },
): string {
  const url = new URL(issued.upload_url);
  const isOurs = url.pathname.endsWith(`/uploads/${issued.id}`) && url.searchParams.has('signature');
  return bySession && isOurs ? `${root}/uploads/${issued.id}${url.search}` : issued.upload_url;
}
