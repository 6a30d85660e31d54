import './posts.css';
import { Link } from '@tanstack/react-router';
import { root } from '../service/root.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';

export interface NoPostsProps {
  /** Text about the filter, appended to "No posts": ` of this profile`. */
  readonly where: string;
  /** Whether there may be posts that don't match the filter. */
  readonly isFiltered: boolean;
  /** Whether the message is on the page of posts, which has the buttons that it names. */
  readonly isAtPosts?: boolean;
}

/** The message that there are no posts. It explains how to add some. */
export function NoPosts({ where, isFiltered, isAtPosts = false }: NoPostsProps) {
  const { id: workspace, scopes } = useWorkspace();
  return (
    <div className="no-posts">
      <p>
        No posts{where}. {isFiltered && 'Try other dates or profiles. '}
        {scopes.includes('analytics:write') && (
          <>
            {isAtPosts ? (
              'Use'
            ) : (
              <>
                Under{' '}
                <Link to="/posts" search={{ workspace }}>
                  Posts
                </Link>{' '}
                use
              </>
            )}{' '}
            “New post” to add one, or “Import CSV” to upload a network’s export. Programs can add posts through the{' '}
            <a href={`${root.href}docs`}>API</a>.
          </>
        )}
      </p>
    </div>
  );
}
