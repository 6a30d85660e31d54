import './frame.css';
import { Link, Outlet, useRouterState, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { FolderTree } from '../folders/folder-tree.tsx';
import { SignOut } from '../sessions/sign-out.tsx';
import { Button } from '../ui/button.tsx';
import { UploadsTray } from '../uploads/uploads-tray.tsx';
import { WorkspaceChoice } from '../workspaces/workspace-choice.tsx';

const PAGES = [
  { to: '/', label: 'Library', icon: '▦' },
  { to: '/posts', label: 'Posts', icon: '☰' },
  { to: '/best-times', label: 'Best times', icon: '◔' },
] as const;

/** What stands around every page: where one is, and what goes on. On a narrow screen the side opens by a button. */
export function Frame() {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const { workspace } = useSearch({ strict: false });
  const [isOpen, setIsOpen] = useState(false);
  // It closes with every step to another page.
  useEffect(() => setIsOpen(false), [path]);
  const isLibrary = path === '/' || path.startsWith('/folders/') || path.startsWith('/media/');
  return (
    <div className="frame" data-side={isOpen ? 'open' : 'closed'}>
      <div className="frame-top">
        <Button variant="quiet" aria-expanded={isOpen} onPress={() => setIsOpen(!isOpen)}>
          Menu
        </Button>
        <Brand />
      </div>
      <div className="frame-side">
        <Brand />
        <WorkspaceChoice />
        <nav aria-label="Main">
          {PAGES.map(({ to, label, icon }) => {
            const isCurrent = to === '/' ? isLibrary : path === to;
            return (
              <Link
                key={to}
                to={to}
                search={workspace === undefined ? {} : { workspace }}
                className="frame-link"
                aria-current={isCurrent ? 'page' : undefined}
              >
                <span aria-hidden="true">{icon}</span>
                {label}
              </Link>
            );
          })}
        </nav>
        <FolderTree />
        <SignOut />
      </div>
      <Outlet />
      <UploadsTray />
    </div>
  );
}

const Brand = () => (
  <div className="frame-brand">
    <i aria-hidden="true" />
    Postshelf
  </div>
);
