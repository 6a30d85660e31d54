import { isSameTile, OpenTile, type TileProps } from '@postshelf/elements/media/media-tile.tsx';
import { memo } from 'react';
import { useDraggableItem } from 'react-aria/useDraggableCollection';
import type { DraggableCollectionState } from 'react-stately/useDraggableCollectionState';
import { Button } from '../ui/button.tsx';

export interface DraggableTileProps extends TileProps {
  readonly dragState: DraggableCollectionState;
}

/** A tile of the library, which can be dragged onto a folder: by the pointer as a whole, by keys from a button in it. */
export const DraggableTile = memo(
  ({ dragState, ...tile }: DraggableTileProps) => {
    const { dragProps, dragButtonProps } = useDraggableItem({ key: tile.node.key, hasAction: true }, dragState);
    // What keys begin a drag says the button alone, in its place.
    const { 'aria-describedby': _, ...dragged } = dragProps;
    return (
      <OpenTile {...tile} rowProps={tile.item ? dragged : {}}>
        <Button {...dragButtonProps} variant="plain" className="tile-drag" aria-label={`Drag ${tile.item?.name}`}>
          Drag
        </Button>
      </OpenTile>
    );
  },
  (one, other) => isSameTile(one, other) && one.dragState === other.dragState,
);
