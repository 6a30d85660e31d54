import type { MediaItem } from '../media-item.ts';
import type { Operations } from '../operations.ts';

type Folder = Operations['folders']['get']['output']['data'];

type Usage = Operations['workspaces']['usage']['output']['data'];

type Post = Omit<Operations['posts']['get']['output']['data'], 'text'>;

export interface EventOf<Type extends string, Data> {
  /** The event's id, with which {@link EventOptions.lastEventId} resumes after this event. */
  readonly id: string;
  readonly type: Type;
  /**
   * When the change happened, in ISO 8601 and UTC. Always later than the timestamp of the same resource's previous
   * event.
   */
  readonly timestamp: string;
  readonly workspace: string;
  /** The resource after the change. */
  readonly data: Data;
}

export type ChangeEvent =
  | EventOf<'media.processing' | 'media.active' | 'media.failed' | 'media.updated', MediaItem>
  | EventOf<'folder.created' | 'folder.updated', Folder>
  | EventOf<'post.created' | 'post.updated', Post>
  | EventOf<'workspace.quota', Usage & { readonly id?: never }>
  | EventOf<'media.deleted' | 'folder.deleted' | 'post.deleted', { readonly id: string }>;

export type EventType = ChangeEvent['type'];

/**
 * `reset` means that events may have been missed, because the last one that you received is too old to resume after.
 * Then reload everything that you have cached.
 */
export type PostshelfEvent = ChangeEvent | { readonly type: 'reset'; readonly id: string | null };
