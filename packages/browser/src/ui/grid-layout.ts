import type { Key } from 'react-stately';
import type { RowSource } from './row-collection.ts';

/** Pixels. Tiles are wider as long as another one doesn't fit. */
const NARROWEST_TILE = 176;
const NARROWEST_ON_PHONES = 104;
const PHONE = 560;
const CAPTION = 46;

export interface GridShape {
  readonly columns: number;
  readonly tile: number;
  readonly gap: number;
  /** Pixels from one row of tiles to the next. */
  readonly rowHeight: number;
}

/** @param width without the padding, in pixels */
export function shapeOf(width: number): GridShape {
  const isPhone = width < PHONE;
  const gap = isPhone ? 8 : 16;
  const narrowest = isPhone ? NARROWEST_ON_PHONES : NARROWEST_TILE;
  const columns = Math.max(2, Math.floor((width + gap) / (narrowest + gap)));
  const tile = Math.max(1, Math.floor((width - gap * (columns - 1)) / columns));
  return { columns, tile, gap, rowHeight: tile + CAPTION + gap };
}

export const topOf = ({ columns, rowHeight }: GridShape, index: number): number =>
  Math.floor(index / columns) * rowHeight;

export const leftOf = ({ columns, tile, gap }: GridShape, index: number): number => (index % columns) * (tile + gap);

export function heightOf({ columns, rowHeight, gap }: GridShape, size: number): number {
  return size === 0 ? 0 : Math.ceil(size / columns) * rowHeight - gap;
}

/** `to` is exclusive: the visible tiles, and at most half a screen in whole rows above and below. */
export function visibleRange({ columns, rowHeight }: GridShape, size: number, top: number, height: number) {
  const about = Math.ceil(height / 2 / rowHeight);
  const first = Math.max(0, Math.floor(top / rowHeight) - about) * columns;
  const end = (Math.floor((top + height) / rowHeight) + 1 + about) * columns;
  return { from: Math.min(first, size), to: Math.min(end, size) };
}

interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** From which react-aria derives where the arrow and page keys move. */
export class GridLayout {
  constructor(
    private readonly rows: RowSource<unknown>,
    private readonly shape: GridShape,
    private readonly viewport: () => HTMLElement | null,
  ) {}

  getItemRect(key: Key): Area | null {
    const index = this.rows.indexOf(key);
    if (index < 0) return null;
    const { tile, rowHeight, gap } = this.shape;
    return { x: leftOf(this.shape, index), y: topOf(this.shape, index), width: tile, height: rowHeight - gap };
  }

  getVisibleRect(): Area {
    const { scrollTop = 0, clientWidth = 0, clientHeight = 0 } = this.viewport() ?? {};
    return { x: 0, y: scrollTop, width: clientWidth, height: clientHeight };
  }

  getContentSize(): Pick<Area, 'width' | 'height'> {
    return { width: this.viewport()?.clientWidth ?? 0, height: heightOf(this.shape, this.rows.size) };
  }
}
