import type { MediaItem, Operations } from '@postshelf/client';
import { MAX_EXCESS_MS } from '@postshelf/domain/fit/max-excess';

type Problem = Operations['readiness']['item']['output']['data'][number]['problems'][number];

interface Found {
  readonly problems: readonly Problem[];
}

/**
 * Measures that a conversion can fix. They include neither `duration`, because only a video that exceeds the limit by at
 * most {@link MAX_EXCESS_MS} is cut, nor `bytes.min`.
 */
const FIXABLE = [
  'bytes.max',
  'width',
  'height',
  'area',
  'aspect',
  'frame_rate',
  'bitrate',
  'codec',
  'chroma',
  'audio',
  'channels',
  'moov',
  'edit_list',
  'frames',
];

/** Additional measures that are fixed by the conversion of an animated image to a video. */
const FIXABLE_BY_VIDEO = ['count', 'kinds', 'duration'];

const KINDS = new Set(['image', 'gif', 'video']);

/**
 * Returns a rule's measure, which is its name without the target and the kind of file: `aspect.max` for
 * `instagram.feed.image.aspect.max`.
 */
function measureOf(rule: string): string {
  const [, , ...rest] = rule.split('.');
  return (KINDS.has(rest[0] ?? '') ? rest.slice(1) : rest).join('.');
}

const isOneOf = (measure: string, known: readonly string[]): boolean =>
  known.some((one) => measure === one || measure.startsWith(`${one}.`));

/**
 * Whether an item can be converted to a file that the target accepts. This is so if the item has problems and a
 * conversion fixes all of them. The result only decides whether to offer the conversion; the service may still refuse
 * it with a reason.
 */
export function canFit(item: Pick<MediaItem, 'status' | 'details'>, { problems }: Found): boolean {
  const { mime, image } = item.details ?? {};
  const isMoving = (image?.frames ?? 1) > 1;
  // GIFs are the only animated images that can be converted to videos.
  if (item.status !== 'active' || (isMoving && mime !== 'image/gif')) return false;
  const fixable = isMoving ? [...FIXABLE, ...FIXABLE_BY_VIDEO] : FIXABLE;
  const becomes = mime?.startsWith('video/') || isMoving ? 'video/' : 'image/';
  const isFixable = ({ rule, limit, actual }: Problem): boolean => {
    const measure = measureOf(rule);
    // The file's type can change, but a still image can't become a video.
    if (measure === 'type') return Array.isArray(limit) && limit.some((type) => type.startsWith(becomes));
    if (
      measure === 'duration.max' &&
      typeof limit === 'number' &&
      typeof actual === 'number' &&
      Math.round((actual - limit) * 1000) <= MAX_EXCESS_MS
    )
      return true;
    return isOneOf(measure, fixable);
  };
  const known = problems.filter(({ actual }) => actual !== null);
  return known.some(isFixable) && problems.every((problem) => problem.severity === 'warning' || isFixable(problem));
}
