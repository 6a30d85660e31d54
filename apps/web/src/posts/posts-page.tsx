import './posts.css';
import { Link } from '@tanstack/react-router';
import { Failure } from '../ui/failure.tsx';
import { Page } from '../ui/page.tsx';
import { NoPosts } from './no-posts.tsx';
import { PostFilters } from './post-filters.tsx';
import { PostTable } from './post-table.tsx';
import { type PostPage, usePosts } from './use-posts.ts';

/** What was published, the newest first, and how it did. */
export function PostsPage() {
  const { query, search, errors, filter, searchOf } = usePosts();
  const { data, error } = query;
  return (
    <Page
      title="Posts"
      controls={<PostFilters everyProfile="All profiles" search={search} errors={errors} onChange={filter} />}
    >
      {error && !query.isFetching ? (
        <Failure error={error} retry={() => void query.refetch()} />
      ) : data === undefined ? (
        <p className="skeleton" role="status">
          Loading…
        </p>
      ) : data.meta.total === 0 ? (
        <NoPosts where={search.profile || search.from || search.to ? ' match these filters' : ' yet'} />
      ) : (
        <div className="posts" aria-busy={query.isPlaceholderData}>
          <PostTable page={data} />
          <PageLinks meta={data.meta} searchOf={searchOf} />
        </div>
      )}
    </Page>
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
      : `${from.toLocaleString('en-GB')}–${to.toLocaleString('en-GB')} of ${total.toLocaleString('en-GB')}`;
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
