import { readName } from '../name.ts';
import { caseFold } from '../text.ts';

/** Maximum number of tags of an item; more are answered with 422 on `tags`. */
export const MAX_TAGS = 30;

/** Length in code points after trimming. */
export const TAG_LENGTH = { min: 1, max: 50 } as const;

/** Maximum number of tags in a list of a workspace's tags. */
export const MAX_LISTED_TAGS = 10_000;

export const readTag = (text: string) => readName(text, TAG_LENGTH.max);

export const tagKey = (tag: string): string => caseFold(tag.trim());

/** Returns the changed tags. A tag that is both added and removed is removed. */
export function changeTags(
  before: readonly string[],
  added: readonly string[],
  removed: readonly string[],
): readonly string[] {
  const removedKeys = new Set(removed.map(tagKey));
  const seen = new Set<string>();
  return [...before, ...added].filter((tag) => {
    const key = tagKey(tag);
    if (removedKeys.has(key) || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
