import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import type { MediaItem } from '@postshelf/client';
import { type MouseEvent, type ReactNode, use, useState } from 'react';
import { sentenceOf } from '../service/service.ts';
import { ContextMenu, type MenuAction, type MenuPlace, placeOfMenu } from '../ui/context-menu.tsx';
import { useNotify } from '../ui/notices.tsx';
import { startDownload } from '../ui/start-download.ts';
import { useLongPress } from '../ui/use-long-press.ts';
import { useMay } from '../workspaces/use-may.ts';
import { downloadLink } from './download-link.ts';
import { NewPost } from './selection/new-post.ts';
import type { Task } from './selection/selection-dialog.tsx';
import { useCopyLinks } from './selection/use-copy-links.ts';
import { useDownloadZip } from './selection/use-download-zip.ts';
import type { useSelection } from './selection/use-selection.ts';

type Action = 'open' | 'rename' | 'move' | 'tag' | 'download' | 'copy' | 'post' | 'delete';

interface MediaMenuOptions {
  readonly selection: ReturnType<typeof useSelection>;
  /** Returns the item of a row by its key; null if it hasn't been read. */
  itemAt(key: string | undefined): MediaItem | null;
  onOpen(id: string): void;
  onRename(item: MediaItem): void;
  onTask(task: Task): void;
}

/**
 * The context menu of the library's rows. If the row that was clicked is selected, the menu acts on all selected items.
 * Otherwise that row is selected first. On a long press, react-aria has already selected the row.
 */
export function useMediaMenu({ selection, itemAt, onOpen, onRename, onTask }: MediaMenuOptions) {
  const [opened, setOpened] = useState<{ readonly place: MenuPlace; readonly item: MediaItem } | null>(null);
  const mayChange = useMay('media:write');
  const mayPost = useMay('analytics:write');
  const notify = useNotify();
  const copyLinks = useCopyLinks();
  const downloadZip = useDownloadZip();
  const beginPost = use(NewPost);
  const { selected, count } = selection;
  const isSelected = ({ id }: MediaItem): boolean => selected === 'all' || selected.has(id);

  /**
   * Returns the row in which an event occurred; null if the event is from the menu itself or a dialog. React bubbles
   * these events as well.
   */
  const rowOf = (target: EventTarget): { readonly row: HTMLElement; readonly item: MediaItem } | null => {
    const row = target instanceof Element ? target.closest<HTMLElement>('[role="row"]') : null;
    const item = itemAt(row?.dataset.key);
    return row && item && { row, item };
  };

  const onContextMenu = useStableCallback((event: MouseEvent): void => {
    const found = rowOf(event.target);
    if (!found) return;
    event.preventDefault();
    const { row, item } = found;
    const isTouch = 'pointerType' in event.nativeEvent && event.nativeEvent.pointerType === 'touch';
    if (!isTouch && !isSelected(item)) selection.set([item]);
    row.focus({ preventScroll: true });
    setOpened({ place: placeOfMenu(row, event), item });
  });

  const onLongPress = useStableCallback((target: EventTarget): void => {
    const found = rowOf(target);
    if (found) setOpened({ place: { at: found.row, point: null }, item: found.item });
  });

  const act = async (action: Action, item: MediaItem): Promise<void> => {
    if (action === 'open') return onOpen(item.id);
    if (action === 'rename') return onRename(item);
    if (!isSelected(item)) selection.set([item]);
    if (action === 'move' || action === 'tag' || action === 'delete') return onTask(action);
    const items = isSelected(item) ? await selection.read() : [item];
    if (action === 'copy') await copyLinks(items);
    else if (action === 'post') beginPost(items.map(({ id }) => id));
    else if (items.length > 1) await downloadZip(items);
    else startDownload(downloadLink(item));
  };

  const menuOf = ({ place, item }: NonNullable<typeof opened>): ReactNode => (
    <ContextMenu
      place={place}
      name={item.name}
      actions={actionsFor(item, isSelected(item) ? count : 1, { mayChange, mayPost })}
      onAction={(action) =>
        void act(action, item).catch((error: unknown) => notify({ text: sentenceOf(error), tone: 'bad' }))
      }
      onClose={() => setOpened(null)}
    />
  );
  return { gridProps: { onContextMenu, ...useLongPress(onLongPress) }, menu: opened && menuOf(opened) };
}

/** @param count the number of items on which the actions act; opening and renaming always act on one */
function actionsFor(
  { status }: MediaItem,
  count: number,
  { mayChange, mayPost }: { readonly mayChange: boolean; readonly mayPost: boolean },
): readonly MenuAction<Action>[] {
  const isReady = count > 1 || status === 'active';
  const changing: readonly MenuAction<Action>[] = [
    { id: 'rename', label: 'Rename' },
    { id: 'move', label: 'Move' },
    { id: 'tag', label: 'Tag' },
  ];
  const using: readonly MenuAction<Action>[] = [
    { id: 'download', label: count > 1 ? 'Download ZIP' : 'Download' },
    { id: 'copy', label: count > 1 ? 'Copy links' : 'Copy link' },
    ...(mayPost ? [{ id: 'post', label: 'Use in post' } as const] : []),
  ];
  return [
    { id: 'open', label: 'Open' },
    ...(mayChange ? changing : []),
    ...(isReady ? using : []),
    ...(mayChange ? [{ id: 'delete', label: 'Delete' } as const] : []),
  ];
}
