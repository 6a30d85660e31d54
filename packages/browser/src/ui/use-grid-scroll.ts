import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Key } from 'react-stately';
import type { FastScroll } from './fast-scroll.ts';
import { type GridShape, topOf, visibleRange } from './grid-layout.ts';
import type { RowSource } from './row-collection.ts';
import { useStableCallback } from './use-stable-callback.ts';

/** Milliseconds, so that pages that are only scrolled past aren't read. */
const REPORT_INTERVAL = 120;

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The row at the upper edge, and the fraction of its height above the edge. */
interface Anchor {
  readonly key: Key;
  readonly index: number;
  readonly part: number;
}

/** Where a list was scrolled to, for when it is shown again. */
export interface ScrollPlace {
  anchor?: Anchor;
}

const TOP: Anchor = { key: '', index: 0, part: 0 };

/**
 * Which tiles to have in the document. When rows above appear or disappear, or the width changes, the row at the upper
 * edge stays where it is; when the width is restored, so is the scroll position.
 *
 * @param speed gets each scroll position
 * @param place where it starts, and which follows it; default: at the top
 */
export function useGridScroll(
  ref: RefObject<HTMLElement | null>,
  rows: RowSource<unknown>,
  shape: GridShape,
  onVisibleChange: (range: Range) => void,
  speed?: FastScroll,
  place?: ScrollPlace,
): Range {
  const [range, setRange] = useState<Range>(() => visibleRange(shape, rows.size, 0, 800));
  const anchor = useRef(place?.anchor ?? TOP);
  const placedAt = useRef(-1);

  const look = useStableCallback(() => {
    const element = ref.current;
    if (!element) return;
    const { scrollTop, clientHeight } = element;
    speed?.note(scrollTop);
    const next = visibleRange(shape, rows.size, scrollTop, clientHeight);
    setRange((was) => (was.from === next.from && was.to === next.to ? was : next));
    if (Math.abs(scrollTop - placedAt.current) <= 1) return;
    placedAt.current = -1;
    const index = Math.min(Math.floor(scrollTop / shape.rowHeight) * shape.columns, Math.max(0, rows.size - 1));
    const part = (scrollTop - topOf(shape, index)) / shape.rowHeight;
    anchor.current = scrollTop <= 0 || rows.size === 0 ? TOP : { key: rows.keyAt(index), index, part };
    if (place) place.anchor = anchor.current;
  });

  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const { key, index, part } = anchor.current;
    const now = rows.indexOf(key);
    const top = Math.round(topOf(shape, now < 0 ? Math.min(index, rows.size) : now) + part * shape.rowHeight);
    if (key !== '' && Math.abs(element.scrollTop - top) > 1) {
      element.scrollTop = top;
      placedAt.current = element.scrollTop;
      // When the focus enters the grid, react-aria restores the position of the last `scroll` event. The browser's own
      // event may come too late.
      element.dispatchEvent(new Event('scroll'));
    }
    look();
  }, [ref, rows, shape, look]);

  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    element.addEventListener('scroll', look, { passive: true });
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => {
      element.removeEventListener('scroll', look);
      observer.disconnect();
    };
  }, [ref, look]);

  useThrottledReport(range, onVisibleChange);
  return range;
}

/** The first range at once, later ones at most every {@link REPORT_INTERVAL}, always including the last. */
function useThrottledReport(range: Range, report: (range: Range) => void): void {
  const reportedAt = useRef(0);
  useEffect(() => {
    const wait = reportedAt.current + REPORT_INTERVAL - performance.now();
    const act = (): void => {
      reportedAt.current = performance.now();
      report(range);
    };
    if (wait <= 0) return act();
    const timer = setTimeout(act, wait);
    return () => clearTimeout(timer);
  }, [range, report]);
}
