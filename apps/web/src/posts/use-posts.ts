import { isRefused } from '@postshelf/browser/queries/retries.ts';
import type { Operations } from '@postshelf/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { trpc } from '../service/service.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { type PostFilterSearch, withFilter } from './filter-search.ts';

export type PostPage = Operations['posts']['list']['output'];
export type Post = PostPage['data'][number];

export const isPlanned = ({ published_at }: Post): boolean => Date.parse(published_at) > Date.now();

export type PostsView = 'list' | 'week' | 'month';

const PER_PAGE = 25;

/** Queries the page of posts that the URL specifies. */
export function usePosts() {
  const { id: workspace } = useWorkspace();
  const search = useSearch({ from: '/posts' });
  const navigate = useNavigate();
  const { profile, media, from, to, week, month, page = 1 } = search;
  const filters = {
    ...(profile && { profile }),
    ...(media && { media_content_id: media }),
    ...(from && { from }),
    ...(to && { to }),
  };
  const query = useQuery(
    trpc.posts.list.queryOptions(
      { workspace, ...filters, page, per_page: PER_PAGE },
      { placeholderData: keepPreviousData, enabled: week === undefined && month === undefined },
    ),
  );
  const { page: _page, post, ...unpaged } = search;
  const { media: _media, ...ofAnyMedia } = unpaged;
  return {
    query,
    search,
    /** The service's messages about invalid parameters of the URL, by parameter. */
    errors: isRefused(query.error) ? query.error.errors : {},
    filter: (name: keyof PostFilterSearch, value: string) =>
      void navigate({ to: '/posts', search: withFilter(unpaged, name, value), replace: true }),
    /** The URL parameters without the filter by item. */
    ofAnyMedia,
    /** The id of the open post. */
    post: post ?? null,
    open: (id: string) => void navigate({ to: '/posts', search: { ...search, post: id } }),
    close: () => void navigate({ to: '/posts', search: page > 1 ? { ...unpaged, page } : unpaged }),
    /** Shows the list, or the week or month of a date. */
    show: (view: PostsView, date: string) => {
      const { week: _week, month: _month, ...listed } = unpaged;
      void navigate({ to: '/posts', search: view === 'list' ? listed : { ...listed, [view]: date }, replace: true });
    },
    /** Returns the URL parameters of another page. */
    searchOf: (other: number) => (other > 1 ? { ...unpaged, page: other } : unpaged),
  };
}
