import { useCallback, useSyncExternalStore } from 'react';

/**
 * Whether a CSS media query matches. Only layouts with a different document structure need this; all others use only
 * CSS.
 */
export function useMediaQuery(query: string): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      const list = matchMedia(query);
      list.addEventListener('change', changed);
      return () => list.removeEventListener('change', changed);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}
