import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { arrayAt, at, keysOf, stringAt } from '../support/reply.ts';
import { idsOf, uuid } from '../support/shapes.ts';
import { type Row, table } from '../support/table.ts';
import { World } from '../support/world.ts';
import { makeProfile, profiles } from './support/posts.ts';

setDefaultTimeout(60_000);

let world: World;

beforeAll(async () => {
  world = await World.open();
});

afterAll(() => world.close());

const create = `POST ${profiles}`;

const created = (name: string, network: string) => ({
  data: { id: expect.stringMatching(uuid), name, network },
  message: expect.any(String),
});

describe('Creating: 201 {data: {id, name, network}, message}', () => {
  const taken: readonly [string, object, string, string][] = [
    ['name and network', { name: 'Café', network: 'instagram' }, 'Café', 'instagram'],
    ['both are trimmed', { name: '  Café \n', network: '\tinstagram ' }, 'Café', 'instagram'],
    ['one character each', { name: 'a', network: 'x' }, 'a', 'x'],
    ['100 and 50 characters', { name: 'n'.repeat(100), network: 'w'.repeat(50) }, 'n'.repeat(100), 'w'.repeat(50)],
    [
      '"Lengths are counted in Unicode code points"',
      { name: '🌊'.repeat(100), network: '🌊'.repeat(50) },
      '🌊'.repeat(100),
      '🌊'.repeat(50),
    ],
    [
      '"Unknown JSON fields are ignored"',
      { name: 'Plain', network: 'x', id: 'mine', workspace_id: '{foreign}', nothing: [] },
      'Plain',
      'x',
    ],
    ["quotes that SQL might trip over: '; --", { name: `O'Neil"; --`, network: "x'y" }, `O'Neil"; --`, "x'y"],
  ];
  table(
    () => world,
    taken.map(([name, json, shown, network]): Row => {
      return { name, send: create, json, status: 201, expect: created(shown, network) };
    }),
  );
});

describe('What is refused, "all failing fields at once"', () => {
  const refused: readonly [string, unknown, Row['invalid']][] = [
    ['nothing', {}, { name: 'The name field is required.', network: 'The network field is required.' }],
    ['null', { name: null, network: null }, { name: true, network: true }],
    ['empty', { name: '', network: '' }, { name: true, network: true }],
    ['blanks', { name: ' \t ', network: '\n' }, { name: true, network: true }],
    ['numbers', { name: 1, network: 2 }, { name: true, network: true }],
    ['arrays and objects', { name: ['a'], network: { a: 1 } }, { name: true, network: true }],
    ['101 characters', { name: 'n'.repeat(101), network: 'x' }, { name: /100/ }],
    ['51 characters', { name: 'n', network: 'x'.repeat(51) }, { network: /50/ }],
  ];
  table(
    () => world,
    [
      ...refused.map(([name, json, invalid]): Row => {
        return { name, send: create, json, status: 422, ...(invalid && { invalid }) };
      }),
      {
        name: 'a body that is no JSON',
        send: create,
        body: '{"name"',
        headers: { 'content-type': 'application/json' },
        status: 400,
      },
      {
        name: 'a body that is an array',
        send: create,
        body: '[]',
        headers: { 'content-type': 'application/json' },
        status: [400, 422],
      },
      { name: 'a body of text', send: create, body: 'name=a', headers: { 'content-type': 'text/plain' }, status: 415 },
    ],
  );
});

describe('The list: a page of profiles, "most recently updated first"', () => {
  let own: World;
  const made: string[] = [];

  beforeAll(async () => {
    own = await World.open();
    for (let index = 0; index < 60; index++) made.unshift(await makeProfile(own, `Profile ${index}`));
    await makeProfile(own, 'Elsewhere', 'foreign', 'foreign');
  });

  afterAll(() => own.close());

  test('each with id, name and network, the last one made first', async () => {
    const reply = await own.call(`GET ${profiles}`);
    expect(reply.status).toBe(200);
    expect(keysOf(reply.json)).toEqual(['data', 'links', 'meta']);
    expect(idsOf(reply)).toEqual(made.slice(0, 25));
    for (const profile of arrayAt(reply.json, 'data')) expect(keysOf(profile)).toEqual(['id', 'name', 'network']);
    expect(at(reply.json, 'data', 0)).toEqual({ id: String(made[0]), name: 'Profile 59', network: 'instagram' });
    expect(at(reply.json, 'meta')).toEqual(
      own.fill({
        current_page: 1,
        from: 1,
        to: 25,
        per_page: 25,
        last_page: 3,
        total: 60,
        path: `{base}${profiles}`,
      }),
    );
    expect(keysOf(at(reply.json, 'links'))).toEqual(['first', 'last', 'next', 'prev']);
  });

  test('page after page meets every one once', async () => {
    const seen: string[] = [];
    for (const page of [1, 2, 3, 4]) {
      const reply = await own.call(`GET ${profiles}?per_page=20&page=${page}`);
      seen.push(...idsOf(reply));
      expect(at(reply.json, 'links', 'next') === null).toBe(page >= 3);
    }
    expect(seen).toEqual(made);
  });

  test('another workspace has its own', async () => {
    const reply = await own.call('GET /workspaces/{foreign}/profiles', { token: 'foreign' });
    expect(at(reply.json, 'meta', 'total')).toBe(1);
    expect(stringAt(reply.json, 'data', 0, 'name')).toBe('Elsewhere');
  });

  table(
    () => own,
    [
      { name: 'page=0', send: `GET ${profiles}?page=0`, status: 422, invalid: { page: true } },
      { name: 'per_page=x', send: `GET ${profiles}?per_page=x`, status: 422, invalid: { per_page: true } },
      {
        name: 'per_page=1000 is lowered to 100',
        send: `GET ${profiles}?per_page=1000`,
        status: 200,
        after: (reply) => expect(at(reply.json, 'meta', 'per_page')).toBe(100),
      },
    ],
  );
});
