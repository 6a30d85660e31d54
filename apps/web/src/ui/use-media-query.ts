import { useCallback, useSyncExternalStore } from 'react';

/** Matches phones, upright and on their side, and windows as small as those. Style sheets repeat this query. */
export const PHONE = '(width < 760px), (height < 480px)';

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
