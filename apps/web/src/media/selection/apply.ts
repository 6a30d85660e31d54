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

/** Items in a call; the service takes 500, and fewer tell sooner how far it is. */
const IN_A_CALL = 200;

/**
 * Does it with each item as if it were the only one. A call that fails ends it: what was done by then stays, and the others
 * say why they weren't.
 *
 * @param onProgress told how many it is through with
 */
export async function applyToAll(
  workspace: string,
  items: readonly MediaItem[],
  change: Change,
  onProgress: (done: number) => void,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  while (outcomes.length < items.length) {
    const some = items.slice(outcomes.length, outcomes.length + IN_A_CALL);
    try {
      const ids = some.map(({ id }) => id);
      const { data } = await client.trpc.media.batch.mutate({ workspace, ids, ...inputOf(change) });
      outcomes.push(...some.map((item, at) => ({ item, refusal: refusalOf(data[at]) })));
    } catch (error) {
      const refusal = sentenceOf(error);
      outcomes.push(...items.slice(outcomes.length).map((item) => ({ item, refusal })));
    }
    onProgress(outcomes.length);
  }
  return outcomes;
}

const inputOf = (change: Change) => ('tags' in change ? { ...change, tags: [...change.tags] } : change);

const refusalOf = (outcome: { readonly ok: boolean; readonly message: string | null } | undefined): string | null =>
  outcome?.ok ? null : (outcome?.message ?? 'Not done.');

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
