import './posts.css';
import { root } from '../service/root.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { useProfiles } from './use-profiles.ts';

export interface NoPostsProps {
  /** The filter, appended to "No posts": ` of this profile`. */
  readonly where: string;
  /** Whether there may be posts that don't match the filter. */
  readonly isFiltered: boolean;
}

/** Shown if there are no posts; explains how to add the first. */
export function NoPosts({ where, isFiltered }: NoPostsProps) {
  const { id } = useWorkspace();
  const { profiles, isKnown } = useProfiles();
  const [profile] = profiles;
  const workspace = `${root.href}v1/workspaces/${id}`;
  const example = { profile: profile?.id ?? 'PROFILE', published_at: '2026-11-21T18:30:00Z', metrics: { likes: 12 } };
  return (
    <div className="no-posts">
      <p>
        No posts{where}. {isFiltered && 'Look at other dates or profiles, or '}
        {isFiltered ? 'add' : 'Add'} posts with their metrics by the API:
      </p>
      <pre>
        {isKnown && !profile && `${callOf(`${workspace}/profiles`, { name: 'Beach club', network: 'instagram' })}\n\n`}
        {callOf(`${workspace}/posts`, example)}
      </pre>
      <p>
        Many at once are taken as lines by <code>posts/import</code>.{' '}
        <a href={`${root.href}docs`}>How the API is called</a>
      </p>
    </div>
  );
}

const callOf = (url: string, body: object): string =>
  `curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(body)}' \\\n  ${url}`;
