import type { MediaItem } from '@postshelf/client';
import { client, sentenceOf } from '../../service/service.ts';
import type { Outcome } from './outcomes.ts';

/** A change to many items. */
export type Change =
  | { readonly action: 'move'; readonly folder_id: string | null }
  | { readonly action: 'tag' | 'untag'; readonly tags: readonly string[] }
  | { readonly action: 'delete' };

/** Items per call. The service accepts 500; with fewer the progress is shown sooner. */
const IN_A_CALL = 200;

/**
 * Applies a change to each item independently. A failed call ends the loop: earlier changes stay, and all remaining
 * items get the call's error as their refusal.
 *
 * @param onProgress called with the number of items that are done
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
