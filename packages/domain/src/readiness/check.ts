import { checkItem } from './check-item.ts';
import { checkSet } from './check-set.ts';
import { checkLink, type LinkFacts } from './link.ts';
import { checkPostsPerDay } from './posts-per-day.ts';
import type { Candidate, Limits, ReadinessProblem } from './problem.ts';
import type { Target } from './rule.ts';

type Verdict = 'ready' | 'warning' | 'not_ready';

export interface Readiness {
  readonly target: string;
  readonly verdict: Verdict;
  /** Problems of each item, then of all items together, then of their links, then of the number of posts per day. */
  readonly problems: readonly ReadinessProblem[];
}

const NO_OVERRIDES: Limits = new Map();

/** The circumstances that are checked in addition to the files. */
export interface ReadinessTerms {
  /** Limits by rule id. */
  readonly overrides?: Limits;
  /** null if the links aren't judged. */
  readonly link?: LinkFacts | null;
  /** When the post is published, in milliseconds since 1970; null if that isn't known. */
  readonly publishedAt?: number | null;
  /**
   * Number of the profile's posts in the busiest 24 hours around this post, which counts as well; null if it isn't
   * judged.
   */
  readonly postsPerDay?: number | null;
}

/** Checks items against a target. A property that isn't known causes a warning, never an error. */
export function checkReadiness(
  target: Target,
  items: readonly Candidate[],
  { overrides = NO_OVERRIDES, link = null, publishedAt = null, postsPerDay = null }: ReadinessTerms = {},
): Readiness {
  const [only, ...others] = items;
  const id = others.length === 0 ? (only?.id ?? null) : null;
  const problems = [
    ...items.flatMap((item) => checkItem(target, item, overrides)),
    ...checkSet(target, items, overrides),
    ...(link === null ? [] : checkLink(target, link, id, publishedAt)),
    ...(postsPerDay === null ? [] : checkPostsPerDay(target, postsPerDay, overrides)),
  ];
  return { target: target.target, verdict: verdictOf(problems), problems };
}

function verdictOf(problems: readonly ReadinessProblem[]): Verdict {
  if (problems.some(({ severity }) => severity === 'error')) return 'not_ready';
  return problems.length > 0 ? 'warning' : 'ready';
}
