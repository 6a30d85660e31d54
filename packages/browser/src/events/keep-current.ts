import { Changes } from './changes.ts';
import { followEvents, type SharedEventsOptions } from './shared-events.ts';
import { changedBy, type Resource } from './stream-message.ts';

export interface CurrentOptions extends Omit<SharedEventsOptions, 'onMessage'> {
  /**
   * Reloads what the page shows of the changed resources. On a hidden page, it is called when the page becomes visible.
   */
  refresh(changed: ReadonlySet<Resource>): Promise<unknown>;
  /** Called when the stream is opened, and when it is lost. */
  onConnection(isOpen: boolean): void;
}

/** Follows a workspace's events, and refreshes what a page shows of it. @returns a function that stops the updates */
export function keepCurrent({ refresh, onConnection, ...options }: CurrentOptions): () => void {
  const changes = new Changes(refresh);
  const end = followEvents({
    ...options,
    onMessage(message) {
      if (message.type === 'open' || message.type === 'lost') onConnection(message.type === 'open');
      changes.add(changedBy(message));
    },
  });
  const holdWhileHidden = (): void => changes.hold(document.hidden);
  document.addEventListener('visibilitychange', holdWhileHidden);
  holdWhileHidden();
  return () => {
    document.removeEventListener('visibilitychange', holdWhileHidden);
    end();
    changes.end();
  };
}
