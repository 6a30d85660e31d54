import { useLocation } from '@tanstack/react-router';
import { type RefObject, type UIEvent, useLayoutEffect, useRef } from 'react';

/** The last scroll position in pixels at each URL that was shown since the page was loaded. */
const places = new Map<string, number>();

/** Milliseconds after which the scroll position is no longer restored, because such a late jump would disturb users. */
const PATIENCE = 3000;

/**
 * Restores the scroll position that an element last had at its URL, as soon as its content is long enough, unless the
 * user acts first.
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
