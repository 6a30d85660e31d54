import type { MediaContent } from '../media/item.ts';

/**
 * `error`: the network refuses the post. `warning`: the network converts the file, only recommends the limit, or
 * sources differ.
 */
export type Severity = 'error' | 'warning';

/**
 * The kinds of items that a rule may be restricted to. A GIF counts as an image if the target has no such rule for
 * GIFs.
 */
export const RULE_KINDS = ['image', 'gif', 'video'] as const;
export type RuleKind = (typeof RULE_KINDS)[number];

/** The known facts of an item; `details` is null until it is inspected. */
export type ItemFacts = Pick<MediaContent, 'type' | 'size' | 'width' | 'height' | 'time' | 'details'>;

/** Numeric measures of one item, and how many units of the comparison one unit of an answer has. */
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

/** Boolean measures of one item. */
export const ITEM_FLAGS = ['moov', 'edit_list'] as const;

export type NumberMeasure = keyof typeof ITEM_NUMBERS;
/** Measures of one item that are one of several words. */
export type WordMeasure = 'type' | 'codec' | 'chroma' | 'audio';
export type FlagMeasure = (typeof ITEM_FLAGS)[number];
/** Measures of all items of one post. */
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
 * The kind of a source, which says nothing about the strictness of its rules. `network`: a page, sample, specification
 * or program of the network itself, read at that address. `copy`: a third party's copy of a page of the network.
 * `code`: a program that posts to the network. `vendor`: a help page of a third party.
 */
type SourceKind = 'network' | 'copy' | 'code' | 'vendor';

export interface Source {
  readonly address: string;
  readonly kind: SourceKind;
  /** For a copy: whose it is, and when it was made. */
  readonly where?: string;
}

interface RuleBase {
  /** `target[.image|.gif|.video].measure[.min|.max]` */
  readonly id: string;
  readonly target: string;
  readonly kind: RuleKind | null;
  readonly severity: Severity;
  /** As answers show it; null for a rule that isn't about a number. */
  readonly unit: string | null;
  /** What the network requires, with `{limit}` as a placeholder for the limit. */
  readonly sentence: string;
  readonly remedy: string;
  /** Where the rule comes from. */
  readonly source: Source;
  /** The day on which the source was last read, `2026-11-22`. */
  readonly checkedOn: string;
}

/** A limit of a number of an item, or of the number of items in a post. */
export interface NumberRule extends RuleBase {
  readonly measure: NumberMeasure | 'count';
  readonly bound: Bound;
  readonly limit: Quantity;
  /** Beyond it there is at least a warning. Equal to the limit unless the source can be interpreted more strictly. */
  readonly warns: Quantity;
  /** Beyond it the rule's severity applies. Equal to the limit unless the source can be interpreted more generously. */
  readonly fails: Quantity;
  /** Why the two differ; null if they don't. */
  readonly doubt: string | null;
  /** For a count: it applies only if the post has items of this kind. */
  readonly beside: RuleKind | null;
}

/** A property of an item must be one of several words. */
interface WordRule extends RuleBase {
  readonly measure: WordMeasure;
  readonly bound: null;
  readonly limit: readonly string[];
}

/** A boolean property of an item must have this value. */
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

/** A place on a network to which a post can be published. */
export interface Target {
  /** `instagram.reel` */
  readonly target: string;
  /** In a sentence: `an Instagram reel`. */
  readonly title: string;
  readonly rules: readonly Rule[];
}
