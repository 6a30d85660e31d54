import { useCallback, useLayoutEffect, useRef } from 'react';

/** Returns a function that stays the same for the component's lifetime and calls the function of the latest render. */
export function useStableCallback<Arguments extends unknown[], Result>(act: (...given: Arguments) => Result) {
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  return useCallback((...given: Arguments): Result => latest.current(...given), []);
}
