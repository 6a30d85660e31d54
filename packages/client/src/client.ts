import { connect, type Token } from './connection.ts';
import type { PostshelfEvent } from './events/event.ts';
import { type EventOptions, events } from './events/events.ts';
import type { UploadFile } from './files.ts';
import { type ImportUrlOptions, importUrl } from './import-url.ts';
import type { MediaItem } from './media-item.ts';
import { type List, type Page, pages } from './pages.ts';
import { DEFAULT_REPEATS } from './retry.ts';
import { type Session, type SignInOptions, signIn, signOut } from './session.ts';
import { type CallOptions, createTrpc, type PostshelfTrpc } from './trpc.ts';
import { type UploadOptions, upload } from './upload.ts';
import { type UploadPresignedOptions, uploadPresigned } from './upload-presigned.ts';
import { type UploadResumableOptions, uploadResumable } from './upload-resumable.ts';
import { type WaitOptions, waitUntilReady } from './wait-until-ready.ts';

export interface PostshelfClientOptions {
  /**
   * The service's root URL without `/v1`, such as `https://media.example.com`. In a browser it may be relative to the
   * page.
   */
  readonly baseUrl: string | URL;
  /**
   * A personal access token, or a function that returns one before each request. null in pages that the service itself
   * serves, where the browser's session is used: {@link PostshelfClient.signIn}.
   */
  readonly token: Token | null;
  /**
   * Maximum number of retries of a call that changes something, after a lost connection, 408, 409, 423, 502, 503 or
   * 504: 4 by default, with pauses that grow or follow `Retry-After`, if that is at most 60 seconds. Each call carries
   * an idempotency key, so the service performs it only once. 0 disables retries.
   */
  readonly repeats?: number | undefined;
}

/** A client for one service. A method that fails rejects with a `PostshelfError`. */
export interface PostshelfClient {
  /** Every operation that isn't an upload, by resource and verb: `trpc.folders.create.mutate({ workspace, name })`. */
  readonly trpc: PostshelfTrpc;

  /**
   * Signs the browser in: exchanges a token, or the code of a sign-in link, for a session in a cookie that scripts
   * can't read. Rejects with `refused` and status 401 if the token or the code isn't valid. Only clients without a
   * token, in pages that the service itself serves, can sign in.
   */
  signIn(options: SignInOptions): Promise<Session>;

  /** Ends the browser's session; does nothing if there is none. */
  signOut(): Promise<void>;

  /**
   * Uploads 1 to 10 files of up to 200 MB in one request, which stores all of them or none. The items are then
   * `active`. A single file from 20 MB to 2 GB is uploaded by {@link PostshelfClient.uploadResumable}, unless you pass
   * an idempotency key. Files are read while they are sent: pass `await fs.openAsBlob(path)` in Node and
   * `Bun.file(path)` in Bun.
   *
   * In a service worker `onProgress` is never called, because no API reports progress there.
   */
  upload(workspace: string, files: UploadFile | Iterable<UploadFile>, options?: UploadOptions): Promise<MediaItem[]>;

  /**
   * Uploads one file of up to 2 GB directly to the storage: requests an upload URL, PUTs the file there, and has the
   * service confirm it. The item is then `active`. The declared media type is the blob's, or derived from the file
   * name's extension.
   */
  uploadPresigned(workspace: string, file: UploadFile, options?: UploadPresignedOptions): Promise<MediaItem>;

  /**
   * Uploads one file of up to 2 GB in any number of requests (tus 1.0). An interrupted upload continues after a lost
   * connection or a restart of the service and, with `store`, after a reload of the page. Resolves with the item once
   * it is `active`.
   */
  uploadResumable(workspace: string, file: UploadFile, options?: UploadResumableOptions): Promise<MediaItem>;

  /** Has the service download a public image or video. A video is `processing` at first; see {@link waitUntilReady}. */
  importUrl(workspace: string, url: string | URL, options?: ImportUrlOptions): Promise<MediaItem>;

  /**
   * Resolves with the item once it is `active`; if it was created with `on_duplicate: 'return'`, the result may be an
   * existing item with another id. Rejects with `failed` and the item's `error_message` if the item fails, with
   * `timeout` after `timeout` milliseconds (default: ten minutes), with `aborted` if the signal aborts, and with
   * `refused` if the item no longer exists. Polls with growing pauses of at most 5 seconds, or follows the events of
   * `workspace` if it is given, and tolerates four temporary failures in a row.
   */
  waitUntilReady(id: string, options?: WaitOptions): Promise<MediaItem>;

  /**
   * Yields the events of a workspace as they happen. Reconnects whenever the connection is lost and resumes after the
   * last event, so that no event is missed or repeated. Throws `aborted` when the signal aborts, or `refused`.
   *
   * ```ts
   * for await (const event of client.events(workspace, { types: ['media.active'], signal })) …
   * ```
   */
  events(workspace: string, options?: EventOptions): AsyncGenerator<PostshelfEvent, void, undefined>;

  /**
   * Yields the pages of any list, starting at `input.page` or the first; each is requested when it is needed:
   *
   * ```ts
   * for await (const { data } of client.pages(client.trpc.media.list, { workspace, per_page: 100 })) …
   * ```
   */
  pages<Input extends object, Output extends Page>(
    list: List<Input, Output>,
    input: NoInfer<Input>,
    options?: CallOptions,
  ): AsyncGenerator<Output, void, undefined>;
}

/** Creates a client. @throws TypeError if `baseUrl` isn't an http or https URL */
export function createPostshelfClient({
  baseUrl,
  token,
  repeats = DEFAULT_REPEATS,
}: PostshelfClientOptions): PostshelfClient {
  const connection = connect(baseUrl, token, repeats);
  const trpc = createTrpc(connection);
  return {
    trpc,
    signIn: (options) => signIn(connection, options),
    signOut: () => signOut(connection),
    upload: (workspace, files, options = {}) => upload(connection, trpc, workspace, files, options),
    uploadPresigned: (workspace, file, options = {}) => uploadPresigned(connection, trpc, workspace, file, options),
    uploadResumable: (workspace, file, options = {}) => uploadResumable(connection, trpc, workspace, file, options),
    importUrl: (workspace, url, options = {}) => importUrl(trpc, workspace, url, options),
    waitUntilReady: (id, options = {}) => waitUntilReady(connection, trpc, id, options),
    events: (workspace, options = {}) => events(connection, workspace, options),
    pages,
  };
}
