import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Key } from 'react-stately';
import type { FastScroll } from './fast-scroll.ts';
import type { RowSource } from './row-collection.ts';
import { type RowLayout, visibleRange } from './row-layout.ts';
import { useStableCallback } from './use-stable-callback.ts';

/**
 * Minimum milliseconds between two reports of the visible rows, so that pages that are only scrolled past aren't read.
 */
const REPORT_INTERVAL = 120;

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The row at the upper edge, and how much of it is above the edge, as a fraction of its height. */
interface Anchor {
  readonly key: Key;
  readonly index: number;
  readonly part: number;
}

/** The scroll position of a list, kept for when the list is shown again. */
export interface ScrollPlace {
  anchor?: Anchor;
}

export interface GridScrollOptions {
  readonly rows: RowSource<unknown>;
  readonly layout: RowLayout;
  /** Height in pixels of the content above the rows in the scrolling element. Default: 0. */
  readonly lead?: number;
  onVisibleChange(range: Range): void;
  /** Receives each scroll position. */
  readonly speed?: FastScroll;
  /** The list's initial scroll position, which is updated when the list scrolls. Default: the top. */
  readonly place?: ScrollPlace | undefined;
}

const TOP: Anchor = { key: '', index: 0, part: 0 };

/**
 * Determines which rows are in the document. When the rows above change, the row at the upper edge keeps its position
 * on the screen. If the list's width changes and then changes back, the original scroll position is restored.
 */
export function useGridScroll(
  ref: RefObject<HTMLElement | null>,
  { rows, layout, lead = 0, onVisibleChange, speed, place }: GridScrollOptions,
): Range {
  const [range, setRange] = useState<Range>(() => visibleRange(layout, rows.size, 0, 800));
  const anchor = useRef(place?.anchor ?? TOP);
  const placedAt = useRef(-1);

  const update = useStableCallback(() => {
    const element = ref.current;
    if (!element) return;
    const { scrollTop, clientHeight } = element;
    speed?.note(scrollTop);
    const top = scrollTop - lead;
    const next = visibleRange(layout, rows.size, top, clientHeight, speed?.isFast());
    setRange((was) => (was.from === next.from && was.to === next.to ? was : next));
    if (Math.abs(scrollTop - placedAt.current) <= 1) return;
    placedAt.current = -1;
    const index = layout.firstAt(top);
    const area = layout.areaOf(index);
    const part = (top - area.y) / Math.max(1, area.height);
    anchor.current = scrollTop <= 0 || rows.size === 0 ? TOP : { key: rows.keyAt(index), index, part };
    if (place) place.anchor = anchor.current;
  });

  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const { key, index, part } = anchor.current;
    const now = rows.indexOf(key);
    const area = layout.areaOf(now < 0 ? Math.max(0, Math.min(index, rows.size - 1)) : now);
    const top = Math.round(lead + area.y + part * area.height);
    if (key !== '' && Math.abs(element.scrollTop - top) > 1) {
      element.scrollTop = top;
      placedAt.current = element.scrollTop;
      // When the focus enters the grid, react-aria restores the position of the last `scroll` event. The browser's own
      // event may come too late, so one is dispatched here.
      element.dispatchEvent(new Event('scroll'));
    }
    update();
  }, [ref, rows, layout, lead, update]);

  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    let reported = element.scrollTop;
    const onScroll = (): void => {
      reported = element.scrollTop;
      update();
    };
    // Pressing a row moves the focus into the grid, so the `scroll` event must have been dispatched before that, too.
    const catchUp = (): void => {
      if (element.scrollTop !== reported) element.dispatchEvent(new Event('scroll'));
    };
    element.addEventListener('scroll', onScroll, { passive: true });
    element.addEventListener('pointerdown', catchUp, { capture: true, passive: true });
    const observer = new ResizeObserver(update);
    observer.observe(element);
    const forget = speed?.subscribe(update);
    return () => {
      element.removeEventListener('scroll', onScroll);
      element.removeEventListener('pointerdown', catchUp, { capture: true });
      observer.disconnect();
      forget?.();
    };
  }, [ref, update, speed]);

  useThrottledReport(range, onVisibleChange);
  return range;
}

/**
 * Reports the first range immediately, and later ones at most every {@link REPORT_INTERVAL}, always including the last.
 */
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
