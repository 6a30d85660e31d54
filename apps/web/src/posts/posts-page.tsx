import './posts.css';
import { Link } from '@tanstack/react-router';
import { Loaded } from '../ui/loaded.tsx';
import { numeral } from '../ui/numerals.ts';
import { Page } from '../ui/page.tsx';
import { NoPosts } from './no-posts.tsx';
import { isWrong, PostFilters } from './post-filters.tsx';
import { PostTable } from './post-table.tsx';
import { type PostPage, usePosts } from './use-posts.ts';

/** What was published, the newest first, and how it did. */
export function PostsPage() {
  const { query, search, errors, filter, searchOf } = usePosts();
  const isFiltered = [search.profile, search.from, search.to].some((filter) => filter !== undefined);
  return (
    <Page
      title="Posts"
      controls={<PostFilters everyProfile="All profiles" search={search} errors={errors} onChange={filter} />}
    >
      {isWrong(errors) ? null : (
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

interface PageLinksProps {
  readonly meta: PostPage['meta'];
  readonly searchOf: ReturnType<typeof usePosts>['searchOf'];
}

function PageLinks({ meta: { current_page: page, last_page: last, from, to, total }, searchOf }: PageLinksProps) {
  const where = from === null || to === null ? 'No posts here' : `${numeral(from)}–${numeral(to)} of ${numeral(total)}`;
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
