import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { pageEnvelope, readPage } from '../../src/operations/pagination.ts';

const PATH = 'https://shelf.example/v1/workspaces/w/media_contents';

const rows = (items: readonly number[], total = items.length) => ({ items, total });
const show = (item: number) => ({ shown: item });

describe('the envelope of a list', () => {
  test('holds the items, their position and links to the other pages', () => {
    const input = { page: 2, per_page: 2, status: 'active', tag: ['x', 'y'], search: 'a&b=c d' };
    const query = 'per_page=2&status=active&tag=x&tag=y&search=a%26b%3Dc+d';
    expect(pageEnvelope(PATH, input, rows([3, 4], 5), show)).toEqual({
      data: [{ shown: 3 }, { shown: 4 }],
      meta: { current_page: 2, from: 3, to: 4, per_page: 2, last_page: 3, total: 5, path: PATH },
      links: {
        first: `${PATH}?${query}&page=1`,
        last: `${PATH}?${query}&page=3`,
        prev: `${PATH}?${query}&page=1`,
        next: `${PATH}?${query}&page=3`,
      },
    });
  });

  test('keeps the query of the request in its links and adds nothing', () => {
    const input = { page: undefined, search: undefined };
    const { links } = pageEnvelope(PATH, input, rows([]), show);
    expect(links).toEqual({ first: `${PATH}?page=1`, last: `${PATH}?page=1`, prev: null, next: null });
  });

  test('lowers per_page to the maximum, in the links as well', () => {
    const { meta, links } = pageEnvelope(PATH, { per_page: 101 }, rows([1], 250), show);
    expect(meta).toMatchObject({ per_page: 100, last_page: 3 });
    expect(links).toMatchObject({ last: `${PATH}?per_page=100&page=3`, next: `${PATH}?per_page=100&page=2` });
    expect(readPage({ per_page: Number.MAX_SAFE_INTEGER })).toEqual({ page: 1, perPage: 100 });
  });

  test('is empty for a page past the end and links back to the last page', () => {
    const { data, meta, links } = pageEnvelope(PATH, { page: 9, per_page: 10 }, rows([], 25), show);
    expect(data).toEqual([]);
    expect(meta).toMatchObject({ current_page: 9, from: null, to: null, last_page: 3, total: 25 });
    expect(links).toMatchObject({ prev: `${PATH}?per_page=10&page=3`, next: null });
  });

  test('has links with the same filters', () => {
    const someText = fc.string({ unit: 'grapheme' });
    const filters = fc.dictionary(fc.constantFrom('status', 'search', 'folder_id', 'from'), someText);
    fc.assert(
      fc.property(filters, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 30 }), (given, page, per_page) => {
        const { links } = pageEnvelope(PATH, { ...given, page, per_page }, rows([], 100), show);
        for (const link of [links.first, links.last, links.prev, links.next]) {
          if (link === null) continue;
          const url = new URL(link);
          expect(url.origin + url.pathname).toBe(PATH);
          const { page: _, ...kept } = Object.fromEntries(url.searchParams);
          expect(kept).toEqual({ ...given, per_page: String(per_page) });
        }
      }),
    );
  });
});
