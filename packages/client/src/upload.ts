import { readAnswer } from './answer.ts';
import type { Connection } from './connection.ts';
import { namedFiles, type UploadFile } from './files.ts';
import type { MediaItem } from './media-item.ts';
import type { OnProgress } from './progress.ts';
import { send } from './send/send.ts';

export interface UploadOptions {
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
  { label, folder_id, onProgress, signal }: UploadOptions,
): Promise<MediaItem[]> {
  const fields = Object.entries({ label, folder_id }).flatMap(([name, value]) =>
    value ? [[name, value] as const] : [],
  );
  const answer = await send({
    method: 'POST',
    url: `${connection.root}/v1/workspaces/${encodeURIComponent(workspace)}/media_contents`,
    headers: await connection.headers(),
    body: { fields, files: namedFiles(files) },
    onProgress,
    signal,
  });
  return (readAnswer(answer) as { data: MediaItem[] }).data;
}
