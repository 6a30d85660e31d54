import { useCallback, useLayoutEffect, useRef } from 'react';

/**
 * A function that stays the same for the life of the component, and calls the function of the latest render, so that
 * components that get it as a prop don't have to render again.
 */
export function useStableCallback<Arguments extends unknown[], Result>(act: (...given: Arguments) => Result) {
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  return useCallback((...given: Arguments): Result => latest.current(...given), []);
}
