import { readName } from '../name.ts';
import { caseFold } from '../text.ts';

/** Tags of an item. Above: 422 on `tags`. */
export const MAX_TAGS = 30;

/** Code points of a tag after trimming. */
export const TAG_LENGTH = { min: 1, max: 50 } as const;

/** The tag in its stored form, or the end of the error message if it is invalid. */
export const readTag = (text: string) => readName(text, TAG_LENGTH.max);

/** The key in which tags of an item must differ and by which they are found: NFC, case-folded. */
export const tagKey = (tag: string): string => caseFold(tag.trim());

/** An item's tags after adding some and removing others; a tag that is both added and removed is removed. */
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
