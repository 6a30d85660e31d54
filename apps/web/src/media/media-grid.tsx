import '@postshelf/browser/media/media-grid.css';
import './media-grid.css';
import type { MediaRows } from '@postshelf/browser/media/media-rows.ts';
import { isSameRow, OpenTile, type OpenTileProps, type RowProps } from '@postshelf/browser/media/media-tile.tsx';
import { MediaTiles } from '@postshelf/browser/media/media-tiles.tsx';
import type { KnownShapes } from '@postshelf/browser/media/tile-layout.ts';
import { useMediaGrid } from '@postshelf/browser/media/use-media-grid.ts';
import type { VisibleRows } from '@postshelf/browser/media/use-media-rows.ts';
import type { ScrollPlace } from '@postshelf/browser/ui/use-grid-scroll.ts';
import type { MediaItem } from '@postshelf/client';
import {
  type ComponentType,
  type KeyboardEvent,
  memo,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { mergeProps } from 'react-aria/mergeProps';
import { useDraggableItem } from 'react-aria/useDraggableCollection';
import type { Selection } from 'react-aria-components';
import { flushSync } from 'react-dom';
import type { DraggableCollectionState } from 'react-stately/useDraggableCollectionState';
import type { Folder } from '../folders/folder-rows.ts';
import type { FolderTotal } from '../folders/folder-totals.ts';
import { NetworkBadges, VerdictsContext } from '../readiness/network-badges.tsx';
import { useVerdicts } from '../readiness/use-verdicts.ts';
import { Button } from '../ui/button.tsx';
import { dateFieldOf } from '../ui/zoned-time.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { FolderCards } from './folders/folder-cards.tsx';
import { ListHead } from './list/list-head.tsx';
import { LINE_HEIGHT, ListLine } from './list/list-line.tsx';
import { useFocusAfterVisit, type Visit } from './use-focus-after-visit.ts';
import { type MoveTo, useMediaDrag } from './use-media-drag.tsx';
import type { MediaFilter } from './use-media-filter.ts';
import { dateSection } from './view/date-sections.ts';
import { useMediaView } from './view/media-view.ts';

/** Where a list was scrolled to when it was last shown, and the known shapes of its tiles. */
export interface ListPlace extends ScrollPlace {
  readonly shapes: KnownShapes;
}

export interface MediaGridProps {
  readonly rows: MediaRows;
  /** The open folder's subfolders, shown above its media. */
  readonly folders: readonly Folder[];
  readonly totals: ReadonlyMap<string, FolderTotal>;
  readonly sort: MediaFilter['sort'];
  onSort(sort: MediaFilter['sort']): void;
  /** The id of the open item. Its tile is marked, and gets the focus when the item is closed. */
  readonly opened: string | null;
  readonly visit: RefObject<Visit | null>;
  readonly place: ListPlace;
  readonly selected: Selection;
  onSelect(selection: Selection): void;
  onOpen(id: string): void;
  /** null if the items can't be moved. */
  readonly onMove: MoveTo | null;
  /** Called with the visible rows, which have to be read. */
  onVisibleChange(visible: VisibleRows): void;
}

/**
 * The tiles or lines of a list of any length. Only the visible ones are in the document. Callbacks must be stable,
 * because the component is memoized.
 */
export const MediaGrid = memo(
  ({ folders, totals, sort, onSort, opened, visit, place, onMove, onVisibleChange, ...options }: MediaGridProps) => {
    const { kind, height } = useMediaView();
    const isList = kind === 'list';
    const sectionOf = useSections(sort);
    const view = useMemo(
      () => (isList ? { lineHeight: LINE_HEIGHT } : { height: height ?? undefined, sectionOf }),
      [isList, height, sectionOf],
    );
    const cards = useRef<HTMLDivElement>(null);
    const lead = useHeight(cards, folders.length > 0);
    const grid = useMediaGrid({
      ...options,
      view,
      lead,
      known: place.shapes,
      selectionMode: 'multiple',
      selectionBehavior: 'replace',
    });
    useFocusAfterVisit(grid, opened, visit);
    const judge = useVerdicts();
    const { dragState, preview } = useMediaDrag(grid.state, grid.ref, onMove);
    const { selectionManager } = grid.state;
    // Handles these keys before react-aria does, which would move the focus within the items, or out of the grid.
    const onKeyDownCapture = (event: KeyboardEvent): void => {
      const { key, shiftKey, target } = event;
      if (!(target instanceof Element && target.matches('.tile'))) return;
      const { focusedKey } = selectionManager;
      const lineOf = (index: number): number => grid.layout.areaOf(index).y;
      const isFirstLine = focusedKey !== null && lineOf(grid.rows.indexOf(focusedKey)) === lineOf(0);
      const card = cards.current?.querySelector<HTMLElement>(STOP);
      const stop = grid.ref.current?.querySelector<HTMLElement>(`.list-head ${STOP}`) ?? card;
      const to = key === 'ArrowUp' && isFirstLine ? card : key === 'Tab' && shiftKey ? stop : null;
      if (!to) return;
      event.stopPropagation();
      event.preventDefault();
      to.focus();
    };
    const enter = (to: 'first' | 'last focused'): boolean => {
      if (grid.rows.size === 0) return false;
      const key = (to === 'last focused' && selectionManager.focusedKey) || grid.rows.keyAt(0);
      flushSync(() => {
        selectionManager.setFocused(true);
        selectionManager.setFocusedKey(key);
      });
      // React-aria scrolls only to rows that didn't have the focus before.
      grid.ref.current?.querySelector(`[data-key="${CSS.escape(String(key))}"]`)?.scrollIntoView({ block: 'nearest' });
      return true;
    };
    const leave = (): void => selectionManager.setFocused(false);
    const hasFolders = folders.length > 0;
    return (
      <div
        {...mergeProps(grid.gridProps, { onKeyDownCapture })}
        // If the grid itself were a tab stop, it would move the focus to its first item, past what is above the items.
        {...((hasFolders || isList) && { tabIndex: -1 })}
        ref={grid.ref}
        className="grid"
        data-view={kind}
      >
        {hasFolders && (
          <FolderCards
            folders={folders}
            totals={totals}
            cards={cards}
            onEnter={leave}
            // In the list, Tab leads to the names of the columns first.
            onLeave={(to) => !(isList && to === 'last focused') && enter(to)}
          />
        )}
        {isList && <ListHead sort={sort} onSort={onSort} onEnter={leave} onLeave={enter} />}
        <VerdictsContext value={judge}>
          <MediaTiles
            grid={grid}
            place={place}
            onVisibleChange={onVisibleChange}
            renderTile={(tile) => (
              <DraggableTile
                {...tile}
                as={isList ? ListLine : undefined}
                isOpen={tile.node.key === opened}
                onImage={options.onOpen}
                dragState={dragState}
              />
            )}
          />
        </VerdictsContext>
        {preview}
      </div>
    );
  },
);

/** Matches the tab stop of the folders, and of the names of the columns. */
const STOP = ':is(a, button):not([tabindex="-1"])';

/** Returns the height of an element in pixels; 0 if the element is absent. */
function useHeight(ref: RefObject<HTMLElement | null>, isThere: boolean): number {
  const [height, setHeight] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!isThere || !element) {
      setHeight(0);
      return;
    }
    const measure = (): void => setHeight(element.offsetHeight);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref, isThere]);
  return height;
}

