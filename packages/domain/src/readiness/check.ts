import { checkItem } from './check-item.ts';
import { checkSet } from './check-set.ts';
import type { Candidate, Limits, ReadinessProblem } from './problem.ts';
import type { Target } from './rule.ts';

export type Verdict = 'ready' | 'warning' | 'not_ready';

export interface Readiness {
  readonly target: string;
  readonly verdict: Verdict;
  /** Of each item, then of all together. */
  readonly problems: readonly ReadinessProblem[];
}

const NO_OVERRIDES: Limits = new Map();

/** An unknown fact is a warning, never an error. @param overrides by the rule's id */
export function checkReadiness(
  target: Target,
  items: readonly Candidate[],
  overrides: Limits = NO_OVERRIDES,
): Readiness {
  const problems = [
    ...items.flatMap((item) => checkItem(target, item, overrides)),
    ...checkSet(target, items, overrides),
  ];
  return { target: target.target, verdict: verdictOf(problems), problems };
}

function verdictOf(problems: readonly ReadinessProblem[]): Verdict {
  if (problems.some(({ severity }) => severity === 'error')) return 'not_ready';
  return problems.length > 0 ? 'warning' : 'ready';
}
