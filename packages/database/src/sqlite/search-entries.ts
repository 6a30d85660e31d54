/** Of fewer characters (code points) trigrams know nothing. */
const TRIGRAM = 3;

/** Characters of a text that trigrams are asked for: of a longer one, keys are looked at that have its beginning. */
const MAX_PHRASE = 32;

/** What the tokenizer of trigrams takes for one another or for nothing: U+0000 it skips, and the others are U+FFFD to it. */
const UNSURE = /[\0\uFFFD-\uFFFF]|\p{Cs}/u;

/** What `media_search` is given of a search key. What stands on the two sides of U+0000 must not be found together; no text has the other. */
export const entryOf = (searchKey: string): string => searchKey.replaceAll('\0', '\n');

/** What `media_search_short` is given of it: each character and each pair of two, once, as words. */
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

/** Of letters and digits, as the tokenizer takes others for what is between words; `x` begins a character. */
const wordOf = (character: string): string => `x${character.codePointAt(0)?.toString(16)}`;

/** What the index is asked for a text. */
export interface Phrase {
  readonly table: 'media_search' | 'media_search_short';
  /** For `match` (sqlite.org/fts5.html#full_text_query_syntax). */
  readonly match: string;
  /** Whether all that is found has the text; if not, its beginning. */
  readonly isWhole: boolean;
}

/** null where the index can't tell. */
export function phraseOf(folded: string): Phrase | null {
  if (folded === '' || UNSURE.test(folded)) return null;
  const characters = Array.from(folded);
  if (characters.length < TRIGRAM) {
    return { table: 'media_search_short', match: `"${characters.map(wordOf).join('')}"`, isWhole: true };
  }
  const beginning = characters.slice(0, MAX_PHRASE).join('');
  // What stands within quotes stands for itself.
  const match = `"${beginning.replaceAll('"', '""')}"`;
  return { table: 'media_search', match, isWhole: characters.length <= MAX_PHRASE };
}
