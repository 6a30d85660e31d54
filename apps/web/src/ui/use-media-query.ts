import { useCallback, useSyncExternalStore } from 'react';

/** Whether the screen is as a media query of CSS has it. For what stands elsewhere in the document then; CSS does the rest. */
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
