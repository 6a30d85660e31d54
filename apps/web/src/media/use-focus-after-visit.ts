import type { MediaGridState } from '@postshelf/browser/media/use-media-grid.ts';
import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import { type RefObject, useLayoutEffect, useRef } from 'react';
import { flushSync } from 'react-dom';

/** The item that was last open, and its index in the list. The list might not have read the page with the item. */
export interface Visit {
  readonly id: string;
  readonly index: number;
}

/**
 * When the open item is closed, moves the focus to the tile of the last shown item. The list stays where it is if any
 * part of that tile is visible; otherwise it scrolls to the tile.
 *
 * @param opened the id of the open item, or null
 */
export function useFocusAfterVisit(
  { ref, rows, state, layout, lead }: MediaGridState,
  opened: string | null,
  visit: RefObject<Visit | null>,
): void {
  const last = useRef(opened);
  const focusRow = useStableCallback((id: string, top: number): void => {
    const grid = ref.current;
    if (!grid) return;
    const read = rows.indexOf(id);
    const index = read < 0 && visit.current?.id === id ? visit.current.index : read;
    if (index < 0 || index >= rows.size) {
      grid.focus({ preventScroll: true });
      return;
    }
    const key = rows.keyAt(index);
    const { y, height } = layout.areaOf(index);
    const [from, to] = [lead + y, lead + y + height];
    const isVisible = to > top && from < top + grid.clientHeight;
    const { selectionManager } = state;
    // A tile that isn't visible isn't in the document yet. It is added when its key gets the focus.
    flushSync(() => {
      selectionManager.setFocused(true);
      selectionManager.setFocusedKey(key);
    });
    const tile = grid.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
    if (tile && document.activeElement !== tile) tile.focus({ preventScroll: true });
    // If the user's last input was a key, react-aria has scrolled the focused tile into view, so the scroll position is
    // set here.
    grid.scrollTop = isVisible ? top : Math.max(0, (from + to - grid.clientHeight) / 2);
  });
  useLayoutEffect(() => {
    const was = last.current;
    last.current = opened;
    if (was === null || opened !== null) return;
    const top = ref.current?.scrollTop ?? 0;
    // The timer runs after the dialog is removed, when react-aria no longer keeps the focus in the dialog.
    const timer = setTimeout(() => focusRow(was, top));
    return () => clearTimeout(timer);
  }, [opened, ref, focusRow]);
}
