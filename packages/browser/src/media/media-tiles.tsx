import { Fragment, type ReactNode, useState } from 'react';
import { FastScroll, FastScrollContext } from '../ui/fast-scroll.ts';
import { type ScrollPlace, useGridScroll } from '../ui/use-grid-scroll.ts';
import { useStableCallback } from '../ui/use-stable-callback.ts';
import type { RowProps } from './media-tile.tsx';
import type { MediaGridState } from './use-media-grid.ts';
import type { VisibleRows } from './use-media-rows.ts';

export interface MediaTilesProps {
  readonly grid: MediaGridState;
  /** The list's initial scroll position, which is updated when the list scrolls. Default: the top. */
  readonly place?: ScrollPlace;
  /** Called with the visible rows, which have to be read. */
  onVisibleChange(visible: VisibleRows): void;
  renderTile(tile: RowProps): ReactNode;
}

/** The visible tiles. They are a separate component, so that scrolling renders only new tiles. */
export function MediaTiles({ grid, place, onVisibleChange, renderTile }: MediaTilesProps) {
  const { ref, rows, state, layout, lead } = grid;
  const { focusedKey } = state.selectionManager;
  const focused = focusedKey === null ? -1 : rows.indexOf(focusedKey);
  const reportVisible = useStableCallback((range: Omit<VisibleRows, 'focused'>) =>
    onVisibleChange({ ...range, focused }),
  );
  const [speed] = useState(() => new FastScroll());
  const { from, to } = useGridScroll(ref, { rows, layout, lead, onVisibleChange: reportVisible, speed, place });
  const places = Array.from({ length: to - from }, (_, at) => from + at);
  // The focused row stays in the document; otherwise the focus would be lost.
  if (focused >= 0 && (focused < from || focused >= to)) places.push(focused);
  return (
    <FastScrollContext value={speed}>
      <div role="presentation" className="grid-tiles" style={{ height: layout.height }}>
        {places.map((index) => {
          const node = state.collection.at?.(index);
          if (!node) return null;
          const tile = { node, item: rows.valueAt(index), area: layout.areaOf(index), state };
          return <Fragment key={node.key}>{renderTile(tile)}</Fragment>;
        })}
      </div>
    </FastScrollContext>
  );
}
