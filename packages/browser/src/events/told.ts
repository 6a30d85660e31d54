import type { PostshelfEvent } from '@postshelf/client';

export type Resource = 'media' | 'folders' | 'posts';

/** A message from the tab that reads the stream to the others: an event, or the state of its connection. */
export type Told =
  | PostshelfEvent
  /** `isResumed`: earlier events follow, so none were missed. */
  | { readonly type: 'open'; readonly id: string | null; readonly isResumed: boolean }
  | { readonly type: 'lost' };

const ALL: readonly Resource[] = ['media', 'folders', 'posts'];

const RESOURCES: Readonly<Record<string, Resource>> = { media: 'media', folder: 'folders', post: 'posts' };

/** Returns the resources that may have changed. */
export function changedBy(told: Told): readonly Resource[] {
  if (told.type === 'reset') return ALL;
  if (told.type === 'open') return told.isResumed ? [] : ALL;
  // A tab may run an older version than the sender and not know the type.
  const resource = RESOURCES[told.type.slice(0, told.type.indexOf('.'))];
  return resource === undefined ? [] : [resource];
}
