import { readAnswer } from './answer.ts';
import type { Connection } from './connection.ts';
import { namedFiles, type UploadFile } from './files.ts';
import type { MediaItem } from './media-item.ts';
import type { OnProgress } from './progress.ts';
import { keyOf, type RepeatOptions, repeating } from './repeat.ts';
import { send } from './send/send.ts';

export interface UploadOptions extends RepeatOptions {
  /** The label of every file; none if null or absent. */
  readonly label?: string | null | undefined;
  /** A folder of the workspace; the root of the library if null or absent. */
  readonly folder_id?: string | null | undefined;
  /** SHA-256 in hex: of the only file, or of each file in order, null for any. A file with another one is refused. */
  readonly sha256?: string | readonly (string | null)[] | undefined;
  /** `return`: for a file that the workspace already has, its existing item is returned. Default `keep`. */
  readonly on_duplicate?: 'keep' | 'return' | undefined;
  readonly onProgress?: OnProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Uploads the files in one multipart request. @throws PostshelfError */
export async function upload(
  connection: Connection,
  workspace: string,
  files: UploadFile | Iterable<UploadFile>,
  { label, folder_id, sha256 = [], on_duplicate, onProgress, signal, ...options }: UploadOptions,
): Promise<MediaItem[]> {
  const fields = Object.entries({ label, folder_id, on_duplicate }).flatMap(([name, value]) =>
    value ? [[name, value] as const] : [],
  );
  const hashes = [sha256].flat().map((hash) => ['sha256[]', hash ?? ''] as const);
  // Once for all tries, as blobs can be read repeatedly.
  const body = { fields: [...fields, ...hashes], files: namedFiles(files) };
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
