import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import { type RefObject, useMemo } from 'react';
import type { ListKeyboardDelegate } from 'react-aria/ListKeyboardDelegate';
import { useDraggableCollection } from 'react-aria/useDraggableCollection';
import { useDroppableCollection } from 'react-aria/useDroppableCollection';
import type { DropTarget, ItemDropTarget } from 'react-aria-components';
import type { Key } from 'react-stately';
import { useDraggableCollectionState } from 'react-stately/useDraggableCollectionState';
import { useDroppableCollectionState } from 'react-stately/useDroppableCollectionState';
import type { ListState } from 'react-stately/useListState';
import { DRAG_TYPE, dragSource, setDragSource } from './drag-source.ts';
import { ALL, type Folder, type FolderRow, type FolderRows } from './folder-rows.ts';

interface Options {
  readonly state: ListState<FolderRow>;
  readonly rows: FolderRows;
  readonly ref: RefObject<HTMLElement | null>;
  readonly keyboardDelegate: ListKeyboardDelegate<FolderRow>;
  onToggle(folder: string, isExpanded: boolean): void;
  /** Height of a row in pixels. */
  readonly rowHeight: number;
  readonly onMove?: ((folder: Folder, parent: string | null) => void) | undefined;
}

export type FolderDrag = ReturnType<typeof useFolderDrag>;

/** Provides dragging of folders, and dropping of folders and media onto folders. */
export function useFolderDrag({ state, rows, ref, keyboardDelegate, rowHeight, onToggle, onMove }: Options) {
  const { collection, selectionManager } = state;
  const isDisabled = onMove === undefined;
  const folderOf = (key: Key): Folder | null => rows.valueAt(rows.indexOf(key))?.folder ?? null;
  const latestOf = useStableCallback(folderOf);
  const dragState = useDraggableCollectionState<FolderRow>({
    collection,
    selectionManager,
    isDisabled,
    getItems: () => [{ [DRAG_TYPE]: 'folder' }],
    getAllowedDropOperations: () => ['move'],
    onDragStart({ keys }) {
      const folder = folderOf([...keys][0] ?? ALL);
      if (!folder) return;
      // The tree may be refreshed during the drag, so the latest version of the folder is used.
      const now = () => latestOf(folder.id) ?? folder;
      setDragSource({
        // A folder can't be dropped on itself or on its current parent. The service rejects drops on its descendants.
        canDropOn: (parent) => parent !== folder.id && parent !== now().parent_id,
        dropOn: (parent) => onMove?.(now(), parent),
      });
    },
    onDragEnd: () => setDragSource(null),
  });
  useDraggableCollection({}, dragState, ref);

  const accepts = {
    acceptedDragTypes: [DRAG_TYPE],
    shouldAcceptItemDrop: ({ key }: ItemDropTarget) => dragSource()?.canDropOn(folderOf(key)?.id ?? null) ?? false,
    onItemDrop: ({ target }: { readonly target: ItemDropTarget }) =>
      dragSource()?.dropOn(folderOf(target.key)?.id ?? null, rows.nameAt(rows.indexOf(target.key))),
  };
  const dropState = useDroppableCollectionState({ collection, selectionManager, isDisabled, ...accepts });
  const dropTargetDelegate = useMemo(
    () => ({
      getDropTargetFromPoint(_x: number, y: number, isValid: (target: DropTarget) => boolean): DropTarget | null {
        const element = ref.current;
        const index = Math.floor((y + (element?.scrollTop ?? 0)) / rowHeight);
        if (index < 0 || index >= rows.size) return null;
        const target: DropTarget = { type: 'item', key: rows.keyAt(index), dropPosition: 'on' };
        return isValid(target) ? target : null;
      },
    }),
    [ref, rows, rowHeight],
  );
  const { collectionProps } = useDroppableCollection(
    {
      ...accepts,
      keyboardDelegate,
      dropTargetDelegate,
      // A collapsed folder expands while the pointer hovers over it.
      onDropActivate: ({ target }) => target.type === 'item' && onToggle(String(target.key), true),
    },
    dropState,
    ref,
  );
  const { target } = dropState;
  return {
    dragState,
    dropState,
    dropProps: isDisabled ? {} : collectionProps,
    /** The key of the row on which a drop would land. */
    target: target?.type === 'item' ? target.key : null,
  };
}
