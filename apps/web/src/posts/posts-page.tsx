import './posts.css';
import { formatNumber } from '@postshelf/browser/ui/format-number.ts';
import { Link } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { Button } from '../ui/button.tsx';
import { lazyDialog } from '../ui/lazy-dialog.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Page } from '../ui/page.tsx';
import { dateFieldOf } from '../ui/zoned-time.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import type { PostsSearch } from './filter-search.ts';
import { LazyPostDialog } from './lazy-post-dialog.ts';
import { NoPosts } from './no-posts.tsx';
import { isFilterRefused, PostFilters } from './post-filters.tsx';
import { usePostItem } from './post-media.tsx';
import { PostTable } from './post-table.tsx';
import { type PostPage, type PostsView, usePosts } from './use-posts.ts';

const Planner = lazyPart(async () => (await import('./planner/planner.tsx')).Planner);
const CsvDialog = lazyDialog(async () => (await import('./csv/csv-dialog.tsx')).CsvDialog);

/**
 * Shows published and planned posts with their metrics, either as a list with the newest first, or in a planner for a
 * week or a month.
 */
export function PostsPage() {
  const { query, search, errors, filter, ofAnyMedia, searchOf, post, open, close, show } = usePosts();
  const { timezone, scopes } = useWorkspace();
  const mayWrite = scopes.includes('analytics:write');
  const [task, setTask] = useState<Task | null>(null);
  const isFiltered = [search.profile, search.media, search.from, search.to].some((filter) => filter !== undefined);
  const { week, month } = search;
  const view: PostsView = week !== undefined ? 'week' : month !== undefined ? 'month' : 'list';
  const today = dateFieldOf(new Date().toISOString(), timezone);
  return (
    <Page
      title="Posts"
      controls={
        <>
          <PostFilters
            everyProfile="All profiles"
            search={search}
            errors={errors}
            hasDates={view === 'list'}
            onChange={filter}
          />
          {mayWrite && (
            <div className="posts-add">
              <Button onPress={() => setTask({ kind: 'csv' })}>Import CSV</Button>
              <Button variant="primary" onPress={() => setTask({ kind: 'new' })}>
                New post
              </Button>
            </div>
          )}
        </>
      }
    >
      <Tabs
        className="posts-tabs"
        selectedKey={view}
        onSelectionChange={(key) => show(VIEWS.find((known) => known === key) ?? 'list', week ?? month ?? today)}
      >
        <TabList aria-label="View">
          <Tab id="list">List</Tab>
          <Tab id="week">Week</Tab>
          <Tab id="month">Month</Tab>
        </TabList>
        <TabPanel id="list">
          {search.media !== undefined && <ItemFilter id={search.media} ofAnyMedia={ofAnyMedia} />}
          {isFilterRefused(errors) ? null : (
            <Loaded query={query}>
              {(page) =>
                page.meta.total === 0 ? (
                  <NoPosts where={isFiltered ? ' match these filters' : ' yet'} isFiltered={isFiltered} isAtPosts />
                ) : (
                  <div className="posts">
                    <PostTable page={page} onOpen={open} />
                    <PageLinks meta={page.meta} searchOf={searchOf} />
                  </div>
                )
              }
            </Loaded>
          )}
        </TabPanel>
        {(['week', 'month'] as const).map((span) => (
          <TabPanel key={span} id={span}>
            <Suspense>
              <Planner
                span={span}
                date={week ?? month ?? today}
                profile={search.profile}
                onShow={show}
                onOpen={open}
                onPlan={mayWrite ? (at) => setTask({ kind: 'new', at }) : null}
              />
            </Suspense>
          </TabPanel>
        ))}
      </Tabs>
      {post !== null && <LazyPostDialog id={post} onClose={close} />}
      {task?.kind === 'new' && (
        <LazyPostDialog id={null} profile={search.profile} publishedAt={task.at} onClose={() => setTask(null)} />
      )}
      {task?.kind === 'csv' && <CsvDialog profile={search.profile ?? ''} onClose={() => setTask(null)} />}
    </Page>
  );
}

const VIEWS: readonly PostsView[] = ['list', 'week', 'month'];

type Task = { readonly kind: 'csv' } | { readonly kind: 'new'; readonly at?: string };

/** The item by which the posts are filtered, and a link to all posts. */
function ItemFilter({ id, ofAnyMedia }: { readonly id: string; readonly ofAnyMedia: PostsSearch }) {
  const { id: workspace } = useWorkspace();
  const item = usePostItem(id);
  return (
    <p className="posts-held">
      Posts with{' '}
      <Link to="/media/$item" params={{ item: id }} search={{ workspace }}>
        {item?.name ?? 'this media item'}
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
