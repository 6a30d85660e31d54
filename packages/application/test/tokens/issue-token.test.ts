import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { TOKEN_LIFETIME, type Workspace } from '@postshelf/domain';
import { addWorkspace, newId } from '@postshelf/testing/contracts/samples';
import { authenticate, issueToken, type TokenRequest } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { invalidOn, refusalOf, thrownBy } from '../support/refusals.ts';
import { makeWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const WRONG_LIFE = invalidOn('expires_in', 'The expires_in field must be between 1 second and 365 days.');

let world: World;
let workspace: Workspace;
let request: TokenRequest;

beforeEach(async () => {
  world = await makeWorld();
  workspace = await addWorkspace(world);
  request = { name: 'laptop', scopes: ['media:read'], workspaceIds: [workspace.id], lifetime: TOKEN_LIFETIME.default };
});

describe('issuing a token', () => {
  test('returns a token string that authenticates, and stores everything except that string', async () => {
    const { text, token } = await issueToken(world, request);
    expect(await authenticate(world, `Bearer ${text}`)).toEqual(token);
    const [kept] = await world.tokens.list();
    expect(kept).toMatchObject({ id: token.id, name: 'laptop', scopes: ['media:read'], workspaceIds: [workspace.id] });
    expect(JSON.stringify(kept)).not.toContain(text.split('.')[2]);
  });

  test('stores its times in whole seconds, as in the claims', async () => {
    world.clock.set(1_800_000_000_999);
    const { text, token } = await issueToken(world, { ...request, lifetime: 90_500 });
    expect(token).toMatchObject({ createdAt: 1_800_000_000_000, expiresAt: 1_800_000_090_000 });
    expect(await world.signer.verify(text)).toMatchObject({ jti: token.id, exp: 1_800_000_090 });
  });

  test('stores each workspace once', async () => {
    const other = await addWorkspace(world);
    const workspaceIds = [workspace.id, other.id, workspace.id];
    expect((await issueToken(world, { ...request, workspaceIds })).token.workspaceIds).toEqual([
      workspace.id,
      other.id,
    ]);
  });

  test.each([[1000], [TOKEN_LIFETIME.max]])('accepts a lifetime of %d ms', async (lifetime) => {
    expect((await issueToken(world, { ...request, lifetime })).token.expiresAt).toBe(world.clock.now() + lifetime);
  });

  test.each([[999], [0], [-1], [TOKEN_LIFETIME.max + 1], [Number.POSITIVE_INFINITY], [Number.NaN]])(
    'refuses a lifetime of %d ms',
    async (lifetime) => {
      expect(await refusalOf(issueToken(world, { ...request, lifetime }))).toEqual(WRONG_LIFE);
      expect(await world.tokens.list()).toEqual([]);
    },
  );

  test('refuses an unknown workspace among existing ones', async () => {
    const missing = newId();
    const refused = issueToken(world, { ...request, workspaceIds: [workspace.id, missing] });
    expect(await refusalOf(refused)).toEqual(invalidOn('workspaces.1', `There is no workspace ${missing}.`));
    expect(await world.tokens.list()).toEqual([]);
  });

  test('returns no token string if the row could not be stored', async () => {
    const full = new Error('database or disk is full');
    const tokens = replacing(world.tokens, { insert: () => Promise.reject(full) });
    expect(await thrownBy(issueToken({ ...world, tokens }, request))).toBe(full);
  });
});
