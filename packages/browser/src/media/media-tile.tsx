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
import type { Node } from 'react-stately';
import type { ListState } from 'react-stately/useListState';
import { type GridShape, leftOf, topOf } from '../ui/grid-layout.ts';
import { captionOf, formatDuration, secondsOf } from './media-facts.ts';
import { TileImage } from './tile-image.tsx';

export interface TileProps {
  readonly node: Node<MediaItem>;
  readonly item: MediaItem | null;
  readonly shape: GridShape;
  readonly state: ListState<MediaItem>;
}

/** The nodes themselves are new objects in every render. */
export const isSameTile = (one: TileProps, other: TileProps): boolean =>
  one.item === other.item &&
  one.shape === other.shape &&
  one.state === other.state &&
  one.node.key === other.node.key &&
  one.node.index === other.node.index;

export interface OpenTileProps extends TileProps {
  readonly rowProps?: HTMLAttributes<HTMLElement>;
  /** Called for a click on the picture; default: it does what a click on the rest of the tile does. */
  onPicture?(id: string): void;
  readonly children?: ReactNode;
}

/** A row with one cell, at its position in the list. */
export function OpenTile({ node, item, shape, state, rowProps: more = {}, onPicture, children }: OpenTileProps) {
  const ref = useRef<HTMLDivElement>(null);
  const { rowProps, gridCellProps, isSelected } = useGridListItem({ node, shouldSelectOnPressUp: true }, state, ref);
  const { checkboxProps } = useGridListSelectionCheckbox({ key: node.key }, state);
  const { focusProps, isFocusVisible } = useFocusRing();
  const clicks = useOwnClick(() => item && onPicture?.(item.id));
  const { tile, rowHeight, gap } = shape;
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
        width: tile,
        height: rowHeight - gap,
        transform: `translate(${leftOf(shape, node.index)}px, ${topOf(shape, node.index)}px)`,
      }}
    >
      <div {...gridCellProps} className="tile-cell">
        <div
          className="tile-frame"
          style={{ height: tile }}
          data-opens={onPicture !== undefined || undefined}
          {...(item && onPicture && clicks)}
        >
          {item && <Face item={item} tile={tile} />}
        </div>
        {item && (
          <>
            <div className="tile-name" title={item.name}>
              {item.name}
            </div>
            <div className="tile-fact" title={item.error_message ?? undefined}>
              {captionOf(item)}
            </div>
            {state.selectionManager.selectionMode === 'multiple' && (
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
                  checked={isSelected}
                  onChange={({ target, nativeEvent }) => {
                    // With Shift also those between it and the last one, as with the rows themselves.
                    if (nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
                      state.selectionManager.extendSelection(node.key);
                    else checkboxProps.onChange?.(target.checked);
                  }}
                />
              </div>
            )}
            {children}
          </>
        )}
      </div>
    </div>
  );
}

export const MediaTile = memo(OpenTile, isSameTile);

const stop = (event: SyntheticEvent): void => event.stopPropagation();

/** A click that selects more, and a finger, for which a tap opens and a long press selects, are left to the row. */
const isPlain = ({ button, shiftKey, ctrlKey, metaKey }: ReactMouseEvent): boolean =>
  button === 0 && !shiftKey && !ctrlKey && !metaKey;

/** Props of an element in a row for a click with a mouse that doesn't select the row. */
function useOwnClick(onClick: () => void): HTMLAttributes<HTMLElement> {
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

function Face({ item, tile }: { readonly item: MediaItem; readonly tile: number }) {
  const seconds = secondsOf(item);
  return (
    <>
      {item.status === 'active' && <TileImage item={item} tile={tile} />}
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
