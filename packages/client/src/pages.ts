import type { CallOptions } from './trpc.ts';

/** What every page of every list has. */
export interface Page {
  readonly data: readonly unknown[];
  readonly links: { readonly next: string | null };
}

/** An operation that gives pages: `client.trpc.folders.list`, `client.trpc.media.list`, … */
export interface List<Input, Output extends Page> {
  readonly query: (input: Input, options?: CallOptions) => Promise<Output>;
}

/**
 * The pages from the asked one on, each read when it is wanted. The link to the next one says which it is; asked for is
 * it where the first was, so that the token goes to no address that an answer names. @throws PostshelfError
 */
export async function* pages<Input extends object, Output extends Page>(
  list: List<Input, Output>,
  input: NoInfer<Input>,
  options: CallOptions = {},
): AsyncGenerator<Output, void, undefined> {
  let page = await list.query(input, options);
  for (;;) {
    yield page;
    const { next } = page.links;
    if (next === null) return;
    page = await list.query({ ...input, page: Number(new URL(next).searchParams.get('page')) }, options);
  }
}
