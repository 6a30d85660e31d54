import type { Operations } from '@postshelf/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { trpc } from '../service/service.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import { suggestedDays } from './week.ts';

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
  const suggested = suggestedDays(days, Date.now(), timezone);
  const ask = { ...(profile ? { profile } : { workspace }), ...suggested };
  const slots = useQuery({
    ...trpc.analytics.slots.queryOptions({ ...ask, count: SUGGESTED }),
    enabled: suggested !== null,
  });
  return { posts, slots: slots.data?.data ?? [] };
}
