import { plural } from '@postshelf/browser/ui/format-number.ts';
import type { MediaItem } from '@postshelf/client';
import { type RefObject, useMemo, useRef } from 'react';
import { DragPreview, useDraggableCollection } from 'react-aria/useDraggableCollection';
import type { DragPreviewRenderer } from 'react-aria-components';
import type { Key } from 'react-stately';
import { type DraggableCollectionState, useDraggableCollectionState } from 'react-stately/useDraggableCollectionState';
import type { ListState } from 'react-stately/useListState';
import { DRAG_TYPE, setDragSource } from '../folders/drag-source.ts';

/** Moves items by their keys into a folder (null: the root). */
export type MoveTo = (keys: Set<Key>, folder: string | null, name: string) => void;

/**
 * Provides dragging of an item onto a folder. If the item is selected, all selected items are dragged together.
 *
 * @param onMove null if nothing can be dragged
 */
export function useMediaDrag(
  { collection, selectionManager }: ListState<MediaItem>,
  ref: RefObject<HTMLElement | null>,
  onMove: MoveTo | null,
) {
  const preview = useRef<DragPreviewRenderer>(null);
  const count = useRef(1);
  const full = useDraggableCollectionState<MediaItem>({
    collection,
    selectionManager,
    isDisabled: onMove === null,
    // One entry is enough for any number of items, because the drop target gets them from `dragSource`.
    getItems: () => [{ [DRAG_TYPE]: 'media' }],
    preview,
    getAllowedDropOperations: () => ['move'],
    onDragStart: ({ keys }) => {
      count.current = keys.size;
      const moved = new Set(keys);
      setDragSource({ canDropOn: () => true, dropOn: (folder, name) => onMove?.(moved, folder, name) });
    },
    onDragEnd: () => setDragSource(null),
  });
  const { rawSelection } = selectionManager;
  const dragState = useMemo(() => withKeysKnown(full), [full]);
  useDraggableCollection({}, dragState, ref);
  return {
    dragState,
    preview: (
      <DragPreview ref={preview}>
        {() => (
          <div className="drag-preview">
            {plural(rawSelection === 'all' ? count.current : Math.max(1, count.current), 'item')}
          </div>
        )}
      </DragPreview>
    ),
  };
}

/** Caches the selected keys, because every tile asks which keys a drag would move, and there may be thousands. */
function withKeysKnown(state: DraggableCollectionState): DraggableCollectionState {
  const { selectionManager } = state;
  let selected: Set<Key> | undefined;
  const getKeysForDrag = (key: Key): Set<Key> => {
    if (!selectionManager.isSelected(key)) return new Set([key]);
    selected ??= new Set(selectionManager.selectedKeys);
    return selected;
  };
  return Object.create(state, { getKeysForDrag: { value: getKeysForDrag } });
}
