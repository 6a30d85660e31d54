import type { MediaItem } from '@postshelf/client';
import { type RefObject, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { ListKeyboardDelegate } from 'react-aria/ListKeyboardDelegate';
import { useCollator } from 'react-aria/useCollator';
import { useGridList } from 'react-aria/useGridList';
import type { Key, Selection, SelectionBehavior, SelectionMode } from 'react-stately';
import { type ListState, useListState } from 'react-stately/useListState';
import { RowCollection } from '../ui/row-collection.ts';
import { ColumnLayout, LayoutDelegate, type RowLayout } from '../ui/row-layout.ts';
import { isUnread, type MediaRows } from './media-rows.ts';
import { KnownShapes, TileLayout, type TileOptions } from './tile-layout.ts';

export interface MediaGridOptions {
  readonly rows: MediaRows;
  /** The grid's accessible name. Default: "Media". */
  readonly label?: string;
  readonly selected: Selection;
  readonly selectionMode: SelectionMode;
  readonly selectionBehavior: SelectionBehavior;
  onSelect(selection: Selection): void;
  onOpen?: ((id: string) => void) | undefined;
  /** Tiles (the default), or one line per item with the given height in pixels. */
  readonly view?: TileOptions | { readonly lineHeight: number };
  /** Height in pixels of the content above the rows in the scrolling element. Default: 0. */
  readonly lead?: number;
  /** The shapes that were known when the list was last shown. This object is updated. */
  readonly known?: KnownShapes | undefined;
}

export interface MediaGridState {
  readonly ref: RefObject<HTMLDivElement | null>;
  readonly rows: MediaRows;
  readonly state: ListState<MediaItem>;
  readonly layout: RowLayout;
  readonly lead: number;
  /** The props of the scrolling element. */
  readonly gridProps: ReturnType<typeof useGridList>['gridProps'] & { readonly 'aria-rowcount': number };
}

/** Provides keyboard navigation, selection and layout for a list of any length. */
export function useMediaGrid({
  rows,
  label = 'Media',
  selected,
  onSelect,
  onOpen,
  view = {},
  lead = 0,
  known,
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
  const layout = useLayout(ref, rows, view, known);
  const collator = useCollator({ usage: 'search', sensitivity: 'base' });
  const keyboardDelegate = useMemo(() => {
    const layoutDelegate = new LayoutDelegate(rows, layout, () => ref.current, lead);
    return layout instanceof TileLayout
      ? new TilesDelegate({ collection, collator, ref, layout: 'grid', direction: 'ltr', layoutDelegate }, rows, layout)
      : new ListKeyboardDelegate({ collection, collator, ref, layoutDelegate });
  }, [collection, collator, rows, layout, lead]);
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
  // The line with the titles of a list's columns counts as a row.
  const count = 'lineHeight' in view ? rows.size + 1 : rows.size;
  return { ref, rows, state, layout, lead, gridProps: { ...gridProps, 'aria-rowcount': count } };
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

/** Moves up and down between lines of tiles of any widths; react-aria only supports grids with columns. */
class TilesDelegate extends ListKeyboardDelegate<MediaItem> {
  constructor(
    options: ConstructorParameters<typeof ListKeyboardDelegate<MediaItem>>[0],
    private readonly rows: MediaRows,
    private readonly tiles: TileLayout,
  ) {
    super(options);
  }

  override getKeyBelow(key: Key): Key | null {
    return this.#beside(key, 1);
  }

  override getKeyAbove(key: Key): Key | null {
    return this.#beside(key, -1);
  }

  #beside(key: Key, step: -1 | 1): Key | null {
    const index = this.rows.indexOf(key);
    const found = index < 0 ? null : this.tiles.beside(index, step);
    return found === null ? null : this.rows.keyAt(found);
  }
}

/** Returns the layout, which depends on the element's width and on the rows' known shapes. */
function useLayout(
  ref: RefObject<HTMLElement | null>,
  rows: MediaRows,
  view: NonNullable<MediaGridOptions['view']>,
  given?: KnownShapes,
): RowLayout {
  const width = useContentWidth(ref);
  const [own] = useState(() => new KnownShapes());
  const known = given ?? own;
  const lineHeight = 'lineHeight' in view ? view.lineHeight : null;
  const { height, sectionOf } = 'lineHeight' in view ? {} : view;
  return useMemo(
    () =>
      lineHeight === null
        ? TileLayout.of(rows, width, known, { height, sectionOf })
        : new ColumnLayout(rows.size, lineHeight),
    [rows, width, known, lineHeight, height, sectionOf],
  );
}

/** Returns the element's content width in pixels, without padding. */
function useContentWidth(ref: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(1000);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = (): void => {
      const { paddingLeft, paddingRight } = getComputedStyle(element);
      setWidth(Math.floor(element.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return width;
}
