import type { MediaItem } from '@postshelf/client';
import { client, sentenceOf } from '../../service/service.ts';

/** What is done with many items. */
export type Change =
  | { readonly action: 'move'; readonly folder_id: string | null }
  | { readonly action: 'tag' | 'untag'; readonly tags: readonly string[] }
  | { readonly action: 'delete' };

export interface Outcome {
  readonly item: MediaItem;
  /** Why not; null where it was done. */
  readonly refusal: string | null;
}

/** Calls at a time: some for quickness, few so that whoever else uses the service waits for none of them. */
const AT_A_TIME = 4;

/** Does it with each item as if it were the only one. @param onProgress told how many it was done with */
export async function applyToAll(
  items: readonly MediaItem[],
  change: Change,
  onProgress: (done: number) => void,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const waiting = items.values();
  const work = async (): Promise<void> => {
    for (const item of waiting) {
      outcomes.push({ item, refusal: await applyToOne(item, change) });
      onProgress(outcomes.length);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return outcomes;
}

async function applyToOne({ id, details }: MediaItem, change: Change): Promise<string | null> {
  const { media } = client.trpc;
  try {
    if (change.action === 'delete') await media.delete.mutate({ id });
    else if (change.action === 'move') await media.update.mutate({ id, folder_id: change.folder_id });
    else {
      const tags =
        change.action === 'tag'
          ? withTags(details?.tags ?? [], change.tags)
          : withoutTags(details?.tags ?? [], change.tags);
      await media.update.mutate({ id, tags });
    }
    return null;
  } catch (error) {
    return sentenceOf(error);
  }
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** Upper and lower case are the same; what an item has stays as it is written there. */
export const withTags = (has: readonly string[], more: readonly string[]): string[] => [
  ...has,
  ...more.filter((tag) => !has.some((known) => isSame(known, tag))),
];

export const withoutTags = (has: readonly string[], less: readonly string[]): string[] =>
  has.filter((tag) => !less.some((gone) => isSame(gone, tag)));

/** Tags as they are typed, with commas or lines between them; none twice. */
export const readTags = (typed: string): string[] =>
  typed
    .split(/[,\n]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
    .reduce<string[]>((found, tag) => withTags(found, [tag]), []);
