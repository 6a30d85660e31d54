import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type AccessToken, SCOPES, TOKEN_ISSUER } from '@postshelf/domain';
import { authenticate, issueToken } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { refusalOf } from '../support/refusals.ts';
import { inhabitedWorld, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const DAY = 24 * 60 * 60 * 1000;
const UNAUTHENTICATED = { code: 'unauthenticated' } as const;

let world: World;
let text: string;
let token: AccessToken;

beforeEach(async () => {
  const inhabited = await inhabitedWorld();
  world = inhabited;
  const request = { name: 'laptop', scopes: SCOPES, workspaceIds: [inhabited.workspace.id], lifetime: DAY };
  ({ text, token } = await issueToken(world, request));
});

describe('the Authorization header', () => {
  test.each([
    ['in the usual form', (t: string) => `Bearer ${t}`],
    ['in lower case', (t: string) => `bearer ${t}`],
    ['in upper case', (t: string) => `BEARER ${t}`],
    ['with several spaces', (t: string) => `Bearer    ${t}`],
    ['with spaces after it', (t: string) => `Bearer ${t}  `],
  ])('is accepted %s', async (_, write) => {
    expect(await authenticate(world, write(text))).toEqual(token);
  });

  test.each([
    ['if it is missing', () => null],
    ['if it is empty', () => ''],
    ['without a token', () => 'Bearer'],
    ['with spaces for a token', () => 'Bearer   '],
    ['without a scheme', (t: string) => t],
    ['with another scheme', (t: string) => `Basic ${t}`],
    ['without a space', (t: string) => `Bearer${t}`],
    ['with a tab for the space', (t: string) => `Bearer\t${t}`],
    ['with a space before it', (t: string) => ` Bearer ${t}`],
    ['with two tokens', (t: string) => `Bearer ${t} ${t}`],
    ['with two tokens and a comma', (t: string) => `Bearer ${t}, Bearer ${t}`],
    ['with quotes', (t: string) => `Bearer "${t}"`],
    ['with a line end', (t: string) => `Bearer ${t}\n`],
    ['with a forged token', (t: string) => `Bearer ${t.slice(0, -2)}`],
  ])('is refused %s', async (_, write) => {
    expect(await refusalOf(authenticate(world, write(text)))).toEqual(UNAUTHENTICATED);
  });
});

describe('a token', () => {
  test('is valid until, and not at, its expiry', async () => {
    world.clock.set(token.expiresAt - 1);
    expect(await authenticate(world, `Bearer ${text}`)).toMatchObject({ id: token.id });
    world.clock.set(token.expiresAt);
    expect(await refusalOf(authenticate(world, `Bearer ${text}`))).toEqual(UNAUTHENTICATED);
  });

  test('is refused when its row expires before its signature does', async () => {
    const long = await world.signer.sign({
      iss: TOKEN_ISSUER,
      sub: token.id,
      jti: token.id,
      exp: (token.expiresAt + DAY) / 1000,
    });
    world.clock.set(token.expiresAt);
    expect(await refusalOf(authenticate(world, `Bearer ${long}`))).toEqual(UNAUTHENTICATED);
  });

  test('is refused when it has no row', async () => {
    const id = world.ids.next();
    const rowless = await world.signer.sign({ iss: TOKEN_ISSUER, sub: id, jti: id, exp: token.expiresAt / 1000 });
    expect(await refusalOf(authenticate(world, `Bearer ${rowless}`))).toEqual(UNAUTHENTICATED);
  });

  test('is refused immediately when it is revoked, even if its signature is cached', async () => {
    const claims = await world.signer.verify(text);
    const remembering = { ...world, signer: { ...world.signer, verify: async () => claims } };
    expect(await authenticate(remembering, `Bearer ${text}`)).toEqual(token);
    await world.tokens.revoke(token.id, world.clock.now());
    expect(await refusalOf(authenticate(remembering, `Bearer ${text}`))).toEqual(UNAUTHENTICATED);
  });
});
