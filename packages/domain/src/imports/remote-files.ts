/**
 * `refused`: the URL isn't allowed (scheme, credentials, a host that isn't public, redirects), and a caller gets 422;
 * `failed`: the remote server didn't deliver.
 */
export type RemoteProblem =
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string; readonly mayRecover: boolean };

/** The message is a sentence for people, without internal addresses, headers or stacks; the cause is for the log. */
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
  /** By Content-Length; null without it. */
  readonly announcedSize: number | null;
  /**
   * Read once; each chunk is valid until the next one is requested. Some hundred KB are read ahead. Closes the
   * connection if the reader stops early.
   *
   * @throws RemoteError `failed` if it stalls, is too slow, cut off, or of another length than announced
   */
  readonly body: AsyncIterable<Uint8Array>;
  /** The body throws if it is being read. Repeated calls do nothing. */
  close(): void;
}

/** Files from the public internet only. Every URL, name, answer and byte is untrusted. */
export interface RemoteFiles {
  /**
   * Follows at most `MAX_REDIRECTS`, every hop public, and waits for the first byte of the body; from then on the
   * server has to keep a minimum rate.
   *
   * @throws RemoteError
   */
  open(url: string, options: { readonly signal: AbortSignal }): Promise<RemoteFile>;
}
