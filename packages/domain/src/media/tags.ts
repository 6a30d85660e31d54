import { readName } from '../name.ts';
import { caseFold } from '../text.ts';

/** Tags of an item. Above: 422 on `tags`. */
export const MAX_TAGS = 30;

/** Code points of a tag after trimming. */
export const TAG_LENGTH = { min: 1, max: 50 } as const;

/** A tag in the form that is stored, or the end of the sentence that says why it is invalid. */
export const readTag = (text: string) => readName(text, TAG_LENGTH.max);

/** The key by which tags of an item must differ, and are found: NFC, case ignored. */
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
