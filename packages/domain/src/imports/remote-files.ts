/** `refused`: the URL isn't allowed, and a caller gets 422; `failed`: the remote server didn't deliver. */
export type RemoteProblem =
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string; readonly mayRecover: boolean };

/** The message is a sentence for people, without internal addresses; the cause is for the log. */
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
   * Read once; each chunk is valid until the next is requested. Closes the connection if the reader stops early.
   *
   * @throws RemoteError `failed` if it stalls, is too slow, cut off, or of another length than announced
   */
  readonly body: AsyncIterable<Uint8Array>;
  close(): void;
}

/** From the public internet alone; everything there is untrusted. */
export interface RemoteFiles {
  /** Follows `MAX_REDIRECTS`, every hop public, and waits for the first byte of the body. @throws RemoteError */
  open(url: string, options: { readonly signal: AbortSignal }): Promise<RemoteFile>;
}
