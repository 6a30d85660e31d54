import type { Query } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useIsUnreachable } from '../service/connection.ts';
import { isUnreachable, ME_KEY, queryClient } from '../service/service.ts';

/** Milliseconds between two attempts to reach the service. */
const AGAIN = 2000;

/** Shows that the service is unreachable, and retries failed queries until it responds. */
export function Unreachable() {
  const isLost = useIsUnreachable();
  useEffect(() => {
    if (!isLost) return;
    const timer = setInterval(() => {
      void queryClient.refetchQueries({ type: 'active', predicate: isToRepeat });
    }, AGAIN);
    return () => clearInterval(timer);
  }, [isLost]);
  return (
    <div role="status" className="frame-unreachable">
      {isLost && <p>Can’t reach the server. You’re seeing the last loaded version; we’ll reconnect automatically.</p>}
    </div>
  );
}

/** Whether to retry a query: all that failed, and the session's, which every page makes, in case none failed. */
const isToRepeat = ({ queryKey, state }: Query): boolean => isUnreachable(state.error) || queryKey[0] === ME_KEY[0];
