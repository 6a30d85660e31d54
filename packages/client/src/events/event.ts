import type { MediaItem } from '../media-item.ts';
import type { Operations } from '../operations.ts';

type Folder = Operations['folders']['get']['output']['data'];

type Usage = Operations['workspaces']['usage']['output']['data'];

type Post = Omit<Operations['posts']['get']['output']['data'], 'text'>;

export interface Told<Type extends string, Data> {
  /** Where {@link EventOptions.lastEventId} goes on behind it. */
  readonly id: string;
  readonly type: Type;
  /** ISO 8601, in UTC; later than the one before it of the same resource. */
  readonly timestamp: string;
  readonly workspace: string;
  /** As the change left it. */
  readonly data: Data;
}

export type ChangeEvent =
  | Told<'media.processing' | 'media.active' | 'media.failed' | 'media.updated', MediaItem>
  | Told<'folder.created' | 'folder.updated', Folder>
  | Told<'post.created' | 'post.updated', Post>
  | Told<'workspace.quota', Usage & { readonly id?: never }>
  | Told<'media.deleted' | 'folder.deleted' | 'post.deleted', { readonly id: string }>;

export type EventType = ChangeEvent['type'];

/** `reset`: events may have been missed, as the last one is too old. Read again what you keep. */
export type PostshelfEvent = ChangeEvent | { readonly type: 'reset'; readonly id: string | null };
