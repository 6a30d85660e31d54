import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { describePage, type PageLinks, pageRequest, sliceOf } from '../../src/index.ts';

const PATH = 'http://127.0.0.1:3000/v1/workspaces/w/media_contents';

/** Returns a function that takes a URL and returns the page of the list that the service would return for it. */
function serve(list: readonly number[]) {
  return (address: string) => {
    const query = new URL(address).searchParams;
    const { page, ...kept } = Object.fromEntries(query);
    const perPage = query.get('per_page');
    const request = pageRequest(page ? Number(page) : undefined, perPage ? Number(perPage) : undefined);
    const { offset, limit } = sliceOf(request);
    const items = list.slice(offset, offset + limit);
    return { items, ...describePage(request, { items, total: list.length }, PATH, kept) };
  };
}

/** Returns the pages from one address on, following the same link each time. */
function walk(get: ReturnType<typeof serve>, from: string, by: keyof PageLinks) {
  const pages = [get(from)];
  for (let link = pages[0]?.links[by]; link; link = pages.at(-1)?.links[by]) pages.push(get(link));
  return pages;
}

const anyList = fc.nat({ max: 300 }).map((total) => Array.from({ length: total }, (_, index) => index));
const anyPerPage = fc.integer({ min: 1, max: 150 });

test('following next from the first page lists every item once, in order, with the right numbers', () => {
  fc.assert(
    fc.property(anyList, anyPerPage, (list, perPage) => {
      const pages = walk(serve(list), `${PATH}?per_page=${perPage}`, 'next');
      expect(pages.flatMap(({ items }) => items)).toEqual(list);
      for (const [index, { items, meta, links }] of pages.entries()) {
        expect(meta.current_page).toBe(index + 1);
        expect(meta.per_page).toBe(Math.min(perPage, 100));
        expect(meta.last_page).toBe(pages.length);
        expect(meta.total).toBe(list.length);
        expect(items.length).toBeLessThanOrEqual(meta.per_page);
        expect(list.slice((meta.from ?? 1) - 1, meta.to ?? 0)).toEqual(items);
        expect(links.next === null).toBe(meta.current_page === meta.last_page);
      }
    }),
    { numRuns: 200 },
  );
});

test('following prev from the last page leads back through the same pages', () => {
  fc.assert(
    fc.property(anyList, anyPerPage, (list, perPage) => {
      const get = serve(list);
      const start = `${PATH}?per_page=${perPage}`;
      const there = walk(get, start, 'next');
      expect(walk(get, get(start).links.last, 'prev')).toEqual(there.toReversed());
    }),
    { numRuns: 100 },
  );
});
