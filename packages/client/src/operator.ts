import { connect, type Token } from './connection.ts';
import { type List, type Page, pages } from './pages.ts';
import { DEFAULT_REPEATS } from './repeat.ts';
import { type CallOptions, createTrpc, type OperatorTrpc } from './trpc.ts';

export interface OperatorClientOptions {
  /** The service's root, `https://media.example.com`: without `/v1`. */
  readonly url: string | URL;
  /** Of an operator (`postshelf token create --operator`), or a function that returns one before each request. */
  readonly token: Token;
  /** As in `PostshelfClientOptions`. */
  readonly repeats?: number | undefined;
}

/** Runs the service: workspaces and tokens, but no media. Every failure is a `PostshelfError`. */
export interface OperatorClient {
  /** By resource and verb: `trpc.workspaces.create.mutate({ name })`. */
  readonly trpc: OperatorTrpc;

  /** The pages of any list, as those of `PostshelfClient`. */
  pages<Input extends object, Output extends Page>(
    list: List<Input, Output>,
    input: NoInfer<Input>,
    options?: CallOptions,
  ): AsyncGenerator<Output, void, undefined>;
}

/** @throws TypeError when `url` is no http or https URL */
export function createOperatorClient({ url, token, repeats = DEFAULT_REPEATS }: OperatorClientOptions): OperatorClient {
  return { trpc: createTrpc<OperatorTrpc>(connect(url, token, repeats)), pages };
}
