import { useRef } from 'react';

/** Returns the previous list if it holds the same values. */
export function useStableList<T>(list: readonly T[]): readonly T[] {
  const known = useRef(list);
  const isSame = list.length === known.current.length && list.every((value, at) => value === known.current[at]);
  if (!isSame) known.current = list;
  return known.current;
}
