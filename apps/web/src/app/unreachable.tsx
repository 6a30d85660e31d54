import type { Query } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useIsLost } from '../service/connection.ts';
import { isUnreachable, ME_KEY, queryClient } from '../service/service.ts';

/** Milliseconds between tries. */
const AGAIN = 2000;

/** Says that the service is away; once it is back, what failed meanwhile is asked for again, and this goes. */
export function Unreachable() {
  const isLost = useIsLost();
  useEffect(() => {
    if (!isLost) return;
    const timer = setInterval(() => {
      void queryClient.refetchQueries({ type: 'active', predicate: isWorthAsking });
    }, AGAIN);
    return () => clearInterval(timer);
  }, [isLost]);
  return (
    <div role="status" className="frame-unreachable">
      {isLost && <p>The service cannot be reached. What is shown is what it was; it goes on as soon as it can.</p>}
    </div>
  );
}

/** What failed; and who is signed in, which every page asks, where nothing else is asked for. */
const isWorthAsking = ({ queryKey, state }: Query): boolean => isUnreachable(state.error) || queryKey[0] === ME_KEY[0];
