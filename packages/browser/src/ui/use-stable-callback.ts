import { useCallback, useLayoutEffect, useRef } from 'react';

/** Stays the same for the life of the component, and calls the function of the latest render. */
export function useStableCallback<Arguments extends unknown[], Result>(act: (...given: Arguments) => Result) {
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  return useCallback((...given: Arguments): Result => latest.current(...given), []);
}
