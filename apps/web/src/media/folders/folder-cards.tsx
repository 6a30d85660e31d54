import './folder-cards.css';
import { previewOf } from '@postshelf/browser/media/media-facts.ts';
import { plural } from '@postshelf/browser/ui/format-number.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import {
  type DragEvent,
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import { DRAG_TYPE, dragSource } from '../../folders/drag-source.ts';
import type { Folder } from '../../folders/folder-rows.ts';
import type { FolderTotal } from '../../folders/folder-totals.ts';
import { type FolderMenus, useFolderMenu } from '../../folders/use-folder-menu.tsx';
import { FRESH_UNTIL_INVALIDATED } from '../../service/live.ts';
import { trpc } from '../../service/service.ts';
import { signed } from '../../service/signed.ts';
import { Button } from '../../ui/button.tsx';
import { placeOfMenu } from '../../ui/context-menu.tsx';
import { FolderIcon } from '../../ui/icons.tsx';
import { useLongPress } from '../../ui/use-long-press.ts';
import { PHONE, useMediaQuery } from '../../ui/use-media-query.ts';
import { useWorkspace } from '../../workspaces/use-workspace.ts';

/**
 * Number of cards that are shown initially. Each card requests its cover. On phones, more would fill the screen, and
 * leave no room for media.
 */
const SHOWN = 24;
const SHOWN_ON_PHONES = 6;

/** Stands for the button that shows all folders, where the id of a folder is expected. */
const MORE = 'more';

/** ARIA roles of the cards. The cards are rows of the media grid, because they scroll with it. */
const ROW = { role: 'row' } as const;
const CELL = { role: 'gridcell' } as const;

export interface FolderCardsProps {
  readonly folders: readonly Folder[];
  readonly totals: ReadonlyMap<string, FolderTotal>;
  readonly cards: RefObject<HTMLDivElement | null>;
  /** Called when a card gets the focus. */
  onEnter(): void;
  /**
   * Moves the focus to the media below the cards: to the first item, or to the one that had it last.
   *
   * @returns false if the browser should move the focus
   */
  onLeave(to: 'first' | 'last focused'): boolean;
}

/**
 * Shows the open folder's subfolders as rows above its media. One card is a tab stop, and the arrow keys move to the
 * other cards. Tab leads from there to the media, and Shift+Tab back.
 */
export function FolderCards({ folders, totals, cards, onEnter, onLeave }: FolderCardsProps) {
  const [current, setCurrent] = useState<string | null>(null);
  const menus = useFolderMenu();
  const [showsAll, setShowsAll] = useState(false);
  const initial = useMediaQuery(PHONE) ? SHOWN_ON_PHONES : SHOWN;
  const shown = showsAll ? folders : folders.slice(0, initial);
  const hasMore = shown.length < folders.length;
  useEffect(() => {
    const element = cards.current;
    const keep = (event: Event): void => event.stopPropagation();
    element?.addEventListener(RESTORE, keep);
    return () => element?.removeEventListener(RESTORE, keep);
  }, [cards]);
  const stop = (current === MORE && hasMore) || shown.some(({ id }) => id === current) ? current : shown[0]?.id;
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, target } = event;
    // React also bubbles events from menus and dialogs, which are outside the cards.
    if (!(target instanceof HTMLElement && cards.current?.contains(target))) return;
    if (key === 'Tab') {
      // Without this, the grid would move the focus out of the grid, after selecting its last item.
      event.stopPropagation();
      if (!event.shiftKey && onLeave('last focused')) event.preventDefault();
    } else if (ARROWS.has(key)) {
      // Without this, the grid that contains the cards would move the focus among its own rows.
      event.stopPropagation();
      event.preventDefault();
      const to = besideOf(cards.current, target, key);
      if (to) to.focus();
      else if (key === 'ArrowDown') onLeave('first');
    }
  };
  const group = {
    role: 'rowgroup',
    onKeyDown,
    onFocus(event: FocusEvent) {
      // Without this, the grid would move the focus to its first row.
      event.stopPropagation();
      onEnter();
    },
  };
  const showAll = (): void => {
    flushSync(() => setShowsAll(true));
    // The button is gone. Its place is taken by the first card that it has shown.
    cards.current?.querySelectorAll<HTMLElement>(STOPS)[shown.length]?.focus();
  };
  return (
    <div ref={cards} className="folder-cards" {...group}>
      {shown.map((folder) => (
        <FolderCard
          key={folder.id}
          folder={folder}
          total={totals.get(folder.id) ?? ownTotal(folder)}
          isTabStop={folder.id === stop}
          menus={menus}
          onFocus={() => setCurrent(folder.id)}
        />
      ))}
      {hasMore && (
        <div {...ROW} className="folder-cards-more">
          <div {...CELL}>
            <Button
              variant="quiet"
              excludeFromTabOrder={stop !== MORE}
              onFocus={() => setCurrent(MORE)}
              onPress={showAll}
            >
              Show all {plural(folders.length, 'folder')}
            </Button>
          </div>
        </div>
      )}
      {menus.element}
    </div>
  );
}

/**
 * The event with which react-aria restores the focus after a menu or dialog is closed. It must not reach the grid,
 * which would move the focus to its own rows.
 */
const RESTORE = 'react-aria-focus-scope-restore';

/** Matches the elements in the cards that get the focus. */
const STOPS = 'a, button';

