import type { Folder } from '../folders/folder.ts';
import type { Uuid } from '../ids.ts';
import type { MediaStatus, MediaWithCover } from '../media/item.ts';
import type { Post } from '../posts/post.ts';
import type { WorkspaceScope } from '../tokens/token.ts';
import type { WorkspaceUsage } from '../workspaces/quota.ts';

/** The types of events of each kind of resource (docs/api.md, "Events"). */
export const EVENT_TYPES = [
  'media.processing',
  'media.active',
  'media.failed',
  'media.updated',
  'media.deleted',
  'folder.created',
  'folder.updated',
  'folder.deleted',
  'post.created',
  'post.updated',
  'post.deleted',
  'workspace.quota',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export const isEventType = (text: string): text is EventType => (EVENT_TYPES as readonly string[]).includes(text);

/** How long an event is kept, in milliseconds. */
export const EVENT_LIFE = 24 * 60 * 60 * 1000;

/** A post without its text, because a text may have 64 KB. */
export type EventPost = Omit<Post, 'text'>;

/** The resource as the change left it. */
export type EventContent =
  | { readonly kind: 'media'; readonly media: MediaWithCover }
  | { readonly kind: 'folder'; readonly folder: Folder }
  | { readonly kind: 'post'; readonly post: EventPost }
  | { readonly kind: 'workspace'; readonly usage: WorkspaceUsage }
  | { readonly kind: 'deleted'; readonly id: Uuid };

/** A change that was committed. */
export interface LibraryEvent {
  /** Opaque, and unique. */
  readonly id: Uuid;
  readonly type: EventType;
  readonly workspaceId: Uuid;
  /** When the event was made; later than the previous event of the same resource. */
  readonly at: number;
  readonly content: EventContent;
}

export type ChangedKind = 'media' | 'folder' | 'post';

/**
 * Returns the type of the event for a resource that a transaction changed. There is one event, however often the
 * transaction changed the resource.
 *
 * @param before null if the resource didn't exist. For folders and posts, it only matters whether this is null
 * @param after null if the resource no longer exists
 * @returns null if there is no event: the resource was created and deleted in one transaction, or is a presigned upload
 *   that isn't confirmed
 */
export function typeOfChange(
  kind: ChangedKind,
  before: MediaStatus | 'there' | null,
  after: MediaStatus | 'there' | null,
): EventType | null {
  if (kind !== 'media') {
    if (before === null) return after === null ? null : `${kind}.created`;
    return after === null ? `${kind}.deleted` : `${kind}.updated`;
  }
  const [was, is] = [shown(before), shown(after)];
  if (is === null) return was === null ? null : 'media.deleted';
  return was === is ? 'media.updated' : `media.${is}`;
}

/** A presigned upload isn't shown until it is confirmed. */
const shown = (status: MediaStatus | 'there' | null) => (status === 'temporary' || status === 'there' ? null : status);

const READ_SCOPES: Readonly<Record<ChangedKind | 'workspace', WorkspaceScope>> = {
  media: 'media:read',
  folder: 'folders:read',
  post: 'analytics:read',
  workspace: 'media:read',
};

/** Returns the scope that a token needs to receive an event. */
export const scopeOfEvent = (type: EventType): WorkspaceScope =>
  READ_SCOPES[type.split('.', 1)[0] as keyof typeof READ_SCOPES];
