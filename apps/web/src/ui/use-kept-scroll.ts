import { useLocation } from '@tanstack/react-router';
import { type RefObject, type UIEvent, useLayoutEffect, useRef } from 'react';

/** Pixels by which each address was scrolled that was shown since the page was loaded. */
const places = new Map<string, number>();

/** Milliseconds in which what is above is read again; later a jump would only disturb. */
const PATIENCE = 3000;

/**
 * Scrolls an element to where it was when its address was left, as soon as there is enough in it, unless the user is
 * quicker.
 *
 * @returns for the element's `onScroll`
 */
export function useKeptScroll(ref: RefObject<HTMLElement | null>): (event: UIEvent) => void {
  const href = useLocation({ select: (location) => location.href });
  const first = useRef(href);
  useLayoutEffect(() => {
    const element = ref.current;
    const top = places.get(first.current) ?? 0;
    if (!element || top === 0) return;
    const ending = new AbortController();
    const { signal } = ending;
    const place = (): void => {
      element.scrollTop = top;
      if (Math.abs(element.scrollTop - top) <= 1) ending.abort();
    };
    const observer = new MutationObserver(place);
    signal.addEventListener('abort', () => observer.disconnect());
    observer.observe(element, { childList: true, subtree: true });
    for (const act of ['wheel', 'pointerdown', 'keydown']) addEventListener(act, () => ending.abort(), { signal });
    const timer = setTimeout(() => ending.abort(), PATIENCE);
    place();
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [ref]);
  return ({ target, currentTarget }) => {
    if (target === currentTarget) places.set(href, currentTarget.scrollTop);
  };
}
