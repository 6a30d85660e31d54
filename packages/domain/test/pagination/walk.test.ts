import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { describePage, type PageLinks, pageRequest, sliceOf } from '../../src/index.ts';
import { hostileText } from '../support/arbitraries.ts';

const PATH = 'http://127.0.0.1:3000/v1/workspaces/w/media_contents';

/** A list held in memory and its pages, as a client sees them: addresses in, answers out. */
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

/** The pages from one address on, each time by the same link. */
function walk(get: ReturnType<typeof serve>, from: string, by: keyof PageLinks) {
  const pages = [get(from)];
  for (let link = pages[0]?.links[by]; link; link = pages.at(-1)?.links[by]) pages.push(get(link));
  return pages;
}

const anyList = fc.nat({ max: 300 }).map((total) => Array.from({ length: total }, (_, index) => index));
const anyPerPage = fc.integer({ min: 1, max: 150 });

test('following next from the first page shows every item once, in order, under the right numbers', () => {
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

test('following prev from the last page goes the same way back', () => {
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

test('a page past the end is empty and leads back to the last one', () => {
  fc.assert(
    fc.property(anyList, anyPerPage, fc.integer({ min: 1, max: 1_000_000 }), (list, perPage, beyond) => {
      const get = serve(list);
      const { last_page } = get(`${PATH}?per_page=${perPage}`).meta;
      const { items, meta, links } = get(`${PATH}?per_page=${perPage}&page=${last_page + beyond}`);
      expect(items).toEqual([]);
      expect(meta).toMatchObject({ current_page: last_page + beyond, from: null, to: null, last_page });
      expect(links.next).toBeNull();
      expect(links.prev).toBe(links.last);
    }),
    { numRuns: 100 },
  );
});

test('every link is a URL that carries the filters as they were', () => {
  const filter = fc.stringMatching(/^[a-z_]{1,12}$/).filter((name) => name !== 'page');
  const text = hostileText.filter((any) => !/\p{Cs}/u.test(any));
  fc.assert(
    fc.property(fc.dictionary(filter, text, { maxKeys: 4 }), fc.integer({ min: 1, max: 5 }), (kept, page) => {
      const { links } = describePage(pageRequest(page, 10), { items: [], total: 45 }, PATH, kept);
      for (const link of Object.values(links).filter((some) => some !== null)) {
        const { page: number, ...others } = Object.fromEntries(new URL(link).searchParams);
        expect(others).toEqual({ ...kept });
        expect(Number(number)).toBeWithin(1, 6);
      }
    }),
    { numRuns: 200 },
  );
});
