import { Link, useSearch } from '@tanstack/react-router';
import { ClockIcon, GridIcon, PostsIcon } from '../ui/icons.tsx';

const PAGES = [
  { to: '/', label: 'Library', icon: <GridIcon /> },
  { to: '/posts', label: 'Posts', icon: <PostsIcon /> },
  { to: '/best-times', label: 'Best times', icon: <ClockIcon /> },
] as const;

/** Links to the pages, at the side or, on narrow screens, at the bottom. They keep the workspace in the address. */
export function MainLinks({ path }: { readonly path: string }) {
  const { workspace } = useSearch({ strict: false });
  const isLibrary = path === '/' || path.startsWith('/folders/') || path.startsWith('/media/');
  return (
    <nav aria-label="Main" className="frame-links">
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
            {icon}
            {label}
          </Link>
        );
      })}
    </nav>
  );
}
