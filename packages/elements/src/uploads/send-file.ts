import { type MediaItem, type PostshelfClient, PostshelfError } from '@postshelf/client';
import { isReadable, typeOfFile, UNREADABLE } from './check-file.ts';
import type { FolderPaths } from './folder-paths.ts';
import { pause, pauseAfter, waitsFor, withoutStalling } from './repeat.ts';
import type { Destination, FileSource } from './upload.ts';

/**
 * Bytes up to which files are sent by multipart, which is answered right after the last byte; larger files go straight
 * to the storage.
 */
const MAX_MULTIPART_BYTES = 200 * 1024 ** 2;

/** Milliseconds that an upload address is valid, less some. */
const ADDRESS_LIFETIME = 55 * 60 * 1000;

export interface Sending {
  readonly source: FileSource;
  readonly destination: Destination;
  readonly signal: AbortSignal;
  /** Called when a try begins: nothing of the file was sent. */
  onStart(): void;
  onProgress(loaded: number): void;
  onWait(reason: 'offline' | 'busy'): void;
}

export interface SendPorts {
  /** A client that repeats nothing by itself, so that waiting for the network can be shown. */
  readonly client: PostshelfClient;
  readonly folders: FolderPaths;
  /** Makes a call; with expiring tokens, repeats it with another one. */
  attempt<T>(call: () => Promise<T>): Promise<T>;
}

/**
 * Sends a file, repeatedly if necessary, past a lost network and a restarted service. Every try has the same key, so
 * the service keeps one item however many of them arrive.
 *
 * @returns the item in the library
 * @throws PostshelfError for good; the signal's reason
 */
export async function sendFile(ports: SendPorts, sending: Sending): Promise<MediaItem> {
  const { source, signal } = sending;
  let attempt = newAttempt();
  for (let tries = 1; ; tries += 1) {
    try {
      return await ports.attempt(() => sendOnce(ports, sending, attempt));
    } catch (error) {
      const reason = signal.aborted ? null : waitsFor(error);
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
  return withoutStalling(
    (inner, onProgress) => put(ports.client, source.file, { ...destination, folder }, attempt, inner, onProgress),
    sending.onProgress,
    signal,
  );
}

/** The upload of a file, over all of its tries. */
interface Attempt {
  readonly key: string;
  readonly begunAt: number;
  /** The item of a file that is sent straight to the storage, `temporary` until it arrives. */
  issued: string | null;
}

const newAttempt = (): Attempt => ({ key: newKey(), begunAt: Date.now(), issued: null });

// `randomUUID` is missing in pages that came by plain HTTP.
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
  // Browsers derive the type from the name, if they know it; the storage only accepts the announced one.
  const type = (await typeOfFile(file)) ?? file.type;
  return client.uploadPresigned(workspace, new File([file], file.name, { type }), {
    ...options,
    onIssued: (id) => {
      attempt.issued = id;
    },
  });
}

/** An upload address is valid for an hour, which a long time without a network exceeds. */
const isExpired = (error: unknown, { issued, begunAt }: Attempt): boolean =>
  issued !== null && error instanceof PostshelfError && error.status === 403 && Date.now() - begunAt > ADDRESS_LIFETIME;

/** Removes the item of a file that won't come. If that fails, the service does it after a day. */
function giveUp(client: PostshelfClient, { issued }: Attempt): void {
  if (issued !== null) client.trpc.media.delete.mutate({ id: issued }).catch(() => {});
}
