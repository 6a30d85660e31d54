import { describe, expect, test } from 'bun:test';
import {
  DEFAULT_PER_PAGE,
  describePage,
  MAX_PAGE,
  MAX_PER_PAGE,
  type PageLinks,
  type PageMeta,
  pageRequest,
  sliceOf,
} from '../../src/index.ts';

const PATH = 'https://postshelf.example/v1/workspaces/w/media_contents';

/** Describes page `page` of a list of `total` rows with ten rows per page. */
function describeTen(page: number, total: number, kept: Record<string, string> = {}) {
  const items = Array.from({ length: Math.max(0, Math.min(10, total - (page - 1) * 10)) });
  return describePage(pageRequest(page, 10), { items, total }, PATH, kept);
}

describe('pageRequest', () => {
  test('is the first page of 25 items by default', () => {
    expect(pageRequest()).toEqual({ page: 1, perPage: 25 });
    expect(DEFAULT_PER_PAGE).toBe(25);
  });

  test.each([
    [1, 1],
    [25, 25],
    [100, 100],
    [101, 100],
    [1_000_000, 100],
    [Number.POSITIVE_INFINITY, 100],
  ])('turns per_page %p into %p', (requested, given) => {
    expect(pageRequest(3, requested)).toEqual({ page: 3, perPage: given });
    expect(MAX_PER_PAGE).toBe(100);
  });
});

describe('sliceOf', () => {
  test.each([
    [1, 25, 0],
    [2, 25, 25],
    [7, 100, 600],
    [MAX_PAGE, 1, MAX_PAGE - 1],
  ])('begins page %p with %p items per page at %p', (page, perPage, offset) => {
    expect(sliceOf(pageRequest(page, perPage))).toEqual({ offset, limit: perPage });
  });

  test('is exact for the last possible page', () => {
    expect(Number.isSafeInteger(sliceOf(pageRequest(MAX_PAGE, MAX_PER_PAGE)).offset)).toBe(true);
  });
});

describe('describePage', () => {
  const at = (page: number): string => `${PATH}?page=${page}`;
  const linked = (last: number, prev: number | null, next: number | null): PageLinks => ({
    first: at(1),
    last: at(last),
    prev: prev === null ? null : at(prev),
    next: next === null ? null : at(next),
  });
  const numbered = (current_page: number, from: number | null, to: number | null, last_page: number, total: number) =>
    ({ current_page, from, to, per_page: 10, last_page, total, path: PATH }) satisfies PageMeta;

  test.each<[string, number, number, PageMeta, PageLinks]>([
    ['the first of several pages', 1, 25, numbered(1, 1, 10, 3, 25), linked(3, null, 2)],
    ['a page in the middle', 2, 25, numbered(2, 11, 20, 3, 25), linked(3, 1, 3)],
    ['the last page, not full', 3, 25, numbered(3, 21, 25, 3, 25), linked(3, 2, null)],
    ['the last page, full', 2, 20, numbered(2, 11, 20, 2, 20), linked(2, 1, null)],
    ['the only page', 1, 10, numbered(1, 1, 10, 1, 10), linked(1, null, null)],
    ['an empty list', 1, 0, numbered(1, null, null, 1, 0), linked(1, null, null)],
    ['a page past the end', 4, 25, numbered(4, null, null, 3, 25), linked(3, 3, null)],
    ['a page far past the end', 900, 25, numbered(900, null, null, 3, 25), linked(3, 3, null)],
    ['a page past the end of an empty list', 2, 0, numbered(2, null, null, 1, 0), linked(1, 1, null)],
  ])('numbers and links %s', (_what, page, total, meta, links) => {
    expect(describeTen(page, total)).toEqual({ meta, links });
  });

  test('keeps filters in every link, but not in the path', () => {
    const kept = { folder_id: 'root', search: 'a&b=c?#é 😀', per_page: '10' };
    const { meta, links } = describeTen(2, 25, kept);
    expect(meta.path).toBe(PATH);
    const pages = Object.entries({ first: '1', prev: '1', next: '3', last: '3' } satisfies Record<
      keyof PageLinks,
      string
    >);
    for (const [name, page] of pages) {
      const link = new URL(links[name as keyof PageLinks] ?? '');
      expect(Object.fromEntries(link.searchParams)).toEqual({ ...kept, page });
    }
  });

  test('has one page parameter per link, even if the filters contain another', () => {
    const { links } = describeTen(1, 25, { page: '7' });
    expect(new URL(links.next ?? '').searchParams.getAll('page')).toEqual(['2']);
  });
});
