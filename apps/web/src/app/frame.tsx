import './frame.css';
import { formatBytes } from '@postshelf/browser/ui/format-bytes.ts';
import { formatNumber } from '@postshelf/browser/ui/format-number.ts';
import { type Query, useQuery } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { FolderTree } from '../folders/folder-tree.tsx';
import { NewPost } from '../media/selection/new-post.ts';
import { LazyPostDialog } from '../posts/lazy-post-dialog.ts';
import { useIsUnreachable } from '../service/connection.ts';
import { FRESH_UNTIL_INVALIDATED, useLiveUpdates } from '../service/live.ts';
import { isUnreachable, ME_KEY, queryClient, trpc } from '../service/service.ts';
import { useHasEnded, useMe } from '../sessions/session-gate.tsx';
import { SignOut } from '../sessions/sign-out.tsx';
import { Button } from '../ui/button.tsx';
import { MenuIcon } from '../ui/icons.tsx';
import { preloadPages } from '../ui/lazy-part.tsx';
import { PHONE, useMediaQuery } from '../ui/use-media-query.ts';
import { preloadUploader } from '../uploads/uploads.ts';
import { UploadsTray } from '../uploads/uploads-tray.tsx';
import { useMay } from '../workspaces/use-may.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { Help } from './help/help.tsx';
import { MainLinks, WorkspaceChoice } from './navigation.tsx';

/** Milliseconds after which most pages have finished loading. */
const SETTLED = 1500;

/**
 * The frame around every page, with the navigation and the list of uploads. On small screens, a button opens a drawer
 * with the folders and the sign-out button.
 */
export function Frame() {
  const path = useRouterState({ select: (state) => state.location.pathname });
  useLiveUpdates(useWorkspace().id, !useHasEnded());
  const mayUpload = useMay('media:write');
  const isSmall = useMediaQuery(PHONE);
  const menu = useRef<HTMLButtonElement>(null);
  // The path of the page on which the drawer was opened. The drawer closes when another page is opened.
  const [openAt, setOpenAt] = useState<string | null>(null);
  // The media of the new post whose dialog is open; null if it isn't open.
  const [posted, setPosted] = useState<readonly string[] | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => {
      preloadPages();
      if (mayUpload) preloadUploader();
    }, SETTLED);
    return () => clearTimeout(timer);
  }, [mayUpload]);
  const isOpen = isSmall && openAt === path;
  return (
    <div className="frame">
      <button type="button" className="frame-skip visually-hidden" onClick={skip}>
        Skip to the content
      </button>
      <header className="frame-head">
        <span className="frame-brand">
          <i aria-hidden="true" />
          Postshelf
        </span>
        <WorkspaceChoice />
        {isSmall && (
          <Button
            ref={menu}
            variant="quiet"
            aria-label="Menu"
            aria-expanded={isOpen}
            aria-controls="frame-drawer"
            onPress={() => setOpenAt(isOpen ? null : path)}
          >
            <MenuIcon />
          </Button>
        )}
      </header>
      <MainLinks path={path} />
      {(!isSmall || isOpen) && (
        <section
          id="frame-drawer"
          aria-label="Folders and session"
          className="frame-drawer"
          onKeyDown={({ key }) => {
            if (key !== 'Escape') return;
            setOpenAt(null);
            menu.current?.focus();
          }}
        >
          <FolderTree />
          <Usage />
          <Signed />
        </section>
      )}
      <div className="frame-content" inert={isOpen}>
        <Unreachable />
        <NewPost value={setPosted}>
          <Outlet />
        </NewPost>
      </div>
      <UploadsTray />
      <Help />
      {posted !== null && <LazyPostDialog id={null} media={posted} onClose={() => setPosted(null)} />}
    </div>
  );
}

/** Moves the focus to the page's `main` element. */
function skip(): void {
  const main = document.querySelector('main');
  if (!main) return;
  main.tabIndex = -1;
  main.focus();
}

/** Shows the name of the session's token or person, and the sign-out buttons. */
function Signed() {
  const { token, person } = useMe();
  const name = token?.name ?? person?.name;
  return (
    <div className="frame-signed">
      <span title={name}>{name}</span>
      <SignOut />
    </div>
  );
}

/** Milliseconds between two attempts to reach the service. */
const AGAIN = 2000;

/** Shows that the service is unreachable, and retries failed queries until it responds. */
function Unreachable() {
  const isLost = useIsUnreachable();
  useEffect(() => {
    if (!isLost) return;
    const timer = setInterval(() => {
      void queryClient.refetchQueries({ type: 'active', predicate: isToRepeat });
    }, AGAIN);
    return () => clearInterval(timer);
  }, [isLost]);
  return (
    <div role="status" className="frame-unreachable">
      {isLost && <p>Can’t reach the server. You’re seeing the last loaded version; we’ll reconnect automatically.</p>}
    </div>
  );
}

/**
 * Whether to retry a query: if it failed because the service was unreachable, or if it is the session's query. Every
 * page makes the session's query, so there is always one to retry.
 */
const isToRepeat = ({ queryKey, state }: Query): boolean => isUnreachable(state.error) || queryKey[0] === ME_KEY[0];

/** Shows the workspace's storage usage and its limit. */
function Usage() {
  const { id: workspace } = useWorkspace();
  const found = useQuery({ ...trpc.workspaces.usage.queryOptions({ workspace }), ...FRESH_UNTIL_INVALIDATED });
  if (!found.data) return null;
  const { bytes, trash_bytes, max_bytes, items, trash_items, max_items } = found.data.data;
  const used = formatBytes(bytes + trash_bytes) + (max_bytes === null ? '' : ` of ${formatBytes(max_bytes)}`);
  const itemsUsed =
    max_items === null ? '' : `, ${formatNumber(items + trash_items)} of ${formatNumber(max_items)} items`;
  return (
    <p className="frame-usage" title="Storage used, including the trash">
      {used}
      {itemsUsed}
    </p>
  );
}
