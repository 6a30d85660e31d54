import { plural } from '@postshelf/browser/ui/format-number.ts';
import type { MediaItem } from '@postshelf/client';

/** The result for one of many items. */
export interface Outcome {
  readonly item: MediaItem;
  /** Why the item wasn't changed; null if it was. */
  readonly refusal: string | null;
}

/** Maximum number of reasons in a summary. Further ones are mentioned, but not listed. */
const MAX_REASONS = 3;

/**
 * Summarizes a change: "3 items were moved to Brand. 2 items weren't moved to Brand. a.jpg and 1 other: The media item
 * is used by a post."
 */
export function summaryOf(outcomes: readonly Outcome[], done: string): string {
  const refused = outcomes.filter(({ refusal }) => refusal !== null);
  const count = outcomes.length - refused.length;
  const parts: string[] = [];
  if (count > 0 || refused.length === 0)
    parts.push(`${plural(count, 'item')} ${count === 1 ? 'was' : 'were'} ${done}.`);
  if (refused.length > 0) {
    parts.push(`${plural(refused.length, 'item')} ${refused.length === 1 ? 'wasn’t' : 'weren’t'} ${done}.`);
    const byReason = [...Map.groupBy(refused, ({ refusal }) => refusal)];
    for (const [reason, [first, ...others]] of byReason.slice(0, MAX_REASONS)) {
      parts.push(`${first?.item.name}${others.length > 0 ? ` and ${plural(others.length, 'other')}` : ''}: ${reason}`);
    }
    if (byReason.length > MAX_REASONS) parts.push('The others failed for other reasons.');
  }
  return parts.join(' ');
}
