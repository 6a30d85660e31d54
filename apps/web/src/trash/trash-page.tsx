import '@postshelf/browser/media/media-grid.css';
import '../media/library-page.css';
import '../media/media-grid.css';
import '../ui/page.css';
import { MediaTile } from '@postshelf/browser/media/media-tile.tsx';
import { MediaTiles } from '@postshelf/browser/media/media-tiles.tsx';
import { Skeleton } from '@postshelf/browser/media/skeleton.tsx';
import { type MediaGridOptions, useMediaGrid } from '@postshelf/browser/media/use-media-grid.ts';
import { INITIALLY_VISIBLE, type VisibleRows } from '@postshelf/browser/media/use-media-rows.ts';
import { plural } from '@postshelf/browser/ui/format-number.ts';
import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import type { MediaItem } from '@postshelf/client';
import { useState } from 'react';
import { Replaceable } from '../media/selection/replaceable.tsx';
import { SelectionAction, SelectionBar } from '../media/selection/selection-bar.tsx';
import { useBulk } from '../media/selection/use-bulk.ts';
import { UNDO_DAYS } from '../media/undo-days.ts';
import { refresh } from '../service/live.ts';
import { client, sentenceOf } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { CancelButton, Dialog, DialogActions } from '../ui/dialog.tsx';
import { RestoreIcon, TrashIcon } from '../ui/icons.tsx';
import { useNotify } from '../ui/notices.tsx';
import { useTitle } from '../ui/use-title.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { useTrash } from './use-trash.ts';

type Task = 'purge' | 'empty';

/** Shows deleted media, which can be restored or deleted forever. */
export function TrashPage() {
  useTitle('Trash');
  const { id: workspace, scopes } = useWorkspace();
  const mayChange = scopes.includes('media:write');
  const [visible, setVisible] = useState(INITIALLY_VISIBLE);
  const { rows, state, error, retry, selection } = useTrash(workspace, visible);
  const [task, setTask] = useState<Task | null>(null);
  const bulk = useBulk();
  const notify = useNotify();
  const failed = (failure: unknown): void => void notify({ text: sentenceOf(failure), tone: 'bad' });
  const change = async (work: (items: readonly MediaItem[]) => Promise<readonly MediaItem[]>): Promise<void> => {
    const items = await selection.read();
    selection.set(items);
    selection.remove(await work(items));
  };
  const perform = async (): Promise<void> => {
    setTask(null);
    if (task === 'purge') return change(bulk.purge);
    await client.trpc.trash.empty.mutate({ workspace });
    selection.clear();
    notify({ text: 'The trash was emptied.' });
    await refresh('media');
  };
  return (
    <div className="library">
      <main className="library-main">
        <Replaceable
          by={
            mayChange &&
            selection.count > 0 && (
              <SelectionBar selection={selection} total={rows.size}>
                <SelectionAction icon={<RestoreIcon />} onPress={() => void change(bulk.restore).catch(failed)}>
                  Restore
                </SelectionAction>
                <SelectionAction variant="danger" icon={<TrashIcon />} onPress={() => setTask('purge')}>
                  Delete forever
                </SelectionAction>
              </SelectionBar>
            )
          }
        >
          <header className="page-head">
            <h1>Trash</h1>
            {mayChange && rows.size > 0 && (
              <Button variant="danger" onPress={() => setTask('empty')}>
                Empty trash
              </Button>
            )}
          </header>
        </Replaceable>
        {state === 'failed' && (
          <div className="library-empty">
            <p role="alert">{sentenceOf(error)}</p>
            <Button onPress={retry}>Try again</Button>
          </div>
        )}
        {state === 'loading' && <Skeleton />}
        {state === 'ready' && rows.size === 0 && (
          <div className="library-empty">
            <h2>The trash is empty</h2>
            <p>
              {UNDO_DAYS === 0
                ? 'This server doesn’t keep deleted media.'
                : `Deleted media can be restored from here for ${plural(UNDO_DAYS, 'day')}.`}
            </p>
          </div>
        )}
        {state === 'ready' && rows.size > 0 && (
          <div className="library-media">
            <TrashGrid
              selectionMode={mayChange ? 'multiple' : 'single'}
              rows={rows}
              selected={selection.selected}
              onSelect={selection.select}
              onVisibleChange={setVisible}
            />
          </div>
        )}
      </main>
      {task && (
        <Dialog
          title={task === 'empty' ? 'Empty the trash?' : `Delete ${plural(selection.count, 'item')} forever?`}
          role="alertdialog"
          isOpen
          onClose={() => setTask(null)}
        >
          <p>
            {task === 'empty'
              ? `${plural(rows.size, 'item')} will be deleted forever. This can’t be undone.`
              : 'This can’t be undone.'}
          </p>
          <DialogActions>
            <CancelButton onPress={() => setTask(null)} />
            <Button variant="danger" onPress={() => void perform().catch(failed)}>
              {task === 'empty' ? 'Empty trash' : 'Delete forever'}
            </Button>
          </DialogActions>
        </Dialog>
      )}
    </div>
  );
}

interface TrashGridProps extends Pick<MediaGridOptions, 'rows' | 'selected' | 'selectionMode' | 'onSelect'> {
  onVisibleChange(visible: VisibleRows): void;
}

function TrashGrid({ onVisibleChange, ...options }: TrashGridProps) {
  const grid = useMediaGrid({ ...options, label: 'Trash', selectionBehavior: 'replace' });
  const reportVisible = useStableCallback(onVisibleChange);
  return (
    <div {...grid.gridProps} ref={grid.ref} className="grid">
      <MediaTiles grid={grid} onVisibleChange={reportVisible} renderTile={(tile) => <MediaTile {...tile} />} />
    </div>
  );
}
