import { createStore } from '@postshelf/browser/ui/store.ts';
import { isUnreachable, ME_KEY, queryClient } from './service.ts';

const isLost = createStore(false);

/** Whether the last query got no response. */
export const useIsUnreachable = isLost.use;

// The result of each query shows whether the service is reachable. Data that the page itself put into the cache
// doesn't.
queryClient.getQueryCache().subscribe((event) => {
  if (event.type !== 'updated') return;
  const { action } = event;
  if (action.type === 'success' && !action.manual) isLost.set(false);
  if (action.type === 'failed' || action.type === 'error') isLost.set(isUnreachable(action.error));
});

/** Reads the session again, which shows whether the service responds. */
export const checkConnection = (): void => void queryClient.invalidateQueries({ queryKey: ME_KEY });

// The check is delayed, because a request that is sent at the moment of the event may still get a response.
addEventListener('offline', () => setTimeout(checkConnection, 500));
