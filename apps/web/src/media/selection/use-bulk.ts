import { formatNumber, plural } from '@postshelf/browser/ui/format-number.ts';
import type { MediaItem } from '@postshelf/client';
import { refresh } from '../../service/live.ts';
import { useNotify } from '../../ui/notices.tsx';
import { useWorkspace } from '../../workspaces/use-workspace.ts';
import { UNDO_DAYS } from '../undo-days.ts';
import { applyToAll, type Change } from './apply.ts';
import { summaryOf } from './outcomes.ts';
import { isSameTag, readTags, withoutTags, withTags } from './tags.ts';

/** Whether the item goes to the trash when it is deleted. */
export const isKept = ({ status }: MediaItem): boolean => status === 'active' && UNDO_DAYS > 0;

interface Words {
  /** How the notice describes the change while it runs: "Moving". */
  readonly now: string;
  /** How the notice describes the change afterwards: "moved to Brand". */
  readonly done: string;
}

type Undo = (done: readonly MediaItem[]) => Promise<void>;

const tagged = (item: MediaItem, change: (had: readonly string[]) => string[]): MediaItem => ({
  ...item,
  ...(item.details && { details: { ...item.details, tags: change(item.details.tags) } }),
});

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

  /** Returns an undo that adds or removes tags which depend on those that an item had before. */
  const undoTags =
    (action: 'tag' | 'untag', of: (had: readonly string[]) => readonly string[], words: Words): Undo =>
    async (done) => {
      for (const [key, those] of Map.groupBy(done, ({ details }) => of(details?.tags ?? []).join(','))) {
        const tags = readTags(key);
        if (tags.length > 0) await run(those, { action, tags }, words);
      }
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
    /** Adds tags. Returns the items with them. */
    async tag(items: readonly MediaItem[], tags: readonly string[]): Promise<readonly MediaItem[]> {
      const words = { now: 'Tagging', done: `tagged ${tags.join(', ')}` };
      // Undo only removes tags that the item didn't have before.
      const untagAdded = undoTags('untag', (had) => withoutTags(tags, had), { now: 'Untagging', done: 'untagged' });
      const done = await run(items, { action: 'tag', tags }, words, untagAdded);
      return done.map((item) => tagged(item, (had) => withTags(had, tags)));
    },
    /** Removes tags. Returns the items without them. */
    async untag(items: readonly MediaItem[], tags: readonly string[]): Promise<readonly MediaItem[]> {
      const words = { now: 'Untagging', done: `untagged ${tags.join(', ')}` };
      const lost = (had: readonly string[]) => had.filter((tag) => tags.some((one) => isSameTag(one, tag)));
      const tagAgain = undoTags('tag', lost, { now: 'Tagging', done: 'tagged again' });
      const done = await run(items, { action: 'untag', tags }, words, tagAgain);
      return done.map((item) => tagged(item, (had) => withoutTags(had, tags)));
    },
    delete: (items: readonly MediaItem[]) =>
      run(items, { action: 'delete' }, { now: 'Deleting', done: 'deleted' }, items.some(isKept) ? undelete : undefined),
    restore,
    purge: (items: readonly MediaItem[]) =>
      run(items, { action: 'purge' }, { now: 'Deleting', done: 'deleted forever' }),
  };
}