interface DraggableTileProps extends RowProps {
  /** The component that shows the row; default: a tile. */
  readonly as?: ComponentType<OpenTileProps> | undefined;
  readonly dragState: DraggableCollectionState;
  readonly isOpen: boolean;
  onImage(id: string): void;
}

/**
 * A row of the library that can be dragged onto a folder. A pointer can drag it from anywhere on the row; on the
 * keyboard, a button in the row starts the drag.
 */
const DraggableTile = memo(
  ({ as: Row = OpenTile, dragState, isOpen, ...tile }: DraggableTileProps) => {
    const { dragProps, dragButtonProps } = useDraggableItem({ key: tile.node.key, hasAction: true }, dragState);
    // Only the button has the description that says which keys start a drag.
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

/** Returns a function that computes an item's date heading; undefined if the list isn't sorted by a date. */
function useSections(sort: MediaFilter['sort']): ((item: MediaItem) => string) | undefined {
  const { timezone } = useWorkspace();
  const today = dateFieldOf(new Date().toISOString(), timezone);
  const by = sort.endsWith('updated_at') ? 'updated_at' : 'created_at';
  const sectionOf = useCallback(
    ({ details }: MediaItem) => (details ? dateSection(details[by], today, timezone) : ''),
    [by, today, timezone],
  );
  return sort.endsWith('_at') ? sectionOf : undefined;
}
