import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { png } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { rawRequest } from '../support/raw.ts';
import { arrayAt, at, keysOf } from '../support/reply.ts';
import { idsOf } from '../support/shapes.ts';
import { type Row, row, table } from '../support/table.ts';
import { World } from '../support/world.ts';

setDefaultTimeout(60_000);

let world: World;

const folders = '/workspaces/{workspace}/media_library/folders';
const media = '/workspaces/{workspace}/media_contents';

beforeAll(async () => {
  world = await World.open();
  world.ids.crowd = await world.folder('Crowd');
  for (let index = 0; index < 130; index++) await world.folder(`Folder ${index}`, '{crowd}');
  for (let index = 0; index < 3; index++) {
    await world.store(...Array.from({ length: 10 }, (_, nth) => file(`picture-${index}-${nth}.png`, png())));
  }
  world.ids.empty = await world.folder('Empty');
});

afterAll(() => world.close());

const path = `{base}${folders}`;

describe('A page has data, meta and links', () => {
  table(
    () => world,
    [
      {
        name: 'the first page has 25',
        send: `GET ${folders}`,
        status: 200,
        after: (reply) => {
          expect(keysOf(reply.json)).toEqual(['data', 'links', 'meta']);
          expect(arrayAt(reply.json, 'data')).toHaveLength(25);
          expect(at(reply.json, 'meta')).toEqual(
            world.fill({ current_page: 1, from: 1, to: 25, per_page: 25, last_page: 6, total: 132, path }),
          );
          expect(keysOf(at(reply.json, 'links'))).toEqual(['first', 'last', 'next', 'prev']);
          expect(at(reply.json, 'links', 'prev')).toBeNull();
        },
      },
      {
        name: 'the last page is what is left, and has no next',
        send: `GET ${folders}?page=6`,
        status: 200,
        after: (reply) => {
          expect(arrayAt(reply.json, 'data')).toHaveLength(7);
          expect(at(reply.json, 'meta')).toEqual(
            world.fill({ current_page: 6, from: 126, to: 132, per_page: 25, last_page: 6, total: 132, path }),
          );
          expect(at(reply.json, 'links', 'next')).toBeNull();
        },
      },
      {
        name: 'media have the same form',
        send: `GET ${media}?per_page=7&page=2`,
        status: 200,
        after: (reply) => {
          expect(keysOf(reply.json)).toEqual(['data', 'links', 'meta']);
          expect(at(reply.json, 'meta')).toEqual(
            world.fill({
              current_page: 2,
              from: 8,
              to: 14,
              per_page: 7,
              last_page: 5,
              total: 30,
              path: `{base}${media}`,
            }),
          );
        },
      },
    ],
  );
});

describe('page and per_page that are no numbers from 1 on are 422', () => {
  const bad = ['0', '1.5', '0x1', 'null'];
  table(
    () => world,
    [folders, media].flatMap((list) =>
      bad.flatMap((value): Row[] => [
        { name: `${list}?page=${value}`, send: `GET ${list}?page=${value}`, status: 422, invalid: { page: true } },
        row(`${list}?per_page=${value}`, `GET ${list}?per_page=${value}`, undefined, 422, { per_page: true }),
      ]),
    ),
  );
  table(
    () => world,
    [
      {
        name: 'both at once, in the wording that Laravel made familiar',
        send: `GET ${folders}?page=x&per_page=0`,
        status: 422,
        invalid: { page: 'The page field must be an integer.', per_page: 'The per page field must be at least 1.' },
      },
    ],
  );
});

describe('per_page above 100 is lowered to it', () => {
  table(
    () => world,
    ['101', '2147483648'].map(
      (value): Row => ({
        name: `per_page=${value}`,
        send: `GET ${folders}?per_page=${value}`,
        status: 200,
        after: (reply) => {
          expect(arrayAt(reply.json, 'data')).toHaveLength(100);
          expect(at(reply.json, 'meta')).toEqual(
            world.fill({ current_page: 1, from: 1, to: 100, per_page: 100, last_page: 2, total: 132, path }),
          );
        },
      }),
    ),
  );
});

