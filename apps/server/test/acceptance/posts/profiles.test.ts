import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { arrayAt, at, expectInvalid, keysOf, stringAt } from '../support/reply.ts';
import { uuid } from '../support/shapes.ts';
import { type Row, table } from '../support/table.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { makeProfile, profiles } from './support/posts.ts';

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

describe('creating a profile', () => {
  const taken: readonly [string, object, string, string][] = [
    ['accepts a name and a network', { name: 'Café', network: 'instagram' }, 'Café', 'instagram'],
    ['trims the name and the network', { name: '  Café \n', network: '\tinstagram ' }, 'Café', 'instagram'],
    [
      'counts lengths in Unicode code points',
      { name: '🌊'.repeat(100), network: '🌊'.repeat(50) },
      '🌊'.repeat(100),
      '🌊'.repeat(50),
    ],
    [
      'ignores unknown JSON fields',
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

describe('an invalid profile', () => {
  const refused: readonly [string, unknown, Row['invalid']][] = [
    ['no fields', {}, { name: 'The name field is required.', network: 'The network field is required.' }],
    ['only blanks', { name: ' \t ', network: '\n' }, { name: true, network: true }],
    ['a name of 101 characters', { name: 'n'.repeat(101), network: 'x' }, { name: /100/ }],
    ['a network of 51 characters', { name: 'n', network: 'x'.repeat(51) }, { network: /50/ }],
  ];
  table(
    () => world,
    [
      ...refused.map(([name, json, invalid]): Row => {
        return { name: `is refused for ${name}`, send: create, json, status: 422, ...(invalid && { invalid }) };
      }),
    ],
  );
});

describe('the list of profiles', () => {
  test('shows the id, name and network of each, newest first', async () => {
    const made: string[] = [];
    for (let index = 0; index < 3; index++) made.unshift(await makeProfile(world, `Profile ${index}`));
    const reply = await world.call(`GET ${profiles}?per_page=3`);
    expect(reply.status).toBe(200);
    expect(keysOf(reply.json)).toEqual(['data', 'links', 'meta']);
    expect(arrayAt(reply.json, 'data')).toEqual(
      made.map((id, index) => ({ id, name: `Profile ${2 - index}`, network: 'instagram' })),
    );
    expect(at(reply.json, 'meta', 'path')).toBe(world.fill(`{base}${profiles}`));
    expect(keysOf(at(reply.json, 'links'))).toEqual(['first', 'last', 'next', 'prev']);
  });

  test('contains only profiles of its own workspace', async () => {
    await makeProfile(world, 'Elsewhere', 'foreign', 'foreign');
    const reply = await world.call('GET /workspaces/{foreign}/profiles', { token: 'foreign' });
    expect(at(reply.json, 'meta', 'total')).toBe(1);
    expect(stringAt(reply.json, 'data', 0, 'name')).toBe('Elsewhere');
  });
});

describe('a profile', () => {
  const makePost = async (profile: string): Promise<string> => {
    const json = { profile, published_at: '2026-01-31T18:30:00Z', metrics: { likes: 3 } };
    return stringAt((await world.call('POST /workspaces/{workspace}/posts', { json })).json, 'data', 'id');
  };
  const total = async (list: string): Promise<unknown> => at((await world.call(`GET ${list}`)).json, 'meta', 'total');

  test('is returned with its changes after an update, and cannot have an empty network', async () => {
    const id = await makeProfile(world);
    const changed = await world.call(`PATCH /profiles/${id}`, { json: { name: ' Bar ' } });
    expect(at(changed.json, 'data')).toMatchObject({ id, name: 'Bar' });
    expect((await world.call(`GET /profiles/${id}`)).json).toEqual({ data: at(changed.json, 'data') });
    expectInvalid(await world.call(`PATCH /profiles/${id}`, { json: { network: '' } }), { network: /required/ });
  });

  test('is deleted with its posts only if with_posts=true, and disappears with them immediately', async () => {
    const id = await makeProfile(world);
    const post = await makePost(id);
    const before = Number(await total('/workspaces/{workspace}/posts'));
    expectInvalid(await world.call(`DELETE /profiles/${id}`), { profile: 'The profile has posts.' });
    expectInvalid(await world.call(`DELETE /profiles/${id}?with_posts=false&with_posts=true`), { with_posts: /once/ });
    expect((await world.call(`DELETE /profiles/${id}?with_posts=true`)).status).toBe(204);
    for (const send of [`GET /profiles/${id}`, `DELETE /profiles/${id}?with_posts=true`])
      expect((await world.call(send)).status).toBe(404);
    expect((await world.call(`GET /analytics/best_times?profile=${id}`)).status).toBe(422);
    const left = () => world.database.column(`select id from profiles where id = '${id}'`);
    await until('the profile is removed', async () => (await left()).length === 0);
    expect((await world.call(`GET /posts/${post}`)).status).toBe(404);
    expect(await total('/workspaces/{workspace}/posts')).toBe(before - 1);
  });

  test('is deleted if it has no posts', async () => {
    const id = await makeProfile(world);
    expect((await world.call(`DELETE /profiles/${id}`)).status).toBe(204);
    expect((await world.call(`GET /profiles/${id}`)).status).toBe(404);
  });
});
