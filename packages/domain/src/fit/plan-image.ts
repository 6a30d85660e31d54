import type { FitRefusal, FitTask, ImageAttempt } from './attempt.ts';
import { canvasBounds, chooseCanvas, type OwnBounds } from './canvas.ts';

const MAX_ORIGINAL_AREA = 64_000_000;

const TOO_LARGE = 'It has more than 64 megapixels, which is the maximum that can be converted here.';

const OWN: OwnBounds = { maxSide: 8192, maxArea: 24_000_000, step: 1 };

type ImageType = ImageAttempt['type'];

/** Attempts reduce the quality first, then the size. */
const LOSSY = [
  { quality: 92, shrink: 1 },
  { quality: 82, shrink: 1 },
  { quality: 70, shrink: 1 },
  { quality: 75, shrink: 0.7 },
  { quality: 75, shrink: 0.5 },
  { quality: 70, shrink: 0.35 },
  { quality: 60, shrink: 0.25 },
] as const;

const LOSSLESS = [1, 0.7, 0.5, 0.35, 0.25].map((shrink) => ({ quality: 100, shrink }));

/** Returns attempts in the original's type. For a PNG, attempts in a type that compresses better follow. */
export function imageAttempts({
  target,
  item,
  whole,
  how,
  rules,
  takes,
}: FitTask): readonly ImageAttempt[] | FitRefusal {
  if (whole.width * whole.height > MAX_ORIGINAL_AREA) return { reason: TOO_LARGE };
  const hasAlpha = item.type !== 'image/jpeg' && item.details?.image?.hasAlpha !== false;
  const [best] = typesFor(item.type, hasAlpha).filter(takes);
  if (best === undefined) return { reason: `Images can’t be published as ${target.title}.` };
  const bounds = canvasBounds(rules, OWN);
  const attempts = stepsOf(best, hasAlpha, takes).flatMap(({ type, quality, shrink }): ImageAttempt[] => {
    const canvas = chooseCanvas(item, bounds, how, shrink);
    return canvas ? [{ type, ...canvas, quality }] : [];
  });
  if (attempts.length === 0) return { reason: `It can’t be resized to anything that ${target.title} accepts.` };
  return attempts.filter((attempt, index) => !isRepeated(attempt, attempts.slice(0, index)));
}

/**
 * Returns the types to try, best first: the original's, and then the others, which start with PNG if the image may be
 * transparent.
 */
function typesFor(type: string, hasAlpha: boolean): readonly ImageType[] {
  const others: readonly ImageType[] = hasAlpha
    ? ['image/png', 'image/webp', 'image/jpeg']
    : ['image/jpeg', 'image/png', 'image/webp'];
  // A GIF with one frame has few colours, like a drawing, so PNG suits it best.
  const own = type === 'image/gif' ? 'image/png' : others.find((other) => other === type);
  return own ? [own, ...others] : others;
}

function stepsOf(best: ImageType, hasAlpha: boolean, takes: FitTask['takes']) {
  const as = (type: ImageType, steps: readonly { readonly quality: number; readonly shrink: number }[]) =>
    steps.map((step) => ({ type, ...step }));
  if (best !== 'image/png') return as(best, LOSSY);
  const smaller: readonly ImageType[] = hasAlpha ? ['image/webp'] : ['image/jpeg', 'image/webp'];
  const lossy = smaller.find(takes);
  return lossy ? [...as(best, LOSSLESS.slice(0, 1)), ...as(lossy, LOSSY)] : as(best, LOSSLESS);
}

const isRepeated = (attempt: ImageAttempt, before: readonly ImageAttempt[]): boolean =>
  before.some(
    ({ type, width, height, quality }) =>
      type === attempt.type && width === attempt.width && height === attempt.height && quality <= attempt.quality,
  );
