import { compare, hasNearest, type Quantity } from './compare.ts';
import { shown, shownLimit } from './measure.ts';
import { type ItemFacts, isNumberRule, type NumberRule, type Rule, type Severity } from './rule.ts';
import { nameOfLimit, numberInWords } from './sentences.ts';

export interface Candidate extends ItemFacts {
  readonly id: string | null;
}

export type Shown = number | string | boolean | readonly string[];

export interface ReadinessProblem {
  readonly rule: string;
  readonly severity: Severity;
  readonly mediaContentId: string | null;
  readonly limit: Shown;
  readonly actual: Shown | null;
  readonly unit: string | null;
  readonly message: string;
  readonly remedy: string;
}

export type Limits = ReadonlyMap<string, Quantity>;

interface Bounds {
  readonly limit: Quantity;
  readonly warns: Quantity;
  readonly fails: Quantity;
}

/** Returns the bounds of a rule. An override's bounds are never doubtful. */
function boundsOf(rule: NumberRule, overrides: Limits): Bounds {
  const override = overrides.get(rule.id);
  return override ? { limit: override, warns: override, fails: override } : rule;
}

function isBeyond({ measure, bound, kind }: NumberRule, value: Quantity, limit: Quantity): boolean {
  if (measure === 'aspect' && hasNearest(value, limit, kind === 'video')) return false;
  return bound === 'max' ? compare(value, limit) > 0 : compare(value, limit) < 0;
}

interface Measured {
  readonly low: Quantity;
  readonly high: Quantity;
  readonly actual: Shown;
}

const UNSURE = 'The value is only known to half a second.';

/**
 * Judges a value of which only a range is known. The value certainly breaks a rule only if every value in the range
 * does.
 */
export function judgeNumber(
  rule: NumberRule,
  { low, high, actual }: Measured,
  id: string | null,
  overrides: Limits,
): ReadinessProblem | null {
  const { limit, warns, fails } = boundsOf(rule, overrides);
  const [max, min] = rule.bound === 'max' ? [high, low] : [low, high];
  if (!isBeyond(rule, max, warns)) return null;
  if (isBeyond(rule, min, fails)) return problemOf(rule, { id, actual, limit });
  const reason = isBeyond(rule, min, warns) ? rule.doubt : compare(low, high) === 0 ? null : UNSURE;
  return problemOf(rule, { id, actual, limit: warns, severity: 'warning', reason: reason ?? rule.doubt });
}

export const unknownProblem = (rule: Rule, id: string | null, overrides: Limits): ReadinessProblem =>
  problemOf(rule, {
    id,
    actual: null,
    ...(isNumberRule(rule) && { limit: boundsOf(rule, overrides).limit }),
    severity: 'warning',
    reason: 'It isn’t known whether this one does.',
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

export const shownLimitOf = (rule: Rule): Shown => ownWords(rule).limit;

export const sentenceOf = (rule: Rule): string => ownWords(rule).sentence;

interface Words {
  readonly limit: Shown;
  readonly sentence: string;
}

const own = new WeakMap<Rule, Words>();

/**
 * Returns the words for a rule without an override. They are cached, because a hundred items may have thousands of
 * problems.
 */
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

export function quantityInWords({ measure, kind }: NumberRule, quantity: Quantity): string {
  if (measure === 'aspect') return String(shownLimit(measure, quantity));
  return numberInWords(measure, kind, Number(shown(measure, quantity)));
}

function limitInWords(rule: Rule, limit?: Quantity): string {
  if (isNumberRule(rule)) return quantityInWords(rule, limit ?? rule.limit);
  if (typeof rule.limit === 'boolean') return String(rule.limit);
  const words = rule.limit.map(rule.measure === 'kinds' ? kindsInWords : nameOfLimit);
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

const kindsInWords = (kinds: string): string =>
  kinds
    .split('+')
    .map((kind) => `${kind}s`)
    .join(' and ')
    .replace('gifs', 'GIFs');
