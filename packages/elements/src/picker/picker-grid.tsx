import type { MediaRows } from '@postshelf/browser/media/media-rows.ts';
import { MediaTile } from '@postshelf/browser/media/media-tile.tsx';
import { MediaTiles } from '@postshelf/browser/media/media-tiles.tsx';
import { useMediaGrid } from '@postshelf/browser/media/use-media-grid.ts';
import type { VisibleRows } from '@postshelf/browser/media/use-media-rows.ts';
import { memo } from 'react';
import type { Selection } from 'react-stately';

export interface PickerGridProps {
  readonly rows: MediaRows;
  readonly isMultiple: boolean;
  readonly selected: Selection;
  onSelect(selection: Selection): void;
  /** Called when an item is chosen in the grid itself rather than with the button. */
  onChoose(id: string): void;
  onVisibleChange(visible: VisibleRows): void;
}

/**
 * The tiles to choose from. If only one item can be chosen, Enter, a double click or a tap chooses it immediately;
 * otherwise each click adds an item to the selection or removes it. Callbacks must be stable, because the component is
 * memoized.
 */
export const PickerGrid = memo(
  ({ rows, isMultiple, selected, onSelect, onChoose, onVisibleChange }: PickerGridProps) => {
    const grid = useMediaGrid({
      rows,
      selected,
      onSelect,
      selectionMode: isMultiple ? 'multiple' : 'single',
      selectionBehavior: isMultiple ? 'toggle' : 'replace',
      onOpen: isMultiple ? undefined : onChoose,
    });
    return (
      <div {...grid.gridProps} ref={grid.ref} className="grid">
        <MediaTiles grid={grid} onVisibleChange={onVisibleChange} renderTile={renderTile} />
      </div>
    );
  },
);

const renderTile: Parameters<typeof MediaTiles>[0]['renderTile'] = (tile) => <MediaTile {...tile} />;
