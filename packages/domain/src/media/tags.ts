import { readName } from '../name.ts';
import { caseFold } from '../text.ts';

/** Tags of an item. Above: 422 on `tags`. */
export const MAX_TAGS = 30;

/** Code points of a tag after trimming. */
export const TAG_LENGTH = { min: 1, max: 50 } as const;

/** A tag in the form that is kept, or the end of the sentence that says why it is none. */
export const readTag = (text: string) => readName(text, TAG_LENGTH.max);

/** Tags of an item must differ in this, and are looked for by it: NFC, upper and lower case the same. */
export const tagKey = (tag: string): string => caseFold(tag.trim());

/** An item's tags once some were added and some removed; what is both is removed. */
export function changeTags(
  before: readonly string[],
  added: readonly string[],
  removed: readonly string[],
): readonly string[] {
  const gone = new Set(removed.map(tagKey));
  const seen = new Set<string>();
  return [...before, ...added].filter((tag) => {
    const key = tagKey(tag);
    if (gone.has(key) || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
