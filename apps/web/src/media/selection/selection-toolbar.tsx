import './selection-toolbar.css';
import type { useRowSelection } from '@postshelf/browser/media/use-row-selection.ts';
import { formatNumber, plural } from '@postshelf/browser/ui/format-number.ts';
import { lazy, type ReactNode, Suspense } from 'react';
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

interface SelectionBarProps {
  readonly selection: Pick<ReturnType<typeof useRowSelection>, 'count' | 'clear' | 'selectAll'>;
  readonly total: number;
  /** Buttons. */
  readonly children: ReactNode;
}

/** Actions for the selected items. At the bottom of the grid, so that nothing moves when the toolbar appears. */
export function SelectionBar({ selection: { count, clear, selectAll }, total, children }: SelectionBarProps) {
  if (count === 0) return null;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape clears the selection from every control in it
    <div
      className="selection"
      onKeyDown={({ key }) => {
        if (key === 'Escape') clear();
      }}
    >
      <Toolbar aria-label="Selection">
        <span className="selection-count">{formatNumber(count)} selected</span>
        {children}
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
  );
}

export function SelectionToolbar({ selection, total, task, onTask }: SelectionToolbarProps) {
  return (
    <>
      <SelectionBar selection={selection} total={total}>
        <Button onPress={() => onTask('move')}>Move</Button>
        <Button onPress={() => onTask('tag')}>Tag</Button>
        <Button variant="danger" onPress={() => onTask('delete')}>
          Delete
        </Button>
      </SelectionBar>
      {task && (
        <Suspense>
          <SelectionDialog
            task={task}
            what={plural(selection.count, 'item')}
            selection={selection}
            onClose={() => onTask(null)}
          />
        </Suspense>
      )}
    </>
  );
}
