import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { root } from '../service/root.ts';
import { trpc } from '../service/service.ts';
import { dateFieldOf } from '../ui/zoned-time.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';

const SUGGESTED = 10;
const MOST = 100;

/** A time at which a post might do well. */
export interface Slot {
  readonly at: string;
  readonly reason: string;
}

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
    queryKey: [...trpc.analytics.pathKey(), 'slots', ask],
    queryFn: ({ signal }) => readSlots(ask, signal),
    enabled: to >= today,
    retry: false,
  });
  return { posts, slots: slots.data ?? [] };
}

/** None from services that don't suggest any, or not for so distant a time. */
async function readSlots(ask: Readonly<Record<string, string>>, signal: AbortSignal): Promise<readonly Slot[]> {
  const query = new URLSearchParams({ ...ask, count: String(SUGGESTED) });
  const answer = await fetch(`${root.href}v1/analytics/best_times/slots?${query}`, { signal });
  return answer.ok ? ((await answer.json()) as { readonly data: readonly Slot[] }).data : [];
}
