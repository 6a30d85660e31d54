import type { Uuid } from '../ids.ts';
import type { LibraryEvent } from './event.ts';

/**
 * The position of an event in the whole library. All readers find events in this order, and no event ever appears
 * before one that was already found. Clients never see the position, because it reveals activity in other workspaces.
 */
export type EventPosition = number;

export interface PlacedEvent {
  readonly position: EventPosition;
  readonly event: LibraryEvent;
}

/**
 * The outbox. Each write of media, folders and posts in a workspace that has listeners also adds its events, in the
 * same transaction. Events found here are committed and durable.
 */
export interface EventRepository {
  /**
   * Starts recording events in these workspaces: every change committed after the call resolves produces an event.
   * Recording ends at the given instant, or up to {@link LISTENED}`.granularity` earlier. Workspaces with webhooks are
   * always recorded.
   *
   * @throws Refusal `unavailable` if earlier transactions don't end
   */
  listen(workspaceIds: readonly Uuid[], until: number): Promise<void>;
  /** Stops recording in workspaces for which the instant given to {@link listen} has passed. */
  endListening(now: number): Promise<void>;
  /** Returns the position of the newest event; 0 if there never was one. */
  newest(): Promise<EventPosition>;
  /** Lists the events of all workspaces after a position, in order. */
  listAfter(after: EventPosition, limit: number): Promise<readonly PlacedEvent[]>;
  /** Lists the events of one workspace after one position and up to another, in order. */
  listOf(workspaceId: Uuid, after: EventPosition, upTo: EventPosition, limit: number): Promise<readonly PlacedEvent[]>;
  /**
   * Returns the position of a workspace's event, or of a mark made by {@link mark}; null if there is none with this id
   * since the given instant.
   */
  find(workspaceId: Uuid, id: Uuid, since: number): Promise<EventPosition | null>;
  /**
   * Returns the id of a workspace's newest event since an instant. If there is none, stores a mark and returns the
   * mark's id. Lists of events never contain marks.
   */
  mark(workspaceId: Uuid, since: number, now: number): Promise<Uuid>;
  /**
   * Removes the oldest events made before an instant. While there are webhooks, it removes only events whose deliveries
   * have been made.
   *
   * @returns how many were removed
   */
  prune(before: number, limit: number): Promise<number>;
}
