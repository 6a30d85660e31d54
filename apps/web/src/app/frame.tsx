import './frame.css';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { FolderTree } from '../folders/folder-tree.tsx';
import { useMe } from '../sessions/session-gate.tsx';
import { SignOut } from '../sessions/sign-out.tsx';
import { Button } from '../ui/button.tsx';
import { Burger } from '../ui/icons.tsx';
import { useMediaQuery } from '../ui/use-media-query.ts';
import { UploadsTray } from '../uploads/uploads-tray.tsx';
import { WorkspaceChoice } from '../workspaces/workspace-choice.tsx';
import { preloadPages } from './lazy-page.tsx';
import { MainLinks } from './main-links.tsx';
import { Unreachable } from './unreachable.tsx';

/** Milliseconds after which a page has what it needs itself, mostly. */
const SETTLED = 1500;

/** What stands around every page: where one is, and what goes on. On a narrow screen folders and sign-out open by a button. */
export function Frame() {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const isNarrow = useMediaQuery('(width < 760px)');
  // It closes with every step to another page.
  const [openAt, setOpenAt] = useState<string | null>(null);
  useEffect(() => {
    const timer = setTimeout(preloadPages, SETTLED);
    return () => clearTimeout(timer);
  }, []);
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
            <Burger />
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
          <Signed />
        </section>
      )}
      <div className="frame-content" inert={isOpen}>
        <Unreachable />
        <Outlet />
      </div>
      <UploadsTray />
    </div>
  );
}

/** Pages have one `main`, which may stand beside something. */
function skip(): void {
  const main = document.querySelector('main');
  if (!main) return;
  main.tabIndex = -1;
  main.focus();
}

/** By which token one is here, and the way out. */
function Signed() {
  const { token } = useMe();
  return (
    <div className="frame-signed">
      <span title={token.name}>{token.name}</span>
      <SignOut />
    </div>
  );
}
