import type { Key } from 'react-stately';
import type { RowSource } from './row-collection.ts';

/** A rectangle in pixels, relative to the upper left corner of a list's content. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * The position of each row of a list, whether it is in the document or not. Rows are ordered from left to right, then
 * down.
 */
export interface RowLayout {
  /** Height of all rows in pixels. */
  readonly height: number;
  areaOf(index: number): Area;
  /** Returns the first row at this vertical position, or the nearest row above it; 0 if there are no rows. */
  firstAt(y: number): number;
  /** Returns the first row of the next line; the number of rows if there is none. */
  nextLine(index: number): number;
}

/** One row per line, all of the same height. */
export class ColumnLayout implements RowLayout {
  /** @param rowHeight in pixels */
  constructor(
    private readonly size: number,
    readonly rowHeight: number,
  ) {}

  get height(): number {
    return this.size * this.rowHeight;
  }

  areaOf(index: number): Area {
    return { x: 0, y: index * this.rowHeight, width: 0, height: this.rowHeight };
  }

  firstAt(y: number): number {
    return Math.max(0, Math.min(Math.floor(y / this.rowHeight), this.size - 1));
  }

  nextLine(index: number): number {
    return Math.min(index + 1, this.size);
  }
}

/**
 * Besides the visible rows, the document contains those within this many screens above and below. The first of these
 * numbers that yields at most {@link MAX_ROWS} rows is used; if none does, the last one.
 */
const AROUND = [1, 0.5, 0] as const;
const MAX_ROWS = 360;

/**
 * Returns the visible rows and those near them; `to` is exclusive.
 *
 * @param isFast whether the list scrolls so fast that fewer rows outside the visible range are worth rendering
 */
export function visibleRange(layout: RowLayout, size: number, top: number, height: number, isFast = false) {
  let range = { from: 0, to: 0 };
  if (size === 0) return range;
  for (const screens of AROUND.slice(isFast ? 1 : 0)) {
    const from = layout.firstAt(Math.max(0, top - height * screens));
    range = { from, to: layout.nextLine(layout.firstAt(Math.max(0, top + height * (1 + screens)))) };
    if (range.to - range.from <= MAX_ROWS) break;
  }
  return range;
}

/** The layout from which react-aria derives the row that a page key moves to. */
export class LayoutDelegate {
  /** @param lead height in pixels of the content above the rows in the scrolling element */
  constructor(
    private readonly rows: RowSource<unknown>,
    private readonly layout: RowLayout,
    private readonly viewport: () => HTMLElement | null,
    private readonly lead = 0,
  ) {}

  getItemRect(key: Key): Area | null {
    const index = this.rows.indexOf(key);
    return index < 0 ? null : this.layout.areaOf(index);
  }

  getVisibleRect(): Area {
    const { scrollTop = 0, clientWidth = 0, clientHeight = 0 } = this.viewport() ?? {};
    return { x: 0, y: scrollTop - this.lead, width: clientWidth, height: clientHeight };
  }

  getContentSize(): Pick<Area, 'width' | 'height'> {
    return { width: this.viewport()?.clientWidth ?? 0, height: this.layout.height };
  }
}
