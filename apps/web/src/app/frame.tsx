import './frame.css';
import { Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { FolderTree } from '../folders/folder-tree.tsx';
import { NewPost } from '../media/selection/new-post.ts';
import { useLiveUpdates } from '../service/live.ts';
import { useMe } from '../sessions/session-gate.tsx';
import { SignOut } from '../sessions/sign-out.tsx';
import { Button } from '../ui/button.tsx';
import { MenuIcon } from '../ui/icons.tsx';
import { Select } from '../ui/select.tsx';
import { useMediaQuery } from '../ui/use-media-query.ts';
import { preloadUploader } from '../uploads/uploads.ts';
import { UploadsTray } from '../uploads/uploads-tray.tsx';
import { Usage } from '../workspaces/usage.tsx';
import { useMay } from '../workspaces/use-may.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { Help } from './help/help.tsx';
import { preloadPages } from './lazy-page.tsx';
import { MainLinks } from './main-links.tsx';
import { Unreachable } from './unreachable.tsx';

const PostDialog = lazy(async () => ({ default: (await import('../posts/post-dialog.tsx')).PostDialog }));

/** Milliseconds after which most pages have finished loading. */
const SETTLED = 1500;

/**
 * The frame around every page: navigation, and work in progress. On narrow screens a button opens folders and sign-out.
 */
export function Frame() {
  const path = useRouterState({ select: (state) => state.location.pathname });
  useLiveUpdates(useWorkspace().id);
  const mayUpload = useMay('media:write');
  const isNarrow = useMediaQuery('(width < 760px)');
  // The URL at which the drawer was opened; it closes when another page is opened.
  const [openAt, setOpenAt] = useState<string | null>(null);
  // The media of a post that is being written while the list from which they were chosen stays open.
  const [posted, setPosted] = useState<readonly string[] | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => {
      preloadPages();
      if (mayUpload) preloadUploader();
    }, SETTLED);
    return () => clearTimeout(timer);
  }, [mayUpload]);
  const isOpen = isNarrow && openAt === path;
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
        {isNarrow && (
          <Button
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
      {(!isNarrow || isOpen) && (
        <section
          id="frame-drawer"
          aria-label="Folders and session"
          className="frame-drawer"
          onKeyDown={({ key }) => {
            if (key === 'Escape') setOpenAt(null);
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
      {posted !== null && (
        <Suspense>
          <PostDialog id={null} media={posted} onClose={() => setPosted(null)} />
        </Suspense>
      )}
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

/** The name of the session's token or person, and the sign-out buttons. */
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

/**
 * Chooses the workspace if the session has several. A change opens the library's root, because each workspace has its
 * own folders.
 */
function WorkspaceChoice() {
  const { workspaces } = useMe();
  const shown = useWorkspace();
  const navigate = useNavigate();
  if (workspaces.length < 2) return null;
  return (
    <Select
      label="Workspace"
      isLabelHidden
      value={shown.id}
      options={workspaces.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(workspace) => void navigate({ to: '/', search: { workspace } })}
    />
  );
}
