import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMe } from '../sessions/session-gate.tsx';
import { ClockIcon, GridIcon, PeopleIcon, PostsIcon, TrashIcon } from '../ui/icons.tsx';
import { Select } from '../ui/select.tsx';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { workspaceOptions } from '../workspaces/workspace-options.ts';

const PAGES = [
  { to: '/', label: 'Library', icon: <GridIcon /> },
  { to: '/posts', label: 'Posts', icon: <PostsIcon /> },
  { to: '/best-times', label: 'Best times', icon: <ClockIcon /> },
  { to: '/trash', label: 'Trash', icon: <TrashIcon /> },
  { to: '/people', label: 'People', icon: <PeopleIcon /> },
] as const;

/** Returns the pages that the session may open. */
export function usePages() {
  const { scopes } = useWorkspace();
  return PAGES.filter(({ to }) => to !== '/people' || scopes.includes('people:read'));
}

/** Links to the pages. They are at the side, or at the bottom on narrow screens, and keep the workspace in the URL. */
export function MainLinks({ path }: { readonly path: string }) {
  const { workspace } = useSearch({ strict: false });
  const isLibrary = path === '/' || path.startsWith('/folders/') || path.startsWith('/media/');
  return (
    <nav aria-label="Main" className="frame-links">
      {usePages().map(({ to, label, icon }) => {
        const isCurrent = to === '/' ? isLibrary : path === to;
        return (
          <Link
            key={to}
            to={to}
            search={workspace === undefined ? {} : { workspace }}
            className="frame-link"
            aria-current={isCurrent ? 'page' : undefined}
          >
            {icon}
            {label}
          </Link>
        );
      })}
    </nav>
  );
}

/**
 * Chooses the workspace if the session has several. A change opens the library's root, because each workspace has its
 * own folders.
 */
export function WorkspaceChoice() {
  const { workspaces } = useMe();
  const shown = useWorkspace();
  const navigate = useNavigate();
  if (workspaces.length < 2) return null;
  return (
    <Select
      label="Workspace"
      isLabelHidden
      value={shown.id}
      options={workspaceOptions(workspaces)}
      onChange={(workspace) => void navigate({ to: '/', search: { workspace } })}
    />
  );
}
