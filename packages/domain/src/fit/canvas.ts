import { compare, type Quantity } from '../readiness/compare.ts';
import { isNumberRule, type NumberMeasure, type Rule } from '../readiness/rule.ts';

/** How a file is made to fit another ratio: by adding bars or by cropping. */
export const FIT_MODES = ['pad', 'crop'] as const;
export type FitMode = (typeof FIT_MODES)[number];

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Limits for a canvas, in pixels. */
export interface CanvasBounds {
  /** null if there is no limit. */
  readonly narrowest: Quantity | null;
  readonly widest: Quantity | null;
  readonly min: Size;
  readonly max: Size;
  readonly maxArea: number;
  readonly step: 1 | 2;
}

export interface OwnBounds {
  readonly maxSide: number;
  readonly maxArea: number;
  readonly step: 1 | 2;
}

/** Returns the strictest limit, with each rule read as cautiously as possible ({@link NumberRule.warns}). */
export function strictest(rules: readonly Rule[], measure: NumberMeasure, bound: 'min' | 'max'): Quantity | null {
  const limits = rules.flatMap((rule) =>
    isNumberRule(rule) && rule.measure === measure && rule.bound === bound ? [rule.warns] : [],
  );
  const sign = bound === 'max' ? 1 : -1;
  return limits.sort((a, b) => sign * compare(a, b))[0] ?? null;
}

export function canvasBounds(rules: readonly Rule[], own: OwnBounds): CanvasBounds {
  const limitOf = (measure: NumberMeasure, bound: 'min' | 'max', otherwise: number): number => {
    const limit = strictest(rules, measure, bound);
    return limit === null ? otherwise : limit.n / limit.d;
  };
  const side = (measure: 'width' | 'height'): readonly [number, number] => [
    limitOf(measure, 'min', own.step),
    Math.min(own.maxSide, limitOf(measure, 'max', own.maxSide)),
  ];
  const [minWidth, maxWidth] = side('width');
  const [minHeight, maxHeight] = side('height');
  return {
    narrowest: strictest(rules, 'aspect', 'min'),
    widest: strictest(rules, 'aspect', 'max'),
    min: { width: minWidth, height: minHeight },
    max: { width: maxWidth, height: maxHeight },
    maxArea: Math.min(own.maxArea, limitOf('area', 'max', own.maxArea)),
    step: own.step,
  };
}

/**
 * Maximum distance, in steps, between the wanted width and the widths that are tried. Several are tried, because few
 * widths give an exact ratio such as 4:5.
 */
const MAX_OFFSET = 512;

/** Products of fractions may be just below a whole number. */
const ROUNDING = 1e-6;

/**
 * Returns the size to which a file is padded or cropped. Its ratio is the allowed one that is nearest to the file's,
 * and the image isn't scaled unless the bounds require it. Returns null if no size is allowed.
 *
 * @param shrink a factor of at most 1, applied as far as the bounds allow
 */
export function chooseCanvas(size: Size, bounds: CanvasBounds, how: FitMode, shrink = 1): Size | null {
  const ratio = nearestRatio(size, bounds);
  const isTall = ratio > size.width / size.height === (how === 'pad');
  const box = isTall
    ? { width: size.height * ratio, height: size.height }
    : { width: size.width, height: size.width / ratio };
  const { min, max, maxArea, step } = bounds;
  const maxScale = Math.min(
    max.width / box.width,
    max.height / box.height,
    Math.sqrt(maxArea / box.width / box.height),
  );
  const minScale = Math.max(min.width / box.width, min.height / box.height);
  const scale = Math.max(minScale, Math.min(1, maxScale) * shrink);
  const wanted = Math.floor((box.width * scale) / step + ROUNDING);
  for (let offset = 0; offset <= MAX_OFFSET; offset += 1) {
    for (const width of offset === 0 ? [wanted] : [wanted - offset, wanted + offset]) {
      const canvas = withHeight(width * step, ratio, bounds);
      if (canvas) return canvas;
    }
  }
  return null;
}

const asNumber = ({ n, d }: Quantity): number => n / d;

function nearestRatio({ width, height }: Size, { narrowest, widest }: CanvasBounds): number {
  const minRatio = narrowest === null ? 0 : asNumber(narrowest);
  const maxRatio = widest === null ? Number.POSITIVE_INFINITY : asNumber(widest);
  return Math.min(maxRatio, Math.max(minRatio, width / height));
}

function withHeight(width: number, ratio: number, bounds: CanvasBounds): Size | null {
  const { narrowest, widest, min, max, maxArea, step } = bounds;
  if (width < Math.max(step, min.width) || width > max.width) return null;
  // The width is multiplied before it is divided, so that whole numbers stay exact.
  const lowest = Math.max(min.height, step, widest === null ? 0 : (width * widest.d) / widest.n);
  const highest = Math.min(
    max.height,
    Math.floor(maxArea / width),
    narrowest === null ? Number.POSITIVE_INFINITY : (width * narrowest.d) / narrowest.n,
  );
  const minHeight = Math.ceil(lowest / step) * step;
  const maxHeight = Math.floor(highest / step) * step;
  if (minHeight > maxHeight) return null;
  const wanted = Math.round(width / ratio / step) * step;
  return { width, height: Math.min(maxHeight, Math.max(minHeight, wanted)) };
}
