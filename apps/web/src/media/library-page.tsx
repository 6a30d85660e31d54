import './library-page.css';
import { workspaceOf } from '@postshelf/browser/media/media-facts.ts';
import { Skeleton } from '@postshelf/browser/media/skeleton.tsx';
import { KnownShapes } from '@postshelf/browser/media/tile-layout.ts';
import { INITIALLY_VISIBLE, type VisibleRows } from '@postshelf/browser/media/use-media-rows.ts';
import { useStableCallback } from '@postshelf/browser/ui/use-stable-callback.ts';
import type { MediaItem } from '@postshelf/client';
import { Link } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import type { Folder } from '../folders/folder-rows.ts';
import { useFolderTotals, useIsFolderGone, useSubfolders } from '../folders/use-folders.ts';
import { sentenceOf } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { lazyDialog } from '../ui/lazy-dialog.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { useNotify } from '../ui/notices.tsx';
import { useMay } from '../workspaces/use-may.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { UploadButton } from './add-media.tsx';
import { useItem } from './item/use-item.ts';
import { LibraryHeader, useTabTitle } from './library-header.tsx';
import { type ListPlace, MediaGrid } from './media-grid.tsx';
import { useMediaMenu } from './media-menu.tsx';
import { LibrarySelection, SelectionTask } from './selection/library-selection.tsx';
import { Replaceable } from './selection/replaceable.tsx';
import type { Task } from './selection/selection-dialog.tsx';
import { useBulk } from './selection/use-bulk.ts';
import { useSelection } from './selection/use-selection.ts';
import type { Visit } from './use-focus-after-visit.ts';
import type { MoveTo } from './use-media-drag.tsx';
import { useMediaFilter } from './use-media-filter.ts';
import { useMediaPages } from './use-media-pages.ts';

const RenameDialog = lazyDialog(async () => (await import('./rename-dialog.tsx')).RenameDialog);
const OpenItem = lazyPart(async () => (await import('./item/open-item.tsx')).OpenItem);

/**
 * Preloads the item page when a user is about to open an item. If loading fails, the page is loaded again when the item
 * is opened, and the error is shown then.
 */
const preloadItem = (): void => void OpenItem.preload().catch(() => {});

/** The library: the media of a folder, and the open item on top of them. */
export function LibraryPage() {
  const place = useMediaFilter();
  const isPlaced = usePlaced(place);
  const visit = useRef<Visit>(null);
  useTabTitle(place);
  return (
    <div className="library">
      <main className="library-main">
        {isPlaced ? (
          <Media place={place} visit={visit} />
        ) : (
          <>
            <LibraryHeader place={place} />
            <Skeleton />
          </>
        )}
      </main>
      {place.item && (
        <Suspense>
          <OpenItem id={place.item} visit={visit} />
        </Suspense>
      )}
    </div>
  );
}

/** Shows the open item's own folder behind it if the URL has none. @returns whether the folder behind it is known */
function usePlaced({ item, isUnplaced, placeIn, filter }: ReturnType<typeof useMediaFilter>): boolean {
  const { data, error } = useItem(item, isUnplaced);
  const found = data?.data;
  const folder = found && workspaceOf(found) === filter.workspace ? found.folder_id : null;
  useEffect(() => {
    if (isUnplaced && folder !== null) placeIn(folder);
  });
  return !isUnplaced || error !== null || (found !== undefined && folder === null);
}

let last: { readonly list: string; readonly place: ListPlace } = { list: '', place: { shapes: new KnownShapes() } };

/** Returns the list's last scroll position and tile shapes, or new ones if another list was shown in the meantime. */
function placeOf(list: string): ListPlace {
  if (last.list !== list) last = { list, place: { shapes: new KnownShapes() } };
  return last.place;
}

const NONE: readonly Folder[] = [];

interface MediaProps {
  readonly place: ReturnType<typeof useMediaFilter>;
  readonly visit: RefObject<Visit | null>;
}

/**
 * The media list. A different folder or search starts at the top with nothing selected; after a visit to another page,
 * the list has its previous scroll position.
 */
