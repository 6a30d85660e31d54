import { type RefObject, useLayoutEffect, useState } from 'react';
import { type GridShape, shapeOf } from '../ui/grid-layout.ts';

/** How many tiles of which size stand in a row of the element, as wide as it is. */
export function useGridShape(ref: RefObject<HTMLElement | null>): GridShape {
  const [shape, setShape] = useState(() => shapeOf(1000));
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const measure = (): void => {
      const { paddingLeft, paddingRight } = getComputedStyle(element);
      const next = shapeOf(element.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight));
      setShape((was) => (was.columns === next.columns && was.tile === next.tile && was.gap === next.gap ? was : next));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref]);
  return shape;
}
