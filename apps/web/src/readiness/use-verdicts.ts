import type { MediaItem } from '@postshelf/client';
import { networkOf } from '@postshelf/domain/readiness/network';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Profile, profilesQuery } from '../networks/profiles.ts';
import { useMay } from '../workspaces/use-may.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import type { NetworkVerdict } from './verdicts.ts';

export type JudgeItem = (item: MediaItem) => readonly NetworkVerdict[];

/** The module with all rules, which is loaded once it is needed. */
export const rulesQuery = queryOptions({
  queryKey: ['rules of networks'],
  queryFn: () => import('./verdicts.ts'),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Milliseconds after which the workspace's networks are read again: they change with its profiles. */
const FRESH = 5 * 60_000;

/**
 * What the networks of the workspace's profiles say to items, without a request for each.
 *
 * @param otherwise what is judged if the workspace has no profile with a known network; default: nothing
 * @returns null until that is known, and if there is nothing to judge
 */
export function useVerdicts(otherwise: 'all' | 'none' = 'none'): JudgeItem | null {
  const { id: workspace } = useWorkspace();
  const mayRead = useMay('analytics:read');
  const profiles = useQuery({ ...profilesQuery(workspace), staleTime: FRESH, enabled: mayRead, select: networksOf });
  const used = profiles.data ?? '';
  const isAll = used === '' && otherwise === 'all' && (!mayRead || !profiles.isPending);
  const { data: rules } = useQuery({ ...rulesQuery, enabled: used !== '' || isAll });
  return useMemo(() => {
    if (!rules || (used === '' && !isAll)) return null;
    const networks = isAll ? null : new Set(used.split(','));
    const known = new WeakMap<MediaItem, readonly NetworkVerdict[]>();
    return (item) => {
      const judged = known.get(item) ?? rules.judgeItem(item, networks);
      known.set(item, judged);
      return judged;
    };
  }, [rules, used, isAll]);
}

/** As one text, which is the same as long as the networks are. */
const networksOf = (profiles: readonly Profile[]): string =>
  [...new Set(profiles.flatMap(({ network }) => networkOf(network) ?? []))].sort().join(',');
