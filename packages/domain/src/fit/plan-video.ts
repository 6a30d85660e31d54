import { nearestRate, nominalRate } from '../media/frame-rate.ts';
import { sentenceOf } from '../readiness/problem.ts';
import type { Rule } from '../readiness/rule.ts';
import type { FitRefusal, FitTask, VideoAttempt } from './attempt.ts';
import { canvasBounds, chooseCanvas, type OwnBounds, strictest } from './canvas.ts';
import { MAX_EXCESS_MS } from './max-excess.ts';

const MAX_SIDE = 4096;
const MAX_AREA = 4096 * 2304;

/** Longest side in pixels of a video that is enlarged or padded; most players show no larger video. */
const PADDED_SIDE = 1920;

/** Maximum number of pixels that are decoded and encoded. One core takes about half an hour for this. */
const MAX_WORK = 300_000_000_000;

const TOO_MUCH =
  'It has more frames than can be converted here, about 40 minutes in 1080p. Use a shorter or smaller version.';

const DEFAULT_RATE = 30;
const MAX_RATE = 60;
const USUAL_RATES = [24, 25, 30, 50, 60];

const AUDIO_BITRATE = 128_000;
const SAMPLE_RATE = 48_000;

const MIN_BITRATE = 100_000;
/**
 * Bits per pixel. Below `MIN_BITS`, a video looks better with fewer pixels; above `MAX_BITS`, more bits make no
 * visible difference.
 */
const MIN_BITS = 0.025;
const MAX_BITS = 0.2;

/** The share of a limit that is used, because frames have headers and encoders slightly miss the bitrate. */
const FILL = 0.92;

export const MAX_VIDEO_BYTES = 2_000_000_000;

/** A constant frame rate and whole audio packets lengthen the result by up to this many milliseconds. */
const ROUNDING_MS = 60;

const STEPS = [
  { quality: 75, rate: 1, shrink: 1 },
  { quality: 65, rate: 0.75, shrink: 1 },
  { quality: 55, rate: 0.5, shrink: 0.7 },
] as const;

export function videoAttempts({
  target,
  item,
  whole,
  how,
  rules,
  takes,
}: FitTask): readonly VideoAttempt[] | FitRefusal {
  if (!takes('video/mp4')) return { reason: `Videos can’t be published as ${target.title}.` };
  const bounds = canvasBounds(rules, ownBounds(item));
  const frameRate = chooseRate(item.details?.video?.frameRate ?? null, rules);
  const seconds = secondsOf(item);
  const largest = chooseCanvas(item, bounds, how);
  if (!largest) return { reason: `It can’t be resized to anything that ${target.title} accepts.` };
  const area = largest.width * largest.height;
  if (workOf({ ...item, ...whole }, { ...largest, frameRate }) > MAX_WORK) return { reason: TOO_MUCH };
  const videoBitrate = bitrateFor(rules, seconds, area * frameRate) - AUDIO_BITRATE;
  if (videoBitrate < MIN_BITRATE) return { reason: tooLong(rules, target.title) };
  const minBitrate = minBitrateOf(rules, seconds);
  const maxDurationMs = cutDuration(item.details?.video?.durationMs ?? null, rules);
  return STEPS.flatMap(({ quality, rate, shrink }): VideoAttempt[] => {
    const maxBitrate = Math.max(MIN_BITRATE, Math.floor(videoBitrate * rate));
    const worth = Math.sqrt(maxBitrate / MIN_BITS / (area * frameRate));
    const canvas = chooseCanvas(item, bounds, how, Math.min(shrink, worth));
    if (!canvas) return [];
    const sound = { sampleRate: SAMPLE_RATE, audioBitrate: AUDIO_BITRATE };
    const bitrates = { maxBitrate, minBitrate: Math.min(minBitrate, maxBitrate) };
    return [{ type: 'video/mp4', ...canvas, frameRate, quality, ...bitrates, ...sound, maxDurationMs }];
  });
}

