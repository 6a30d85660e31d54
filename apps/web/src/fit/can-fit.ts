import type { MediaItem, Operations } from '@postshelf/client';

type Problem = Operations['readiness']['item']['output']['data'][number]['problems'][number];

interface Found {
  readonly problems: readonly Problem[];
}

/** Measures that a new file can fix; not `duration`, as films are never cut, nor `bytes.min`. */
const MENDED = [
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
  'moov',
  'edit_list',
  'frames',
];

/** Measures that an animated picture fixes by becoming a film. */
const MENDED_BY_FILM = ['count', 'kinds', 'duration'];

const KINDS = new Set(['image', 'gif', 'video']);

/** `aspect.max` of `instagram.feed.image.aspect.max`: what a rule measures, without its target and kind of file. */
function measureOf(rule: string): string {
  const [, , ...rest] = rule.split('.');
  return (KINDS.has(rest[0] ?? '') ? rest.slice(1) : rest).join('.');
}

const isOneOf = (measure: string, known: readonly string[]): boolean =>
  known.some((one) => measure === one || measure.startsWith(`${one}.`));

/**
 * Whether a file that a target takes can be made of an item: it has problems that a new file fixes, and none that it
 * doesn't. The service decides in the end, and says why not.
 */
export function canFit(item: Pick<MediaItem, 'status' | 'details'>, { problems }: Found): boolean {
  const { mime, image } = item.details ?? {};
  const isMoving = (image?.frames ?? 1) > 1;
  // Of animated pictures only GIFs become films.
  if (item.status !== 'active' || (isMoving && mime !== 'image/gif')) return false;
  const mended = isMoving ? [...MENDED, ...MENDED_BY_FILM] : MENDED;
  const becomes = mime?.startsWith('video/') || isMoving ? 'video/' : 'image/';
  const isMended = ({ rule, limit }: Problem): boolean => {
    const measure = measureOf(rule);
    // A still picture can't become a film.
    if (measure === 'type') return Array.isArray(limit) && limit.some((type) => type.startsWith(becomes));
    return isOneOf(measure, mended);
  };
  const known = problems.filter(({ actual }) => actual !== null);
  return known.some(isMended) && problems.every((problem) => problem.severity === 'warning' || isMended(problem));
}

/** Whether the picture's shape has to change, so that bars or a cut have to be chosen. */
export const changesShape = ({ problems }: Found): boolean =>
  problems.some(({ rule }) => measureOf(rule).startsWith('aspect'));
