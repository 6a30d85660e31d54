import { readAnswer } from './answer.ts';
import type { Connection } from './connection.ts';
import { namedFiles, type UploadFile } from './files.ts';
import type { MediaItem } from './media-item.ts';
import type { OnProgress } from './progress.ts';
import { isResumable } from './resumable.ts';
import { keyOf, type RepeatOptions, repeating } from './retry.ts';
import { send } from './send/send.ts';
import type { PostshelfTrpc } from './trpc.ts';
import { uploadResumable } from './upload-resumable.ts';

export interface UploadOptions extends RepeatOptions {
  /** The label of every file; none if null or absent. */
  readonly label?: string | null | undefined;
  /** A folder of the workspace; the root of the library if null or absent. */
  readonly folder_id?: string | null | undefined;
  /**
   * SHA-256 in hex of the only file, or of each file in order (null: unchecked). A file with a different hash is
   * refused.
   */
  readonly sha256?: string | readonly (string | null)[] | undefined;
  /** `return`: for a file that the workspace already has, its existing item is returned. Default `keep`. */
  readonly on_duplicate?: 'keep' | 'return' | undefined;
  /** The item's `created_at` (RFC 3339), for files that are older than the library. Default: now. */
  readonly created_at?: string | null | undefined;
  readonly onProgress?: OnProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Uploads the files in one multipart request; a single large file uses a resumable upload. @throws PostshelfError */
export async function upload(
  connection: Connection,
  trpc: PostshelfTrpc,
  workspace: string,
  files: UploadFile | Iterable<UploadFile>,
  { label, folder_id, sha256 = [], on_duplicate, created_at, onProgress, signal, ...options }: UploadOptions,
): Promise<MediaItem[]> {
  const fields = Object.entries({ label, folder_id, on_duplicate, created_at }).flatMap(([name, value]) =>
    value ? [[name, value] as const] : [],
  );
  const hashes = [sha256].flat().map((hash) => ['sha256[]', hash ?? ''] as const);
  // Built once for all attempts, because blobs can be read repeatedly.
  const body = { fields: [...fields, ...hashes], files: namedFiles(files) };
  const [only, ...others] = body.files;
  if (only && others.length === 0 && isResumable(only.data) && options.idempotencyKey === undefined) {
    const hash = [sha256].flat()[0];
    const resumable = { label, folder_id, sha256: hash, on_duplicate, created_at, onProgress, signal };
    return [await uploadResumable(connection, trpc, workspace, only, resumable)];
  }
  const key = keyOf(options);
  const once = async (): Promise<MediaItem[]> => {
    const answer = await send({
      method: 'POST',
      url: `${connection.root}/v1/workspaces/${encodeURIComponent(workspace)}/media_contents`,
      headers: await connection.headers(key),
      body,
      onProgress,
      signal,
    });
    return (readAnswer(answer) as { data: MediaItem[] }).data;
  };
  return key === null ? once() : repeating(once, connection.repeats, signal);
}
