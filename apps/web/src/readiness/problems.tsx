import { plural } from '@postshelf/browser/ui/format-number.ts';
import type { Operations } from '@postshelf/client';
import { useQuery } from '@tanstack/react-query';
import { trpc } from '../service/service.ts';

export type Readiness = Operations['readiness']['item']['output']['data'][number];

export interface ProblemsProps {
  readonly found: Readiness;
  /** Whether the list of problems is initially open. */
  readonly isOpen: boolean;
}

/** An item's problems on a target, and their remedies. */
export function Problems({ found: { problems }, isOpen }: ProblemsProps) {
  const sources = useSources();
  if (problems.length === 0) return null;
  return (
    <details open={isOpen}>
      <summary>{summaryOf(problems)}</summary>
      <ul>
        {problems.map(({ rule, severity, message, remedy }) => (
          <li key={rule} data-severity={severity}>
            {message} <span>{remedy}</span>{' '}
            {sources?.has(rule) && (
              <a href={sources.get(rule)} target="_blank" rel="noreferrer">
                Source
              </a>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Summarizes problems: "2 problems, 1 hint". */
function summaryOf(problems: Readiness['problems']): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const counts = [
    errors > 0 && plural(errors, 'problem'),
    errors < problems.length && plural(problems.length - errors, 'hint'),
  ];
  return counts.filter(Boolean).join(', ');
}

/** Returns, by rule, the URL of the network's page that states it. The URLs only change with the service's version. */
function useSources(): ReadonlyMap<string, string> | undefined {
  const networks = trpc.networks.list.queryOptions({});
  return useQuery({ ...networks, staleTime: Number.POSITIVE_INFINITY, select: sourcesOf }).data;
}

const sourcesOf = ({ data }: Operations['networks']['list']['output']): ReadonlyMap<string, string> =>
  new Map(data.flatMap(({ rules }) => rules.map(({ rule, source }) => [rule, source] as const)));
