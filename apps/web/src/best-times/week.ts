import type { Operations } from '@postshelf/client';
import { plural } from '@postshelf/elements/ui/numerals.ts';
import type { CSSProperties } from 'react';

export type BestTimes = Operations['analytics']['bestTimes']['output'];
export type Day = keyof BestTimes['data']['heatmap'];

/** As calendars here begin the week. */
export const DAYS: readonly Day[] = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
export const HOURS: readonly number[] = Array.from({ length: 24 }, (_, hour) => hour);

/** An hour of the week; the day counts from Monday. */
export interface HourOfWeek {
  readonly day: number;
  readonly hour: number;
}

/** What posts of an hour did: 100 is the average. */
export interface Cell {
  readonly value: number;
  readonly posts: number;
}

/** Whether posts say anything of the hour: its own, or those of the hours around it. */
export const isTold = ({ value, posts }: Cell): boolean => posts > 0 || Math.round(value) !== 100;

export const cellAt = ({ data, meta }: BestTimes, day: Day, hour: number): Cell => ({
  value: data.heatmap[day][hour] ?? 0,
  posts: meta.counts[day][hour] ?? 0,
});

export const clockOf = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/** `Tuesday 18:00: 137, 12 posts`. */
export const nameOfCell = (day: Day, hour: number, { value, posts }: Cell): string =>
  `${day} ${clockOf(hour)}: ${Math.round(value)}, ${plural(posts, 'post')}`;

/** How far from the average colours go: what lies beyond looks the same. */
const SPREAD = 45;

/** From -1, far below the average, to 1, far above it; in even steps of what the value says. */
export const strengthOf = (value: number): number => Math.max(-1, Math.min(1, (value - 100) / SPREAD));

/** For `heatmap.css`, which has the colours. */
export const shadeOf = (value: number): CSSProperties =>
  ({ '--strength': `${Math.round(Math.abs(strengthOf(value)) * 100)}%` }) as CSSProperties;

/** From here on the number stands in the cell. */
export const isStrong = (value: number): boolean => Math.abs(strengthOf(value)) >= 0.5;

/** Where a key leads from a cell of a table of so many rows and columns; null for keys that lead nowhere. */
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
