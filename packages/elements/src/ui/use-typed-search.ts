import { useEffect, useState } from 'react';
import { useStable } from './use-stable.ts';

/** Milliseconds after the last letter until the search starts. */
const TYPING = 250;

/**
 * The text of a search field, and its setter; the search starts after a pause.
 *
 * @param value the current search; if it changes otherwise, as by Back, the field shows it
 */
export function useTypedSearch(value: string, onSearch: (search: string) => void) {
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  const search = useStable(onSearch);
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
