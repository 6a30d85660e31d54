import './posts.css';
import { Link } from '@tanstack/react-router';
import { root } from '../service/root.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';

export interface NoPostsProps {
  /** The filter, appended to "No posts": ` of this profile`. */
  readonly where: string;
  /** Whether there may be posts that don't match the filter. */
  readonly isFiltered: boolean;
}

/** Shown if there are no posts; explains how to add some. */
export function NoPosts({ where, isFiltered }: NoPostsProps) {
  const { id: workspace } = useWorkspace();
  return (
    <div className="no-posts">
      <p>
        No posts{where}. {isFiltered && 'Look at other dates or profiles, or add some. '}On the page{' '}
        <Link to="/posts" search={{ workspace }}>
          Posts
        </Link>{' '}
        “New post” adds one, and “Import CSV” takes the export of a network. Programs add them by the{' '}
        <a href={`${root.href}docs`}>API</a>.
      </p>
    </div>
  );
}
