import { readAnswer } from './answer.ts';
import type { Connection } from './connection.ts';
import { namedFiles, type UploadFile } from './files.ts';
import type { MediaItem } from './media-item.ts';
import type { OnProgress } from './progress.ts';
import { keyOf, type RepeatOptions, repeating } from './repeat.ts';
import { send } from './send/send.ts';

export interface UploadOptions extends RepeatOptions {
  /** For every file; none where it is null or absent. */
  readonly label?: string | null | undefined;
  /** A folder of the workspace; the root of the library where it is null or absent. */
  readonly folder_id?: string | null | undefined;
  readonly onProgress?: OnProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One multipart request. @throws PostshelfError */
export async function upload(
  connection: Connection,
  workspace: string,
  files: UploadFile | Iterable<UploadFile>,
  { label, folder_id, onProgress, signal, ...options }: UploadOptions,
): Promise<MediaItem[]> {
  const fields = Object.entries({ label, folder_id }).flatMap(([name, value]) =>
    value ? [[name, value] as const] : [],
  );
  // Blobs can be read as often as it takes.
  const body = { fields, files: namedFiles(files) };
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
