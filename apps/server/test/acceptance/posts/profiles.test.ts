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
  ];
  table(
    () => world,
    taken.map(([name, json, shown, network]): Row => {
      return { name, send: create, json, status: 201, expect: created(shown, network) };
    }),
  );
});

describe('What is refused, all failing fields at once', () => {
  const refused: readonly [string, unknown, Row['invalid']][] = [
    ['nothing', {}, { name: 'The name field is required.', network: 'The network field is required.' }],
    ['empty', { name: '', network: '' }, { name: true, network: true }],
    ['blanks', { name: ' \t ', network: '\n' }, { name: true, network: true }],
    ['101 characters', { name: 'n'.repeat(101), network: 'x' }, { name: /100/ }],
    ['51 characters', { name: 'n', network: 'x'.repeat(51) }, { network: /50/ }],
  ];
  table(
    () => world,
    [
      ...refused.map(([name, json, invalid]): Row => {
        return { name, send: create, json, status: 422, ...(invalid && { invalid }) };
      }),
    ],
  );
});

describe('The list, most recently updated first', () => {
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
      own.fill({ current_page: 1, from: 1, to: 25, per_page: 25, last_page: 3, total: 60, path: `{base}${profiles}` }),
    );
    expect(keysOf(at(reply.json, 'links'))).toEqual(['first', 'last', 'next', 'prev']);
  });

  test('another workspace has its own', async () => {
    const reply = await own.call('GET /workspaces/{foreign}/profiles', { token: 'foreign' });
    expect(at(reply.json, 'meta', 'total')).toBe(1);
    expect(stringAt(reply.json, 'data', 0, 'name')).toBe('Elsewhere');
  });
});
