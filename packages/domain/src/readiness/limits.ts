import type { Quantity, RuleKind, Severity, Source } from './rule.ts';

/** The limit of a rule as the tables define it, in the units in which rules are compared. */
export interface LimitSpec {
  readonly limit: Quantity | readonly string[] | boolean;
  readonly warns?: Quantity;
  readonly fails?: Quantity;
  readonly doubt?: string;
  readonly severity?: Severity;
  /** Appended to the sentence. */
  readonly note?: string;
  readonly remedy?: string;
  readonly source?: Source;
  readonly beside?: RuleKind;
}

export type NumberSpec = LimitSpec & { readonly limit: Quantity };

const whole = (n: number): Quantity => ({ n, d: 1 });

/** A plain number: pixels, frames, items, or bytes that a source gives exactly. */
export const exactly = (n: number): NumberSpec => ({ limit: whole(n) });

const TWO_READINGS = 'It isn’t known whether the network counts a kilobyte as 1,000 or as 1,024 bytes.';

/** A maximum in a unit that sources use for powers of both 1000 and 1024: between the two sizes there is a warning. */
const atMost = (count: number, power: number): NumberSpec => ({
  limit: whole(count * 1000 ** power),
  fails: whole(count * 1024 ** power),
  doubt: TWO_READINGS,
});

export const megabytes = (count: number): NumberSpec => atMost(count, 2);
export const gigabytes = (count: number): NumberSpec => atMost(count, 3);

/** For sources that mean MiB explicitly, in words or in code. */
export const mebibytes = (count: number): NumberSpec => exactly(count * 1024 ** 2);

/** A minimum in kilobytes. */
export const atLeastKilobytes = (count: number): NumberSpec => ({
  limit: whole(count * 1000),
  warns: whole(count * 1024),
  doubt: TWO_READINGS,
});

export const seconds = (count: number): NumberSpec => exactly(count * 1000);
export const minutes = (count: number): NumberSpec => seconds(count * 60);
export const fps = (count: number): NumberSpec => exactly(count * 1000);

/** A bitrate. The known one of a file includes all its tracks; sources mean that of the video. */
export const megabits = (count: number): NumberSpec => ({
  limit: whole(count * 1_000_000),
  fails: whole(count * 1_000_000 + 512_000),
  doubt: 'What is known is the bitrate of video and sound together.',
});

/** `4:5`, `1.91:1`: width to height. @throws Error for anything else */
export function aspectOf(text: string): Quantity {
  const [, width = '', decimals = '', height = ''] = /^(\d+)(?:\.(\d+))?:(\d+)$/.exec(text) ?? [];
  if (height === '') throw new Error(`${text} is no aspect ratio`);
  return { n: Number(width + decimals), d: Number(height) * 10 ** decimals.length };
}

export const aspect = (text: string): NumberSpec => ({ limit: aspectOf(text) });

export const oneOf = (...words: readonly string[]): LimitSpec => ({ limit: words });

export const required: LimitSpec = { limit: true };
/** Only a warning, as ffmpeg writes edit lists by default. */
export const noEditList: LimitSpec = { limit: false, severity: 'warning' };

/** For limits on which sources differ or are old: never more than a warning. */
export const doubtful = (spec: LimitSpec, note = 'Sources differ on this, or are old.'): LimitSpec => ({
  ...spec,
  severity: 'warning',
  note,
});

/** For limits that the network only recommends, or satisfies itself by converting the file. */
export const advised = (spec: LimitSpec, note: string): LimitSpec => ({ ...spec, severity: 'warning', note });

/** The same limit with another source than the target's. */
export const from = (source: Source, spec: LimitSpec): LimitSpec => ({ ...spec, source });
