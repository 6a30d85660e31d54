import { useEffect, useState } from 'react';
import { useStableCallback } from './use-stable-callback.ts';

/** Milliseconds without typing after which the search starts. */
const TYPING = 250;

/**
 * Starts the search after a pause in typing.
 *
 * @param value the current search; the field shows it when something else changes it, for example the Back button
 */
export function useTypedSearch(value: string, onSearch: (search: string) => void) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  const search = useStableCallback(onSearch);
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }
  useEffect(() => {
    if (typed.trim() === value) return;
    const timer = setTimeout(() => search(typed.trim()), TYPING);
    return () => clearTimeout(timer);
  }, [typed, value, search]);
  return [typed, setTyped] as const;
}
