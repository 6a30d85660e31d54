import './media-grid.css';
import type { MediaItem } from '@postshelf/client';
import { memo, type RefObject, useLayoutEffect, useMemo, useRef } from 'react';
import { ListKeyboardDelegate } from 'react-aria/ListKeyboardDelegate';
import { mergeProps } from 'react-aria/mergeProps';
import { useCollator } from 'react-aria/useCollator';
import { useGridList } from 'react-aria/useGridList';
import type { Selection } from 'react-aria-components';
import type { DraggableCollectionState } from 'react-stately/useDraggableCollectionState';
import { type ListState, useListState } from 'react-stately/useListState';
import { GridLayout, type GridShape, heightOf } from '../ui/grid-layout.ts';
import { RowCollection } from '../ui/row-collection.ts';
import { useGridScroll } from '../ui/use-grid-scroll.ts';
import { useStable } from '../ui/use-stable.ts';
import { isUnread, type MediaRows } from './media-rows.ts';
import { MediaTile } from './media-tile.tsx';
import { useGridShape } from './use-grid-shape.ts';
import { type MoveTo, useMediaDrag } from './use-media-drag.tsx';
import type { Seen } from './use-media-pages.ts';

export interface MediaGridProps {
  readonly rows: MediaRows;
  readonly selected: Selection;
  onSelect(selection: Selection): void;
  onOpen(id: string): void;
  readonly onMove: MoveTo;
  /** Which rows are seen, and so have to be read. */
  onSeen(seen: Seen): void;
}

/** The tiles of a list of any length; those that are seen are in the document. Its functions have to be the same ones every time. */
export const MediaGrid = memo(({ rows, selected, onSelect, onOpen, onMove, onSeen }: MediaGridProps) => {
  const ref = useRef<HTMLDivElement>(null);
  const collection = useMemo(() => new RowCollection<MediaItem>(rows), [rows]);
  const state = useListState<MediaItem>({
    collection,
    selectionMode: 'multiple',
    selectionBehavior: 'replace',
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
      'aria-label': 'Media',
      keyboardDelegate,
      keyboardNavigationBehavior: 'tab',
      shouldSelectOnPressUp: true,
      onAction: (key) => !isUnread(key) && onOpen(String(key)),
    },
    state,
    ref,
  );
  const { dragState, preview } = useMediaDrag(state, ref, onMove);
  return (
    <div {...mergeProps(gridProps, { 'aria-rowcount': rows.size })} ref={ref} className="grid">
      <Tiles {...{ scrolled: ref, rows, shape, state, dragState, onSeen }} />
      {preview}
    </div>
  );
});

/** The focus on a row that wasn't read yet, as by End, is on its item once that is known. */
function useFocusWhenRead(manager: ListState<MediaItem>['selectionManager'], rows: MediaRows): void {
  const { focusedKey } = manager;
  useLayoutEffect(() => {
    if (focusedKey === null || !isUnread(focusedKey)) return;
    const key = rows.keyAt(rows.indexOf(focusedKey));
    if (key !== focusedKey) manager.setFocusedKey(key);
  });
}

interface TilesProps {
  readonly scrolled: RefObject<HTMLElement | null>;
  readonly rows: MediaRows;
  readonly shape: GridShape;
  readonly state: ListState<MediaItem>;
  readonly dragState: DraggableCollectionState;
  onSeen(seen: Seen): void;
}

/** Apart from the grid, so that scrolling renders the tiles that come and nothing else. */
function Tiles({ scrolled, rows, shape, state, dragState, onSeen }: TilesProps) {
  const { focusedKey } = state.selectionManager;
  const focused = focusedKey === null ? -1 : rows.indexOf(focusedKey);
  const tell = useStable((range: Omit<Seen, 'focused'>) => onSeen({ ...range, focused }));
  const { from, to } = useGridScroll(scrolled, rows, shape, tell);
  const places = Array.from({ length: to - from }, (_, at) => from + at);
  // The row that has the focus stays while it is scrolled away, else the focus would be lost.
  if (focused >= 0 && (focused < from || focused >= to)) places.push(focused);
  return (
    <div role="presentation" className="grid-tiles" style={{ height: heightOf(shape, rows.size) }}>
      {places.map((index) => {
        const node = state.collection.at?.(index);
        return node && <MediaTile key={node.key} item={rows.valueAt(index)} {...{ node, shape, state, dragState }} />;
      })}
    </div>
  );
}
