import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Key } from 'react-stately';
import type { FastScroll } from './fast-scroll.ts';
import { type GridShape, seenOf, topOf } from './grid-layout.ts';
import type { RowSource } from './row-collection.ts';
import { useStable } from './use-stable.ts';

/** Milliseconds between two reports of the visible rows, so that pages that are scrolled past aren't read. */
const TOLD_EVERY = 120;

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The row at the upper edge after the last scroll, and the part of its height above the edge. */
interface Anchor {
  readonly key: Key;
  readonly index: number;
  readonly part: number;
}

const TOP: Anchor = { key: '', index: 0, part: 0 };

/**
 * Which tiles of the grid to have in the document. When rows appear or disappear above, or the width changes, the row
 * at the upper edge stays where it is; when the width returns, so does the position.
 *
 * @param speed is told the position of the grid
 */
export function useGridScroll(
  ref: RefObject<HTMLElement | null>,
  rows: RowSource<unknown>,
  shape: GridShape,
  onSeen: (range: Range) => void,
  speed?: FastScroll,
): Range {
  const [range, setRange] = useState<Range>(() => seenOf(shape, rows.size, 0, 800));
  const anchor = useRef(TOP);
  const placedAt = useRef(-1);

  const look = useStable(() => {
    const element = ref.current;
    if (!element) return;
    const { scrollTop, clientHeight } = element;
    speed?.note(scrollTop);
    const next = seenOf(shape, rows.size, scrollTop, clientHeight);
    setRange((was) => (was.from === next.from && was.to === next.to ? was : next));
    if (Math.abs(scrollTop - placedAt.current) <= 1) return;
    placedAt.current = -1;
    const index = Math.min(Math.floor(scrollTop / shape.rowHeight) * shape.columns, Math.max(0, rows.size - 1));
    const part = (scrollTop - topOf(shape, index)) / shape.rowHeight;
    anchor.current = scrollTop <= 0 || rows.size === 0 ? TOP : { key: rows.keyAt(index), index, part };
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

  useToldNowAndThen(range, onSeen);
  return range;
}

/** Reports the first value at once and later ones at most every {@link TOLD_EVERY}, always including the last. */
function useToldNowAndThen(range: Range, tell: (range: Range) => void): void {
  const told = useRef(0);
  useEffect(() => {
    const wait = told.current + TOLD_EVERY - performance.now();
    const act = (): void => {
      told.current = performance.now();
      tell(range);
    };
    if (wait <= 0) return act();
    const timer = setTimeout(act, wait);
    return () => clearTimeout(timer);
  }, [range, tell]);
}
