import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { rawRequest } from '../support/raw.ts';
import { arrayAt, at, keysOf } from '../support/reply.ts';
import { idsOf } from '../support/shapes.ts';
import { type Row, row, table } from '../support/table.ts';
import { World } from '../support/world.ts';

// packages/api/test/operations/page.test.ts tests the `meta` and `links` of pages in detail.
let world: World;

const folders = '/workspaces/{workspace}/media_library/folders';
const media = '/workspaces/{workspace}/media_contents';

beforeAll(async () => {
  world = await World.open();
  world.ids.crowd = await world.folder('Crowd');
  for (let index = 0; index < 30; index++) await world.folder(`Folder ${index}`, '{crowd}');
  await world.store(...Array.from({ length: 10 }, (_, nth) => file(`picture-${nth}.png`, png())));
  world.ids.empty = await world.folder('Empty');
});

afterAll(() => world.close());

describe('a page', () => {
  /** The position that a page reports. The previous and the next page are numbers or null. */
  interface Page {
    readonly meta: readonly [current: number, from: number | null, to: number | null, size: number, last: number];
    readonly total: number;
    readonly prev: string | null;
    readonly next: string | null;
  }
  const page = (name: string, send: string, wanted: Page): Row => ({
    name,
    send: `GET ${send}`,
    status: 200,
    after: (reply) => {
      const { total, prev, next } = wanted;
      const [current_page, from, to, per_page, last_page] = wanted.meta;
      const path = world.fill(`{base}${send.split('?')[0]}`);
      expect(keysOf(reply.json)).toEqual(['data', 'links', 'meta']);
      expect(keysOf(at(reply.json, 'links'))).toEqual(['first', 'last', 'next', 'prev']);
      expect(arrayAt(reply.json, 'data')).toHaveLength(from === null ? 0 : Number(to) - from + 1);
      expect(at(reply.json, 'meta')).toEqual({ current_page, from, to, per_page, last_page, total, path });
      for (const [link, number] of Object.entries({ prev, next, first: '1', last: `${last_page}` })) {
        const address = at(reply.json, 'links', link);
        expect(address === null ? null : new URL(String(address)).searchParams.get('page')).toBe(number);
      }
    },
  });
  const past = 2_147_483_648;
  table(
    () => world,
    [
      page('has 25 entries by default', folders, {
        meta: [1, 1, 25, 25, 2],
        total: 32,
        prev: null,
        next: '2',
      }),
      page('of media has the same fields', `${media}?per_page=4&page=2`, {
        meta: [2, 5, 8, 4, 3],
        total: 10,
        prev: '1',
        next: '3',
      }),
      page('has at most 100 entries', `${folders}?per_page=101`, {
        meta: [1, 1, 32, 100, 1],
        total: 32,
        prev: null,
        next: null,
      }),
      page('past the end is empty, and links back to the last page', `${folders}?page=${past}`, {
        meta: [past, null, null, 25, 2],
        total: 32,
        prev: '2',
        next: null,
      }),

      row('is rejected with a message for each field', `GET ${folders}?page=x&per_page=0`, undefined, 422, {
        page: 'The page field must be an integer.',
        per_page: 'The per page field must be at least 1.',
      }),
    ],
  );
});

describe('pagination links', () => {
  test('keep per_page and the filters, whatever characters these contain', async () => {
    const reply = await world.call(`GET ${folders}?parent_id={crowd}&per_page=10&page=2`);
    for (const [link, page] of Object.entries({ first: '1', last: '3', prev: '1', next: '3' })) {
      const address = new URL(String(at(reply.json, 'links', link)));
      expect(address.origin + address.pathname).toBe(world.fill(`{base}${folders}`));
      const parent_id = String(world.ids.crowd);
      expect(Object.fromEntries(address.searchParams)).toEqual({ parent_id, per_page: '10', page });
    }
    const search = 'a&b=c #ü+%';
    const found = await world.call(`GET ${media}?search=${encodeURIComponent(search)}&type=image`);
    const first = new URL(String(at(found.json, 'links', 'first')));
    expect(first.searchParams.get('search')).toBe(search);
    expect(first.searchParams.get('type')).toBe('image');
  });

  test('ignore a forged Host header', async () => {
    const target = world.fill(`/v1${folders}?per_page=1`);
    const head = [`GET ${target} HTTP/1.1`, 'Host: evil.example', 'X-Forwarded-Host: evil.example'];
    const request = [...head, `Authorization: Bearer ${world.tokens.all}`, 'Connection: close', '', ''].join('\r\n');
    const reply = await rawRequest(world.server.port, request);
    expect(reply?.status).toBe(200);
    expect(reply?.text).not.toContain('evil');
    expect(at(reply?.json, 'meta', 'path')).toBe(world.fill(`{base}${folders}`));
  });

  for (const [list, total] of [
    [`${folders}?per_page=9`, 32],
    [`${media}?per_page=4`, 10],
  ] as const) {
    test(`of ${list} lead to every item once, in a consistent order`, async () => {
      const seen: string[] = [];
      let next: string | null = world.fill(`{base}${list}`);
      while (next !== null) {
        const response: Response = await fetch(next, { headers: { authorization: `Bearer ${world.tokens.all}` } });
        const body: unknown = await response.json();
        seen.push(...arrayAt(body, 'data').map((entry) => String(at(entry, 'id'))));
        const link = at(body, 'links', 'next');
        const { current_page: current, last_page: last } = Object(at(body, 'meta'));
        expect(link === null).toBe(current === last);
        next = link === null ? null : String(link);
      }
      expect(new Set(seen).size).toBe(total);
      expect(seen).toEqual(idsOf(await world.call(`GET ${list.split('?')[0]}?per_page=100`)));
    });
  }
});
