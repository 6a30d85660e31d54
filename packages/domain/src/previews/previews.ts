import { parseUuid, type Uuid } from '../ids.ts';
import type { ActiveMedia, MediaContent, MediaWithCover } from '../media/item.ts';
import { kindOf } from '../media/types.ts';

/** Widths in pixels. */
const WIDTHS = [160, 320, 640, 1280] as const;

const NARROWEST = WIDTHS[0];

/** Maximum height in pixels. No page shows a taller preview; WebP's own limit is twice as high. */
export const MAX_PREVIEW_HEIGHT = 8192;

/** The size of an upright preview. */
export interface PreviewSize {
  readonly width: number;
  readonly height: number;
}

export interface PreviewKey {
  readonly workspaceId: Uuid;
  /** The item's id; for a video, its cover's. */
  readonly id: Uuid;
  readonly width: number;
}

/**
 * Returns the sizes of an image's previews, the narrowest first. None is wider than the image, and there is at least
 * one.
 *
 * @param image as displayed
 */
export function previewSizes({ width, height }: Pick<MediaContent, 'width' | 'height'>): readonly PreviewSize[] {
  const widths = width < NARROWEST ? [width] : WIDTHS.filter((each) => each <= width);
  return widths
    .map((each) => ({ width: each, height: Math.max(1, Math.round((height * each) / width)) }))
    .filter((size) => size.height <= MAX_PREVIEW_HEIGHT);
}

export function previewSubject({ item, cover }: MediaWithCover): ActiveMedia | null {
  if (item.status !== 'active') return null;
  return kindOf(item.content.type) === 'image' ? item : cover;
}

/** Returns the path of a preview within the folder for previews. No object key can name a file in that folder. */
export const previewPath = ({ workspaceId, id, width }: PreviewKey): string => `${workspaceId}/${id}/${width}.webp`;

const NAME = /^([1-9]\d{0,3})\.webp$/;

/** Parses the path of a preview; returns null for any other text. */
export function parsePreviewPath(path: string): PreviewKey | null {
  const [workspace, item, name = '', ...more] = path.split('/');
  const [workspaceId, id, width] = [parseUuid(workspace), parseUuid(item), NAME.exec(name)?.[1]];
  if (!workspaceId || !id || width === undefined || more.length > 0) return null;
  const key = { workspaceId, id, width: Number(width) };
  // Only canonical UUIDs are valid.
  return previewPath(key) === path ? key : null;
}
