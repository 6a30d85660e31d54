import { connect, type Token } from './connection.ts';
import type { UploadFile } from './files.ts';
import { type ImportUrlOptions, importUrl } from './import-url.ts';
import type { MediaItem } from './media-item.ts';
import { type List, type Page, pages } from './pages.ts';
import { DEFAULT_REPEATS } from './repeat.ts';
import { type CallOptions, createTrpc, type PostshelfTrpc } from './trpc.ts';
import { type UploadOptions, upload } from './upload.ts';
import { type UploadPresignedOptions, uploadPresigned } from './upload-presigned.ts';
import { type WaitOptions, waitUntilReady } from './wait-until-ready.ts';

export interface PostshelfClientOptions {
  /** The service's root, `https://media.example.com`: without `/v1`. In a browser it may be relative to the page. */
  readonly baseUrl: string | URL;
  /**
   * A personal access token, or a function that gives one and is asked before each request. `null` in pages that the
   * service itself serves: the browser's session counts.
   */
  readonly token: Token | null;
  /**
   * How often a call that changes something is made again after a lost connection, 502, 503 or 504: 4 times unless it is
   * given, with pauses that grow from a quarter of a second, or as long as `Retry-After` says. Each call has a key by which
   * the service does it once. 0: never.
   */
  readonly repeats?: number | undefined;
}

/** Every failure of every method is a `PostshelfError`. */
export interface PostshelfClient {
  /** Every operation that isn't an upload, by resource and verb: `trpc.folders.create.mutate({ workspace, name })`. */
  readonly trpc: PostshelfTrpc;

  /**
   * Uploads 1 to 10 files of up to 200 MB in one request, all or none; the items are `active`. The files are read as
   * they are sent: give `await fs.openAsBlob(path)` in Node and `Bun.file(path)` in Bun.
   *
   * `onProgress` is told in pages by XMLHttpRequest, in Node and Bun as the network takes the bytes. In a service
   * worker it isn't told at all: nothing there knows.
   */
  upload(workspace: string, files: UploadFile | Iterable<UploadFile>, options?: UploadOptions): Promise<MediaItem[]>;

  /**
   * Uploads one file of up to 2 GB straight to the storage: asks for an address, PUTs the file there, has the service
   * confirm it; the item is `active`. The type that is announced is the blob's, or what the name's extension says.
   */
  uploadPresigned(workspace: string, file: UploadFile, options?: UploadPresignedOptions): Promise<MediaItem>;

  /** Has the service fetch a public image or video. A video is `processing` at first: {@link waitUntilReady}. */
  importUrl(workspace: string, url: string | URL, options?: ImportUrlOptions): Promise<MediaItem>;

  /**
   * Resolves with the item once it is `active`: with `on_duplicate: 'return'` it may be another, of another id, which had
   * the file before. Rejects with the code `failed` and the item's `error_message` when its
   * import failed, `timeout` after `timeout` milliseconds (ten minutes), `aborted` by the signal, and `refused` when
   * the item is gone. It looks after 250 ms, then ever more rarely, at last every 5 seconds, and overlooks up to
   * four failures in a row that pass, such as those of a restart.
   */
  waitUntilReady(id: string, options?: WaitOptions): Promise<MediaItem>;

  /**
   * The pages of any list, from `input.page` or the first on, each asked for when it is wanted:
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

/** @throws TypeError when `baseUrl` is no http or https URL */
export function createPostshelfClient({
  baseUrl,
  token,
  repeats = DEFAULT_REPEATS,
}: PostshelfClientOptions): PostshelfClient {
  const connection = connect(baseUrl, token, repeats);
  const trpc = createTrpc(connection);
  return {
    trpc,
    upload: (workspace, files, options = {}) => upload(connection, workspace, files, options),
    uploadPresigned: (workspace, file, options = {}) => uploadPresigned(connection, trpc, workspace, file, options),
    importUrl: (workspace, url, options = {}) => importUrl(trpc, workspace, url, options),
    waitUntilReady: (id, options = {}) => waitUntilReady(trpc, id, options),
    pages,
  };
}
