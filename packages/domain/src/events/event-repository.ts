import type { Uuid } from '../ids.ts';
import type { LibraryEvent } from './event.ts';

/**
 * The place of an event among all of the library: events are found in this order by everybody, and none is ever found
 * in front of one that was found before. Not shown to clients, as it tells of other workspaces.
 */
export type EventPosition = number;

export interface PlacedEvent {
  readonly position: EventPosition;
  readonly event: LibraryEvent;
}

/**
 * The outbox: each write of media, folders and posts leaves its events in the same transaction, without being asked.
 * What is found here is committed and durable.
 */
export interface EventRepository {
  /** The place of the newest; 0 if there never was one. */
  newest(): Promise<EventPosition>;
  /** Of all workspaces, those behind a place, in order. */
  listAfter(after: EventPosition, limit: number): Promise<readonly PlacedEvent[]>;
  /** The same of one workspace, up to a place. */
  listOf(workspaceId: Uuid, after: EventPosition, upTo: EventPosition, limit: number): Promise<readonly PlacedEvent[]>;
  /** The place of a workspace's event; null if there is none any more, or never was. */
  find(workspaceId: Uuid, id: Uuid): Promise<EventPosition | null>;
  /** The id of a workspace's newest event; null if none is left. */
  newestOf(workspaceId: Uuid): Promise<Uuid | null>;
  /**
   * Removes some of those made before an instant, the oldest first; while there are webhooks, none of which deliveries are
   * still to be made.
   *
   * @returns how many were removed
   */
  prune(before: number, limit: number): Promise<number>;
}
