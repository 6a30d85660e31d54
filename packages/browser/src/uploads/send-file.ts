import { type MediaItem, type PostshelfClient, PostshelfError } from '@postshelf/client';
import { isReadable, typeOfFile, UNREADABLE } from './check-file.ts';
import type { FolderPaths } from './folder-paths.ts';
import { abortWhenStalled, pause, pauseAfter, reasonToWait } from './repeat.ts';
import type { Destination, FileSource } from './upload.ts';

/** Multipart needs only one request; larger files are sent directly to the storage. */
const MAX_MULTIPART_BYTES = 200 * 1024 ** 2;

/** Milliseconds for which an upload address is valid: an hour, less a margin. */
const ADDRESS_LIFETIME = 55 * 60 * 1000;

export interface Sending {
  readonly source: FileSource;
  readonly destination: Destination;
  readonly signal: AbortSignal;
  onStart(): void;
  onProgress(loaded: number): void;
  onWait(reason: 'offline' | 'busy'): void;
}

export interface SendPorts {
  /** With `repeats: 0`, so that waiting for the network can be shown. */
  readonly client: PostshelfClient;
  readonly folders: FolderPaths;
  /** Makes a call, and repeats it with a new token if the token has expired. */
  attempt<T>(call: () => Promise<T>): Promise<T>;
}

/**
 * Repeats while the network or the service is unavailable. Every try has the same idempotency key, so only one item is
 * created.
 *
 * @returns the item in the library
 * @throws PostshelfError if a repeat is useless; Error if the file can't be read any more; the signal's reason
 */
export async function sendFile(ports: SendPorts, sending: Sending): Promise<MediaItem> {
  const { source, signal } = sending;
  let attempt = newAttempt();
  for (let tries = 1; ; tries += 1) {
    try {
      return await ports.attempt(() => sendOnce(ports, sending, attempt));
    } catch (error) {
      const reason = signal.aborted ? null : reasonToWait(error);
      if (reason === null && isExpired(error, attempt)) {
        attempt = newAttempt();
        continue;
      }
      if (reason === null) {
        giveUp(ports.client, attempt);
        throw error;
      }
      if (!(await isReadable(source.file))) {
        giveUp(ports.client, attempt);
        throw new Error(UNREADABLE, { cause: error });
      }
      sending.onWait(reason);
      await pause(pauseAfter(tries, error), signal).catch((aborted: unknown) => {
        giveUp(ports.client, attempt);
        throw aborted;
      });
    }
  }
}

async function sendOnce(ports: SendPorts, sending: Sending, attempt: Attempt): Promise<MediaItem> {
  const { source, destination, signal } = sending;
  const folder = await ports.folders.find(destination, source.path);
  signal.throwIfAborted();
  sending.onStart();
  return abortWhenStalled(
    (inner, onProgress) => put(ports.client, source.file, { ...destination, folder }, attempt, inner, onProgress),
    sending.onProgress,
    signal,
  );
}

interface Attempt {
  readonly key: string;
  readonly begunAt: number;
  /** The `temporary` item of a file that is sent directly to the storage. */
  issued: string | null;
}

const newAttempt = (): Attempt => ({ key: newKey(), begunAt: Date.now(), issued: null });

// `crypto.randomUUID` is missing in pages served over plain HTTP.
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

async function put(
  client: PostshelfClient,
  file: File,
  { workspace, folder }: Destination,
  attempt: Attempt,
  signal: AbortSignal,
  onProgress: (progress: { loaded: number; total: number }) => void,
): Promise<MediaItem> {
  const options = { folder_id: folder, idempotencyKey: attempt.key, onProgress, signal };
  if (file.size <= MAX_MULTIPART_BYTES) {
    const [item] = await client.upload(workspace, file, options);
    if (!item) throw new Error('The service answered without an item.');
    return item;
  }
  // Browsers guess the type from the name, or don't know it.
  const type = (await typeOfFile(file)) ?? file.type;
  return client.uploadPresigned(workspace, new File([file], file.name, { type }), {
    ...options,
    onIssued: (id) => {
      attempt.issued = id;
    },
  });
}

/** After an hour, for example without a network. */
const isExpired = (error: unknown, { issued, begunAt }: Attempt): boolean =>
  issued !== null && error instanceof PostshelfError && error.status === 403 && Date.now() - begunAt > ADDRESS_LIFETIME;

/** If that fails, the service deletes the item after a day. */
function giveUp(client: PostshelfClient, { issued }: Attempt): void {
  if (issued !== null) client.trpc.media.delete.mutate({ id: issued }).catch(() => {});
}
