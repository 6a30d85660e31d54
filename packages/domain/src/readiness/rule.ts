import type { MediaContent } from '../media/item.ts';

/** `error`: the network refuses it. `warning`: it mends it by itself, merely recommends it, or sources differ. */
export type Severity = 'error' | 'warning';

/** What a rule may be about alone. A GIF counts as an image where the target has no rule of its own for GIFs. */
export const RULE_KINDS = ['image', 'gif', 'video'] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

/** The known facts of an item; `details` is null until it is inspected. */
export type ItemFacts = Pick<MediaContent, 'type' | 'size' | 'width' | 'height' | 'time' | 'details'>;

/** Measures of one item that are numbers, and how: what one unit of an answer is in units of the comparison. */
export const ITEM_NUMBERS = {
  bytes: { unit: 'bytes', scale: 1 },
  width: { unit: 'pixels', scale: 1 },
  height: { unit: 'pixels', scale: 1 },
  area: { unit: 'pixels', scale: 1 },
  aspect: { unit: 'width:height', scale: 1 },
  duration: { unit: 'seconds', scale: 1000 },
  frame_rate: { unit: 'fps', scale: 1000 },
  bitrate: { unit: 'bits/s', scale: 1 },
  audio: { unit: 'Hz', scale: 1 },
  frames: { unit: 'frames', scale: 1 },
} as const;

/** Measures of one item that hold or don't. */
export const ITEM_FLAGS = ['moov', 'edit_list'] as const;

export type NumberMeasure = keyof typeof ITEM_NUMBERS;
/** Measures of one item that are one of several words. */
export type WordMeasure = 'type' | 'codec' | 'chroma' | 'audio';
export type FlagMeasure = (typeof ITEM_FLAGS)[number];
/** Measures of all that goes into one post. */
type SetMeasure = 'count' | 'kinds' | 'equal_size';
export type Measure = NumberMeasure | WordMeasure | FlagMeasure | SetMeasure;

export type Bound = 'min' | 'max';

/** An exact number: `n / d`, both whole unless an override says otherwise. Numbers without a fraction have `d` 1. */
export interface Quantity {
  readonly n: number;
  readonly d: number;
}

/** Below 0, 0 or above 0. Cross-multiplied, so that no division rounds. */
export const compare = (a: Quantity, b: Quantity): number => a.n * b.d - b.n * a.d;

/**
 * What a source is. `network`: a page, sample, specification or program of the network itself, read at that address.
 * `copy`: what a page of the network says, as others repeat it. `code`: a program that posts there. `vendor`: a help page
 * of others. It is the kind of source, not how strict the rule is.
 */
type SourceKind = 'network' | 'copy' | 'code' | 'vendor';

export interface Source {
  readonly address: string;
  readonly kind: SourceKind;
  /** Of a copy: whose, and of when. */
  readonly where?: string;
}

interface RuleBase {
  /** `target[.image|.gif|.video].measure[.min|.max]` */
  readonly id: string;
  readonly target: string;
  readonly kind: RuleKind | null;
  readonly severity: Severity;
  /** As answers show it; null for what isn't a number. */
  readonly unit: string | null;
  /** What the network asks for, `{limit}` in place of the limit. */
  readonly sentence: string;
  readonly remedy: string;
  /** Where the rule comes from. */
  readonly source: Source;
  /** The day on which somebody last read it, `2026-11-22`. */
  readonly checkedOn: string;
}

/** A limit of a number: of an item, or of how many items go into a post. */
export interface NumberRule extends RuleBase {
  readonly measure: NumberMeasure | 'count';
  readonly bound: Bound;
  readonly limit: Quantity;
  /** Beyond it there is at least a warning; the limit itself, unless a more careful reading of the source is possible. */
  readonly warns: Quantity;
  /** Beyond it the severity of the rule holds; the limit itself, unless a more generous reading is possible. */
  readonly fails: Quantity;
  /** Why both differ; null where they don't. */
  readonly doubt: string | null;
  /** Of a count: it holds only beside items of this kind. */
  readonly beside: RuleKind | null;
}

/** One of several words. */
interface WordRule extends RuleBase {
  readonly measure: WordMeasure;
  readonly bound: null;
  readonly limit: readonly string[];
}

/** What has to be so. */
interface FlagRule extends RuleBase {
  readonly measure: FlagMeasure | 'equal_size';
  readonly bound: null;
  readonly limit: boolean;
}

/** Kinds that one post may mix: `image+gif`, and in another post `video`. */
export interface KindsRule extends RuleBase {
  readonly measure: 'kinds';
  readonly bound: null;
  readonly limit: readonly string[];
}

export type Rule = NumberRule | WordRule | FlagRule | KindsRule;

export const isNumberRule = (rule: Rule): rule is NumberRule => rule.bound !== null;

/** A place on a network that a post may go to. */
export interface Target {
  /** `instagram.reel` */
  readonly target: string;
  /** In a sentence: `an Instagram reel`. */
  readonly title: string;
  readonly rules: readonly Rule[];
}
