import { isSameTile, OpenTile, type TileProps } from '@postshelf/browser/media/media-tile.tsx';
import { memo } from 'react';
import { useDraggableItem } from 'react-aria/useDraggableCollection';
import type { DraggableCollectionState } from 'react-stately/useDraggableCollectionState';
import { Button } from '../ui/button.tsx';

export interface DraggableTileProps extends TileProps {
  readonly dragState: DraggableCollectionState;
  readonly isOpen: boolean;
  onPicture(id: string): void;
}

/**
 * A tile of the library that can be dragged onto a folder: with a pointer anywhere on the tile, with the keyboard by a
 * button in it.
 */
export const DraggableTile = memo(
  ({ dragState, isOpen, ...tile }: DraggableTileProps) => {
    const { dragProps, dragButtonProps } = useDraggableItem({ key: tile.node.key, hasAction: true }, dragState);
    // Only the button's description says which keys start to drag.
    const { 'aria-describedby': _, ...dragged } = dragProps;
    if (dragState.isDisabled) return <OpenTile {...tile} rowProps={{ 'aria-current': isOpen || undefined }} />;
    return (
      <OpenTile {...tile} rowProps={{ ...(tile.item && dragged), 'aria-current': isOpen || undefined }}>
        <Button {...dragButtonProps} variant="plain" className="tile-drag" aria-label={`Drag ${tile.item?.name}`}>
          Drag
        </Button>
      </OpenTile>
    );
  },
  (one, other) => isSameTile(one, other) && one.isOpen === other.isOpen && one.dragState === other.dragState,
);
