import type { MediaItem, PostshelfClient, UploadOptions } from '@postshelf/client';
import { isResumable } from '@postshelf/client/resumable';
import { newKey } from '@postshelf/client/retry';
import { isReadable, UNREADABLE } from './check-file.ts';
import type { FolderPaths } from './folder-paths.ts';
import { abortWhenStalled, pause, pauseAfter, reasonToWait } from './retry.ts';
import type { UnfinishedUpload } from './unfinished-upload.ts';
import type { Destination, FileSource } from './upload.ts';

export interface Sending {
  readonly source: FileSource;
  readonly destination: Destination;
  /** The file's unfinished upload, which the next call continues. */
  readonly unfinished: UnfinishedUpload;
  readonly signal: AbortSignal;
  onStart(): void;
  onProgress(loaded: number): void;
  onWait(reason: 'offline' | 'busy'): void;
}

export interface SendPorts {
  /** Must have been created with `repeats: 0`: retries are made here, so that the wait for the network can be shown. */
  readonly client: PostshelfClient;
  readonly folders: FolderPaths;
  /** Makes a call, and retries it with a new token if the token has expired. */
  attempt<T>(call: () => Promise<T>): Promise<T>;
}

/**
 * Sends a file, and retries while the network or the service is unavailable. Only one item is created: every attempt to
 * send a small file has the same idempotency key, and a large file continues at the offset that the service reports.
 *
 * @returns the item in the library
 * @throws PostshelfError if a retry can't succeed; Error if the file can no longer be read; the signal's reason
 */
export async function sendFile(ports: SendPorts, sending: Sending): Promise<MediaItem> {
  const { source, signal } = sending;
  const key = newKey();
  for (let tries = 1; ; tries += 1) {
    try {
      return await ports.attempt(() => sendOnce(ports, sending, key));
    } catch (error) {
      const reason = signal.aborted ? null : reasonToWait(error);
      if (reason === null) throw error;
      if (!(await isReadable(source.file))) throw new Error(UNREADABLE, { cause: error });
      sending.onWait(reason);
      await pause(pauseAfter(tries, error), signal);
    }
  }
}

async function sendOnce(ports: SendPorts, sending: Sending, idempotencyKey: string): Promise<MediaItem> {
  const { client, folders } = ports;
  const { source, destination, unfinished: store, signal } = sending;
  const { file } = source;
  const folder_id = await folders.find(destination, source.path);
  if (isResumable(file)) await store.reserve(destination.workspace, file);
  signal.throwIfAborted();
  sending.onStart();
  const call = async (options: Pick<UploadOptions, 'signal' | 'onProgress'>): Promise<MediaItem> => {
    const { workspace } = destination;
    if (isResumable(file)) return client.uploadResumable(workspace, file, { ...options, folder_id, store });
    const [item] = await client.upload(workspace, file, { ...options, folder_id, idempotencyKey });
    if (!item) throw new Error('The service answered without an item.');
    return item;
  };
  return abortWhenStalled((inner, onProgress) => call({ signal: inner, onProgress }), sending.onProgress, signal);
}
