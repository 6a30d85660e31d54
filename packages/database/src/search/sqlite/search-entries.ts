const TRIGRAM = 3;

/** The most code points that are looked up by trigrams; the keys found are compared with a longer text. */
const MAX_PHRASE = 32;

/** The trigram tokenizer skips U+0000 and reads the others as U+FFFD. */
const UNSURE = /[\0\uFFFD-\uFFFF]|\p{Cs}/u;

/**
 * A search key's entry in `media_search`. The tokenizer would join the text on both sides of U+0000, so a line break,
 * which no searched text contains, stands in its place.
 */
export const entryOf = (searchKey: string): string => searchKey.replaceAll('\0', '\n');

/** Every distinct character and pair, each as a word. */
export function shortEntryOf(searchKey: string): string {
  const words = new Set<string>();
  let before: string | null = null;
  for (const character of searchKey) {
    const word = wordOf(character);
    words.add(word);
    if (before !== null) words.add(before + word);
    before = word;
  }
  return [...words].join(' ');
}

/** A character as a word: `x` and its code point in hex, as the tokenizer splits at anything but letters and digits. */
const wordOf = (character: string): string => `x${character.codePointAt(0)?.toString(16)}`;

export const PHRASE_TABLES = ['media_search', 'media_search_short'] as const;

interface Phrase {
  readonly table: (typeof PHRASE_TABLES)[number];
  /** sqlite.org/fts5.html#full_text_query_syntax */
  readonly match: string;
  /** Otherwise only the beginning is certain. */
  readonly isWhole: boolean;
}

/** null if the index can't answer. @param folded a word */
export function phraseOf(folded: string): Phrase | null {
  if (folded === '' || UNSURE.test(folded)) return null;
  const characters = Array.from(folded);
  if (characters.length < TRIGRAM) {
    return { table: 'media_search_short', match: `"${characters.map(wordOf).join('')}"`, isWhole: true };
  }
  const beginning = characters.slice(0, MAX_PHRASE).join('');
  // Within quotes every character is literal, a doubled quote one.
  const match = `"${beginning.replaceAll('"', '""')}"`;
  return { table: 'media_search', match, isWhole: characters.length <= MAX_PHRASE };
}
