import { useEffect, useState } from 'react';
import { useStable } from './use-stable.ts';

/** Milliseconds without another letter, after which what was typed is looked for. */
const TYPING = 250;

/**
 * What stands in a search field, and what sets it: it is looked for after a rest.
 *
 * @param value what is looked for; where it changes otherwise, as by Back, the field shows that
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
