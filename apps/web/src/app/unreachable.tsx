import { useEffect } from 'react';
import { useIsLost } from '../service/connection.ts';
import { isUnreachable, queryClient } from '../service/service.ts';

/** Milliseconds between tries. */
const AGAIN = 2000;

/** Says that the service is away; once it is back, what failed meanwhile is asked for again, and this goes. */
export function Unreachable() {
  const isLost = useIsLost();
  useEffect(() => {
    if (!isLost) return;
    const timer = setInterval(() => {
      void queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => isUnreachable(state.error) });
    }, AGAIN);
    return () => clearInterval(timer);
  }, [isLost]);
  return (
    <div role="status" className="frame-unreachable">
      {isLost && <p>The service cannot be reached. What is shown is what it was; it goes on as soon as it can.</p>}
    </div>
  );
}
