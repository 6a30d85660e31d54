import { type CSSProperties, type ReactNode, useLayoutEffect, useRef, useState } from 'react';

interface ReplaceableProps {
  /** The replacement; false to show the header. */
  readonly by: ReactNode | false;
  readonly children: ReactNode;
}

/** A header, or a replacement of the same height, so that the content below doesn't move. */
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
