import { isRefused } from '@postshelf/browser/queries/retries.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type PostFilterSearch, withFilter } from '../posts/filter-search.ts';
import { trpc } from '../service/service.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';

/** Best times by the filters in the address. */
export function useBestTimes() {
  const { id: workspace } = useWorkspace();
  const search = useSearch({ from: '/best-times' });
  const navigate = useNavigate();
  const { profile, from, to, method } = search;
  const scope = profile === undefined ? { workspace } : { profile };
  const window = { ...(from !== undefined && { from }), ...(to !== undefined && { to }), ...(method && { method }) };
  const query = useQuery(
    trpc.analytics.bestTimes.queryOptions({ ...scope, ...window }, { placeholderData: keepPreviousData }),
  );
  return {
    query,
    search,
    /** Errors in the address, by parameter. */
    errors: isRefused(query.error) ? query.error.errors : {},
    filter: (name: keyof PostFilterSearch, value: string) =>
      void navigate({ to: '/best-times', search: withFilter(search, name, value), replace: true }),
    estimateBy: (chosen: 'hourly' | 'smoothed') => {
      const { method: _, ...rest } = search;
      const changed = chosen === 'smoothed' ? { ...rest, method: chosen } : rest;
      void navigate({ to: '/best-times', search: changed, replace: true });
    },
  };
}
