import './posts.css';
import { formatNumber } from '@postshelf/browser/ui/format-number.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { trpc } from '../service/service.ts';
import { signed } from '../service/signed.ts';
import { Loaded } from '../ui/loaded.tsx';
import { Page } from '../ui/page.tsx';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import type { PostsSearch } from './filter-search.ts';
import { NoPosts } from './no-posts.tsx';
import { isFilterRefused, PostFilters } from './post-filters.tsx';
import { PostTable } from './post-table.tsx';
import { type PostPage, usePosts } from './use-posts.ts';

/** Published posts and their metrics, the newest first. */
export function PostsPage() {
  const { query, search, errors, filter, ofAnyMedia, searchOf } = usePosts();
  const isFiltered = [search.profile, search.media, search.from, search.to].some((filter) => filter !== undefined);
  return (
    <Page
      title="Posts"
      controls={<PostFilters everyProfile="All profiles" search={search} errors={errors} onChange={filter} />}
    >
      {search.media !== undefined && <HeldItem id={search.media} ofAnyMedia={ofAnyMedia} />}
      {isFilterRefused(errors) ? null : (
        <Loaded query={query}>
          {(page) =>
            page.meta.total === 0 ? (
              <NoPosts where={isFiltered ? ' match these filters' : ' yet'} isFiltered={isFiltered} />
            ) : (
              <div className="posts">
                <PostTable page={page} />
                <PageLinks meta={page.meta} searchOf={searchOf} />
              </div>
            )
          }
        </Loaded>
      )}
    </Page>
  );
}

/** The item by which the posts are filtered, and a link to all posts. */
function HeldItem({ id, ofAnyMedia }: { readonly id: string; readonly ofAnyMedia: PostsSearch }) {
  const { id: workspace } = useWorkspace();
  const { data } = useQuery(signed(trpc.media.get.queryOptions({ id, include: 'details' }, { staleTime: 60_000 })));
  return (
    <p className="posts-held">
      Posts with{' '}
      <Link to="/media/$item" params={{ item: id }} search={{ workspace }}>
        {data?.data.name ?? 'this media item'}
      </Link>
      <Link to="/posts" search={ofAnyMedia} className="button">
        Show all posts
      </Link>
    </p>
  );
}

interface PageLinksProps {
  readonly meta: PostPage['meta'];
  readonly searchOf: ReturnType<typeof usePosts>['searchOf'];
}

function PageLinks({ meta: { current_page: page, last_page: last, from, to, total }, searchOf }: PageLinksProps) {
  const where =
    from === null || to === null
      ? 'No posts here'
      : `${formatNumber(from)}–${formatNumber(to)} of ${formatNumber(total)}`;
  return (
    <nav aria-label="Pages" className="page-links">
      {page > 1 && (
        <Link to="/posts" search={searchOf(Math.min(page - 1, last))} className="button">
          Newer
        </Link>
      )}
      <span>{where}</span>
      {page < last && (
        <Link to="/posts" search={searchOf(page + 1)} className="button">
          Older
        </Link>
      )}
    </nav>
  );
}
