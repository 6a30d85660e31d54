import { readFlag, readNumber, readWord, ruleKindOf, shownReading } from './measure.ts';
import {
  type Candidate,
  judgeNumber,
  type Limits,
  problemOf,
  type ReadinessProblem,
  unknownProblem,
} from './problem.ts';
import { isLinkRule, isNumberRule, isSetNumber, type Measure, type Rule, type RuleKind, type Target } from './rule.ts';

export function checkItem(target: Target, item: Candidate, overrides: Limits): ReadinessProblem[] {
  return rulesFor(target, ruleKindOf(item)).flatMap((rule) => judge(rule, item, overrides) ?? []);
}

function judge(rule: Rule, item: Candidate, overrides: Limits): ReadinessProblem | null {
  const { id } = item;
  if (isNumberRule(rule)) {
    if (isSetNumber(rule.measure)) return null;
    const reading = readNumber(rule.measure, item);
    if (reading === 'none') return null;
    if (reading === 'unknown') return unknownProblem(rule, id, overrides);
    return judgeNumber(rule, { ...reading, actual: shownReading(rule.measure, reading) }, id, overrides);
  }
  switch (rule.measure) {
    case 'type':
    case 'codec':
    case 'chroma':
    case 'audio': {
      const word = readWord(rule.measure, item);
      if (word === 'none') return null;
      if (word === 'unknown') return unknownProblem(rule, id, overrides);
      return rule.limit.includes(word) ? null : problemOf(rule, { id, actual: word });
    }
    case 'moov':
    case 'edit_list': {
      const flag = readFlag(rule.measure, item);
      if (flag === 'none') return null;
      if (flag === 'unknown') return unknownProblem(rule, id, overrides);
      return flag === rule.limit ? null : problemOf(rule, { id, actual: flag });
    }
    default:
      return null;
  }
}

const chosen = new WeakMap<Target, ReadonlyMap<RuleKind, readonly Rule[]>>();

/** Returns the rules for a kind. Rules for images also apply to GIFs, unless GIFs have rules of their own. */
export function rulesFor(target: Target, kind: RuleKind): readonly Rule[] {
  let byKind = chosen.get(target);
  if (!byKind) {
    byKind = new Map((['image', 'gif', 'video'] as const).map((one) => [one, choose(target, one)]));
    chosen.set(target, byKind);
  }
  return byKind.get(kind) ?? [];
}

const OF_SETS: readonly Measure[] = ['count', 'kinds', 'equal_size', 'posts_per_day'];

const choose = ({ rules }: Target, kind: RuleKind): readonly Rule[] =>
  rules.filter((rule) => holdsFor(rules, rule, kind) && !isLinkRule(rule) && !OF_SETS.includes(rule.measure));

export function holdsFor(rules: readonly Rule[], rule: Rule, kind: RuleKind): boolean {
  if (rule.kind === null || rule.kind === kind) return true;
  const hasOwn = (): boolean =>
    rules.some((other) => other.kind === 'gif' && other.measure === rule.measure && other.bound === rule.bound);
  return rule.kind === 'image' && kind === 'gif' && !hasOwn();
}
