import type { MediaItem } from '@postshelf/client';
import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { ListKeyboardDelegate } from 'react-aria/ListKeyboardDelegate';
import { useCollator } from 'react-aria/useCollator';
import { useGridList } from 'react-aria/useGridList';
import type { Selection, SelectionBehavior, SelectionMode } from 'react-stately';
import { type ListState, useListState } from 'react-stately/useListState';
import { GridLayout, type GridShape, shapeOf } from '../ui/grid-layout.ts';
import { RowCollection } from '../ui/row-collection.ts';
import { isUnread, type MediaRows } from './media-rows.ts';

export interface MediaGridOptions {
  readonly rows: MediaRows;
  /** The grid's name. Default "Media". */
  readonly label?: string;
  readonly selected: Selection;
  readonly selectionMode: SelectionMode;
  readonly selectionBehavior: SelectionBehavior;
  onSelect(selection: Selection): void;
  onOpen?: ((id: string) => void) | undefined;
}

export interface MediaGridState {
  readonly ref: RefObject<HTMLDivElement | null>;
  readonly rows: MediaRows;
  readonly state: ListState<MediaItem>;
  readonly shape: GridShape;
  /** The props of the scrolling element. */
  readonly gridProps: ReturnType<typeof useGridList>['gridProps'] & { readonly 'aria-rowcount': number };
}

/** For a list of any length: keyboard navigation, selection and layout. */
export function useMediaGrid({
  rows,
  label = 'Media',
  selected,
  onSelect,
  onOpen,
  ...how
}: MediaGridOptions): MediaGridState {
  const ref = useRef<HTMLDivElement>(null);
  const collection = useMemo(() => new RowCollection<MediaItem>(rows), [rows]);
  const state = useListState<MediaItem>({
    collection,
    selectionMode: how.selectionMode,
    selectionBehavior: how.selectionBehavior,
    selectedKeys: selected,
    onSelectionChange: onSelect,
  });
  useFocusWhenRead(state.selectionManager, rows);
  const shape = useGridShape(ref);
  const collator = useCollator({ usage: 'search', sensitivity: 'base' });
  const keyboardDelegate = useMemo(() => {
    const layoutDelegate = new GridLayout(rows, shape, () => ref.current);
    return new ListKeyboardDelegate({ collection, collator, ref, layout: 'grid', direction: 'ltr', layoutDelegate });
  }, [collection, collator, rows, shape]);
  const { gridProps } = useGridList(
    {
      'aria-label': label,
      keyboardDelegate,
      keyboardNavigationBehavior: 'tab',
      shouldSelectOnPressUp: true,
      ...(onOpen && { onAction: (key) => !isUnread(key) && onOpen(String(key)) }),
    },
    state,
    ref,
  );
  return { ref, rows, state, shape, gridProps: { ...gridProps, 'aria-rowcount': rows.size } };
}

/** Moves the focus from an unread row to its item once the row is read. */
function useFocusWhenRead(manager: ListState<MediaItem>['selectionManager'], rows: MediaRows): void {
  const { focusedKey } = manager;
  useLayoutEffect(() => {
    if (focusedKey === null || !isUnread(focusedKey)) return;
    const key = rows.keyAt(rows.indexOf(focusedKey));
    if (key !== focusedKey) manager.setFocusedKey(key);
  });
}

/** Depends on the element's width. */
function useGridShape(ref: RefObject<HTMLElement | null>): GridShape {
  const [shape, setShape] = useState(() => shapeOf(1000));
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = (): void => {
      const { paddingLeft, paddingRight } = getComputedStyle(element);
      const next = shapeOf(element.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight));
      setShape((was) => (was.columns === next.columns && was.tile === next.tile && was.gap === next.gap ? was : next));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return shape;
}
