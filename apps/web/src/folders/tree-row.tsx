import { formatNumber, plural } from '@postshelf/browser/ui/format-number.ts';
import { type KeyboardEvent, type MouseEvent, useMemo, useRef } from 'react';
import { mergeProps } from 'react-aria/mergeProps';
import { useDraggableItem } from 'react-aria/useDraggableCollection';
import { useDroppableItem } from 'react-aria/useDroppableCollection';
import { useFocusRing } from 'react-aria/useFocusRing';
import { useGridListItem } from 'react-aria/useGridList';
import type { Node } from 'react-stately';
import type { ListState } from 'react-stately/useListState';
import { Button } from '../ui/button.tsx';
import { type MenuPlace, placeOfMenu } from '../ui/context-menu.tsx';
import type { Folder, FolderRow } from './folder-rows.ts';
import type { FolderDrag } from './use-folder-drag.ts';

/**
 * Returns a level's indent in pixels. Beyond the fifth level, each level adds less, so that the names of the deepest
 * folders fit.
 */
const indentOf = (level: number): number => 8 + Math.min(level - 1, 4) * 14 + Math.max(level - 5, 0) * 3;

interface TreeRowProps {
  readonly node: Node<FolderRow>;
  readonly row: FolderRow;
  /** Height of the row in pixels. */
  readonly height: number;
  readonly count: number | undefined;
  readonly isCurrent: boolean;
  readonly state: ListState<FolderRow>;
  readonly drag: FolderDrag;
  onToggle(isExpanded: boolean): void;
  readonly onMenu?: ((folder: Folder, place: MenuPlace) => void) | undefined;
  /** Absent if the folder can't be changed. */
  readonly onRename?: ((folder: Folder) => void) | undefined;
}

/** A folder of the tree, at its position in the list. */
export function TreeRow({
  node,
  row,
  height,
  count,
  isCurrent,
  state,
  drag,
  onToggle,
  onMenu,
  onRename,
}: TreeRowProps) {
  const { folder, level, isExpanded } = row;
  const ref = useRef<HTMLDivElement>(null);
  const { rowProps } = useGridListItem({ node, shouldSelectOnPressUp: true }, state, ref);
  const { focusProps, isFocusVisible } = useFocusRing();
  const { dragProps } = useDraggableItem({ key: node.key, hasAction: true }, drag.dragState);
  const target = useMemo(() => ({ type: 'item', key: node.key, dropPosition: 'on' }) as const, [node.key]);
  const { dropProps, isDropTarget } = useDroppableItem({ target }, drag.dropState, ref);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== ref.current) return;
    if (event.key === 'F2' && folder && !folder.is_system) onRename?.(folder);
    if (isExpanded === undefined) return;
    if (event.key === (isExpanded ? 'ArrowLeft' : 'ArrowRight')) onToggle(!isExpanded);
  };
  const isMovable = folder !== null && !folder.is_system && onRename !== undefined;
  // `onClick` is left out, because a screen reader's click should open a folder instead of dragging it. On the
  // keyboard, Alt and Enter start a drag, and the menu can move the folder as well.
  const { onClick: _, 'aria-describedby': __, ...dragged } = dragProps;
  return (
    <div
      {...mergeProps(rowProps, focusProps, isMovable ? dragged : {}, dropProps, {
        role: 'treeitem',
        'aria-level': level,
        'aria-posinset': row.place,
        'aria-setsize': row.siblings,
        'aria-expanded': isExpanded,
        'aria-selected': isCurrent,
        'aria-description': count === undefined ? undefined : plural(count, 'item'),
        'aria-current': isCurrent ? ('page' as const) : undefined,
        'aria-keyshortcuts': isMovable ? 'Alt+Enter' : undefined,
        onKeyDown,
        onContextMenu(event: MouseEvent) {
          if (!folder || !onMenu || !ref.current) return;
          event.preventDefault();
          onMenu(folder, placeOfMenu(ref.current, event));
        },
      })}
      ref={ref}
      className="tree-row"
      data-focus-visible={isFocusVisible || undefined}
      data-drop-target={isDropTarget || undefined}
      data-drop-folder={folder?.id ?? ''}
      data-drop-name={node.textValue}
      style={{ height, paddingInlineStart: indentOf(level), transform: `translateY(${node.index * height}px)` }}
    >
      {folder && (
        // Only pointers need the toggle: the arrow keys do the same, and screen readers announce the row's state.
        <span
          className="tree-toggle"
          aria-hidden="true"
          data-expanded={isExpanded}
          onPointerDown={(event) => {
            if (isExpanded === undefined) return;
            event.stopPropagation();
            onToggle(!isExpanded);
          }}
          onClick={(event) => isExpanded !== undefined && event.stopPropagation()}
        />
      )}
      <span className="tree-name" title={node.textValue}>
        {node.textValue}
      </span>
      {/* The style sheet shows the number, so that it isn't part of the row's accessible name. */}
      {count !== undefined && <span className="tree-count" aria-hidden="true" data-count={formatNumber(count)} />}
      {folder && onMenu && onRename && (
        <Button
          variant="quiet"
          className="tree-menu"
          aria-label={`Actions for ${folder.name}`}
          aria-haspopup="menu"
          onPress={({ target: button }) => button instanceof HTMLElement && onMenu(folder, { at: button, point: null })}
        />
      )}
    </div>
  );
}
