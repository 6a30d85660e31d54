import type { CallOptions } from './trpc.ts';

/** The fields that every page of every list has. */
export interface Page {
  readonly data: readonly unknown[];
  readonly links: { readonly next: string | null };
}

/** An operation that returns pages: `client.trpc.folders.list`, `client.trpc.media.list`, … */
export interface List<Input, Output extends Page> {
  readonly query: (input: Input, options?: CallOptions) => Promise<Output>;
}

/**
 * Yields the pages of a list. Takes only the page number from the link to the next page, so that the token is never
 * sent to a URL from a response.
 *
 * @throws PostshelfError
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
