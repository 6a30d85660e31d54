import { formatNumber } from '@postshelf/browser/ui/format-number.ts';
import { useQuery } from '@tanstack/react-query';
import { memo, useState } from 'react';
import type { Profile } from '../networks/profiles.ts';
import { profileNetwork } from '../readiness/target-name.ts';
import { trpc } from '../service/service.ts';
import { Button } from '../ui/button.tsx';
import { timeIn, weekdayIn } from '../ui/zoned-time.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { PostMedia } from './post-media.tsx';
import { startOf } from './shorten.ts';
import { isPlanned, type Post, type PostPage } from './use-posts.ts';
import { useProfiles } from './use-profiles.ts';

export const METRICS = [
  { name: 'impressions', label: 'Impressions' },
  { name: 'likes', label: 'Likes' },
  { name: 'comments', label: 'Comments' },
  { name: 'shares', label: 'Shares' },
  { name: 'saves', label: 'Saves' },
  { name: 'clicks', label: 'Clicks' },
] as const;

interface PostTableProps {
  readonly page: PostPage;
  onOpen(post: string): void;
}

/** A row for each post. On narrow screens it looks like a card, but remains a table row for screen readers. */
export function PostTable({ page: { data, meta }, onOpen }: PostTableProps) {
  const { timezone } = useWorkspace();
  const { profiles } = useProfiles();
  const byId = new Map(profiles.map((profile) => [profile.id, profile]));
  return (
    <table className="post-table" aria-label="Posts">
      <thead>
        <tr>
          <th scope="col">Published</th>
          <th scope="col">Profile</th>
          <th scope="col">Media</th>
          <th scope="col">Text</th>
          {METRICS.map(({ name, label }) => (
            <th key={name} scope="col" className="post-metric">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {data.map((post) => (
          <PostRow
            key={post.id}
            post={post}
            profile={byId.get(post.profile)}
            timezone={timezone}
            onOpen={onOpen}
            isCut={meta.cut_texts?.includes(post.id) ?? false}
          />
        ))}
      </tbody>
    </table>
  );
}

interface PostRowProps extends Pick<PostTableProps, 'onOpen'> {
  readonly post: Post;
  readonly profile: Profile | undefined;
  readonly timezone: string;
  /** Whether the list returned only the beginning of a very long text. */
  readonly isCut: boolean;
}

const PostRow = memo(({ post, profile, timezone, isCut, onOpen }: PostRowProps) => (
  <tr>
    <th scope="row" className="post-time">
      {/* The button covers the whole row. */}
      <Button variant="quiet" className="post-open" onPress={() => onOpen(post.id)}>
        <time dateTime={post.published_at}>
          {weekdayIn(post.published_at, timezone)} <small>{timeIn(post.published_at, timezone)}</small>
        </time>
      </Button>
      {isPlanned(post) && <span className="post-planned">Planned</span>}
    </th>
    <td className="post-profile">
      {profile ? (
        <>
          {profile.name} <small>{profileNetwork(profile.network)}</small>
        </>
      ) : (
        '…'
      )}
    </td>
    <td className="post-media-cell">
      <PostMedia ids={post.media_content_ids} />
    </td>
    <td className="post-text-cell">
      <PostText id={post.id} text={post.text} isCut={isCut} />
    </td>
    {METRICS.map(({ name, label }) => (
      <td key={name} className="post-metric" data-label={label}>
        {isPlanned(post) && post.metrics[name] === 0 ? '–' : countOf(post.metrics[name])}
      </td>
    ))}
  </tr>
));
PostRow.displayName = 'PostRow';

const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** Formats a count. Numbers of seven digits or more are abbreviated, because they would make the column too wide. */
const countOf = (count: number): string => (count < 1_000_000 ? formatNumber(count) : short.format(count));

/** Number of characters of a text that a row shows initially. */
const SHOWN = 160;

interface PostTextProps {
  readonly id: string;
  readonly text: string | null;
  /** Whether the list returned only the beginning of the text. */
  readonly isCut: boolean;
}

/** A post's text, shortened until the user asks for the rest. */
function PostText({ id, text, isCut }: PostTextProps) {
  const [isOpen, setIsOpen] = useState(false);
  const whole = useQuery(trpc.posts.get.queryOptions({ id }, { enabled: isOpen && isCut, staleTime: 60_000 }));
  if (text === null) return <span className="post-no-text">No text</span>;
  const isLong = isCut || text.length > SHOWN + 40;
  if (!isLong) return <p className="post-text">{text}</p>;
  return (
    <>
      <p className="post-text">{isOpen ? (whole.data?.data.text ?? text) : `${startOf(text, SHOWN)}…`}</p>
      <Button variant="quiet" className="post-more" aria-expanded={isOpen} onPress={() => setIsOpen(!isOpen)}>
        {isOpen ? 'Show less' : 'Show more'}
      </Button>
    </>
  );
}
