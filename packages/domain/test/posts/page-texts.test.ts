import { describe, expect, test } from 'bun:test';
import { cutTexts, evenShare, NO_METRICS, type Post, type Uuid } from '../../src/index.ts';

const id = '00000000-0000-7000-8000-000000000000' as Uuid;

const postWith = (text: string | null): Post => ({
  id,
  workspaceId: id,
  profileId: id,
  externalId: null,
  publishedAt: 0,
  text,
  mediaIds: [],
  metrics: NO_METRICS,
  createdAt: 0,
  updatedAt: 0,
});

const bytesOf = (text: string | null): number => Buffer.byteLength(JSON.stringify(text ?? '')) - 2;

describe('The share that each of many sizes may have of a total', () => {
  test.each([
    [[], 10, 10],
    [[3, 4], 10, 10],
    [[5, 5], 10, 10],
    [[6, 6], 10, 5],
    [[1, 9, 9], 11, 5],
    [[100, 1, 2], 10, 7],
    [[0, 0, 7], 6, 6],
  ])('%j of %d: %d', (sizes, total, share) => expect(evenShare(sizes, total)).toBe(share));
});

describe('The texts of a page', () => {
  test('stay as they are while they fit', () => {
    const posts = ['one', null, 'three'].map(postWith);
    expect(cutTexts(posts, 8)).toEqual({ posts, cut: [] });
  });

  test.each([
    ['ASCII', 'a'],
    ['quotes', '"'],
    ['line ends', '\n'],
    ['control characters', '\u0001'],
    ['two bytes', 'é'],
    ['three bytes', '€'],
    ['four bytes', '🌞'],
    ['unpaired surrogates', '\ud83c'],
  ])('are cut to the bytes of JSON that they become: %s', (_, character) => {
    const long = character.repeat(1000);
    const { posts, cut } = cutTexts([postWith(long), postWith('short'), postWith(long)], 605);
    const [first, second, third] = posts.map(({ text }) => text);
    expect(second).toBe('short');
    expect(first).toBe(third ?? '');
    expect(long.startsWith(first ?? '-')).toBe(true);
    // No character is cut in two, and one more would be too many.
    expect(bytesOf(first ?? null)).toBeLessThanOrEqual(300);
    expect(bytesOf(first ?? null)).toBeGreaterThan(300 - 6);
    expect(cut).toEqual([posts[0], posts[2]] as Post[]);
  });

  test('are cut as if each were measured by itself', () => {
    const characters = ['a', '"', '\n', '\u0001', '\u007f', 'é', '€', '🌞', '\ud83c', '\udf1e'];
    // Any numbers that don't repeat soon.
    let state = 1;
    const below = (limit: number) => {
      state = (state * 48271) % 0x7fffffff;
      return state % limit;
    };
    for (let round = 0; round < 300; round++) {
      const texts = Array.from({ length: 1 + below(8) }, () =>
        Array.from({ length: below(2) === 0 ? below(8) : below(80) }, () => characters[below(characters.length)]).join(
          '',
        ),
      );
      const total = 1 + below(400);
      const { posts } = cutTexts(texts.map(postWith), total);
      const share = evenShare(texts.map(bytesOf), total);
      expect(posts.map(({ text }) => text)).toEqual(texts.map((text) => longestWithin(text, share)));
    }
  });
});

/** Whole characters of which the JSON has no more than so many bytes. */
function longestWithin(text: string, limit: number): string {
  let longest = '';
  for (const character of text) {
    if (bytesOf(longest + character) > limit) break;
    longest += character;
  }
  return longest;
}
