import { TARGETS } from '@postshelf/domain/readiness';

/** An aspect ratio to choose. */
export interface Shape {
  readonly id: string;
  /** The displayed name, such as "Portrait 4:5". */
  readonly label: string;
  /** Width divided by height; null for the ratio of the whole image. */
  readonly ratio: number | null;
}

export const WHOLE: Shape = { id: 'whole', label: 'Whole image', ratio: null };

const shape = (name: string, width: number, height: number): Shape => ({
  id: `${width}:${height}`,
  label: `${name} ${width}:${height}`,
  ratio: width / height,
});

const SQUARE = shape('Square', 1, 1);
const PORTRAIT = shape('Portrait', 4, 5);
const PIN = shape('Portrait', 2, 3);
const UPRIGHT = shape('Upright', 9, 16);
const PHOTO = shape('Photo', 4, 3);
const WIDE = shape('Wide', 16, 9);
const LINK = shape('Banner', 1.91, 1);

/** Common aspect ratios per target, the most common first. All of them comply with the target's rules. */
const USUAL: Readonly<Record<string, readonly Shape[]>> = {
  'instagram.feed': [PORTRAIT, SQUARE, LINK],
  'instagram.reel': [UPRIGHT],
  'instagram.story': [UPRIGHT],
  'facebook.post': [PORTRAIT, SQUARE, LINK],
  'facebook.reel': [UPRIGHT],
  'facebook.story': [UPRIGHT],
  'tiktok.post': [UPRIGHT],
  'youtube.video': [WIDE],
  'youtube.short': [UPRIGHT, SQUARE],
  'threads.post': [PORTRAIT, SQUARE, UPRIGHT],
  'x.post': [WIDE, SQUARE],
  'bluesky.post': [SQUARE, WIDE],
  'mastodon.post': [WIDE, SQUARE],
  'linkedin.post': [LINK, SQUARE, PORTRAIT],
  'pinterest.pin': [PIN, SQUARE],
  'google_business.post': [PHOTO, SQUARE],
};

const ANY = [SQUARE, PORTRAIT, WIDE];

/** Returns the shapes that a user can choose for these targets. The whole image comes first. */
export function shapesFor(targets: readonly string[]): readonly Shape[] {
  return [...new Set([WHOLE, ...targets.flatMap((target) => USUAL[target] ?? ANY)])];
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Whether a target accepts an image or video of this aspect ratio without bars. */
export const takesShape = (target: string, kind: 'image' | 'video', { width, height }: Size): boolean =>
  acceptedRatio(target, kind, { width, height }) === width / height;

/** Returns the image's own aspect ratio if the target accepts it, or else the nearest one that it accepts. */
export function acceptedRatio(target: string, kind: 'image' | 'video', { width, height }: Size): number {
  const rules = TARGETS.find((one) => one.target === target)?.rules ?? [];
  return rules.reduce((ratio, rule) => {
    if (rule.measure !== 'aspect' || (rule.kind !== null && rule.kind !== kind)) return ratio;
    const limit = rule.warns.n / rule.warns.d;
    return rule.bound === 'min' ? Math.max(ratio, limit) : Math.min(ratio, limit);
  }, width / height);
}

/** A point in fractions of the image's width and height. */
export interface Place {
  readonly x: number;
  readonly y: number;
}

export interface Part extends Place, Size {}

export const CENTRE: Place = { x: 0.5, y: 0.5 };

/**
 * Returns the part of an image that has the given shape. It is the largest possible part, reduced by the zoom, with its
 * centre as near to `at` as possible.
 *
 * @param ratio the part's width divided by its height; null for the image's ratio
 * @param zoom 1 or more
 * @param at the preferred centre of the part
 */
export function partOf(size: Size, ratio: number | null, zoom: number, at: Place): Part {
  const own = size.width / size.height;
  const wanted = ratio ?? own;
  const width = Math.min(1, wanted / own) / zoom;
  const height = Math.min(1, own / wanted) / zoom;
  const within = (middle: number, length: number) => Math.min(1 - length, Math.max(0, middle - length / 2));
  return { x: within(at.x, width), y: within(at.y, height), width, height };
}

/** Tolerance for rounding errors in sums of fractions. */
const ROUNDING = 1e-6;

/**
 * Returns the focus of an image: the centre of the part that the user has chosen. In a dimension that the part covers
 * completely, the previous focus is kept.
 *
 * @param before the previous focus
 */
export function focusOf(part: Part, before: Place): Place {
  const middle = middleOf(part);
  return {
    x: part.width > 1 - ROUNDING ? before.x : within(middle.x),
    y: part.height > 1 - ROUNDING ? before.y : within(middle.y),
  };
}

const within = (fraction: number): number => Math.min(1, Math.max(0, fraction));

export const middleOf = ({ x, y, width, height }: Part): Place => ({ x: x + width / 2, y: y + height / 2 });
