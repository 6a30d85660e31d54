import type { MediaItem } from '@postshelf/client';
import { networkOf } from '@postshelf/domain/readiness/network';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { type Profile, profilesQuery } from '../networks/profiles.ts';
import { useMay } from '../workspaces/use-may.ts';
import { useWorkspace } from '../workspaces/use-workspace.ts';
import type { NetworkVerdict } from './verdicts.ts';

export type JudgeItem = (item: MediaItem) => readonly NetworkVerdict[];

/** The query that loads the module with all rules when they are first needed. */
export const rulesQuery = queryOptions({
  queryKey: ['rules of networks'],
  queryFn: () => import('./verdicts.ts'),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Milliseconds after which the profiles are read again. They determine the workspace's networks. */
const FRESH = 5 * 60_000;

/**
 * Judges items without a request for each item. Uses the rules of those networks for which the workspace has profiles.
 *
 * @param otherwise the networks that are used if the workspace has no profile with a known network; default: none
 * @returns null until the networks are known, or if there are none
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

/** Returns the networks as one string, so that equal lists compare as equal. */
const networksOf = (profiles: readonly Profile[]): string =>
  [...new Set(profiles.flatMap(({ network }) => networkOf(network) ?? []))].sort().join(',');
