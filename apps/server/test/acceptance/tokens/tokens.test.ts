import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesBelow } from '../support/disk.ts';
import { forgeries } from '../support/forgeries.ts';
import { claimsOf, headerOf, reissue } from '../support/jwt.ts';
import { expectErrorShape } from '../support/reply.ts';
import { type Row, table } from '../support/table.ts';
import { World } from '../support/world.ts';

let world: World;

beforeAll(async () => {
  world = await World.open();
});

afterAll(() => world.close());

const list = 'GET /workspaces/{workspace}/media_library/folders';
const unauthenticated = {
  status: 401,
  message: 'Unauthenticated.',
  replyHeaders: { 'www-authenticate': /^Bearer/ },
} as const;

describe('a request with malformed credentials', () => {
  const schemes: readonly [string, string][] = [
    ['an empty header', ''],
    ['the scheme without a token', 'Bearer'],
    ['another scheme', 'Basic dXNlcjpwYXNz'],
    ['no dots', 'Bearer abc'],
    ['parts that are not base64', 'Bearer !!!.???.***'],
    ['ten thousand characters', `Bearer ${'a'.repeat(10_000)}`],
    ['two tokens', 'Bearer a.b.c, Bearer d.e.f'],
  ];
  table(
    () => world,
    schemes.map(
      ([name, authorization]): Row => ({
        name: `is answered 401 for ${name}`,
        send: list,
        token: null,
        headers: { authorization },
        ...unauthenticated,
      }),
    ),
  );

  test('is answered 401 if its token is in the query string', async () => {
    const reply = await world.call(`${list}?access_token=${world.tokens.all}&token=${world.tokens.all}`, {
      token: null,
    });
    expect(reply.status).toBe(401);
  });
});

describe('a token', () => {
  test('is a JWT with the documented claims, valid for 90 days', () => {
    const token = String(world.tokens.all);
    expect(headerOf(token).alg).toBe('HS256');
    expect(Object.keys(claimsOf(token))).toEqual(expect.arrayContaining(['iss', 'sub', 'jti', 'iat', 'exp']));
    const { iat, exp } = claimsOf(token);
    expect(Number(exp) - Number(iat)).toBe(90 * 24 * 3600);
  });

  test('is accepted if the test signs it again, so the forgeries below fail for other reasons', async () => {
    const reply = await world.call(list, { token: reissue(String(world.tokens.all), {}) });
    expect(reply.status).toBe(200);
  });

  test('is accepted if the scheme "bearer" is in lower case (RFC 9110 §11.1)', async () => {
    const reply = await world.call(list, { token: null, headers: { authorization: `bearer ${world.tokens.all}` } });
    expect(reply.status).toBe(200);
  });

  for (const { name, forge } of forgeries) {
    test(`is refused if it is forged: ${name}`, async () => {
      const reply = await world.call(list, { token: forge(String(world.tokens.all), String(world.tokens.foreign)) });
      expect(reply.status).toBe(401);
      expectErrorShape(reply);
      expect(reply.json).toEqual({ message: 'Unauthenticated.' });
      expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer/);
    });
  }
});

test('a revoked token that has just been used is refused at the next request', async () => {
  const id = await world.token('revoked', '{workspace}');
  for (let round = 0; round < 3; round++) expect((await world.call(list, { token: 'revoked' })).status).toBe(200);
  await world.run(['token', 'revoke', id]);
  const reply = await world.call(list, { token: 'revoked' });
  expect(reply.status).toBe(401);
  expect(reply.json).toEqual({ message: 'Unauthenticated.' });
  expect((await world.call(list)).status).toBe(200);
});

test('tokens are not stored', async () => {
  const signature = String(world.tokens.all).split('.')[2] ?? '';
  const text = await world.database.text();
  if (text !== null) {
    expect(text).toContain(String(world.ids.workspace));
    expect(text).not.toContain(signature);
  }
  const names = [...filesBelow(world.dataDir), ...new Bun.Glob('**/*.{db,sqlite,sqlite3}*').scanSync(world.dataDir)];
  if (text === null) expect(names.length).toBeGreaterThan(1);
  for (const name of names) expect(readFileSync(join(world.dataDir, name)).includes(signature)).toBe(false);
});

test('tokens are not logged', async () => {
  await world.call(list);
  await world.call(`${list}?token=${world.tokens.all}`);
  const signature = String(world.tokens.all).split('.')[2] ?? '';
  expect(signature.length).toBeGreaterThan(20);
  expect(world.server.log()).not.toContain(signature);
});
