/**
 * Why a URL gave no file. `refused`: the URL itself isn't allowed (not http or https, credentials in it, a host that
 * isn't public, too many redirects), so a retry won't help; a caller gets 422 on `url`. `failed`: the remote server
 * didn't deliver (no such host, connection refused, time-out, an HTTP error, a body cut off).
 */
export type RemoteProblem =
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string; readonly mayRecover: boolean };

/**
 * Thrown by {@link RemoteFiles.open} and by the body it gives. The message is a sentence for people ("The server at
 * example.com answered 404.") without internal addresses, headers or stacks; the cause is for the log.
 */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';

  constructor(
    readonly problem: RemoteProblem,
    options?: { cause: unknown },
  ) {
    super(problem.message, options);
  }
}

/** A file whose body is being received. */
export interface RemoteFile {
  /** Bytes, by the answer's Content-Length; null without that header. */
  readonly announcedSize: number | null;
  /**
   * The bytes as they arrive, to be read once; each chunk is valid until the next one is requested. No more than some
   * hundred KB are read ahead of the reader. Closes the connection if the reader stops early.
   *
   * @throws RemoteError `failed` if it stalls or is too slow, is cut off, or is longer or shorter than announced
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** Ends the download; the body throws if it is still being read. Repeated calls do nothing. */
  close(): void;
}

/** Fetches files by URL from the public internet only. Every URL, name, answer and byte is untrusted. */
export interface RemoteFiles {
  /**
   * Resolves, connects, follows redirects, at most `MAX_REDIRECTS` (every hop must be public), and waits for the
   * answer's head and the first byte of its body. From then on the remote server has to keep a minimum rate, measured
   * over the last seconds spent waiting for it.
   *
   * @throws RemoteError
   */
  open(url: string, options: { readonly signal: AbortSignal }): Promise<RemoteFile>;
}
