import { useLocation } from '@tanstack/react-router';
import { type RefObject, type UIEvent, useLayoutEffect, useRef } from 'react';

/** Scroll positions in pixels of all URLs that were shown since the page was loaded. */
const places = new Map<string, number>();

/**
 * Maximum milliseconds to wait until content has been read again, so that the scroll position can be restored. A later
 * jump would disturb users.
 */
const PATIENCE = 3000;

/**
 * Restores the scroll position that an element had when its URL was left. This happens as soon as its content is long
 * enough, unless the user scrolls first.
 *
 * @returns a handler for the element's `onScroll`
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
