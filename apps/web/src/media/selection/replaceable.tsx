import { type CSSProperties, type ReactNode, useLayoutEffect, useRef, useState } from 'react';

interface ReplaceableProps {
  /** What stands in its place; false if nothing does. */
  readonly by: ReactNode | false;
  readonly children: ReactNode;
}

/** A header, or something else in its place that is as high, so that what is below it doesn't move. */
export function Replaceable({ by, children }: ReplaceableProps) {
  const ref = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(0);
  const isReplaced = by !== false;
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element || isReplaced) return;
    const observer = new ResizeObserver(() => setHeight(element.getBoundingClientRect().height));
    observer.observe(element);
    return () => observer.disconnect();
  }, [isReplaced]);
  return (
    <div
      ref={ref}
      className="library-head"
      style={{ '--head': isReplaced ? `${height}px` : undefined } as CSSProperties}
    >
      {isReplaced ? by : children}
    </div>
  );
}
