import { plural } from '@postshelf/browser/ui/format-number.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { trpc } from '../../service/service.ts';
import { dateFieldOf, dayIn } from '../../ui/zoned-time.ts';
import { useWorkspace } from '../../workspaces/use-workspace.ts';

/** Number of listed posts; a link shows all. */
const SHOWN = 3;

/** The number of posts that use an item, and the newest of them, each with a link to the posts of its day. */
export function ItemUses({ id, count }: { readonly id: string; readonly count: number }) {
  const { id: workspace, timezone } = useWorkspace();
  const { data } = useQuery(trpc.posts.list.queryOptions({ workspace, media_content_id: id, per_page: SHOWN }));
  // A token that may not read posts gets an empty list; the number is shown anyway.
  const posts = data?.data ?? [];
  return (
    <>
      <Link to="/posts" search={{ workspace, media: id }}>
        {plural(count, 'post')}
      </Link>
      {posts.length > 0 && (
        <ul className="item-uses" aria-label="Used in">
          {posts.map(({ id: post, published_at, text }) => {
            const day = dateFieldOf(published_at, timezone);
            return (
              <li key={post}>
                <Link to="/posts" search={{ workspace, media: id, from: day, to: day }}>
                  {dayIn(published_at, timezone)}
                </Link>{' '}
                {text}
              </li>
            );
          })}
        </ul>
      )}
    </>
  );
}
