import type { PostshelfEvent } from '@postshelf/client';

export type Resource = 'media' | 'folders' | 'posts';

/** What the tab that reads the stream tells the others: its events, and how its connection is. */
export type Told =
  | PostshelfEvent
  /** `isResumed`: what happened before is told, too. */
  | { readonly type: 'open'; readonly id: string | null; readonly isResumed: boolean }
  | { readonly type: 'lost' };

const ALL: readonly Resource[] = ['media', 'folders', 'posts'];

const RESOURCES: Readonly<Record<string, Resource>> = { media: 'media', folder: 'folders', post: 'posts' };

/** What may have changed. */
export function changedBy(told: Told): readonly Resource[] {
  if (told.type === 'reset') return ALL;
  if (told.type === 'open') return told.isResumed ? [] : ALL;
  // A tab may be older than the one that tells, and not know the type.
  const resource = RESOURCES[told.type.slice(0, told.type.indexOf('.'))];
  return resource === undefined ? [] : [resource];
}
