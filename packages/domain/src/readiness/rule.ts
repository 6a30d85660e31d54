import type { MediaContent } from '../media/item.ts';
import type { Quantity } from './compare.ts';

/**
 * `error`: the network refuses the post. `warning`: the network converts the file or only recommends the limit, or
 * sources differ.
 */
export type Severity = 'error' | 'warning';

/** A GIF counts as an image where the target has no rule for GIFs. */
export const RULE_KINDS = ['image', 'gif', 'video'] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

/** `details` is null until the item is inspected. */
export type ItemFacts = Pick<MediaContent, 'type' | 'size' | 'width' | 'height' | 'time' | 'details'>;

/**
 * Measures of an item. `unit` is the unit in responses. Values are compared as multiples of a smaller unit, `scale` of
 * which make one `unit`.
 */
export const ITEM_NUMBERS = {
  bytes: { unit: 'bytes', scale: 1 },
  width: { unit: 'pixels', scale: 1 },
  height: { unit: 'pixels', scale: 1 },
  area: { unit: 'pixels', scale: 1 },
  total_area: { unit: 'pixels', scale: 1 },
  aspect: { unit: 'width:height', scale: 1 },
  duration: { unit: 'seconds', scale: 1000 },
  frame_rate: { unit: 'fps', scale: 1000 },
  bitrate: { unit: 'bits/s', scale: 1 },
  audio: { unit: 'Hz', scale: 1 },
  channels: { unit: 'channels', scale: 1 },
  frames: { unit: 'frames', scale: 1 },
} as const;

export const ITEM_FLAGS = ['moov', 'edit_list'] as const;

export type NumberMeasure = keyof typeof ITEM_NUMBERS;
export type WordMeasure = 'type' | 'codec' | 'chroma' | 'audio';
export type FlagMeasure = (typeof ITEM_FLAGS)[number];
type SetMeasure = 'count' | 'kinds' | 'equal_size' | 'posts_per_day';
export type LinkMeasure = 'link.scheme' | 'link.public' | 'link.redirect' | 'link.expiry';
export type Measure = NumberMeasure | WordMeasure | FlagMeasure | SetMeasure | LinkMeasure;

/** Measures of a whole post and their units. */
export const SET_NUMBERS = { count: { unit: 'items' }, posts_per_day: { unit: 'posts' } } as const;

export type SetNumber = keyof typeof SET_NUMBERS;

export type Bound = 'min' | 'max';

/**
 * `network`: the network's own page, sample or program. `copy`: a third party's copy of the network's page. `code`: a
 * program that posts to the network. `vendor`: a third party's help page.
 */
type SourceKind = 'network' | 'copy' | 'code' | 'vendor';

export interface Source {
  readonly address: string;
  readonly kind: SourceKind;
  readonly where?: string;
  /** The date on which the source was last read; the target's date by default. */
  readonly checkedOn?: string;
}

interface RuleBase {
  /** `target[.image|.gif|.video].measure[.min|.max]`, `target.link.measure`, or `target.posts_per_day` */
  readonly id: string;
  readonly target: string;
  readonly kind: RuleKind | null;
  readonly severity: Severity;
  /** null for a rule that isn't about a number. */
  readonly unit: string | null;
  /** The sentence with `{limit}` as a placeholder. */
  readonly sentence: string;
  readonly remedy: string;
  readonly source: Source;
  /** When the source was last read. */
  readonly checkedOn: string;
}

export interface NumberRule extends RuleBase {
  readonly measure: NumberMeasure | SetNumber;
  readonly bound: Bound;
  readonly limit: Quantity;
  /** Values beyond this one get a warning. */
  readonly warns: Quantity;
  /** Values beyond this one get the rule's severity. */
  readonly fails: Quantity;
  /** Why `warns` and `fails` differ; null if they don't. */
  readonly doubt: string | null;
  /** If set, the rule applies only to posts that also have items of this kind. */
  readonly beside: RuleKind | null;
}

interface WordRule extends RuleBase {
  readonly measure: WordMeasure;
  readonly bound: null;
  readonly limit: readonly string[];
}

interface FlagRule extends RuleBase {
  readonly measure: FlagMeasure | 'equal_size';
  readonly bound: null;
  readonly limit: boolean;
}

/**
 * The combinations of kinds that a post may have. `image+gif` and `video` mean that a post has either images and GIFs,
 * or videos.
 */
export interface KindsRule extends RuleBase {
  readonly measure: 'kinds';
  readonly bound: null;
  readonly limit: readonly string[];
}

interface SchemeRule extends RuleBase {
  readonly measure: 'link.scheme';
  readonly bound: null;
  readonly limit: readonly string[];
}

interface LinkFlagRule extends RuleBase {
  readonly measure: Exclude<LinkMeasure, 'link.scheme'>;
  readonly bound: null;
  readonly limit: boolean;
}

/** A rule about the links of a post rather than its files; judged only on request. */
export type LinkRule = SchemeRule | LinkFlagRule;

export type Rule = NumberRule | WordRule | FlagRule | KindsRule | LinkRule;

export const isLinkRule = (rule: Rule): rule is LinkRule => rule.measure.startsWith('link.');

export const isSetNumber = (measure: NumberRule['measure']): measure is SetNumber =>
  Object.hasOwn(SET_NUMBERS, measure);

export const isNumberRule = (rule: Rule): rule is NumberRule => rule.bound !== null;

export interface Target {
  /** `instagram.reel` */
  readonly target: string;
  /** The target's name in a sentence: `an Instagram reel`. */
  readonly title: string;
  readonly rules: readonly Rule[];
}
