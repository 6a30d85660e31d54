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
 * The outbox: each write of media, folders and posts in a workspace that somebody listens to leaves its events in the
 * same transaction, without being asked. What is found here is committed and durable.
 */
export interface EventRepository {
  /**
   * From when this resolves, what is committed in these workspaces leaves events: until an instant, or up to
   * {@link LISTENED}`.granularity` less. A workspace with webhooks is listened to without it.
   *
   * @throws Refusal `unavailable` if transactions of before don't end
   */
  listen(workspaceIds: readonly Uuid[], until: number): Promise<void>;
  /** Ends it where the instant has passed. */
  endListening(now: number): Promise<void>;
  /** The place of the newest; 0 if there never was one. */
  newest(): Promise<EventPosition>;
  /** Of all workspaces, those behind a place, in order. */
  listAfter(after: EventPosition, limit: number): Promise<readonly PlacedEvent[]>;
  /** The same of one workspace, up to a place. */
  listOf(workspaceId: Uuid, after: EventPosition, upTo: EventPosition, limit: number): Promise<readonly PlacedEvent[]>;
  /** The place of a workspace's event or mark; null if there is none of an instant or later. */
  find(workspaceId: Uuid, id: Uuid, since: number): Promise<EventPosition | null>;
  /** The id of a workspace's newest event of an instant or later. If there is none it leaves a mark, which no list has. */
  mark(workspaceId: Uuid, since: number, now: number): Promise<Uuid>;
  /**
   * Removes some of those made before an instant, the oldest first; while there are webhooks, none of which deliveries are
   * still to be made.
   *
   * @returns how many were removed
   */
  prune(before: number, limit: number): Promise<number>;
}
