import { placeholderOf } from '@postshelf/browser/media/media-facts.ts';
import type { MediaItem } from '@postshelf/client';
import type { SlideData } from 'photoswipe';

/** Maximum size in bytes of an animated image whose original is shown. Previews aren't animated. */
const MAX_MOVING = 20_000_000;

/** Maximum factor by which a small image is enlarged. */
const ENLARGED = 2;

/** Nominal size of a video in pixels, so that it fills the stage regardless of its real size. */
const FILLING = 10_000;

/**
 * An item as PhotoSwipe shows it. The page itself renders items that aren't images, in an element that PhotoSwipe
 * places.
 */
export interface Slide extends SlideData {
  readonly type: 'image' | 'video' | 'state';
  /** Identifies the content; when it changes, the slide has to be rendered again. */
  readonly key: string;
  readonly id: string | null;
  /** The image that is shown until the file is loaded. */
  readonly placeholder?: string | null;
  readonly isTransparent?: boolean;
}

/**
 * @param item null while it hasn't been read
 * @param isMotionReduced whether the user prefers no animations
 * @param isBroken whether the item's preview couldn't be loaded, because the service was too busy to generate it
 */
export function slideOf(item: MediaItem | null, isMotionReduced: boolean, isBroken: boolean): Slide {
  if (item === null) return { type: 'state', key: 'unread', id: null, width: FILLING, height: FILLING };
  const { id, status, time, width, height, details, link } = item;
  if (status !== 'active') return { type: 'state', key: `${id} ${status}`, id, width: FILLING, height: FILLING };
  const previews = details?.previews ?? [];
  const largest = isBroken ? undefined : previews.at(-1);
  const shape = { width: width ?? 1, height: height ?? 1 };
  const isTransparent = details?.image?.has_alpha ?? false;
  const common = { id, thumbCropped: true, placeholder: placeholderOf(item), isTransparent };
  if (time !== null) {
    const scale = FILLING / Math.max(shape.width, shape.height);
    const cover = largest?.link ?? item.thumbnail?.link ?? null;
    return {
      ...common,
      type: 'video',
      key: `${id} video`,
      ...(cover !== null && { placeholder: cover }),
      width: shape.width * scale,
      height: shape.height * scale,
    };
  }
  const isMoving = (details?.image?.frames ?? 1) > 1 && (item.size ?? 0) <= MAX_MOVING && !isMotionReduced;
  const sources = [...previews, ...(width === null ? [] : [{ link, width }])];
  return {
    ...common,
    type: 'image',
    key: `${id} ${isMoving} ${largest === undefined} ${shape.width}x${shape.height}`,
    src: isMoving || !largest ? link : largest.link,
    // The browser uses the original only for images that are enlarged beyond the largest preview.
    ...(!isMoving && largest && { srcset: sources.map((one) => `${one.link} ${one.width}w`).join(', ') }),
    width: shape.width * ENLARGED,
    height: shape.height * ENLARGED,
    alt: altOf(item),
  };
}

/** The item's text for screen readers. */
export const altOf = ({ name, details }: MediaItem): string => details?.alt_text ?? name;
