import { useCallback, useSyncExternalStore } from 'react';

/** Whether a media query holds now. For what styles can't do alone: another order of the document. */
export function useMediaQuery(query: string): boolean {
  const subscribe = useCallback(
    (notify: () => void) => {
      const list = matchMedia(query);
      list.addEventListener('change', notify);
      return () => list.removeEventListener('change', notify);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}

/** A phone held upright, as the styles have it. */
export const NARROW = '(width < 760px)';
