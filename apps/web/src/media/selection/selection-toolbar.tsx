import './selection-toolbar.css';
import { lazy, Suspense, useState } from 'react';
import { Toolbar } from 'react-aria-components';
import { Button } from '../../ui/button.tsx';
import { plural } from '../../ui/plural.ts';
import type { Task } from './selection-dialog.tsx';
import type { useSelection } from './use-selection.ts';

const SelectionDialog = lazy(async () => ({ default: (await import('./selection-dialog.tsx')).SelectionDialog }));

interface SelectionToolbarProps {
  readonly selection: ReturnType<typeof useSelection>;
  readonly total: number;
}

/** What can be done with the selected items, at the foot of the grid so that nothing moves when it comes. */
export function SelectionToolbar({ selection, total }: SelectionToolbarProps) {
  const [task, setTask] = useState<Task>();
  const { count, clear, selectAll } = selection;
  return (
    <>
      {count > 0 && (
        <Toolbar aria-label="Selection" className="selection">
          <span className="selection-count">{count.toLocaleString('en-GB')} selected</span>
          <Button onPress={() => setTask('move')}>Move</Button>
          <Button onPress={() => setTask('tag')}>Tag</Button>
          <Button variant="danger" onPress={() => setTask('delete')}>
            Delete
          </Button>
          {count < total && (
            <Button variant="quiet" onPress={selectAll}>
              Select all {total.toLocaleString('en-GB')}
            </Button>
          )}
          <Button variant="quiet" aria-label="Clear selection" onPress={clear}>
            ×
          </Button>
        </Toolbar>
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
