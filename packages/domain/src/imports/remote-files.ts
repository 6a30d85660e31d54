/** `refused`: the URL isn't allowed, and the caller gets 422. `failed`: the remote server didn't deliver the file. */
export type RemoteProblem =
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string; readonly mayRecover: boolean };

/** An error whose message is a sentence for people, without internal addresses; the cause is for the log. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError';

  constructor(
    readonly problem: RemoteProblem,
    options?: { cause: unknown },
  ) {
    super(problem.message, options);
  }
}

export interface RemoteFile {
  readonly announcedSize: number | null;
  /**
   * The body, to be read once; each chunk is valid until the next is requested. The connection closes if the reader
   * stops early.
   *
   * @throws RemoteError `failed` if it stalls, is too slow, is cut off, or doesn't have the declared length
   */
  readonly body: AsyncIterable<Uint8Array>;
  close(): void;
}

/** Fetches files from the public internet only; everything there is untrusted. */
export interface RemoteFiles {
  /**
   * Opens a file. Follows up to `MAX_REDIRECTS` redirects, each to a public address, and waits for the first byte of
   * the body.
   *
   * @throws RemoteError
   */
  open(url: string, options: { readonly signal: AbortSignal }): Promise<RemoteFile>;
}
