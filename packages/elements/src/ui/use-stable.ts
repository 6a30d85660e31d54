import { useCallback, useLayoutEffect, useRef } from 'react';

/** One function for as long as the component stands, which does what the last render's does: what takes it needn't render anew. */
export function useStable<Arguments extends unknown[], Result>(act: (...given: Arguments) => Result) {
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  return useCallback((...given: Arguments): Result => latest.current(...given), []);
}
