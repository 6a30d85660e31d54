import { parseUuid, type Uuid } from '../ids.ts';
import type { ActiveMedia, MediaContent, MediaWithCover } from '../media/item.ts';
import { kindOf } from '../media/types.ts';

/** Pixels across. */
const WIDTHS = [160, 320, 640, 1280] as const;

const NARROWEST = WIDTHS[0];

/** Pixels. A taller preview is left out, as no page shows one. WebP's own limit is twice as high. */
const MAX_HEIGHT = 8192;

/** A smaller image of an item, upright. */
export interface PreviewSize {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Identifies a preview, in storage and at the end of its link. */
export interface PreviewKey {
  readonly workspaceId: Uuid;
  /** The item that it is made of; for a video its cover. */
  readonly id: Uuid;
  /** Pixels. */
  readonly width: number;
}

/**
 * The sizes of an image's previews, the narrowest first. None is wider than the image; an image narrower than the
 * narrowest size has one preview of its own width. The aspect ratio is kept, rounded to whole pixels.
 *
 * @param image its size as displayed
 */
export function previewSizes({ width, height }: Pick<MediaContent, 'width' | 'height'>): readonly PreviewSize[] {
  const widths = width < NARROWEST ? [width] : WIDTHS.filter((each) => each <= width);
  return widths
    .map((each) => ({ width: each, height: Math.max(1, Math.round((height * each) / width)) }))
    .filter((size) => size.height <= MAX_HEIGHT);
}

/** The image that an item's previews are made of: itself, or its cover; null where there is none (yet). */
export function previewSubject({ item, cover }: MediaWithCover): ActiveMedia | null {
  if (item.status !== 'active') return null;
  return kindOf(item.content.type) === 'image' ? item : cover;
}

/** `{workspace}/{id}/{width}.webp`, below a separate folder that no object key refers to. */
export const previewPath = ({ workspaceId, id, width }: PreviewKey): string => `${workspaceId}/${id}/${width}.webp`;

const NAME = /^([1-9]\d{0,3})\.webp$/;

/** The key of a {@link previewPath}; null for any other text. */
export function parsePreviewPath(path: string): PreviewKey | null {
  const [workspace, item, name = '', ...more] = path.split('/');
  const [workspaceId, id, width] = [parseUuid(workspace), parseUuid(item), NAME.exec(name)?.[1]];
  if (!workspaceId || !id || width === undefined || more.length > 0) return null;
  const key = { workspaceId, id, width: Number(width) };
  // Only the canonical spelling of UUIDs is valid.
  return previewPath(key) === path ? key : null;
}
