// The entry point for browser code that needs only the rules.
export type { VideoDetails } from '../media/details.ts';
export { isMediaType, kindOf } from '../media/types.ts';
export { checkReadiness, type Readiness, type ReadinessTerms } from './check.ts';
export { MAX_CHECKED_MEDIA } from './check-set.ts';
export type { Quantity } from './compare.ts';
export { networksDocument, staleRules } from './document.ts';
export { takesKind } from './kinds.ts';
export { type LinkFacts, type LinkPlace, linkFacts } from './link.ts';
export { readOverride } from './overrides.ts';
export { busiestDay, busiestDayWith, checkPostsPerDay, countedWindow, MAX_COUNTED_POSTS } from './posts-per-day.ts';
export { type Candidate, type Limits, type ReadinessProblem, shownLimitOf } from './problem.ts';
export {
  type ItemFacts,
  isNumberRule,
  RULE_KINDS,
  type Rule,
  type RuleKind,
  type Target,
} from './rule.ts';
export { findTarget, TARGET_NAMES, TARGETS, targetsOfNetwork } from './targets.ts';
