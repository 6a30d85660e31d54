import './selection-toolbar.css';
import type { useRowSelection } from '@postshelf/browser/media/use-row-selection.ts';
import { formatNumber, plural } from '@postshelf/browser/ui/format-number.ts';
import { lazy, type ReactNode, type RefObject, Suspense, useLayoutEffect, useRef } from 'react';
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
export const SelectionBar = (props: SelectionBarProps) => (props.selection.count === 0 ? null : <Bar {...props} />);

function Bar({ selection: { count, clear, selectAll }, total, children }: SelectionBarProps) {
  const ref = useRef<HTMLDivElement>(null);
  useClicksThrough(ref);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape clears the selection from every control in it
    <div
      ref={ref}
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

/** Milliseconds and pixels: a second click that is later, or elsewhere, isn't part of a double click. */
const DOUBLE_CLICK = 500;
const SAME_PLACE = 4;

/** The position of the last pointer press. */
let pressed = { x: -1, y: -1 };
addEventListener('pointerdown', ({ x, y }: PointerEvent) => (pressed = { x, y }), { capture: true, passive: true });

/**
 * If the toolbar appears under the pointer, lets the second click of a double click through to the tile that it covers;
 * else the click would press a button that wasn't there when the hand began to move.
 */
function useClicksThrough(ref: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const bar = ref.current;
    if (!bar) return;
    const from = pressed;
    const { left, right, top, bottom } = bar.getBoundingClientRect();
    if (from.x < left || from.x > right || from.y < top || from.y > bottom) return;
    const ending = new AbortController();
    const end = (): void => {
      ending.abort();
      clearTimeout(timer);
      bar.style.pointerEvents = '';
    };
    const timer = setTimeout(end, DOUBLE_CLICK);
    bar.style.pointerEvents = 'none';
    const moved = ({ x, y }: PointerEvent): void => {
      if (Math.hypot(x - from.x, y - from.y) > SAME_PLACE) end();
    };
    addEventListener('pointermove', moved, { capture: true, passive: true, signal: ending.signal });
    return end;
  }, [ref]);
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
