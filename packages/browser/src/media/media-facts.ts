import type { MediaItem } from '@postshelf/client';

/** Formats a duration: 0:32, 12:05, 1:02:03. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const two = (number: number): string => String(number).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

export function secondsOf({ time, details }: MediaItem): number | null {
  const exact = details?.video?.duration_ms;
  return exact === undefined || exact === null ? time : exact / 1000;
}

/** Returns the text below an item's name: its size, or its status. */
export function captionOf(item: MediaItem): string {
  if (item.status === 'processing') return 'Processing';
  if (item.status === 'temporary') return 'Waiting for its file';
  if (item.status === 'failed') return item.error_message ?? 'Failed';
  return item.width && item.height ? `${item.width} × ${item.height}` : '';
}

/** Returns the link to a blurred placeholder; null for transparent images, through which it would show. */
export const placeholderOf = ({ details }: MediaItem): string | null =>
  details?.image?.has_alpha ? null : (details?.placeholder ?? null);

/** Returns the id of the item's workspace, which is the first part of its full name. */
export const workspaceOf = ({ full_name }: MediaItem): string => full_name.slice(0, full_name.indexOf('/'));

/** Maximum pixel ratio of previews: more pixels are hardly visible in a tile, but take longer to load. */
const MAX_PIXEL_RATIO = 1.5;

/**
 * Returns the link to the smallest preview that fills a tile, or to the largest preview if none does; null if there are
 * no previews.
 *
 * @param tile width in CSS pixels
 */
export function previewOf({ details }: MediaItem, tile: number, pixelRatio: number): string | null {
  const previews = details?.previews ?? [];
  // A preview that is up to a tenth narrower than the tile doesn't look noticeably worse.
  const wanted = tile * Math.min(pixelRatio, MAX_PIXEL_RATIO) * 0.9;
  return (previews.find(({ width }) => width >= wanted) ?? previews.at(-1))?.link ?? null;
}
