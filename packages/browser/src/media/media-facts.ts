import type { MediaItem } from '@postshelf/client';

/** A duration in the format of media players: 0:32, 12:05, 1:02:03. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const two = (number: number): string => String(number).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** The duration of a video in seconds; null for images. */
export function secondsOf({ time, details }: MediaItem): number | null {
  const exact = details?.video?.duration_ms;
  return exact === undefined || exact === null ? time : exact / 1000;
}

/** The text below an item's name: its size, or its status. */
export function captionOf(item: MediaItem): string {
  if (item.status === 'processing') return 'Processing';
  if (item.status === 'temporary') return 'Waiting for its file';
  if (item.status === 'failed') return item.error_message ?? 'Failed';
  return item.width && item.height ? `${item.width} × ${item.height}` : '';
}

/** Highest pixel ratio that previews are chosen for: more pixels hardly show in a tile, but take longer to load. */
const MAX_PIXEL_RATIO = 1.5;

/**
 * The link to the smallest preview that fills a tile, else to the largest; null if there are no previews.
 *
 * @param tile width in CSS pixels
 */
export function previewOf({ details }: MediaItem, tile: number, pixelRatio: number): string | null {
  const previews = details?.previews ?? [];
  // A tenth fewer pixels aren't visible.
  const wanted = tile * Math.min(pixelRatio, MAX_PIXEL_RATIO) * 0.9;
  return (previews.find(({ width }) => width >= wanted) ?? previews.at(-1))?.link ?? null;
}
