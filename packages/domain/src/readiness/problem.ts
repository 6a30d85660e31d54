import { shown, shownLimit } from './measure.ts';
import {
  type Bound,
  compare,
  type ItemFacts,
  isNumberRule,
  type NumberRule,
  type Quantity,
  type Rule,
  type Severity,
} from './rule.ts';
import { numberInWords } from './sentences.ts';

/** A file to be posted. */
export interface Candidate extends ItemFacts {
  /** null for a file that isn't an item yet. */
  readonly id: string | null;
}

/** A limit or a measure as answers show it. */
export type Shown = number | string | boolean | readonly string[];

export interface ReadinessProblem {
  /** The rule's id. */
  readonly rule: string;
  readonly severity: Severity;
  /** null if the problem concerns the post as a whole. */
  readonly mediaContentId: string | null;
  readonly limit: Shown;
  /** null where it isn't known. */
  readonly actual: Shown | null;
  readonly unit: string | null;
  /** A message for people: the rule, and any doubt about it. */
  readonly message: string;
  readonly remedy: string;
}

/** Limits that replace those of rules, by the rule's id. */
export type Limits = ReadonlyMap<string, Quantity>;

interface Bounds {
  readonly limit: Quantity;
  readonly warns: Quantity;
  readonly fails: Quantity;
}

/** The bounds of a rule; those of an override are never doubtful. */
function boundsOf(rule: NumberRule, overrides: Limits): Bounds {
  const override = overrides.get(rule.id);
  return override ? { limit: override, warns: override, fails: override } : rule;
}

const isBeyond = (bound: Bound, value: Quantity, limit: Quantity): boolean =>
  bound === 'max' ? compare(value, limit) > 0 : compare(value, limit) < 0;

/** A measured number, as a range and as answers show it. */
interface Measured {
  readonly low: Quantity;
  readonly high: Quantity;
  readonly actual: Shown;
}

const UNSURE = 'It is only known to half a second.';

/**
 * The problem of a number that breaks a rule; null if it doesn't. A range breaks a rule for certain only if all of it
 * does.
 */
export function judgeNumber(
  rule: NumberRule,
  { low, high, actual }: Measured,
  id: string | null,
  overrides: Limits,
): ReadinessProblem | null {
  const { limit, warns, fails } = boundsOf(rule, overrides);
  const [most, least] = rule.bound === 'max' ? [high, low] : [low, high];
  if (!isBeyond(rule.bound, most, warns)) return null;
  if (isBeyond(rule.bound, least, fails)) return problemOf(rule, { id, actual, limit });
  const reason = isBeyond(rule.bound, least, warns) ? rule.doubt : compare(low, high) === 0 ? null : UNSURE;
  return problemOf(rule, { id, actual, limit: warns, severity: 'warning', reason: reason ?? rule.doubt });
}

/** The problem of a measure that isn't known: a warning, never an error. */
export const unknownProblem = (rule: Rule, id: string | null, overrides: Limits): ReadinessProblem =>
  problemOf(rule, {
    id,
    actual: null,
    ...(isNumberRule(rule) && { limit: boundsOf(rule, overrides).limit }),
    severity: 'warning',
    reason: 'Whether this one does isn’t known.',
  });

interface Found {
  readonly id: string | null;
  readonly actual: Shown | null;
  readonly limit?: Quantity;
  readonly severity?: Severity;
  readonly reason?: string | null;
}

export function problemOf(rule: Rule, { id, actual, limit, severity, reason = null }: Found): ReadinessProblem {
  const words = wordsWithLimit(rule, limit);
  return {
    rule: rule.id,
    severity: severity ?? rule.severity,
    mediaContentId: id,
    limit: words.limit,
    actual,
    unit: rule.unit,
    message: reason === null ? words.sentence : `${words.sentence} ${reason}`,
    remedy: rule.remedy,
  };
}

/** The limit of a rule as answers show it. */
export const shownLimitOf = (rule: Rule): Shown => ownWords(rule).limit;

/** The sentence of a rule with its limit in it. */
export const sentenceOf = (rule: Rule): string => ownWords(rule).sentence;

interface Words {
  readonly limit: Shown;
  readonly sentence: string;
}

const own = new WeakMap<Rule, Words>();

/** Cached by rule, as a hundred items may have thousands of problems. */
function ownWords(rule: Rule): Words {
  const known = own.get(rule);
  if (known) return known;
  const words = wordsWith(rule, isNumberRule(rule) ? rule.limit : undefined);
  own.set(rule, words);
  return words;
}

const wordsWithLimit = (rule: Rule, limit: Quantity | undefined): Words =>
  limit === undefined || (isNumberRule(rule) && limit === rule.limit) ? ownWords(rule) : wordsWith(rule, limit);

function wordsWith(rule: Rule, limit: Quantity | undefined): Words {
  const sentence = rule.sentence.replace('{limit}', limitInWords(rule, limit));
  return { sentence, limit: isNumberRule(rule) ? shownLimit(rule.measure, limit ?? rule.limit) : rule.limit };
}

/** A limit in a sentence. */
export function quantityInWords({ measure, kind }: NumberRule, quantity: Quantity): string {
  if (measure === 'aspect') return String(shownLimit(measure, quantity));
  return numberInWords(measure, kind, Number(shown(measure, quantity)));
}

function limitInWords(rule: Rule, limit?: Quantity): string {
  if (isNumberRule(rule)) return quantityInWords(rule, limit ?? rule.limit);
  if (typeof rule.limit === 'boolean') return String(rule.limit);
  const words = rule.measure === 'kinds' ? rule.limit.map(kindsInWords) : rule.limit;
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

const kindsInWords = (kinds: string): string =>
  kinds
    .split('+')
    .map((kind) => `${kind}s`)
    .join(' and ')
    .replace('gifs', 'GIFs');
