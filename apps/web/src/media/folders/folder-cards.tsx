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
import { useWorkspace } from '../../workspaces/use-workspace.ts';

/** Number of cards that are shown initially. Each card requests its cover. */
const SHOWN = 24;

/** ARIA roles of the cards. The cards are rows of the media grid, because they scroll with it. */
const ROW = { role: 'row' } as const;
const CELL = { role: 'gridcell' } as const;

export interface FolderCardsProps {
  readonly folders: readonly Folder[];
  readonly totals: ReadonlyMap<string, FolderTotal>;
  readonly cards: RefObject<HTMLDivElement | null>;
  /** Moves the focus to the media below the cards. */
  onLeave(): void;
}

/**
 * Shows the open folder's subfolders as rows above its media. One card is a tab stop, and the arrow keys move to the
 * other cards.
 */
export function FolderCards({ folders, totals, cards, onLeave }: FolderCardsProps) {
  const [current, setCurrent] = useState<string | null>(null);
  const menus = useFolderMenu();
  const [showsAll, setShowsAll] = useState(false);
  const shown = showsAll ? folders : folders.slice(0, SHOWN);
  useEffect(() => {
    const element = cards.current;
    const keep = (event: Event): void => event.stopPropagation();
    element?.addEventListener(RESTORE, keep);
    return () => element?.removeEventListener(RESTORE, keep);
  }, [cards]);
  const stop = shown.some(({ id }) => id === current) ? current : shown[0]?.id;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!ARROWS.has(event.key) || !(event.target instanceof HTMLAnchorElement)) return;
    // Without this, the grid that contains the cards would move the focus among its own rows.
    event.stopPropagation();
    event.preventDefault();
    const to = besideOf(cards.current, event.target, event.key);
    if (to) to.focus();
    else if (event.key === 'ArrowDown') onLeave();
  };
  const group = {
    role: 'rowgroup',
    onKeyDown,
    // Without this, the grid would move the focus to its first row.
    onFocus: (event: FocusEvent) => event.stopPropagation(),
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
      {shown.length < folders.length && (
        <div {...ROW} className="folder-cards-more">
          <div {...CELL}>
            <Button variant="quiet" onPress={() => setShowsAll(true)}>
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

const ARROWS = new Set(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End']);

/**
 * Returns the card that a key moves to: the first, last, previous or next card, or the nearest in the line above or
 * below.
 */
function besideOf(cards: HTMLElement | null, from: HTMLElement, key: string): HTMLElement | undefined {
  const all = [...(cards?.querySelectorAll<HTMLElement>('a') ?? [])];
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
