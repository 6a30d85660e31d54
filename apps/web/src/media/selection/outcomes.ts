import type { MediaItem } from '@postshelf/client';
import { plural } from '@postshelf/elements/ui/format-number.ts';

/** The result for one of many items. */
export interface Outcome {
  readonly item: MediaItem;
  /** Why the item wasn't changed; null if it was. */
  readonly refusal: string | null;
}

/** "3 items were moved to Brand. 2 were not: The media item is used by a post." */
export function summaryOf(outcomes: readonly Outcome[], done: string): string {
  const refusals = outcomes.flatMap(({ item, refusal }) => (refusal === null ? [] : [`${item.name}: ${refusal}`]));
  const count = outcomes.length - refusals.length;
  const was = (of: number): string => (of === 1 ? 'was' : 'were');
  const what = count > 0 || refusals.length === 0 ? `${plural(count, 'item')} ${was(count)} ${done}.` : '';
  if (refusals.length === 0) return what;
  const more = refusals.length > 1 ? ` (and ${plural(refusals.length - 1, 'other')})` : '';
  return `${what} ${plural(refusals.length, 'item')} ${was(refusals.length)} not. ${refusals[0]}${more}`.trim();
}
