/**
 * Why a URL gave no file. `refused`: the URL itself is against the rules (not http or https, credentials in it, a host
 * that isn't public, too many redirects), and asking again won't help; a caller gets 422 on `url`.
 * `failed`: the other side didn't deliver (no such host, refused, time-out, an HTTP error, a body cut off).
 */
export type RemoteProblem =
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string; readonly mayRecover: boolean };

/**
 * Thrown by {@link RemoteFiles.open} and by the body it gives. The message is a sentence for people ("The server at
 * example.com answered 404.") without an address of the inside, a header or a stack; the cause is for the log.
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
  /** Bytes, by the answer's Content-Length; null when it says none. */
  readonly announcedSize: number | null;
  /**
   * The bytes as they come, once, each chunk good until the next one is asked for; nothing is read ahead of the reader
   * beyond some hundred KB. Ends the connection when the reader stops early.
   *
   * @throws RemoteError `failed` when it stalls or trickles, is cut off, or is longer or shorter than announced
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** Ends the connection; the body, where somebody still reads it, throws. A repeat does nothing. */
  close(): void;
}

/** Fetches files by URL from the public internet, and from nowhere else. Every URL, name, answer and byte is an attacker's. */
export interface RemoteFiles {
  /**
   * Resolves, connects, follows redirects, at most `MAX_REDIRECTS` (every hop must be public), and waits for the answer's
   * head and the first byte of its body. From then on the other side has to keep up a least rate, over the last so many seconds that it
   * was waited for.
   *
   * @param options.pressure by how many times that rate rises, as of now; 1 unless it is given
   * @throws RemoteError
   */
  open(
    url: string,
    options: { readonly signal: AbortSignal; readonly pressure?: (() => number) | undefined },
  ): Promise<RemoteFile>;
}
