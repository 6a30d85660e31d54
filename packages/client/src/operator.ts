import { connect, type Token } from './connection.ts';
import { type List, type Page, pages } from './pages.ts';
import { DEFAULT_REPEATS } from './retry.ts';
import { type CallOptions, createTrpc, type OperatorTrpc } from './trpc.ts';

export interface OperatorClientOptions {
  /** The service's root URL without `/v1`, such as `https://media.example.com`. */
  readonly url: string | URL;
  /** An operator token (`postshelf token create --operator`), or a function that returns one before each request. */
  readonly token: Token;
  /** Maximum number of retries, as in `PostshelfClientOptions`. */
  readonly repeats?: number | undefined;
}

/**
 * A client for operators: manages workspaces and tokens, but no media. A method that fails rejects with a
 * `PostshelfError`.
 */
export interface OperatorClient {
  /** Every operation for operators, by resource and verb: `trpc.workspaces.create.mutate({ name })`. */
  readonly trpc: OperatorTrpc;

  /** Yields the pages of any list, like `PostshelfClient.pages`. */
  pages<Input extends object, Output extends Page>(
    list: List<Input, Output>,
    input: NoInfer<Input>,
    options?: CallOptions,
  ): AsyncGenerator<Output, void, undefined>;
}

/** Creates a client for operators. @throws TypeError if `url` isn't an http or https URL */
export function createOperatorClient({ url, token, repeats = DEFAULT_REPEATS }: OperatorClientOptions): OperatorClient {
  return { trpc: createTrpc<OperatorTrpc>(connect(url, token, repeats)), pages };
}
