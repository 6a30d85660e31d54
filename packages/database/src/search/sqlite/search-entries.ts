const TRIGRAM = 3;

/**
 * Maximum number of code points that are looked up by trigrams. If a text is longer, the keys that are found are then
 * compared with the whole text.
 */
const MAX_PHRASE = 32;

/** Characters that the trigram tokenizer skips (U+0000) or reads as U+FFFD. */
const UNSURE = /[\0\uFFFD-\uFFFF]|\p{Cs}/u;

/**
 * Returns a search key's entry in `media_search`. The tokenizer would join the text on both sides of U+0000, so U+0000
 * is replaced by a line break, which no searched text contains.
 */
export const entryOf = (searchKey: string): string => searchKey.replaceAll('\0', '\n');

/** Returns every distinct character and pair of characters of a search key, each as a word. */
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

/**
 * Returns a character as a word: `x` and its code point in hex, because the tokenizer splits at anything but letters
 * and digits.
 */
const wordOf = (character: string): string => `x${character.codePointAt(0)?.toString(16)}`;

export const PHRASE_TABLES = ['media_search', 'media_search_short'] as const;

interface Phrase {
  readonly table: (typeof PHRASE_TABLES)[number];
  /** The query in FTS5's syntax (sqlite.org/fts5.html#full_text_query_syntax). */
  readonly match: string;
  /** Whether the query looks for the whole word; otherwise, it looks only for the word's beginning. */
  readonly isWhole: boolean;
}

/** Returns the phrase that finds a word; null if the index can't answer. @param folded the word */
export function phraseOf(folded: string): Phrase | null {
  if (folded === '' || UNSURE.test(folded)) return null;
  const characters = Array.from(folded);
  if (characters.length < TRIGRAM) {
    return { table: 'media_search_short', match: `"${characters.map(wordOf).join('')}"`, isWhole: true };
  }
  const beginning = characters.slice(0, MAX_PHRASE).join('');
  // Within quotes every character is literal; a quote is doubled.
  const match = `"${beginning.replaceAll('"', '""')}"`;
  return { table: 'media_search', match, isWhole: characters.length <= MAX_PHRASE };
}
