import type { MediaItem } from '@postshelf/client';

/** Seconds as players show them: 0:32, 12:05, 1:02:03. */
export function clockOf(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const two = (number: number): string => String(number).padStart(2, '0');
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** The seconds that a film takes; null for pictures. */
export function secondsOf({ time, details }: MediaItem): number | null {
  const exact = details?.video?.duration_ms;
  return exact === undefined || exact === null ? time : exact / 1000;
}

/** The text below an item's name: its size, or its status. */
export function factOf(item: MediaItem): string {
  if (item.status === 'processing') return 'Processing';
  if (item.status === 'temporary') return 'Waiting for its file';
  if (item.status === 'failed') return item.error_message ?? 'Failed';
  return item.width && item.height ? `${item.width} × ${item.height}` : '';
}

/** Screens with twice the pixels get only half as many more: the difference hardly shows in a tile, but in bytes. */
const SHARPEST = 1.5;

/** The smallest preview that fills a tile of so many pixels; null where there is none. */
export function previewOf({ details }: MediaItem, tile: number, pixelRatio: number): string | null {
  const previews = details?.previews ?? [];
  // A tenth less isn't visible.
  const wanted = tile * Math.min(pixelRatio, SHARPEST) * 0.9;
  return (previews.find(({ width }) => width >= wanted) ?? previews.at(-1))?.link ?? null;
}
