import { unreadable } from './error.ts';
import type { MediaItem } from './media-item.ts';
import type { Operations } from './operations.ts';
import type { MutationOptions, PostshelfTrpc } from './trpc.ts';

type Fields = Omit<Operations['media']['importUrl']['input'], 'workspace' | 'url'>;

export type ImportUrlOptions = Fields & MutationOptions;

export async function importUrl(
  trpc: PostshelfTrpc,
  workspace: string,
  url: string | URL,
  { signal, idempotencyKey, ...fields }: ImportUrlOptions,
): Promise<MediaItem> {
  const { data } = await trpc.media.importUrl.mutate(
    { workspace, url: String(url), ...fields },
    { signal, idempotencyKey },
  );
  const [item] = data;
  if (!item) throw unreadable(undefined, null);
  return item;
}
