import './folder-tree.css';
import { RowCollection } from '@postshelf/browser/ui/row-collection.ts';
import { ColumnLayout, LayoutDelegate } from '@postshelf/browser/ui/row-layout.ts';
import { useGridScroll } from '@postshelf/browser/ui/use-grid-scroll.ts';
import { type RefObject, useMemo, useRef } from 'react';
import { ListKeyboardDelegate } from 'react-aria/ListKeyboardDelegate';
import { mergeProps } from 'react-aria/mergeProps';
import { useCollator } from 'react-aria/useCollator';
import { useGridList } from 'react-aria/useGridList';
import type { Key } from 'react-stately';
import { type ListState, useListState } from 'react-stately/useListState';
import type { MenuPlace } from '../ui/context-menu.tsx';
import { PHONE, useMediaQuery } from '../ui/use-media-query.ts';
import { ALL, type Folder, type FolderRow, type FolderRows } from './folder-rows.ts';
import { TreeRow } from './tree-row.tsx';
import { type FolderDrag, useFolderDrag } from './use-folder-drag.ts';

export interface TreeListProps {
  readonly label: string;
  readonly rows: FolderRows;
  /** The folder that is open or chosen; null for all media, undefined for none. */
  readonly current: string | null | undefined;
  /** The total media count, shown in the row above the folders. */
  readonly total?: number | undefined;
  /**
   * Returns a folder's media count including its descendants. If the function is absent, only the media directly in the
   * folder are counted.
   */
  totalOf?: ((folder: Folder) => number | undefined) | undefined;
  onOpen(folder: string | null): void;
  onToggle(folder: string, isExpanded: boolean): void;
  /** Called to open a folder's menu. Without this function, folders have no menu. */
  onMenu?: ((folder: Folder, place: MenuPlace) => void) | undefined;
  /** Called for the rename key. Without this function, folders can't be dragged and have no menu button. */
  onRename?: ((folder: Folder) => void) | undefined;
  /** Called when a folder is dropped. Without this function, nothing can be dropped on a folder. */
  onMove?: ((folder: Folder, parent: string | null) => void) | undefined;
}

/** Row height in pixels. Rows are taller on phones, for fingers. */
const ROW = 30;
const TALL_ROW = 44;

const idOf = (key: Key): string | null => (key === ALL ? null : String(key));

/**
 * A tree of any number of folders. Only the visible rows are in the document. The tree is built with react-aria's
 * hooks, because react-aria's own tree is a `treegrid` and holds a node for each row.
 */
export function TreeList(props: TreeListProps) {
  const { label, rows, onOpen, onMenu, onMove, onToggle } = props;
  const ref = useRef<HTMLDivElement>(null);
  const rowHeight = useMediaQuery(PHONE) ? TALL_ROW : ROW;
  const layout = useMemo(() => new ColumnLayout(rows.size, rowHeight), [rows, rowHeight]);
  const collection = useMemo(() => new RowCollection<FolderRow>(rows), [rows]);
  const state = useListState<FolderRow>({ collection, selectionMode: 'none' });
  const collator = useCollator({ usage: 'search', sensitivity: 'base' });
  const keyboardDelegate = useMemo(
    () =>
      new ListKeyboardDelegate({
        collection,
        collator,
        ref,
        layoutDelegate: new LayoutDelegate(rows, layout, () => ref.current),
      }),
    [collection, collator, rows, layout],
  );
  const { gridProps } = useGridList(
    { 'aria-label': label, keyboardDelegate, keyboardNavigationBehavior: 'tab', onAction: (key) => onOpen(idOf(key)) },
    state,
    ref,
  );
  const drag = useFolderDrag({ state, rows, ref, keyboardDelegate, rowHeight, onToggle, onMove });
  return (
    <div {...mergeProps(gridProps, drag.dropProps, { role: 'tree' })} ref={ref} className="tree">
      <TreeRows {...props} {...{ scrolled: ref, layout, state, drag }} onMenu={onMenu} />
    </div>
  );
}

interface TreeRowsProps extends TreeListProps {
  readonly scrolled: RefObject<HTMLElement | null>;
  readonly layout: ColumnLayout;
  readonly state: ListState<FolderRow>;
  readonly drag: FolderDrag;
}

/** The visible rows. They are a separate component, so that scrolling renders only new rows. */
function TreeRows({ scrolled, layout, rows, current, total, totalOf, state, drag, onToggle, ...on }: TreeRowsProps) {
  const { onMenu, onRename } = on;
  const { from, to } = useGridScroll(scrolled, { rows, layout, onVisibleChange: nobody });
  const { focusedKey } = state.selectionManager;
  const places = new Set(Array.from({ length: to - from }, (_, at) => from + at));
  // The focused row and the drop target stay in the document when they are scrolled out of view.
  for (const key of [focusedKey, drag.target]) {
    const index = key === null ? -1 : rows.indexOf(key);
    if (index >= 0) places.add(index);
  }
  return (
    <div role="presentation" className="tree-rows" style={{ height: layout.height }}>
      {[...places].map((index) => {
        const node = state.collection.at?.(index);
        const row = rows.valueAt(index);
        if (!node || !row) return null;
        const id = row.folder?.id ?? null;
        return (
          <TreeRow
            key={node.key}
            {...{ node, row, state, drag, onMenu, onRename }}
            height={layout.rowHeight}
            count={row.folder ? (totalOf?.(row.folder) ?? row.folder.counts?.media) : total}
            isCurrent={id === current}
            onToggle={(isExpanded) => id !== null && onToggle(id, isExpanded)}
          />
        );
      })}
    </div>
  );
}

const nobody = (): void => {};