describe('A page past the end is empty, and leads back to the last one', () => {
  table(
    () => world,
    [7, 2_147_483_648].map(
      (page): Row => ({
        name: `page=${page}`,
        send: `GET ${folders}?page=${page}`,
        status: 200,
        after: async (reply) => {
          expect(at(reply.json, 'data')).toEqual([]);
          expect(at(reply.json, 'meta')).toEqual(
            world.fill({ current_page: page, from: null, to: null, per_page: 25, last_page: 6, total: 132, path }),
          );
          expect(at(reply.json, 'links', 'next')).toBeNull();
          const previous = new URL(String(at(reply.json, 'links', 'prev')));
          expect(previous.searchParams.get('page')).toBe('6');
        },
      }),
    ),
  );
});

describe('An empty list has one page', () => {
  table(
    () => world,
    [
      {
        name: 'folders',
        send: `GET ${folders}?parent_id={empty}`,
        status: 200,
        after: (reply) => {
          expect(at(reply.json, 'data')).toEqual([]);
          expect(at(reply.json, 'meta')).toEqual(
            world.fill({ current_page: 1, from: null, to: null, per_page: 25, last_page: 1, total: 0, path }),
          );
          expect(at(reply.json, 'links')).toMatchObject({ prev: null, next: null });
        },
      },
    ],
  );
});

describe('Links keep the filters and per_page', () => {
  test('each link is the address of its page', async () => {
    const reply = await world.call(`GET ${folders}?parent_id={crowd}&per_page=50&page=2`);
    const pages = { first: '1', last: '3', prev: '1', next: '3' };
    for (const [link, page] of Object.entries(pages)) {
      const address = new URL(String(at(reply.json, 'links', link)));
      expect(address.origin + address.pathname).toBe(world.fill(path));
      expect(Object.fromEntries(address.searchParams)).toEqual({
        parent_id: String(world.ids.crowd),
        per_page: '50',
        page,
      });
    }
    expect(at(reply.json, 'meta', 'path')).toBe(world.fill(path));
  });

  test('a filter with characters of its own comes back whole', async () => {
    const search = 'a&b=c #ü+%';
    const reply = await world.call(`GET ${media}?search=${encodeURIComponent(search)}&type=image`);
    const first = new URL(String(at(reply.json, 'links', 'first')));
    expect(first.searchParams.get('search')).toBe(search);
    expect(first.searchParams.get('type')).toBe('image');
  });

  test('a Host header of somebody else gets into no link', async () => {
    const target = world.fill(`/v1${folders}?per_page=1`);
    const head = [`GET ${target} HTTP/1.1`, 'Host: evil.example', 'X-Forwarded-Host: evil.example'];
    const request = [...head, `Authorization: Bearer ${world.tokens.all}`, 'Connection: close', '', ''].join('\r\n');
    const reply = await rawRequest(world.server.port, request);
    expect(reply?.status).toBe(200);
    expect(reply?.text).not.toContain('evil');
    expect(at(reply?.json, 'meta', 'path')).toBe(world.fill(path));
  });
});

describe('Following the links meets every item once', () => {
  for (const [list, total] of [
    [`${folders}?per_page=30`, 132],
    [`${media}?per_page=4`, 30],
  ] as const) {
    test(`following next over ${list} meets every one once, in one order`, async () => {
      const seen: string[] = [];
      const token = String(world.tokens.all);
      let next: string | null = world.fill(`{base}${list}`);
      while (next !== null) {
        const response: Response = await fetch(next, { headers: { authorization: `Bearer ${token}` } });
        const body: unknown = await response.json();
        seen.push(...arrayAt(body, 'data').map((entry) => String(at(entry, 'id'))));
        const link = at(body, 'links', 'next');
        const { current_page: current, last_page: last } = Object(at(body, 'meta'));
        expect(link === null).toBe(current === last);
        next = link === null ? null : String(link);
      }
      expect(seen).toHaveLength(total);
      expect(new Set(seen).size).toBe(total);
      const whole = await Promise.all(
        [1, 2].map((page) => world.call(`GET ${list.split('?')[0]}?per_page=100&page=${page}`)),
      );
      expect(seen).toEqual(whole.flatMap(idsOf));
    });
  }

  test('items of one request have one order on every page size', async () => {
    const small: string[] = [];
    for (let page = 1; page <= 10; page++)
      small.push(...idsOf(await world.call(`GET ${media}?per_page=3&page=${page}`)));
    expect(small).toEqual(idsOf(await world.call(`GET ${media}?per_page=100`)));
  });
});
