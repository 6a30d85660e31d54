import type { Operations } from '@postshelf/client';
import { useQuery } from '@tanstack/react-query';
import { trpc } from '../service/service.ts';

/** The sources of rules: pages of the networks, by rule. They change only with the service's version. */
export function useSources(): ReadonlyMap<string, string> | undefined {
  const networks = trpc.networks.list.queryOptions({});
  return useQuery({ ...networks, staleTime: Number.POSITIVE_INFINITY, select: sourcesOf }).data;
}

const sourcesOf = ({ data }: Operations['networks']['list']['output']): ReadonlyMap<string, string> =>
  new Map(data.flatMap(({ rules }) => rules.map(({ rule, source }) => [rule, source] as const)));
