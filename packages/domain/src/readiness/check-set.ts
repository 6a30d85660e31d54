import { holdsFor } from './check-item.ts';
import { ruleKindOf } from './measure.ts';
import { type Candidate, judgeNumber, type Limits, problemOf, type ReadinessProblem } from './problem.ts';
import { isNumberRule, type KindsRule, type NumberRule, type RuleKind, type Target } from './rule.ts';

/** Maximum number of media that are checked together. */
export const MAX_CHECKED_MEDIA = 100;

export function checkSet(target: Target, items: readonly Candidate[], overrides: Limits): ReadinessProblem[] {
  const kinds = items.map(ruleKindOf);
  return target.rules.flatMap((rule) => {
    if (isNumberRule(rule)) return rule.measure === 'count' ? (judgeCount(target, rule, kinds, overrides) ?? []) : [];
    if (rule.measure === 'kinds') return judgeKinds(rule, kinds) ?? [];
    if (rule.measure !== 'equal_size') return [];
    return haveEqualSizes(items) === rule.limit ? [] : problemOf(rule, { id: null, actual: !rule.limit });
  });
}

function judgeCount(
  { rules }: Target,
  rule: NumberRule,
  kinds: readonly RuleKind[],
  overrides: Limits,
): ReadinessProblem | null {
  const { beside } = rule;
  if (beside !== null && !kinds.includes(beside)) return null;
  const n = kinds.filter((kind) => holdsFor(rules, rule, kind)).length;
  const quantity = { n, d: 1 };
  return judgeNumber(rule, { low: quantity, high: quantity, actual: n }, null, overrides);
}

function judgeKinds(rule: KindsRule, kinds: readonly RuleKind[]): ReadinessProblem | null {
  const allowed = rule.limit.map((mixture) => mixture.split('+'));
  const hasGifs = allowed.some((mixture) => mixture.includes('gif'));
  const present = [...new Set(kinds.map((kind) => (kind === 'gif' && !hasGifs ? 'image' : kind)))];
  if (allowed.some((mixture) => present.every((kind) => mixture.includes(kind)))) return null;
  return problemOf(rule, { id: null, actual: present.sort().join('+') });
}

/**
 * Whether all images have the same size. Also true if there is a video, because any image then serves as the cover of
 * the video.
 */
function haveEqualSizes(items: readonly Candidate[]): boolean {
  const [first, ...others] = items;
  if (!first || items.some((item) => ruleKindOf(item) === 'video')) return true;
  return others.every(({ width, height }) => width === first.width && height === first.height);
}
