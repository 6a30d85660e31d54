import { unreadable } from './error.ts';
import type { MediaItem } from './media-item.ts';
import type { Operations } from './operations.ts';
import type { CallOptions, PostshelfTrpc } from './trpc.ts';

type Fields = Omit<Operations['media']['importUrl']['input'], 'workspace' | 'url'>;

export type ImportUrlOptions = Fields & CallOptions;

/** @throws PostshelfError */
export async function importUrl(
  trpc: PostshelfTrpc,
  workspace: string,
  url: string | URL,
  { signal, ...fields }: ImportUrlOptions,
): Promise<MediaItem> {
  const { data } = await trpc.media.importUrl.mutate({ workspace, url: String(url), ...fields }, { signal });
  const [item] = data;
  if (!item) throw unreadable(undefined, null);
  return item;
}
