import type { PostshelfEvent } from '@postshelf/client';

export type Resource = 'media' | 'folders' | 'posts';

/**
 * A message from the tab that reads the stream to the other tabs: an event, or the state of the stream's connection.
 */
export type StreamMessage =
  | PostshelfEvent
  /** `isResumed`: the stream continues after the last event received, so no events were missed. */
  | { readonly type: 'open'; readonly id: string | null; readonly isResumed: boolean }
  | { readonly type: 'lost' };

const ALL: readonly Resource[] = ['media', 'folders', 'posts'];

const RESOURCES: Readonly<Record<string, Resource>> = { media: 'media', folder: 'folders', post: 'posts' };

/** Returns the resources that may have changed. */
export function changedBy(message: StreamMessage): readonly Resource[] {
  if (message.type === 'reset') return ALL;
  if (message.type === 'open') return message.isResumed ? [] : ALL;
  // A tab may run an older version than the sender and not know the type.
  const resource = RESOURCES[message.type.slice(0, message.type.indexOf('.'))];
  return resource === undefined ? [] : [resource];
}
