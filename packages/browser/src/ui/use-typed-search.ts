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
  // The searches that were started, but aren't the current one yet. The user may have typed more in the meantime.
  const [started, setStarted] = useState<readonly string[]>([]);
  const search = useStableCallback(onSearch);
  if (known !== value) {
    setKnown(value);
    const own = started.indexOf(value);
    setStarted(own === -1 ? [] : started.slice(own + 1));
    if (own === -1) setTyped(value);
  }
  useEffect(() => {
    const next = typed.trim();
    if (next === value) return;
    const timer = setTimeout(() => {
      setStarted((searches) => [...searches, next]);
      search(next);
    }, TYPING);
    return () => clearTimeout(timer);
  }, [typed, value, search]);
  return [typed, setTyped] as const;
}
