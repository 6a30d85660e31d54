import type { MediaItem } from '@postshelf/client';
import { useCallback } from 'react';
import { dateFieldOf } from '../../ui/zoned-time.ts';
import { useWorkspace } from '../../workspaces/use-workspace.ts';
import type { MediaFilter } from '../use-media-filter.ts';
import { dateSection } from './date-sections.ts';

/** Returns a function for the date headings of items in a list sorted by dates; undefined for other lists. */
export function useSections(sort: MediaFilter['sort']): ((item: MediaItem) => string) | undefined {
  const { timezone } = useWorkspace();
  const today = dateFieldOf(new Date().toISOString(), timezone);
  const by = sort.endsWith('updated_at') ? 'updated_at' : 'created_at';
  const sectionOf = useCallback(
    ({ details }: MediaItem) => (details ? dateSection(details[by], today, timezone) : ''),
    [by, today, timezone],
  );
  return sort.endsWith('_at') ? sectionOf : undefined;
}
