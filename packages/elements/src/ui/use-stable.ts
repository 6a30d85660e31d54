import { useCallback, useLayoutEffect, useRef } from 'react';

/**
 * One function for the life of the component, which calls that of the last render, so that components which take it
 * needn't render again.
 */
export function useStable<Arguments extends unknown[], Result>(act: (...given: Arguments) => Result) {
  const latest = useRef(act);
  useLayoutEffect(() => {
    latest.current = act;
  });
  return useCallback((...given: Arguments): Result => latest.current(...given), []);
}
