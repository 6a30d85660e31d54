import type { MediaItem, Operations } from '@postshelf/client';

type Problem = Operations['readiness']['item']['output']['data'][number]['problems'][number];

interface Found {
  readonly problems: readonly Problem[];
}

/** What making a new file mends; `duration` isn't here, as films are never cut, nor `bytes.min`. */
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

/** What a picture that moves has no more once it is a film. */
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
 * Whether a file that a target takes may be made of an item: something is wrong that a new file mends, and nothing that none
 * mends. The service has the last word, and says why not.
 */
export function canFit(item: Pick<MediaItem, 'status' | 'details'>, { problems }: Found): boolean {
  const { mime, image } = item.details ?? {};
  const isMoving = (image?.frames ?? 1) > 1;
  // Of those that move GIFs alone become films; the others keep what they are.
  if (item.status !== 'active' || (isMoving && mime !== 'image/gif')) return false;
  const mended = isMoving ? [...MENDED, ...MENDED_BY_FILM] : MENDED;
  const becomes = mime?.startsWith('video/') || isMoving ? 'video/' : 'image/';
  const isMended = ({ rule, limit }: Problem): boolean => {
    const measure = measureOf(rule);
    // A picture becomes no film.
    if (measure === 'type') return Array.isArray(limit) && limit.some((type) => type.startsWith(becomes));
    return isOneOf(measure, mended);
  };
  const known = problems.filter(({ actual }) => actual !== null);
  return known.some(isMended) && problems.every((problem) => problem.severity === 'warning' || isMended(problem));
}

/** Whether the picture's shape would have to change, so that bars or a cut are the question. */
export const changesShape = ({ problems }: Found): boolean =>
  problems.some(({ rule }) => measureOf(rule).startsWith('aspect'));
