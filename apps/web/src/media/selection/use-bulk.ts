import { formatNumber, plural } from '@postshelf/browser/ui/format-number.ts';
import type { MediaItem } from '@postshelf/client';
import { refresh } from '../../service/live.ts';
import { useNotify } from '../../ui/notices.tsx';
import { useWorkspace } from '../../workspaces/use-workspace.ts';
import { UNDO_DAYS } from '../undo-days.ts';
import { applyToAll, type Change } from './apply.ts';
import { summaryOf } from './outcomes.ts';
import { isSameTag, readTags, withoutTags } from './tags.ts';

/** Whether the item goes to the trash when it is deleted. */
export const isKept = ({ status }: MediaItem): boolean => status === 'active' && UNDO_DAYS > 0;

interface Words {
  /** How the notice describes the change while it runs: "Moving". */
  readonly now: string;
  /** How the notice describes the change afterwards: "moved to Brand". */
  readonly done: string;
}

type Undo = (done: readonly MediaItem[]) => Promise<void>;

/**
 * Returns functions that change many items. Each function returns the changed items. It shows one notice, with the
 * progress, the refusals and, if possible, undo.
 */
export function useBulk() {
  const notify = useNotify();
  const { id: workspace } = useWorkspace();

  const run = async (
    items: readonly MediaItem[],
    change: Change,
    words: Words,
    undo?: Undo,
    /** Added to the summary: a sentence about items that didn't have to be changed. */
    after = '',
  ): Promise<readonly MediaItem[]> => {
    const count = plural(items.length, 'item');
    const notice = notify({ text: `${words.now} ${count}…`, isPending: true });
    const outcomes = await applyToAll(workspace, items, change, (done) =>
      notice.replace({ text: `${words.now} ${formatNumber(done)} of ${count}…`, isPending: true }),
    );
    refresh('media');
    refresh('folders');
    const done = outcomes.filter(({ refusal }) => refusal === null).map(({ item }) => item);
    notice.replace({
      text: `${summaryOf(outcomes, words.done)} ${after}`.trim(),
      tone: done.length === items.length ? 'plain' : 'bad',
      undo: undo && done.length > 0 ? () => void undo(done) : undefined,
    });
    return done;
  };

  const moveBack: Undo = async (items) => {
    for (const [folder_id, those] of Map.groupBy(items, (item) => item.folder_id))
      await run(those, { action: 'move', folder_id }, { now: 'Moving back', done: 'moved back' });
  };

  const restore = (items: readonly MediaItem[]) =>
    run(items, { action: 'restore' }, { now: 'Restoring', done: 'restored' });
  const undelete: Undo = async (items) => void (await restore(items.filter(isKept)));

  return {
    /** Moves items. Also returns those that are already in the folder. */
    async move(items: readonly MediaItem[], folder_id: string | null, to: string): Promise<readonly MediaItem[]> {
      const there = items.filter((item) => item.folder_id === folder_id);
      const others = items.filter((item) => item.folder_id !== folder_id);
      const already =
        there.length === 0 ? '' : `${plural(there.length, 'item')} ${there.length === 1 ? 'is' : 'are'} already there.`;
      if (others.length === 0) {
        notify({ text: already });
        return there;
      }
      const words = { now: 'Moving', done: `moved to ${to}` };
      return [...there, ...(await run(others, { action: 'move', folder_id }, words, moveBack, already))];
    },
    tag: (items: readonly MediaItem[], tags: readonly string[]) =>
      run(items, { action: 'tag', tags }, { now: 'Tagging', done: `tagged ${tags.join(', ')}` }, async (done) => {
        // Undo only removes tags that the item didn't have before.
        const added = ({ details }: MediaItem) => withoutTags(tags, details?.tags ?? []).join(',');
        for (const [key, those] of Map.groupBy(done, added)) {
          const addedTags = readTags(key);
          const untag = { now: 'Untagging', done: 'untagged' };
          if (addedTags.length > 0) await run(those, { action: 'untag', tags: addedTags }, untag);
        }
      }),
    untag: (items: readonly MediaItem[], tags: readonly string[]) =>
      run(items, { action: 'untag', tags }, { now: 'Untagging', done: `untagged ${tags.join(', ')}` }, async (done) => {
        const removed = ({ details }: MediaItem) =>
          (details?.tags ?? []).filter((tag) => tags.some((one) => isSameTag(one, tag))).join(',');
        for (const [key, those] of Map.groupBy(done, removed)) {
          const removedTags = readTags(key);
          const tagAgain = { now: 'Tagging', done: 'tagged again' };
          if (removedTags.length > 0) await run(those, { action: 'tag', tags: removedTags }, tagAgain);
        }
      }),
    delete: (items: readonly MediaItem[]) =>
      run(items, { action: 'delete' }, { now: 'Deleting', done: 'deleted' }, items.some(isKept) ? undelete : undefined),
    restore,
    destroy: (items: readonly MediaItem[]) =>
      run(items, { action: 'destroy' }, { now: 'Deleting', done: 'deleted forever' }),
  };
}
