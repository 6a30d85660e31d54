import type { Quantity } from './compare.ts';
import type { RuleKind, Severity, Source } from './rule.ts';

export interface LimitSpec {
  readonly limit: Quantity | readonly string[] | boolean;
  readonly warns?: Quantity;
  readonly fails?: Quantity;
  readonly doubt?: string;
  readonly severity?: Severity;
  readonly note?: string;
  readonly remedy?: string;
  readonly source?: Source;
  readonly beside?: RuleKind;
}

export type NumberSpec = LimitSpec & { readonly limit: Quantity };

const whole = (n: number): Quantity => ({ n, d: 1 });

export const exactly = (n: number): NumberSpec => ({ limit: whole(n) });

const TWO_READINGS = 'It isn’t known whether the network counts a kilobyte as 1,000 or as 1,024 bytes.';

/**
 * An upper limit in a unit such as MB, which may mean a power of 1000 or of 1024. Values between the two limits get a
 * warning.
 */
const atMost = (count: number, power: number): NumberSpec => ({
  limit: whole(count * 1000 ** power),
  fails: whole(count * 1024 ** power),
  doubt: TWO_READINGS,
});

export const megabytes = (count: number): NumberSpec => atMost(count, 2);
export const gigabytes = (count: number): NumberSpec => atMost(count, 3);

/** A limit whose sources explicitly mean MiB. */
export const mebibytes = (count: number): NumberSpec => exactly(count * 1024 ** 2);

export const atLeastKilobytes = (count: number): NumberSpec => ({
  limit: whole(count * 1000),
  warns: whole(count * 1024),
  doubt: TWO_READINGS,
});

export const seconds = (count: number): NumberSpec => exactly(count * 1000);
export const minutes = (count: number): NumberSpec => seconds(count * 60);
export const fps = (count: number): NumberSpec => exactly(count * 1000);

/**
 * A bitrate limit. A file's known bitrate is the total of all tracks, so slightly exceeding the limit is only a
 * warning.
 */
export const megabits = (count: number): NumberSpec => ({
  limit: whole(count * 1_000_000),
  fails: whole(count * 1_000_000 + 512_000),
  doubt: 'Only the combined bitrate of video and sound is known.',
});

/** Reads a ratio of width to height: `4:5`, `1.91:1`. @throws Error for anything else */
export function aspectOf(text: string): Quantity {
  const [, width = '', decimals = '', height = ''] = /^(\d+)(?:\.(\d+))?:(\d+)$/.exec(text) ?? [];
  if (height === '') throw new Error(`${text} is not an aspect ratio`);
  return { n: Number(width + decimals), d: Number(height) * 10 ** decimals.length };
}

export const aspect = (text: string): NumberSpec => ({ limit: aspectOf(text) });

export const oneOf = (...words: readonly string[]): LimitSpec => ({ limit: words });

export const required: LimitSpec = { limit: true };
/** Gives only a warning, because ffmpeg writes edit lists by default. */
export const noEditList: LimitSpec = { limit: false, severity: 'warning' };

export const doubtful = (spec: LimitSpec, note = 'Sources disagree on this, or are out of date.'): LimitSpec => ({
  ...spec,
  severity: 'warning',
  note,
});

export const advised = (spec: LimitSpec, note: string): LimitSpec => ({ ...spec, severity: 'warning', note });

export const from = (source: Source, spec: LimitSpec): LimitSpec => ({ ...spec, source });
