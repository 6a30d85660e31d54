import { plural } from '@postshelf/browser/ui/format-number.ts';
import type { Operations } from '@postshelf/client';
import type { CSSProperties } from 'react';

export type BestTimes = Operations['analytics']['bestTimes']['output'];
export type Day = keyof BestTimes['data']['heatmap'];

/** The days of the displayed week, which starts on Monday. The service's week starts on Sunday. */
export const DAYS: readonly Day[] = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
export const HOURS: readonly number[] = Array.from({ length: 24 }, (_, hour) => hour);

/** An hour of the week; the day counts from Monday. */
export interface HourOfWeek {
  readonly day: number;
  readonly hour: number;
}

/** The performance of posts at an hour; 100 is the average. */
export interface Cell {
  readonly value: number;
  readonly posts: number;
  /** The 90 % interval of the value. */
  readonly low: number;
  readonly high: number;
}

export const cellAt = ({ data, meta }: BestTimes, day: Day, hour: number): Cell => ({
  value: data.heatmap[day][hour] ?? 0,
  posts: meta.counts[day][hour] ?? 0,
  low: meta.low?.[day][hour] ?? 0,
  high: meta.high?.[day][hour] ?? 0,
});

export const formatHour = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/** Returns a cell's accessible name: `Tuesday 18:00: 137, 12 posts`. */
export const nameOfCell = (day: Day, hour: number, { value, posts }: Pick<Cell, 'value' | 'posts'>): string =>
  `${day} ${formatHour(hour)}: ${Math.round(value)}, ${plural(posts, 'post')}`;

/** The distance from the average at which colours are strongest. */
const SPREAD = 45;

/** Maps a value linearly to -1 (far below the average) … 1 (far above it). */
export const strengthOf = (value: number): number => Math.max(-1, Math.min(1, (value - 100) / SPREAD));

/** Returns the custom property from which `heatmap.css` computes the colour. */
export const shadeOf = (value: number): CSSProperties =>
  ({ '--strength': `${Math.round(Math.abs(strengthOf(value)) * 100)}%` }) as CSSProperties;

/** Whether a cell with this value shows its number. */
export const isStrong = (value: number): boolean => Math.abs(strengthOf(value)) >= 0.5;

/** Returns the cell that a key moves to in a table with the given numbers of rows and columns; null for other keys. */
export function moveBy(
  key: string,
  { row, column }: { readonly row: number; readonly column: number },
  { rows, columns }: { readonly rows: number; readonly columns: number },
): { readonly row: number; readonly column: number } | null {
  const within = (index: number, count: number): number => Math.max(0, Math.min(count - 1, index));
  switch (key) {
    case 'ArrowUp':
      return { row: within(row - 1, rows), column };
    case 'ArrowDown':
      return { row: within(row + 1, rows), column };
    case 'ArrowLeft':
      return { row, column: within(column - 1, columns) };
    case 'ArrowRight':
      return { row, column: within(column + 1, columns) };
    case 'Home':
      return { row, column: 0 };
    case 'End':
      return { row, column: columns - 1 };
    default:
      return null;
  }
}
