import { createSignedLinks } from '@postshelf/browser/links/signed-links.ts';
import type { MediaItem } from '@postshelf/client';
import { client, queryClient, trpc } from './service.ts';

const links = createSignedLinks(client.trpc, () => queryClient.invalidateQueries({ queryKey: trpc.media.pathKey() }));

interface Answer {
  readonly data: MediaItem | readonly MediaItem[];
}

/** Returns a media query whose results have signed links, in workspaces that use them. */
export function signed<Options extends { readonly queryFn?: unknown }>(options: Options): Options {
  const read = options.queryFn as (context: unknown) => Promise<Answer>;
  const queryFn = async (context: unknown): Promise<Answer> => {
    let answer: Answer | undefined;
    const items = await links.sign(async () => {
      answer = await read(context);
      return 'id' in answer.data ? [answer.data] : answer.data;
    });
    return { ...answer, data: answer && 'id' in answer.data ? (items[0] ?? answer.data) : items };
  };
  return { ...options, queryFn };
}