function Media({ place, visit }: MediaProps) {
  const list = JSON.stringify(place.filter);
  const [view, setView] = useState({ list, visible: INITIALLY_VISIBLE });
  if (view.list !== list) setView({ list, visible: INITIALLY_VISIBLE });
  const setVisible = useStableCallback((visible: VisibleRows) =>
    setView((was) => (was.list === list ? { list, visible } : was)),
  );
  const { rows, state, isOld, error, retry } = useMediaPages(place.filter, view.visible);
  const subfolders = useSubfolders(place.folder);
  const totals = useFolderTotals();
  const folders = (!place.isFiltered && subfolders) || NONE;
  const sort = useStableCallback((by: typeof place.filter.sort) => place.changeQuery({ sort: by }));
  const selection = useSelection(place.filter, rows);
  const bulk = useBulk();
  const [task, setTask] = useState<Task | null>(null);
  const mayChange = useMay('media:write');
  const { item: opened } = place;
  const isOneSelected = useStableCallback(() => selection.selected !== 'all' && selection.count === 1);
  useEffect(() => {
    // The open item has its own buttons. A single selected item is deselected, so that the toolbar doesn't act on that
    // item instead.
    if (opened !== null && isOneSelected()) selection.clear();
  }, [opened, isOneSelected]);
  const notify = useNotify();
  const open = useStableCallback(place.open);
  const move = useStableCallback<Parameters<MoveTo>, void>((keys, folder, name) => {
    const { selected } = selection;
    // Some selected items might not have been read yet.
    selection
      .read(selected === 'all' && keys.size > 1 ? selected : keys)
      .then((items) => {
        if (selected === 'all' || [...keys].every((key) => selected.has(key))) selection.clear();
        return bulk.move(items, folder, folder === null ? 'the top of the library' : name);
      })
      .catch((failure: unknown) => notify({ text: sentenceOf(failure), tone: 'bad' }));
  });
  const [renamed, setRenamed] = useState<MediaItem | null>(null);
  const { gridProps, menu } = useMediaMenu({
    selection,
    itemAt: (key) => rows.valueAt(rows.indexOf(key)),
    onOpen: open,
    onRename: setRenamed,
    onTask: setTask,
  });
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, target } = event;
    // React also bubbles events from dialogs, which are outside the grid.
    const grid = target instanceof Element ? target.closest('[role="grid"]') : null;
    if (grid === null || !mayChange) return;
    const row = target instanceof Element ? target.closest<HTMLElement>('[role="row"]') : null;
    const item = rows.valueAt(rows.indexOf(row?.dataset.key));
    if (key === 'Delete' && selection.count > 0) setTask('delete');
    else if (key === 'F2' && item) setRenamed(item);
    else return;
    event.preventDefault();
  };
  const isFolderGone = useIsFolderGone(place.folder);
  const body = (): ReactNode => {
    if (isFolderGone) return <NoFolder />;
    if (state === 'failed') {
      return (
        <div className="library-empty">
          <p role="alert">{sentenceOf(error)}</p>
          <Button onPress={retry}>Try again</Button>
        </div>
      );
    }
    if (state === 'loading') return <Skeleton />;
    if (rows.size === 0 && folders.length === 0) return <Nothing place={place} />;
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: the keys act on the selection of the grid inside
      <div
        className="library-media"
        aria-busy={isOld}
        onPointerEnter={preloadItem}
        onFocus={preloadItem}
        onKeyDownCapture={onKeyDown}
        {...gridProps}
      >
        <MediaGrid
          key={list}
          rows={rows}
          folders={folders}
          totals={totals}
          sort={place.filter.sort}
          onSort={sort}
          opened={opened}
          visit={visit}
          place={placeOf(list)}
          selected={selection.selected}
          onSelect={selection.select}
          onOpen={open}
          onMove={mayChange ? move : null}
          onVisibleChange={setVisible}
        />
        {rows.size === 0 && <Nothing place={place} hasFolders />}
        {menu}
      </div>
    );
  };
  return (
    <>
      <Replaceable
        by={selection.count > 0 && <LibrarySelection {...{ selection, task }} total={rows.size} onTask={setTask} />}
      >
        <LibraryHeader place={place} />
      </Replaceable>
      <SelectionTask selection={selection} task={task} onTask={setTask} />
      {body()}
      {renamed && <RenameDialog item={renamed} onClose={() => setRenamed(null)} />}
    </>
  );
}

/**
 * Returns the command that adds sample images, videos and posts. Only the command line can add them
 * (docs/decisions/23-web.md).
 */
const demoCommand = (workspace: string): string => `postshelf demo --workspace ${workspace}`;

/** The message in place of the media of a folder that doesn't exist. */
function NoFolder() {
  const { id: workspace } = useWorkspace();
  return (
    <div className="library-empty">
      <p role="alert">There’s no folder at this address. It may have been deleted.</p>
      <Link to="/" search={{ workspace }} className="button">
        Show all media
      </Link>
    </div>
  );
}

interface NothingProps {
  readonly place: ReturnType<typeof useMediaFilter>;
  /** Whether folders are shown above this message. */
  readonly hasFolders?: boolean;
}

function Nothing({ place: { isFiltered, folder, changeQuery }, hasFolders = false }: NothingProps) {
  const mayAdd = useMay('media:write');
  const { id: workspace } = useWorkspace();
  if (isFiltered) {
    return (
      <div className="library-empty">
        <h2>Nothing found</h2>
        <p>No media {folder === null ? '' : 'in this folder '}match your search.</p>
        <Button onPress={() => changeQuery({ search: undefined, type: undefined, status: undefined, tag: undefined })}>
          Clear filters
        </Button>
      </div>
    );
  }
  return (
    <div className="library-empty">
      <h2>{hasFolders ? 'Only folders here' : 'Nothing here yet'}</h2>
      <p>
        {mayAdd
          ? 'Drop images and videos anywhere on this page, upload them, or import one from a URL.'
          : 'Images and videos that others add appear here.'}
      </p>
      {mayAdd && <UploadButton folder={folder} label="Choose files" />}
      {mayAdd && !hasFolders && folder === null && (
        <p className="library-demo">
          Just looking around? On the server, this fills the library with samples: <code>{demoCommand(workspace)}</code>
        </p>
      )}
    </div>
  );
}
