import { checkPostsPerDay, type Operations } from '@postshelf/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { readAll } from '../../service/read-all.ts';
import { client, trpc } from '../../service/service.ts';
import { useWorkspace } from '../../workspaces/use-workspace.ts';
import type { Post } from '../use-posts.ts';
import { useProfiles } from '../use-profiles.ts';
import { suggestedDays } from './dates.ts';

/** Number of suggested times that are requested for a week or a month. */
const SUGGESTED = 10;

/** Maximum number of posts that a week or a month shows. */
const MAX_POSTS = 1000;

export type Slot = Operations['analytics']['slots']['output']['data'][number];

/** Queries the posts of successive days, and the suggested times for those of the days that can have any. */
export function usePlanned(days: readonly string[], profile: string | undefined) {
  const { id: workspace, timezone } = useWorkspace();
  const [from = '', to = ''] = [days[0], days.at(-1)];
  const filter = { workspace, from, to, ...(profile && { profile }) };
  const posts = useQuery({
    queryKey: [...trpc.posts.list.queryKey(filter), 'planner'],
    queryFn: ({ signal }) => readPosts(filter, signal),
    placeholderData: keepPreviousData,
  });
  const suggested = suggestedDays(days, Date.now(), timezone);
  const ask = { ...(profile ? { profile } : { workspace }), ...suggested };
  const slots = useQuery({
    ...trpc.analytics.slots.queryOptions({ ...ask, count: SUGGESTED }),
    enabled: suggested !== null,
  });
  return { posts, slots: slots.data?.data ?? [] };
}

type PostFilter = Operations['posts']['list']['input'];

async function readPosts(filter: PostFilter, signal: AbortSignal) {
  const { rows: data, total } = await readAll(client.trpc.posts.list, filter, { signal, max: MAX_POSTS });
  return { data, total };
}

export interface CrowdedDay {
  readonly profile: string;
  readonly message: string;
  readonly remedy: string;
}

/** Returns a warning for each profile that has more of these posts within 24 hours than its network accepts. */
export function useCrowdedDays(posts: readonly Post[]): readonly CrowdedDay[] {
  const { profiles } = useProfiles();
  const shown = profiles
    .map(({ id, name, network }) => ({ name, network, times: timesOf(posts, id) }))
    .filter(({ times }) => times.length > 1);
  const { data } = useQuery({
    queryKey: ['posts per day', shown],
    queryFn: async () => {
      const all = shown.map(async ({ name, network, times }) => {
        const problem = await checkPostsPerDay(network, times);
        return problem === null ? [] : [{ profile: name, message: problem.message, remedy: problem.remedy }];
      });
      return (await Promise.all(all)).flat();
    },
    enabled: shown.some(({ times }) => times.length > FEW),
    placeholderData: keepPreviousData,
  });
  return data ?? [];
}

/** Every network accepts this many posts within 24 hours, so the rules are loaded only if there are more. */
const FEW = 10;

const timesOf = (posts: readonly Post[], profile: string): readonly number[] =>
  posts.filter((post) => post.profile === profile).map(({ published_at }) => Date.parse(published_at));