const ARROWS = new Set(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End']);

/**
 * Returns the card or button that a key moves to: the first, last, previous or next one, or the nearest in the line
 * above or below.
 */
function besideOf(cards: HTMLElement | null, from: HTMLElement, key: string): HTMLElement | undefined {
  const all = [...(cards?.querySelectorAll<HTMLElement>(STOPS) ?? [])];
  const at = all.indexOf(from);
  if (key === 'Home') return all[0];
  if (key === 'End') return all.at(-1);
  if (key === 'ArrowLeft') return all[at - 1];
  if (key === 'ArrowRight') return all[at + 1];
  const { left, top } = from.getBoundingClientRect();
  const distance = (card: HTMLElement): number => {
    const place = card.getBoundingClientRect();
    const down = (place.top - top) * (key === 'ArrowDown' ? 1 : -1);
    return down > 1 ? down * 1000 + Math.abs(place.left - left) : Number.POSITIVE_INFINITY;
  };
  const nearest = all.toSorted((one, other) => distance(one) - distance(other))[0];
  return nearest && Number.isFinite(distance(nearest)) ? nearest : undefined;
}

const ownTotal = ({ id, counts }: Folder): FolderTotal => {
  const media = counts?.media ?? 0;
  return { media, filled: media > 0 ? id : null };
};

interface FolderCardProps {
  readonly folder: Folder;
  readonly total: FolderTotal;
  readonly isTabStop: boolean;
  readonly menus: FolderMenus;
  onFocus(): void;
}

function FolderCard({ folder, total, isTabStop, menus, onFocus }: FolderCardProps) {
  const { id: workspace } = useWorkspace();
  const { cover, onFailed } = useCover(total.filled);
  const drop = useDrop(folder);
  const count = plural(total.media, 'item');
  const link = useRef<HTMLAnchorElement>(null);
  const isHeld = useRef(false);
  const press = useLongPress(() => {
    if (!link.current) return;
    isHeld.current = true;
    menus.open(folder, { at: link.current, point: null });
  });
  const onMenu = (event: MouseEvent): void => {
    event.preventDefault();
    if (link.current) menus.open(folder, placeOfMenu(link.current, event));
  };
  return (
    <div {...{ ...ROW, 'aria-label': `${folder.name}, ${count}` }} className="folder-card" {...drop.props}>
      <div {...CELL}>
        <Link
          to="/folders/$folder"
          params={{ folder: folder.id }}
          search={{ workspace }}
          tabIndex={isTabStop ? 0 : -1}
          draggable={false}
          data-drop-folder={folder.id}
          data-drop-name={folder.name}
          ref={link}
          onFocus={onFocus}
          onContextMenu={onMenu}
          onKeyDown={({ key }) => {
            isHeld.current = false;
            if (key === 'F2' && !folder.is_system) menus.rename?.(folder);
          }}
          {...press}
          onPointerDown={() => {
            isHeld.current = false;
          }}
          onClick={(event) => {
            // A long press that has opened the menu doesn't also open the folder when the finger is lifted.
            if (isHeld.current) event.preventDefault();
          }}
        >
          <span className="folder-cover" data-empty={cover === null || undefined}>
            {cover === null ? <FolderIcon /> : <img src={cover} alt="" draggable={false} onError={onFailed} />}
          </span>
          <span className="folder-words">
            <b title={folder.name}>{folder.name}</b>
            <small>{count}</small>
          </span>
          {drop.isOver && <span className="folder-drop">Move to {folder.name}</span>}
        </Link>
      </div>
    </div>
  );
}

/** Accepts pointer drags within the page. Keyboard users drop items on the tree instead, which has all folders. */
function useDrop(folder: Folder) {
  const [isOver, setIsOver] = useState(false);
  const isTaken = (event: DragEvent): boolean =>
    event.dataTransfer.types.includes(DRAG_TYPE) && (dragSource()?.canDropOn(folder.id) ?? false);
  const over = (event: DragEvent): void => {
    if (!isTaken(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = 'move';
    setIsOver(true);
  };
  return {
    isOver,
    props: {
      onDragEnter: over,
      onDragOver: over,
      onDragLeave(event: DragEvent) {
        const to = event.relatedTarget;
        if (!(to instanceof Node && event.currentTarget.contains(to))) setIsOver(false);
      },
      onDrop(event: DragEvent) {
        setIsOver(false);
        if (!isTaken(event)) return;
        event.preventDefault();
        // Without this, react-aria would log a warning, because it doesn't know about this drop.
        event.stopPropagation();
        dragSource()?.dropOn(folder.id, folder.name);
      },
    },
  };
}

/** Width of the cover in pixels. */
const WIDTH = 72;

/**
 * Returns the link to a preview of a folder's newest item; null until the item is read, or if the folder is empty or
 * null.
 */
function useCover(folder: string | null): { readonly cover: string | null; onFailed(): void } {
  const { id: workspace } = useWorkspace();
  const [failed, setFailed] = useState<string | null>(null);
  const { data } = useQuery({
    ...signed(
      trpc.media.list.queryOptions({
        workspace,
        folder_id: folder ?? '',
        status: 'active',
        sort: '-created_at',
        per_page: 1,
        include: 'details',
      }),
    ),
    ...FRESH_UNTIL_INVALIDATED,
    enabled: folder !== null,
  });
  const newest = data?.data[0];
  const link = newest ? previewOf(newest, WIDTH, devicePixelRatio) : null;
  return { cover: link === failed ? null : link, onFailed: () => setFailed(link) };
}
