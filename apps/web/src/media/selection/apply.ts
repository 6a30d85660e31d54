import { type MediaItem, PostshelfError } from '@postshelf/client';
import { client, sentenceOf } from '../../service/service.ts';
import type { Outcome } from './outcomes.ts';

/** A change to many items. */
export type Change =
  | { readonly action: 'move'; readonly folder_id: string | null }
  | { readonly action: 'tag' | 'untag'; readonly tags: readonly string[] }
  | { readonly action: 'delete' }
  /** For items in the trash. */
  | { readonly action: 'restore' | 'purge' };

/** Number of items per call. The service accepts 500, but smaller calls show progress sooner. */
const IN_A_CALL = 200;

/** Number of concurrent calls for items in the trash; each item needs its own call. */
const CONCURRENCY = 8;

/**
 * Applies a change to each item independently. After a failed call, earlier changes stay, and all remaining items count
 * as refused with the call's error.
 *
 * @param onProgress called with the number of finished items
 */
export async function applyToAll(
  workspace: string,
  items: readonly MediaItem[],
  change: Change,
  onProgress: (done: number) => void,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  while (outcomes.length < items.length) {
    const count = isTrashed(change) ? CONCURRENCY : IN_A_CALL;
    const some = items.slice(outcomes.length, outcomes.length + count);
    try {
      outcomes.push(...(await applyToSome(workspace, some, change)));
    } catch (error) {
      const refusal = sentenceOf(error);
      outcomes.push(...items.slice(outcomes.length).map((item) => ({ item, refusal })));
    }
    onProgress(outcomes.length);
  }
  return outcomes;
}

type TrashChange = Extract<Change, { readonly action: 'restore' | 'purge' }>;

const isTrashed = (change: Change): change is TrashChange => change.action === 'restore' || change.action === 'purge';

async function applyToSome(workspace: string, items: readonly MediaItem[], change: Change): Promise<Outcome[]> {
  if (isTrashed(change)) {
    const settled = await Promise.allSettled(items.map((item) => changeTrashed(item, change)));
    return items.map((item, at) => outcomeOf(item, settled[at]));
  }
  const ids = items.map(({ id }) => id);
  const { data } = await client.trpc.media.batch.mutate({ workspace, ids, ...inputOf(change) });
  return items.map((item, at) => ({ item, refusal: refusalOf(data[at]) }));
}

/** Restores or purges an item. @throws errors that aren't specific to this item */
async function changeTrashed(item: MediaItem, { action }: TrashChange): Promise<Outcome> {
  const { id } = item;
  try {
    await (action === 'restore' ? client.trpc.trash.restore.mutate({ id }) : client.trpc.trash.delete.mutate({ id }));
    return { item, refusal: null };
  } catch (error) {
    if (error instanceof PostshelfError && error.status === 404)
      return { item, refusal: 'It’s no longer in the trash.' };
    throw error;
  }
}

const outcomeOf = (item: MediaItem, settled: PromiseSettledResult<Outcome> | undefined): Outcome =>
  settled?.status === 'fulfilled' ? settled.value : { item, refusal: sentenceOf(settled?.reason) };

const inputOf = (change: Exclude<Change, TrashChange>) =>
  'tags' in change ? { ...change, tags: [...change.tags] } : change;

const refusalOf = (outcome: { readonly ok: boolean; readonly message: string | null } | undefined): string | null =>
  outcome?.ok ? null : (outcome?.message ?? 'Something went wrong.');
