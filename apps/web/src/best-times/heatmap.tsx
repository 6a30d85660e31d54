import './heatmap.css';
import { type FocusEvent, type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import { useMediaQuery } from '../ui/use-media-query.ts';
import { intervalOf } from './scores.ts';
import {
  type BestTimes,
  cellAt,
  DAYS,
  formatHour,
  HOURS,
  type HourOfWeek,
  isStrong,
  moveBy,
  nameOfCell,
  shadeOf,
} from './week.ts';

/**
 * Shows the week in 168 cells. Each row is a day, or an hour on narrow screens. For screen readers the heatmap is a
 * table, because they have their own keys for tables. For other users, Tab reaches one cell, and the arrow keys move
 * between cells.
 */
export function Heatmap({ bestTimes }: { readonly bestTimes: BestTimes }) {
  const isByHour = useMediaQuery('(width < 760px)');
  const table = useRef<HTMLTableElement>(null);
  const [stop, setStop] = useState<HourOfWeek>(() => firstStop(bestTimes));
  const [read, setRead] = useState<HourOfWeek | null>(null);

  const onKeyDown = (event: KeyboardEvent): void => {
    const at = isByHour ? { row: stop.hour, column: stop.day } : { row: stop.day, column: stop.hour };
    const size = isByHour ? { rows: HOURS.length, columns: DAYS.length } : { rows: DAYS.length, columns: HOURS.length };
    const to = event.altKey || event.ctrlKey || event.metaKey ? null : moveBy(event.key, at, size);
    if (to === null) return;
    event.preventDefault();
    const next = isByHour ? { day: to.column, hour: to.row } : { day: to.row, hour: to.column };
    setStop(next);
    table.current?.querySelector<HTMLElement>(`[data-day="${next.day}"][data-hour="${next.hour}"]`)?.focus();
  };
  const onRead = ({ target }: FocusEvent | PointerEvent): void => {
    const at = hourOf(target);
    if (at) setRead(at);
  };

  const cellOf = (day: number, hour: number) => (
    <HeatmapCell
      key={`${day} ${hour}`}
      at={{ day, hour }}
      bestTimes={bestTimes}
      isStop={stop.day === day && stop.hour === hour}
    />
  );
  return (
    <div className="heatmap">
      <table
        ref={table}
        aria-label="Best times"
        data-by={isByHour ? 'hour' : 'day'}
        onKeyDown={onKeyDown}
        onFocus={(event) => {
          const at = hourOf(event.target);
          if (at) setStop(at);
          onRead(event);
        }}
        onBlur={() => setRead(null)}
        onPointerOver={onRead}
        onPointerLeave={() => setRead(null)}
      >
        <thead>
          <tr>
            <td />
            {isByHour
              ? DAYS.map((day) => (
                  <th key={day} scope="col" abbr={day}>
                    {day.slice(0, 3)}
                  </th>
                ))
              : HOURS.map((hour) => (
                  <th key={hour} scope="col" data-sparse={hour % 3 === 0 ? undefined : ''}>
                    {hour}
                  </th>
                ))}
          </tr>
        </thead>
        <tbody>
          {isByHour
            ? HOURS.map((hour) => (
                <tr key={hour}>
                  <th scope="row">{formatHour(hour)}</th>
                  {DAYS.map((_, day) => cellOf(day, hour))}
                </tr>
              ))
            : DAYS.map((name, day) => (
                <tr key={name}>
                  <th scope="row" abbr={name}>
                    {name.slice(0, 3)}
                  </th>
                  {HOURS.map((hour) => cellOf(day, hour))}
                </tr>
              ))}
        </tbody>
      </table>
      <HeatmapLegend read={read && readingOf(bestTimes, read)} />
    </div>
  );
}

interface HeatmapCellProps {
  readonly at: HourOfWeek;
  readonly bestTimes: BestTimes;
  readonly isStop: boolean;
}

function HeatmapCell({ at, bestTimes, isStop }: HeatmapCellProps) {
  const cell = cellAt(bestTimes, dayAt(at), at.hour);
  return (
    <td
      className="heatmap-cell"
      data-day={at.day}
      data-hour={at.hour}
      data-side={cell.value < 100 ? 'below' : 'above'}
      data-strong={isStrong(cell.value) ? '' : undefined}
      data-untried={cell.posts === 0 ? '' : undefined}
      style={shadeOf(cell.value)}
      tabIndex={isStop ? 0 : -1}
    >
      <span className="visually-hidden">{nameAt(bestTimes, at)}</span>
      <span className="heatmap-number" aria-hidden="true">
        {Math.round(cell.value)}
      </span>
    </td>
  );
}

/** Returns the cell that is the tab stop at first: the one with the best hour. */
function firstStop({ meta: { best } }: BestTimes): HourOfWeek {
  const [first] = best;
  return first ? { day: DAYS.indexOf(first.day), hour: first.hour } : { day: 0, hour: 0 };
}

const dayAt = ({ day }: HourOfWeek) => DAYS[day] ?? 'Monday';

const nameAt = (bestTimes: BestTimes, at: HourOfWeek): string =>
  nameOfCell(dayAt(at), at.hour, cellAt(bestTimes, dayAt(at), at.hour));

/** Describes the cell under the pointer: its name, and how certain its value is. */
function readingOf(bestTimes: BestTimes, at: HourOfWeek): string {
  const { value, low, high } = cellAt(bestTimes, dayAt(at), at.hour);
  return `${nameAt(bestTimes, at)}. ${intervalOf({ score: value, low, high })}`;
}

/** Returns the hour of the cell in which an event occurred; null if it occurred outside the cells. */
function hourOf(target: EventTarget): HourOfWeek | null {
  const cell = target instanceof Element ? target.closest<HTMLElement>('.heatmap-cell') : null;
  return cell && { day: Number(cell.dataset.day), hour: Number(cell.dataset.hour) };
}

const SAMPLES = [55, 70, 85, 100, 115, 130, 145];

interface HeatmapLegendProps {
  /** The text of the cell under the pointer. */
  readonly read: string | null;
}

/** Explains the colours, and shows the text of the cell under the pointer. Screen readers read the cells themselves. */
const HeatmapLegend = ({ read }: HeatmapLegendProps) => (
  <div className="heatmap-foot">
    <p className="heatmap-legend">
      <span>
        <span className="visually-hidden">Scale: </span>
        below average
        {SAMPLES.map((value) => (
          <span key={value} className="heatmap-cell" data-side={value < 100 ? 'below' : 'above'} style={shadeOf(value)}>
            {value}
          </span>
        ))}
        above average
      </span>
      <span>
        <span className="heatmap-cell" data-side="above" data-untried="" aria-hidden="true" />
        no posts yet, learned from other hours
      </span>
    </p>
    <p className="heatmap-read" aria-hidden="true">
      {read ?? 'Hover over or tap an hour for details, or use the arrow keys.'}
    </p>
  </div>
);