/** Returns the number of pixels that are decoded and encoded; 0 if the length isn't known. */
export function workOf(item: FitTask['item'], made: Pick<VideoAttempt, 'width' | 'height' | 'frameRate'>): number {
  const rate = item.details?.video?.frameRate ?? made.frameRate;
  return (secondsOf(item) ?? 0) * (item.width * item.height * rate + made.width * made.height * made.frameRate);
}

const ownBounds = ({ width, height }: FitTask['item']): OwnBounds => ({
  maxSide: Math.min(MAX_SIDE, Math.max(PADDED_SIDE, width, height)),
  maxArea: MAX_AREA,
  step: 2,
});

/** Returns the original's nominal frame rate if it is accepted, otherwise the nearest usual one. */
function chooseRate(known: number | null, rules: readonly Rule[]): number {
  const [min, max] = [strictest(rules, 'frame_rate', 'min'), strictest(rules, 'frame_rate', 'max')];
  const minRate = min === null ? 0 : min.n / min.d / 1000;
  const maxRate = Math.min(MAX_RATE, max === null ? MAX_RATE : max.n / max.d / 1000);
  const wanted = known === null || known <= 0 ? DEFAULT_RATE : Math.round(nominalRate(known) * 1000) / 1000;
  if (wanted >= minRate && wanted <= maxRate) return wanted;
  const taken = USUAL_RATES.filter((rate) => rate >= minRate && rate <= maxRate);
  return nearestRate(taken, wanted) ?? maxRate;
}

function secondsOf({ time, details }: FitTask['item']): number | null {
  const milliseconds = details?.video?.durationMs ?? null;
  return milliseconds === null ? time : milliseconds / 1000;
}

function bitrateFor(rules: readonly Rule[], seconds: number | null, pixelsASecond: number): number {
  const limit = strictest(rules, 'bitrate', 'max');
  const byRate = limit === null ? Number.POSITIVE_INFINITY : (limit.n / limit.d) * FILL;
  const bytes = strictest(rules, 'bytes', 'max');
  const maxBytes = bytes === null ? MAX_VIDEO_BYTES : Math.min(MAX_VIDEO_BYTES, bytes.n / bytes.d);
  const bySize = seconds === null ? Number.POSITIVE_INFINITY : (maxBytes * 8 * FILL) / Math.max(1, seconds);
  const byPixels = Math.max(2_000_000, pixelsASecond * MAX_BITS) + AUDIO_BITRATE;
  return Math.min(byRate, bySize, byPixels);
}

/** Any video has a higher bitrate than this. */
const NEGLIGIBLE_BITRATE = 20_000;

/** Returns 0 if there is no minimum. */
function minBitrateOf(rules: readonly Rule[], seconds: number | null): number {
  const bytes = strictest(rules, 'bytes', 'min');
  if (bytes === null || seconds === null) return 0;
  const bitrate = Math.ceil(((bytes.n / bytes.d) * 8) / FILL / Math.max(1, seconds - 1));
  return bitrate < NEGLIGIBLE_BITRATE ? 0 : bitrate;
}

function tooLong(rules: readonly Rule[], title: string): string {
  const rule = rules.find(({ measure, bound }) => measure === 'bytes' && bound === 'max');
  const sentence = rule ? sentenceOf(rule) : `Videos in ${title} must not be larger than 2 GB.`;
  return `${sentence} It is too long for that. Trim it.`;
}

/**
 * If a video is only just within the limit, or exceeds it by at most {@link MAX_EXCESS_MS}, returns a duration that is
 * shorter than the limit by {@link ROUNDING_MS}; otherwise null.
 */
function cutDuration(durationMs: number | null, rules: readonly Rule[]): number | null {
  const limit = strictest(rules, 'duration', 'max');
  if (limit === null || durationMs === null) return null;
  const maxMs = limit.n / limit.d;
  return durationMs <= maxMs + MAX_EXCESS_MS && durationMs > maxMs - ROUNDING_MS ? maxMs - ROUNDING_MS : null;
}
