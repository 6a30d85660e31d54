import { captionOf, formatDuration, secondsOf } from '@postshelf/browser/media/media-facts.ts';
import { type OpenTileProps, RowCheckbox, useOwnClick } from '@postshelf/browser/media/media-tile.tsx';
import { TileImage } from '@postshelf/browser/media/tile-image.tsx';
import { formatBytes } from '@postshelf/browser/ui/format-bytes.ts';
import { useRef } from 'react';
import { mergeProps } from 'react-aria/mergeProps';
import { useFocusRing } from 'react-aria/useFocusRing';
import { useGridListItem } from 'react-aria/useGridList';
import { dayIn } from '../../ui/zoned-time.ts';
import { useWorkspace } from '../../workspaces/use-workspace.ts';

/** Height of a line in pixels. */
export const LINE_HEIGHT = 52;
const IMAGE_WIDTH = 56;

/** Role of a cell. The list isn't a real table, because only the visible part of a long list is rendered. */
const CELL = { role: 'gridcell' } as const;

/** An item as a line of the list, with the columns of {@link ListHead}. */
export function ListLine({ node, item, area, state, rowProps: more = {}, onImage, badges, children }: OpenTileProps) {
  const ref = useRef<HTMLDivElement>(null);
  const { timezone } = useWorkspace();
  const { rowProps, gridCellProps, isSelected } = useGridListItem({ node, shouldSelectOnPressUp: true }, state, ref);
  const { focusProps, isFocusVisible } = useFocusRing();
  const clicks = useOwnClick(() => item && onImage?.(item.id));
  const seconds = item ? secondsOf(item) : null;
  return (
    <div
      {...mergeProps(rowProps, focusProps, more, { 'aria-rowindex': node.index + 2 })}
      ref={ref}
      aria-busy={item === null || undefined}
      className="tile line"
      data-selected={isSelected || undefined}
      data-focus-visible={isFocusVisible || undefined}
      data-status={item?.status}
      style={{ height: area.height, transform: `translateY(${area.y}px)` }}
    >
      <div {...gridCellProps} className="line-image">
        <div className="tile-frame" data-opens={onImage !== undefined || undefined} {...(item && onImage && clicks)}>
          {item?.status === 'active' && <TileImage item={item} tile={IMAGE_WIDTH} />}
          {item?.status === 'failed' && (
            <span className="tile-failed" aria-hidden="true">
              !
            </span>
          )}
        </div>
        {item && <RowCheckbox rowKey={node.key} state={state} />}
        {item && children}
      </div>
      <div {...CELL} className="line-name tile-name" title={item?.name}>
        {item?.name}
      </div>
      <div {...CELL} className="line-fact line-shape" title={item?.error_message ?? undefined}>
        {item && captionOf(item)}
        {item?.status === 'active' && seconds !== null && `, ${formatDuration(seconds)}`}
        {badges}
      </div>
      <div {...CELL} className="line-fact line-size">
        {item?.size !== null && item?.size !== undefined && formatBytes(item.size)}
      </div>
      <div {...CELL} className="line-fact line-date">
        {item?.details && dayIn(item.details.created_at, timezone)}
      </div>
      <div {...CELL} className="line-fact line-date line-changed">
        {item?.details && dayIn(item.details.updated_at, timezone)}
      </div>
    </div>
  );
}
