import { useSyncExternalStore } from 'react';
import { isUnreachable, ME_KEY, queryClient } from './service.ts';

let isLost = false;
const listeners = new Set<() => void>();

function note(lost: boolean): void {
  if (lost === isLost) return;
  isLost = lost;
  for (const listener of listeners) listener();
}

// The result of each query shows whether the service is reachable. Data that the page itself put into the cache
// doesn't.
queryClient.getQueryCache().subscribe((event) => {
  if (event.type !== 'updated') return;
  const { action } = event;
  if (action.type === 'success' && !action.manual) note(false);
  if (action.type === 'failed' || action.type === 'error') note(isUnreachable(action.error));
});

/** Reads the session again, which shows whether the service responds. */
export const checkConnection = (): void => void queryClient.invalidateQueries({ queryKey: ME_KEY });

// The check is delayed, because a request that is sent at the moment of the event may still get a response.
addEventListener('offline', () => setTimeout(checkConnection, 500));

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether the last query got no response. */
export const useIsUnreachable = (): boolean => useSyncExternalStore(subscribe, () => isLost);
