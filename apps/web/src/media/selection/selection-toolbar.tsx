import './selection-toolbar.css';
import { formatNumber, plural } from '@postshelf/elements/ui/format-number.ts';
import { lazy, Suspense, useState } from 'react';
import { Toolbar } from 'react-aria-components';
import { Button } from '../../ui/button.tsx';
import type { Task } from './selection-dialog.tsx';
import type { useSelection } from './use-selection.ts';

const SelectionDialog = lazy(async () => ({ default: (await import('./selection-dialog.tsx')).SelectionDialog }));

interface SelectionToolbarProps {
  readonly selection: ReturnType<typeof useSelection>;
  readonly total: number;
}

/** Actions for the selected items. At the bottom of the grid, so that nothing moves when the toolbar appears. */
export function SelectionToolbar({ selection, total }: SelectionToolbarProps) {
  const [task, setTask] = useState<Task>();
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
            <Button onPress={() => setTask('move')}>Move</Button>
            <Button onPress={() => setTask('tag')}>Tag</Button>
            <Button variant="danger" onPress={() => setTask('delete')}>
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
            onClose={() => setTask(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}
