import type { LimitSpec } from './limits.ts';
import {
  type Bound,
  type FlagMeasure,
  ITEM_FLAGS,
  ITEM_NUMBERS,
  isSetNumber,
  type KindsRule,
  type LinkMeasure,
  type LinkRule,
  type NumberMeasure,
  type NumberRule,
  type Rule,
  type RuleKind,
  SET_NUMBERS,
  type Severity,
  type Source,
  type Target,
  type WordMeasure,
} from './rule.ts';
import { wordsOf } from './sentences.ts';

type Of<Part extends string> = Part | `${RuleKind}.${Part}`;

/** The part of a rule's id after the target's name. */
type RuleName =
  | Of<`${NumberMeasure | 'count'}.${Bound}`>
  | Of<WordMeasure | FlagMeasure>
  | 'kinds'
  | 'equal_size'
  | 'posts_per_day';

export interface TargetSpec {
  readonly target: string;
  /** The target's name in a sentence: `an Instagram reel`. */
  readonly title: string;
  /** Applies unless a limit has its own source. */
  readonly source: Source;
  readonly checkedOn: string;
  readonly rules: Readonly<Partial<Record<RuleName, LimitSpec>>>;
}

const NAME = /^(?:(image|gif|video)\.)?([a-z_]+)(?:\.(min|max))?$/;

/** Makes a target from a table. @throws Error if the table has an impossible rule */
export const defineTarget = (spec: TargetSpec): Target => ({
  target: spec.target,
  title: spec.title,
  rules: Object.entries(spec.rules).map(([name, limit]) => ruleOf(spec, name, limit)),
});

function ruleOf({ target, title, source, checkedOn }: TargetSpec, name: string, spec: LimitSpec): Rule {
  const [, kind = null, measure = '', bound = null] = NAME.exec(name) ?? [];
  const key = bound === null ? measure : `${measure}.${bound}`;
  const { severity = 'error', note, limit } = spec;
  const words = wordsOf({ kind: kind as RuleKind | null, key, title }, severity === 'warning');
  const base = {
    id: `${target}.${name}`,
    target,
    kind: kind as RuleKind | null,
    severity,
    sentence: note === undefined ? words.sentence : `${words.sentence} ${note}`,
    remedy: spec.remedy ?? words.remedy,
    source: spec.source ?? source,
    checkedOn: spec.source?.checkedOn ?? checkedOn,
  };
  if (bound !== null) return numberRule(base, measure as NumberRule['measure'], bound as Bound, spec);
  if (measure === 'posts_per_day') return numberRule(base, measure, 'max', spec);
  if (typeof limit === 'boolean') {
    if (measure !== 'equal_size' && !ITEM_FLAGS.some((flag) => flag === measure)) throw wrong(base.id);
    return { ...base, unit: null, bound: null, measure: measure as FlagMeasure, limit };
  }
  if (!Array.isArray(limit)) throw wrong(base.id);
  return { ...base, unit: null, bound: null, measure: measure as WordMeasure | KindsRule['measure'], limit } as Rule;
}

/** A rule about links that applies to all targets of a network. */
export interface LinkSpec {
  readonly name: LinkMeasure;
  readonly limit: readonly string[] | boolean;
  readonly severity?: Severity;
  readonly note?: string;
  readonly source: Source;
  readonly checkedOn: string;
}

/** Adds the rules about links to a target's own. */
export const withLinkRules = (target: Target, specs: readonly LinkSpec[]): Target => ({
  ...target,
  rules: [...target.rules, ...specs.map((spec) => linkRuleOf(target, spec))],
});

function linkRuleOf({ target, title }: Target, { name, limit, severity = 'error', note, ...from }: LinkSpec): LinkRule {
  const { sentence, remedy } = wordsOf({ kind: null, key: name, title }, severity === 'warning');
  const said = note === undefined ? sentence : `${sentence} ${note}`;
  const base = { id: `${target}.${name}`, target, kind: null, severity, unit: null, bound: null, remedy, ...from };
  if (name === 'link.scheme' && typeof limit === 'object') return { ...base, sentence: said, measure: name, limit };
  if (name === 'link.scheme' || typeof limit === 'object') throw wrong(base.id);
  return { ...base, sentence: said, measure: name, limit };
}

type Base = Omit<NumberRule, 'measure' | 'bound' | 'unit' | 'limit' | 'warns' | 'fails' | 'doubt' | 'beside'>;

function numberRule(base: Base, measure: NumberRule['measure'], bound: Bound, spec: LimitSpec): NumberRule {
  const { limit, doubt = null, beside = null } = spec;
  if (typeof limit !== 'object' || !('n' in limit)) throw wrong(base.id);
  const { warns = limit, fails = limit } = spec;
  const { unit } = isSetNumber(measure) ? SET_NUMBERS[measure] : ITEM_NUMBERS[measure];
  return { ...base, measure, bound, unit, limit, warns, fails, doubt, beside };
}

const wrong = (id: string): Error => new Error(`${id} has a limit of another kind than its measure`);
