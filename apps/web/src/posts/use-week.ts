import type { Operations } from '@postshelf/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { trpc } from '../service/service.ts';
import { dateFieldOf } from '../ui/zoned-time.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';

const SUGGESTED = 10;
const MOST = 100;

export type Slot = Operations['analytics']['slots']['output']['data'][number];

/** A week's posts, and the times suggested in what is left of it. */
export function useWeek(days: readonly string[], profile: string | undefined) {
  const { id: workspace, timezone } = useWorkspace();
  const [from = '', to = ''] = [days[0], days.at(-1)];
  const posts = useQuery(
    trpc.posts.list.queryOptions(
      { workspace, from, to, per_page: MOST, ...(profile && { profile }) },
      { placeholderData: keepPreviousData },
    ),
  );
  const today = dateFieldOf(new Date().toISOString(), timezone);
  const ask = { ...(profile ? { profile } : { workspace }), from: [from, today].sort().at(-1) ?? today, to };
  const slots = useQuery({
    ...trpc.analytics.slots.queryOptions({ ...ask, count: SUGGESTED }),
    enabled: to >= today,
    // The service suggests none for so distant a time.
    retry: false,
  });
  return { posts, slots: slots.data?.data ?? [] };
}
