import { parseJson, refusal } from './answer.ts';
import type { Connection } from './connection.ts';
import { PostshelfError, unreadable } from './error.ts';
import { type NamedFile, named, type UploadFile } from './files.ts';
import type { MediaItem } from './media-item.ts';
import type { OnProgress } from './progress.ts';
import { delay, isPassing, Repeats } from './retry.ts';
import { sendWithHeaders } from './send/send.ts';
import type { PostshelfTrpc } from './trpc.ts';

export interface UploadResumableOptions {
  readonly label?: string | null | undefined;
  /** A folder of the workspace; the root of the library if null or absent. */
  readonly folder_id?: string | null | undefined;
  /** The file's SHA-256 in hex; a file with a different hash is refused. */
  readonly sha256?: string | null | undefined;
  /** `return`: if the workspace already has the file, its existing item is returned. Default `keep`. */
  readonly on_duplicate?: 'keep' | 'return' | undefined;
  /**
   * A store for unfinished uploads, for example `localStorage`: when the user chooses the same file again after a
   * reload, its upload continues. Files are compared by name, size and modification time, and by `sha256` if it is
   * given; uploads of blobs that have neither a modification time nor a `sha256` never continue.
   */
  readonly store?: Store | undefined;
  /** The item's `created_at` (RFC 3339), for files that are older than the library. Default: now. */
  readonly created_at?: string | null | undefined;
  readonly onProgress?: OnProgress | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const VERSION = { 'Tus-Resumable': '1.0.0' };

/** Maximum wait while another request holds the upload, and pause between two checks, in milliseconds. */
const LONGEST_CHECK = 10 * 60_000;
const CHECK_PAUSE = 1_000;

/** Maximum bytes per request after a proxy has refused a larger one; many proxies accept 100 MB. */
const SMALL_REQUEST = 50 * 1024 * 1024;

/**
 * Uploads a file in successive requests (tus 1.0), each of which continues at the offset that the service reports.
 *
 * @throws PostshelfError
 */
export async function uploadResumable(
  connection: Connection,
  trpc: PostshelfTrpc,
  workspace: string,
  uploadFile: UploadFile,
  { store: given, onProgress, signal, ...fields }: UploadResumableOptions,
): Promise<MediaItem> {
  const file = named(uploadFile);
  const total = file.data.size;
  const key = keyOf(workspace, file, fields);
  // An upload is stored only if its blob has a modification time or a hash: otherwise a different blob could have the
  // same key.
  const store = given && ('lastModified' in file.data || fields.sha256) ? tolerant(given) : undefined;
  const repeats = new Repeats(connection.repeats, signal);
  let id = store?.getItem(key) ?? null;
  let isFound = id !== null;
  let max = Number.POSITIVE_INFINITY;
  let unlockedAt = performance.now();
  for (;;) {
    try {
      let at: Place = { offset: 0, mediaId: null };
      if (id === null) {
        id = await create(connection, workspace, file, fields, signal);
        store?.setItem(key, id);
      } else at = await request(connection, 'HEAD', id, { signal });
      isFound = false;
      unlockedAt = performance.now();
      // Progress resets the number of retries.
      repeats.progress(at.offset);
      const { offset } = at;
      const mediaId =
        at.mediaId ??
        (
          await request(connection, 'PATCH', id, {
            headers: { 'Upload-Offset': String(offset), 'Content-Type': 'application/offset+octet-stream' },
            body: file.data.slice(offset, offset + max),
            onProgress: onProgress && (({ loaded }) => onProgress({ loaded: offset + loaded, total })),
            signal,
          })
        ).mediaId;
      if (mediaId === null) continue;
      store?.removeItem(key);
      // The item exists already; `confirm` returns it even to tokens that may only write.
      return (await trpc.media.confirm.mutate({ id: mediaId }, { signal })).data;
    } catch (error) {
      if (error instanceof PostshelfError && [404, 422].includes(error.status)) {
        store?.removeItem(key);
        if (isFound && error.status === 404) {
          [id, isFound] = [null, false];
          continue;
        }
      }
      if (error instanceof PostshelfError && error.status === 413 && id !== null && max > SMALL_REQUEST) {
        max = SMALL_REQUEST;
        continue;
      }
      // The service is still checking a large file.
      if (error instanceof PostshelfError && error.status === 423 && performance.now() - unlockedAt < LONGEST_CHECK) {
        await delay(CHECK_PAUSE, signal);
        continue;
      }
      await repeats.next(error).catch((final: unknown) => {
        // Without a store, the upload can't be continued, so it is deleted. After a temporary failure, it is kept,
        // because the service may have received the whole file.
        if (id !== null && !store && !isPassing(final))
          void request(connection, 'DELETE', id, { signal: undefined }).catch(() => undefined);
        throw final;
      });
    }
  }
}

/** Wraps a store so that it never throws: if it is full or forbidden, the upload can't continue after a reload. */
function tolerant(store: Store): Store {
  const tried = <Result>(use: () => Result): Result | null => {
    try {
      return use();
    } catch {
      return null;
    }
  };
  return {
    getItem: (key) => tried(() => store.getItem(key)),
    setItem: (key, id) => void tried(() => store.setItem(key, id)),
    removeItem: (key) => void tried(() => store.removeItem(key)),
  };
}

/** The offset at which an upload continues, and the resulting item's id; null until the item is `active`. */
interface Place {
  readonly offset: number;
  readonly mediaId: string | null;
}

type Fields = Pick<UploadResumableOptions, 'label' | 'folder_id' | 'sha256' | 'on_duplicate' | 'created_at'>;

async function create(
  connection: Connection,
  workspace: string,
  { name, data }: NamedFile,
  { sha256, ...fields }: Fields,
  signal: AbortSignal | undefined,
): Promise<string> {
  const digest = sha256 ? `sha-256=:${base64(hexBytes(sha256))}:` : null;
  const metadata = Object.entries({ filename: name, ...fields, digest }).flatMap(([field, value]) =>
    value ? [`${field} ${base64(new TextEncoder().encode(value))}`] : [],
  );
  const { answer, header } = await sendWithHeaders({
    method: 'POST',
    url: `${connection.root}/v1/workspaces/${encodeURIComponent(workspace)}/uploads`,
    headers: {
      ...(await connection.headers()),
      ...VERSION,
      'Upload-Length': String(data.size),
      'Upload-Metadata': metadata.join(),
    },
    body: null,
    onProgress: undefined,
    signal,
  });
  const { status, text, ...facts } = answer;
  if (status !== 201) throw refusal(status, parseJson(text), facts);
  const id = header('location')?.split('/').at(-1);
  if (!id) throw unreadable(status, facts.requestId);
  return id;
}

interface Request {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Blob;
  readonly onProgress?: OnProgress | undefined;
  readonly signal: AbortSignal | undefined;
}

async function request(
  connection: Connection,
  method: 'HEAD' | 'PATCH' | 'DELETE',
  id: string,
  { headers, body = undefined, onProgress, signal }: Request,
): Promise<Place> {
  const { answer, header } = await sendWithHeaders({
    method,
    // Doesn't use `Location`, because the page may have been opened under a different host name.
    url: `${connection.root}/v1/uploads/${encodeURIComponent(id)}`,
    headers: { ...(await connection.headers()), ...VERSION, ...headers },
    body: body ?? null,
    onProgress,
    signal,
  });
  const { status, text, ...facts } = answer;
  if (status < 200 || status > 299) throw refusal(status, parseJson(text), facts);
  const offset = Number(header('upload-offset') ?? Number.NaN);
  if (!Number.isSafeInteger(offset)) throw unreadable(status, facts.requestId);
  return { offset, mediaId: header('postshelf-media-id') };
}

function keyOf(workspace: string, { name, data }: NamedFile, { folder_id, sha256 }: Fields): string {
  const changed = 'lastModified' in data ? data.lastModified : '';
  return ['postshelf-upload', workspace, folder_id ?? '', name, data.size, changed, sha256 ?? ''].join(':');
}

const base64 = (bytes: Uint8Array): string => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

const hexBytes = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
