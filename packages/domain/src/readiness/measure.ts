import type { VideoDetails } from '../media/details.ts';
import { nominalRate } from '../media/frame-rate.ts';
import { kindOf } from '../media/types.ts';
import type { Quantity } from './compare.ts';
import {
  ITEM_NUMBERS,
  type ItemFacts,
  isSetNumber,
  type NumberMeasure,
  type NumberRule,
  type RuleKind,
  type WordMeasure,
} from './rule.ts';

export interface Range {
  readonly low: Quantity;
  readonly high: Quantity;
}

/**
 * The value of a measure. `unknown`: the file hasn't been inspected yet; `none`: the measure doesn't apply to the file.
 */
export type Reading<T> = T | 'unknown' | 'none';

export const ruleKindOf = ({ type }: Pick<ItemFacts, 'type'>): RuleKind =>
  type === 'image/gif' ? 'gif' : kindOf(type);

const HALF_A_SECOND = 500;

const exact = (n: number, d = 1): Range => {
  const quantity = { n, d };
  return { low: quantity, high: quantity };
};

const known = (value: number | null | undefined, scale = 1): Reading<Range> =>
  value === null || value === undefined ? 'unknown' : exact(Math.round(value * scale));

export function readNumber(measure: NumberMeasure, item: ItemFacts): Reading<Range> {
  const video = item.details?.video;
  switch (measure) {
    case 'bytes':
      return exact(item.size);
    case 'width':
      return exact(item.width);
    case 'height':
      return exact(item.height);
    case 'area':
      return exact(item.width * item.height);
    case 'total_area':
      return known(item.details?.image?.frames, item.width * item.height);
    case 'aspect':
      return exact(item.width, item.height);
    case 'duration':
      return duration(item);
    case 'frame_rate':
      return known(video?.frameRate && nominalRate(video.frameRate), ITEM_NUMBERS.frame_rate.scale);
    case 'bitrate':
      return known(video?.bitrate);
    case 'audio':
      return ofSound(video, (audio) => known(audio.sampleRate));
    case 'channels':
      return ofSound(video, (audio) => known(audio.channels));
    case 'frames':
      return known(item.details?.image?.frames);
  }
}

export function readWord(measure: WordMeasure, item: ItemFacts): Reading<string> {
  const video = item.details?.video;
  switch (measure) {
    case 'type':
      return item.type;
    case 'codec':
      return video?.codec ?? 'unknown';
    case 'chroma':
      return video?.chroma ?? 'unknown';
    case 'audio':
      return ofSound(video, ({ codec }) => codec ?? 'unknown');
  }
}

export const readFlag = (measure: 'moov' | 'edit_list', { details }: ItemFacts): Reading<boolean> =>
  (measure === 'moov' ? details?.video?.moovFirst : details?.video?.editList) ?? 'unknown';

function ofSound<T>(
  video: VideoDetails | null | undefined,
  read: (audio: NonNullable<VideoDetails['audio']>) => Reading<T>,
): Reading<T> {
  if (!video) return 'unknown';
  return video.audio === null ? 'none' : read(video.audio);
}

function duration({ time, details }: ItemFacts): Reading<Range> {
  const milliseconds = details?.video?.durationMs;
  if (milliseconds !== null && milliseconds !== undefined) return exact(milliseconds);
  if (time === null) return 'none';
  const low = time <= 1 ? 1 : time * 1000 - HALF_A_SECOND;
  return { low: { n: low, d: 1 }, high: { n: time * 1000 + HALF_A_SECOND, d: 1 } };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

export function shown(measure: NumberRule['measure'], { n, d }: Quantity): number | string {
  if (isSetNumber(measure)) return n;
  if (measure !== 'aspect') return n / ITEM_NUMBERS[measure].scale;
  const divisor = greatestCommonDivisor(n, d) || 1;
  return `${n / divisor}:${d / divisor}`;
}

export const shownReading = (measure: NumberMeasure, { low, high }: Range): number | string =>
  low === high ? shown(measure, low) : Math.round((low.n + high.n) / 2 / ITEM_NUMBERS[measure].scale);

/** Formats a limit. Aspect ratios are written as in the sources: `4:5`, `1.91:1`. */
export function shownLimit(measure: NumberRule['measure'], limit: Quantity): number | string {
  const { n, d } = limit;
  const isDecimal = measure === 'aspect' && d > 1 && /^10+$/.test(String(d));
  return isDecimal ? `${n / d}:1` : shown(measure, limit);
}
