import { isSameRow, OpenTile, type OpenTileProps, type RowProps } from '@postshelf/browser/media/media-tile.tsx';
import { type ComponentType, memo } from 'react';
import { useDraggableItem } from 'react-aria/useDraggableCollection';
import type { DraggableCollectionState } from 'react-stately/useDraggableCollectionState';
import { NetworkBadges } from '../readiness/network-badges.tsx';
import { Button } from '../ui/button.tsx';

export interface DraggableTileProps extends RowProps {
  /** The component that shows the row; default: a tile. */
  readonly as?: ComponentType<OpenTileProps> | undefined;
  readonly dragState: DraggableCollectionState;
  readonly isOpen: boolean;
  onPicture(id: string): void;
}

/**
 * A row of the library that can be dragged onto a folder: with a pointer from anywhere on it, with the keyboard by a
 * button in it.
 */
export const DraggableTile = memo(
  ({ as: Row = OpenTile, dragState, isOpen, ...tile }: DraggableTileProps) => {
    const { dragProps, dragButtonProps } = useDraggableItem({ key: tile.node.key, hasAction: true }, dragState);
    // Only the button's description says which keys start to drag.
    const { 'aria-describedby': _, ...dragged } = dragProps;
    const badges = tile.item && <NetworkBadges item={tile.item} />;
    if (dragState.isDisabled)
      return <Row {...tile} badges={badges} rowProps={{ 'aria-current': isOpen || undefined }} />;
    return (
      <Row {...tile} badges={badges} rowProps={{ ...(tile.item && dragged), 'aria-current': isOpen || undefined }}>
        <Button {...dragButtonProps} variant="plain" className="tile-drag" aria-label={`Drag ${tile.item?.name}`}>
          Drag
        </Button>
      </Row>
    );
  },
  (one, other) =>
    isSameRow(one, other) && one.as === other.as && one.isOpen === other.isOpen && one.dragState === other.dragState,
);
