import { isRefused } from '@postshelf/browser/queries/retries.ts';
import type { FieldErrors, Operations } from '@postshelf/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type PostFilterSearch, withFilter } from '../posts/filter-search.ts';
import { trpc } from '../service/service.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';

export type Slots = Operations['analytics']['slots']['output'];

/**
 * Queries suggested times and the heatmap by the filters in the URL. If no dates are chosen, the heatmap covers the
 * period from which the suggestions are learned, so that both show the same scores.
 */
export function useBestTimes() {
  const { id: workspace } = useWorkspace();
  const search = useSearch({ from: '/best-times' });
  const navigate = useNavigate();
  const { profile, from, to } = search;
  const scope = profile === undefined ? { workspace } : { profile };
  const slots = useQuery(trpc.analytics.slots.queryOptions(scope, { placeholderData: keepPreviousData }));
  const learned = slots.data?.meta;
  const isLearned = from === undefined && to === undefined;
  const window = isLearned
    ? { from: learned?.learned_from, to: learned?.learned_to }
    : { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  const heatmap = useQuery(
    trpc.analytics.bestTimes.queryOptions(
      { ...scope, ...window },
      { placeholderData: keepPreviousData, enabled: !isLearned || (learned !== undefined && !slots.isPlaceholderData) },
    ),
  );
  return {
    slots,
    heatmap,
    search,
    isLearned,
    /** The service's messages about invalid parameters of the URL, by parameter. */
    errors: { ...errorsOf(heatmap.error), ...errorsOf(slots.error) },
    filter: (name: keyof PostFilterSearch, value: string) =>
      void navigate({ to: '/best-times', search: withFilter(search, name, value), replace: true }),
  };
}

const errorsOf = (error: unknown): FieldErrors => (isRefused(error) ? error.errors : {});
