import './selection-toolbar.css';
import { formatNumber, plural } from '@postshelf/browser/ui/format-number.ts';
import { lazy, Suspense } from 'react';
import { Toolbar } from 'react-aria-components';
import { Button } from '../../ui/button.tsx';
import type { Task } from './selection-dialog.tsx';
import type { useSelection } from './use-selection.ts';

const SelectionDialog = lazy(async () => ({ default: (await import('./selection-dialog.tsx')).SelectionDialog }));

interface SelectionToolbarProps {
  readonly selection: ReturnType<typeof useSelection>;
  readonly total: number;
  /** What the dialog is about that is open; null if none is. */
  readonly task: Task | null;
  onTask(task: Task | null): void;
}

/** Actions for the selected items. At the bottom of the grid, so that nothing moves when the toolbar appears. */
export function SelectionToolbar({ selection, total, task, onTask }: SelectionToolbarProps) {
  const { count, clear, selectAll } = selection;
  return (
    <>
      {count > 0 && (
        // biome-ignore lint/a11y/noStaticElementInteractions: Escape clears the selection from every control in it
        <div
          className="selection"
          onKeyDown={({ key }) => {
            if (key === 'Escape') clear();
          }}
        >
          <Toolbar aria-label="Selection">
            <span className="selection-count">{formatNumber(count)} selected</span>
            <Button onPress={() => onTask('move')}>Move</Button>
            <Button onPress={() => onTask('tag')}>Tag</Button>
            <Button variant="danger" onPress={() => onTask('delete')}>
              Delete
            </Button>
            {count < total && (
              <Button variant="quiet" onPress={selectAll}>
                Select all {formatNumber(total)}
              </Button>
            )}
            <Button variant="quiet" aria-label="Clear selection" onPress={clear}>
              ×
            </Button>
          </Toolbar>
        </div>
      )}
      {task && (
        <Suspense>
          <SelectionDialog
            task={task}
            what={plural(count, 'item')}
            selection={selection}
            onClose={() => onTask(null)}
          />
        </Suspense>
      )}
    </>
  );
}
