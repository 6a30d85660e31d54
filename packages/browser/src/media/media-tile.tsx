import type { MediaItem } from '@postshelf/client';
import {
  type HTMLAttributes,
  memo,
  type MouseEvent as ReactMouseEvent,
  type ReactNode,
  type SyntheticEvent,
  useRef,
} from 'react';
import { mergeProps } from 'react-aria/mergeProps';
import { useFocusRing } from 'react-aria/useFocusRing';
import { useGridListItem, useGridListSelectionCheckbox } from 'react-aria/useGridList';
import type { Key, Node } from 'react-stately';
import type { ListState } from 'react-stately/useListState';
import type { Area } from '../ui/row-layout.ts';
import { captionOf, formatDuration, secondsOf } from './media-facts.ts';
import { TileImage } from './tile-image.tsx';
import type { TileArea } from './tile-layout.ts';

export interface RowProps {
  readonly node: Node<MediaItem>;
  readonly item: MediaItem | null;
  readonly area: Area & Partial<TileArea>;
  readonly state: ListState<MediaItem>;
}

/** A tile with at least this many pixels below its image has room for a second line of text. */
const TWO_LINES = 40;

/** Compares the props of rows. Nodes and areas are new objects in every render, so their properties are compared. */
export const isSameRow = (one: RowProps, other: RowProps): boolean =>
  one.item === other.item &&
  one.state === other.state &&
  one.area.x === other.area.x &&
  one.area.y === other.area.y &&
  one.area.width === other.area.width &&
  one.area.height === other.area.height &&
  one.area.heading === other.area.heading &&
  one.node.key === other.node.key &&
  one.node.index === other.node.index;

export interface OpenTileProps extends RowProps {
  readonly rowProps?: HTMLAttributes<HTMLElement>;
  /** Called for a click on the image. By default, such a click acts like one on the rest of the tile. */
  onImage?(id: string): void;
  /** Shown next to the item's size. */
  readonly badges?: ReactNode;
  readonly children?: ReactNode;
}

/** A tile: a row of the grid with one cell, placed at its position in the list. */
export function OpenTile({ node, item, area, state, rowProps: more = {}, onImage, badges, children }: OpenTileProps) {
  const ref = useRef<HTMLDivElement>(null);
  const { rowProps, gridCellProps, isSelected } = useGridListItem({ node, shouldSelectOnPressUp: true }, state, ref);
  const { focusProps, isFocusVisible } = useFocusRing();
  const clicks = useOwnClick(() => item && onImage?.(item.id));
  const { heading, imageHeight = area.height } = area;
  return (
    <div
      {...mergeProps(rowProps, focusProps, more, { 'aria-rowindex': node.index + 1 })}
      ref={ref}
      aria-busy={item === null || undefined}
      className="tile"
      data-selected={isSelected || undefined}
      data-focus-visible={isFocusVisible || undefined}
      data-status={item?.status}
      style={{
        width: area.width,
        height: area.height,
        transform: `translate(${area.x}px, ${area.y}px)`,
      }}
    >
      <div {...gridCellProps} className="tile-cell">
        {/* The heading is rendered in the cell of the first tile below it, because a grid may only contain rows. */}
        {heading && <h2 className="tile-heading">{heading}</h2>}
        <div
          className="tile-frame"
          style={{ height: imageHeight }}
          data-opens={onImage !== undefined || undefined}
          {...(item && onImage && clicks)}
        >
          {item && <Face item={item} width={area.width} />}
        </div>
        {item && (
          <>
            <div className="tile-name" title={item.name}>
              {item.name}
            </div>
            <div className="tile-facts">
              {area.height - imageHeight >= TWO_LINES && (
                <div className="tile-fact" title={item.error_message ?? undefined}>
                  {captionOf(item)}
                </div>
              )}
              {badges}
            </div>
            <RowCheckbox rowKey={node.key} state={state} />
            {children}
          </>
        )}
      </div>
    </div>
  );
}

interface RowCheckboxProps {
  readonly rowKey: Key;
  readonly state: ListState<MediaItem>;
}

/** A checkbox that selects a row, or nothing if the list doesn't allow several rows to be selected. */
export function RowCheckbox({ rowKey, state }: RowCheckboxProps) {
  const { checkboxProps } = useGridListSelectionCheckbox({ key: rowKey }, state);
  if (state.selectionManager.selectionMode !== 'multiple') return null;
  return (
    <div className="tile-select">
      <input
        type="checkbox"
        id={checkboxProps.id}
        aria-label={checkboxProps['aria-label']}
        aria-labelledby={checkboxProps['aria-labelledby']}
        // Keeps the press from selecting the row.
        onPointerDown={stop}
        onMouseDown={stop}
        onClick={stop}
        // React-aria's rows keep keys that are pressed in their controls from the grid, which handles this one.
        onKeyDown={({ key }) => {
          if (key === 'Escape') state.selectionManager.clearSelection();
        }}
        checked={checkboxProps.isSelected ?? false}
        onChange={({ target, nativeEvent }) => {
          // With Shift, the rows between this one and the last selected one are also selected, as when a row is
          // clicked.
          if (nativeEvent instanceof MouseEvent && nativeEvent.shiftKey) state.selectionManager.extendSelection(rowKey);
          else checkboxProps.onChange?.(target.checked);
        }}
      />
    </div>
  );
}

export const MediaTile = memo(OpenTile, isSameRow);

const stop = (event: SyntheticEvent): void => event.stopPropagation();

/**
 * Whether a click is a plain mouse click. The row itself handles clicks that extend the selection, and touches: a tap
 * opens the item, and a long press selects it.
 */
const isPlain = ({ button, shiftKey, ctrlKey, metaKey }: ReactMouseEvent): boolean =>
  button === 0 && !shiftKey && !ctrlKey && !metaKey;

/**
 * Returns props for an element inside a row. The element then handles plain mouse clicks, and they don't select the
 * row.
 */
export function useOwnClick(onClick: () => void): HTMLAttributes<HTMLElement> {
  const isOwn = useRef(false);
  return {
    onPointerDown(event) {
      isOwn.current = event.pointerType === 'mouse' && isPlain(event);
      if (isOwn.current) event.stopPropagation();
    },
    onMouseDown(event) {
      if (isOwn.current) event.stopPropagation();
    },
    onClick(event) {
      if (!isOwn.current) return;
      event.stopPropagation();
      onClick();
    },
    onDoubleClick: stop,
  };
}

function Face({ item, width }: { readonly item: MediaItem; readonly width: number }) {
  const seconds = secondsOf(item);
  return (
    <>
      {item.status === 'active' && <TileImage item={item} tile={width} />}
      {item.status === 'processing' && <span className="tile-progress" aria-hidden="true" />}
      {item.status === 'failed' && (
        <span className="tile-failed" aria-hidden="true">
          !
        </span>
      )}
      {seconds !== null && item.status === 'active' && <span className="tile-time">▶ {formatDuration(seconds)}</span>}
    </>
  );
}
