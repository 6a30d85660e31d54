import { kindOf, type MediaType } from '../media/types.ts';
import { checkReadiness } from '../readiness/check.ts';
import { rulesFor } from '../readiness/check-item.ts';
import type { ReadinessProblem } from '../readiness/problem.ts';
import type { ItemFacts, Target } from '../readiness/rule.ts';
import type { FitAttempt, FitPlan, FitRefusal, FitTask } from './attempt.ts';
import type { FitMode } from './canvas.ts';
import { type FitCrop, sizeOfPart } from './crop.ts';
import { imageAttempts } from './plan-image.ts';
import { MAX_VIDEO_BYTES, videoAttempts, workOf } from './plan-video.ts';

const MAX_IMAGE_BYTES = 100_000_000;

const ANIMATED =
  'Animated images other than GIFs can’t be converted here. Save the image as a GIF or a video, or use one of its frames.';
const UNKNOWN_FRAMES = 'The file is still being analysed. Try again later.';

/**
 * Plans how an item is made to fit a target. The result's size in bytes is judged only after it has been made ({@link
 * judgeFitted}). There is no plan if the item would have to be lengthened, or shortened by more than a tenth of a second,
 * or would lose its animation.
 *
 * @param crop the part that is kept before `how` applies; null for the whole frame
 */
export function planFit(
  target: Target,
  original: ItemFacts,
  how: FitMode,
  crop: FitCrop | null = null,
): FitPlan | FitRefusal {
  const item = { ...original, ...sizeOfPart(original, crop) };
  const { type } = item;
  const frames = item.details?.image?.frames ?? null;
  if ((type === 'image/png' || type === 'image/webp') && frames !== 1) {
    return { reason: frames === null ? UNKNOWN_FRAMES : ANIMATED };
  }
  const isVideo = kindOf(type) === 'video' || (type === 'image/gif' && frames !== 1);
  const task: FitTask = {
    target,
    item,
    whole: { width: original.width, height: original.height },
    how,
    rules: rulesFor(target, isVideo ? 'video' : 'image'),
    takes: (wanted) => takes(target, wanted),
  };
  const attempts = isVideo ? videoAttempts(task) : imageAttempts(task);
  if ('reason' in attempts) return attempts;
  const kept = attempts.filter((attempt) => firstError(target, predict(item, attempt)) === null);
  const [first, ...others] = kept;
  if (!first) return { reason: whyNone(target, item, attempts) };
  const limits = { maxBytes: maxBytesOf(task, isVideo), maxTimeMs: maxTimeOf(original, first) };
  return { crop, how, from: type, attempts: [first, ...others], ...limits };
}

const MIN_TIME = 120_000;
const MAX_TIME = 45 * 60_000;

/** Minimum expected speed in pixels per millisecond: a tenth of what one core achieves. */
const SLOWEST_RATE = 16_000;

const GIF_FRAMES = 300;
const GIF_REPEATS = 10;

function maxTimeOf(item: ItemFacts, attempt: FitAttempt): number {
  if (attempt.type !== 'video/mp4') return MIN_TIME;
  const { image } = item.details ?? {};
  const work =
    kindOf(item.type) === 'video'
      ? workOf(item, attempt)
      : (image?.frames ?? GIF_FRAMES) * (item.width * item.height + GIF_REPEATS * attempt.width * attempt.height);
  return Math.min(MAX_TIME, MIN_TIME + Math.ceil(work / SLOWEST_RATE));
}

function takes(target: Target, type: MediaType): boolean {
  return rulesFor(target, kindOf(type)).every((rule) => rule.measure !== 'type' || rule.limit.includes(type));
}

function maxBytesOf({ rules }: FitTask, isVideo: boolean): number {
  const limits = rules.flatMap((rule) =>
    rule.measure === 'bytes' && rule.bound === 'max' ? [Math.floor(rule.fails.n / rule.fails.d)] : [],
  );
  return Math.min(isVideo ? MAX_VIDEO_BYTES : MAX_IMAGE_BYTES, ...limits);
}

export function predict(item: ItemFacts, attempt: FitAttempt): ItemFacts {
  const { type, width, height } = attempt;
  const size = 1_000_000;
  if (type !== 'video/mp4') {
    const hasAlpha = type === 'image/jpeg' ? false : (item.details?.image?.hasAlpha ?? null);
    return { type, size, width, height, time: null, details: { image: { frames: 1, hasAlpha }, video: null } };
  }
  const known = item.details?.video;
  const audio = { codec: 'aac', sampleRate: attempt.sampleRate, channels: 2 };
  const video = {
    codec: 'avc',
    durationMs: attempt.maxDurationMs ?? known?.durationMs ?? null,
    frameRate: attempt.frameRate,
    bitrate: attempt.maxBitrate + attempt.audioBitrate,
    chroma: '4:2:0',
    rotation: 0 as const,
    moovFirst: true,
    editList: false,
    hdr: null,
    audio: known && known.audio === null ? null : audio,
  };
  return { type, size, width, height, time: item.time, details: { image: null, video } };
}

/** Returns the first error other than one about the size in bytes. */
function firstError(target: Target, facts: ItemFacts): ReadinessProblem | null {
  const { problems } = checkReadiness(target, [{ id: null, ...facts }]);
  return problems.find(({ severity, rule }) => severity === 'error' && !/\.bytes\.(?:min|max)$/.test(rule)) ?? null;
}

const withRemedy = ({ message, remedy }: ReadinessProblem): string => `${message} ${remedy}`;

function whyNone(target: Target, item: ItemFacts, attempts: readonly FitAttempt[]): string {
  const [first] = attempts;
  const problem = first && firstError(target, predict(item, first));
  return problem ? withRemedy(problem) : `It can’t be converted to anything that ${target.title} accepts.`;
}

/** `unfit` means that no attempt would help. */
export type FitVerdict =
  | { readonly kind: 'fits' }
  | { readonly kind: 'too_large'; readonly isUsable: boolean; readonly reason: string }
  | { readonly kind: 'unfit'; readonly reason: string };

/**
 * Judges a file that was made. A file that is too large is usable if the rules only warn about its size; it is used if
 * no attempt makes a smaller one.
 */
export function judgeFitted(target: Target, facts: ItemFacts): FitVerdict {
  const { problems } = checkReadiness(target, [{ id: null, ...facts }]);
  const unfit = problems.find((problem) => problem.severity === 'error' && !isOfSize(problem));
  if (unfit) return { kind: 'unfit', reason: unfit.message };
  const large = problems.filter(isOfSize);
  const [worst] = [...large.filter(({ severity }) => severity === 'error'), ...large];
  if (!worst) return { kind: 'fits' };
  return { kind: 'too_large', isUsable: worst.severity === 'warning', reason: worst.message };
}

const isOfSize = ({ rule, actual }: ReadinessProblem): boolean =>
  actual !== null && /\.(?:bytes|bitrate)\.max$/.test(rule);
