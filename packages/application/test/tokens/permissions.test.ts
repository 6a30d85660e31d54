import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type AccessToken, SCOPES, type Scope, type Workspace } from '@postshelf/domain';
import { addWorkspace, newId, sampleToken } from '@postshelf/testing/contracts/samples';
import { requireAccess, requireScope, requireWorkspace } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { refusalOf } from '../support/refusals.ts';
import { makeWorld, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const NOT_FOUND = { code: 'not_found' } as const;

let world: World;
let mine: Workspace;
let foreign: Workspace;
let token: AccessToken;

beforeEach(async () => {
  world = await makeWorld();
  mine = await addWorkspace(world);
  foreign = await addWorkspace(world);
  token = sampleToken([newId(), mine.id]);
});

describe('a scope', () => {
  test.each(SCOPES.map((scope) => [scope] as const))('%s is required by its name', async (scope: Scope) => {
    expect(() => requireScope({ ...token, scopes: [scope] }, scope)).not.toThrow();
    const others = SCOPES.filter((other) => other !== scope);
    const refused = (async () => requireScope({ ...token, scopes: others }, scope))();
    expect(await refusalOf(refused)).toEqual({ code: 'missing_scope', scope });
  });
});

describe('a workspace', () => {
  test('is found by its id, in lower or upper case', async () => {
    expect(await requireWorkspace(world, token, mine.id)).toEqual(mine);
    expect(await requireWorkspace(world, token, mine.id.toUpperCase())).toEqual(mine);
  });

  test.each([
    ['of another token', () => foreign.id],
    ['in the token, but deleted', () => token.workspaceIds[0] ?? ''],
    ['an unknown id', () => newId()],
    ['an id with a space after it', () => `${mine.id} `],
    ['a malformed id', () => 'first'],
    ['an empty id', () => ''],
  ])('is not found: %s', async (_, id) => {
    expect(await refusalOf(requireWorkspace(world, token, id()))).toEqual(NOT_FOUND);
  });
});

describe('a resource', () => {
  test('is given to tokens of its workspace, and to no other', async () => {
    const resource = { workspaceId: mine.id };
    expect(requireAccess(token, resource)).toBe(resource);
    const within = (value: { workspaceId: Workspace['id'] } | null) => (async () => requireAccess(token, value))();
    expect(await refusalOf(within({ workspaceId: foreign.id }))).toEqual(NOT_FOUND);
    expect(await refusalOf(within(null))).toEqual(NOT_FOUND);
  });
});
