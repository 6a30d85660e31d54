import { plural } from '@postshelf/browser/ui/format-number.ts';
import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import type { MediaItem } from '@postshelf/client';
import { use, useEffect } from 'react';
import { sentenceOf } from '../../service/service.ts';
import { awaitSearch, offerSearch } from '../../shortcuts/media-search.ts';
import { AltTextIcon, DownloadIcon, LinkIcon, MoveIcon, PostIcon, TagIcon, TrashIcon } from '../../ui/icons.tsx';
import { lazyDialog } from '../../ui/lazy-dialog.tsx';
import { useNotify } from '../../ui/notices.tsx';
import { useMay } from '../../workspaces/use-may.ts';
import { NewPost } from './new-post.ts';
import { SelectionAction, SelectionBar } from './selection-bar.tsx';
import type { Task } from './selection-dialog.tsx';
import { useCopyLinks } from './use-copy-links.ts';
import { useDownloadZip } from './use-download-zip.ts';
import type { useSelection } from './use-selection.ts';

const SelectionDialog = lazyDialog(async () => (await import('./selection-dialog.tsx')).SelectionDialog);

interface SelectionTaskProps {
  readonly selection: ReturnType<typeof useSelection>;
  /** The task for which a dialog is open; null if there is none. */
  readonly task: Task | null;
  onTask(task: Task | null): void;
}

interface LibrarySelectionProps extends SelectionTaskProps {
  readonly total: number;
}

/** The actions that the session may perform on the media selected in the library. */
export function LibrarySelection({ selection, total, onTask }: LibrarySelectionProps) {
  const mayChange = useMay('media:write');
  const mayPost = useMay('analytics:write');
  const notify = useNotify();
  const copyLinks = useCopyLinks();
  const downloadZip = useDownloadZip();
  const beginPost = use(NewPost);
  /** Calls a function with the selected items once they are read. */
  const withItems = (act: (items: readonly MediaItem[]) => void | Promise<void>): void => {
    const done = selection.read().then(act);
    void done.catch((error: unknown) => notify({ text: sentenceOf(error), tone: 'bad' }));
  };
  const { clear } = selection;
  const search = useStableCallback((): void => {
    awaitSearch();
    clear();
  });
  useEffect(() => offerSearch(search), [search]);
  return (
    <SelectionBar selection={selection} total={total}>
      {mayChange && (
        <>
          <SelectionAction icon={<MoveIcon />} onPress={() => onTask('move')}>
            Move
          </SelectionAction>
          <SelectionAction icon={<TagIcon />} onPress={() => onTask('tag')}>
            Tag
          </SelectionAction>
          <SelectionAction icon={<AltTextIcon />} onPress={() => onTask('alt-text')}>
            Alt text
          </SelectionAction>
        </>
      )}
      <SelectionAction icon={<DownloadIcon />} onPress={() => withItems(downloadZip)}>
        Download ZIP
      </SelectionAction>
      <SelectionAction icon={<LinkIcon />} onPress={() => withItems(copyLinks)}>
        Copy links
      </SelectionAction>
      {mayPost && (
        <SelectionAction icon={<PostIcon />} onPress={() => withItems((items) => beginPost(items.map(({ id }) => id)))}>
          Use in post
        </SelectionAction>
      )}
      {mayChange && (
        <SelectionAction variant="danger" icon={<TrashIcon />} onPress={() => onTask('delete')}>
          Delete
        </SelectionAction>
      )}
    </SelectionBar>
  );
}

/** The dialog about selected media. It stays open when its action clears the selection. */
export function SelectionTask({ selection, task, onTask }: SelectionTaskProps) {
  if (task === null) return null;
  return (
    <SelectionDialog
      task={task}
      what={plural(selection.count, 'item')}
      selection={selection}
      onClose={() => onTask(null)}
    />
  );
}
