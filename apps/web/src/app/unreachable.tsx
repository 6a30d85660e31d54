import type { Query } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useIsLost } from '../service/connection.ts';
import { isUnreachable, ME_KEY, queryClient } from '../service/service.ts';

/** Milliseconds between tries. */
const AGAIN = 2000;

/** Shows that the service is unreachable; once it is back, failed queries are repeated, and this disappears. */
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

/** Failed queries; or, if there are none, the one that every page makes: who is signed in. */
const isWorthAsking = ({ queryKey, state }: Query): boolean => isUnreachable(state.error) || queryKey[0] === ME_KEY[0];
