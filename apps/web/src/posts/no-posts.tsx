import { useWorkspace } from '../workspaces/use-workspace.ts';

/** Said where nothing is to be seen; `where` tells what was looked at: ` of this profile`. */
export function NoPosts({ where = '' }: { readonly where?: string }) {
  const { id } = useWorkspace();
  return (
    <div className="no-posts">
      <p>
        No posts{where}. Look at other dates or profiles, or add posts and their metrics by the API: one by{' '}
        <code>POST /v1/workspaces/{id}/posts</code>, many by <code>POST /v1/workspaces/{id}/posts/import</code>, a JSON
        object a line.
      </p>
      <p>
        Each belongs to a profile, which <code>POST /v1/workspaces/{id}/profiles</code> makes.{' '}
        <a href="/docs">How the API is called</a>
      </p>
    </div>
  );
}
