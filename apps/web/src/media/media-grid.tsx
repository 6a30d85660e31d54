import '@postshelf/browser/media/media-grid.css';
import './media-grid.css';
import type { MediaRows } from '@postshelf/browser/media/media-rows.ts';
import { MediaTiles } from '@postshelf/browser/media/media-tiles.tsx';
import { useMediaGrid } from '@postshelf/browser/media/use-media-grid.ts';
import type { VisibleRows } from '@postshelf/browser/media/use-media-rows.ts';
import type { ScrollPlace } from '@postshelf/browser/ui/use-grid-scroll.ts';
import { memo, type RefObject } from 'react';
import type { Selection } from 'react-aria-components';
import { DraggableTile } from './draggable-tile.tsx';
import { useFocusAfterVisit, type Visit } from './use-focus-after-visit.ts';
import { type MoveTo, useMediaDrag } from './use-media-drag.tsx';

export interface MediaGridProps {
  readonly rows: MediaRows;
  /** The id of the open item, which is marked. When it is closed, its tile gets the focus. */
  readonly opened: string | null;
  readonly visit: RefObject<Visit | null>;
  readonly place: ScrollPlace;
  readonly selected: Selection;
  onSelect(selection: Selection): void;
  onOpen(id: string): void;
  /** null if the items can't be moved. */
  readonly onMove: MoveTo | null;
  /** Called with the visible rows, which have to be read. */
  onVisibleChange(visible: VisibleRows): void;
}

/**
 * The tiles of a list of any length, of which only the visible ones are in the document. Callbacks have to be stable,
 * as the component is memoized.
 */
export const MediaGrid = memo(({ opened, visit, place, onMove, onVisibleChange, ...options }: MediaGridProps) => {
  const grid = useMediaGrid({ ...options, selectionMode: 'multiple', selectionBehavior: 'replace' });
  useFocusAfterVisit(grid, opened, visit);
  const { dragState, preview } = useMediaDrag(grid.state, grid.ref, onMove);
  return (
    <div {...grid.gridProps} ref={grid.ref} className="grid">
      <MediaTiles
        grid={grid}
        place={place}
        onVisibleChange={onVisibleChange}
        renderTile={(tile) => (
          <DraggableTile {...tile} isOpen={tile.node.key === opened} onPicture={options.onOpen} dragState={dragState} />
        )}
      />
      {preview}
    </div>
  );
});
