import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { type AccessToken, OPERATOR, PEOPLE_SCOPES, SCOPES, type Scope, type Workspace } from '@postshelf/domain';
import { addWorkspace, newId, sampleToken } from '@postshelf/testing/contracts/samples';
import { requireAccess, requireAlso, requirePossible, requireWorkspace } from '../../src/index.ts';
import { callerByToken } from '../support/callers.ts';
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

const refused = (check: () => unknown) => refusalOf((async () => check())());

describe('a scope', () => {
  test.each(SCOPES.map((scope) => [scope] as const))('%s is needed even with all others', async (scope: Scope) => {
    const others = SCOPES.filter((other) => other !== scope);
    const [holder, other] = [
      callerByToken({ ...token, scopes: [scope] }, scope),
      callerByToken({ ...token, scopes: others }, scope),
    ];
    const missing = { code: 'missing_scope', scope } as const;
    expect(() => requirePossible(holder, scope)).not.toThrow();
    expect(await requireWorkspace(world, holder, mine.id)).toEqual(mine);
    expect(await refused(() => requirePossible(other, scope))).toEqual(missing);
    expect(await refusalOf(requireWorkspace(world, other, mine.id))).toEqual(missing);
    expect(await refused(() => requireAlso(callerByToken({ ...token, scopes: others }), mine.id, scope))).toEqual(
      missing,
    );
  });

  test('is reported as missing only in workspaces that the caller may enter', async () => {
    const caller = callerByToken({ ...token, scopes: [] }, 'media:read');
    expect(await refusalOf(requireWorkspace(world, caller, foreign.id))).toEqual(NOT_FOUND);
  });

  test('for operators gives access to the people of every workspace, and to nothing else', async () => {
    const operator = { ...token, scopes: [OPERATOR] as const, workspaceIds: [] };
    for (const scope of SCOPES) {
      const caller = callerByToken(operator, scope);
      const entering = requireWorkspace(world, caller, foreign.id);
      if ((PEOPLE_SCOPES as readonly Scope[]).includes(scope)) {
        expect(await entering).toEqual(foreign);
        continue;
      }
      expect(await refusalOf(entering)).toEqual(NOT_FOUND);
      expect(await refused(() => requirePossible(caller, scope))).toEqual({ code: 'missing_scope', scope });
    }
  });
});

describe('a workspace', () => {
  test('is found by its id, in lower or upper case', async () => {
    const caller = callerByToken(token);
    expect(await requireWorkspace(world, caller, mine.id)).toEqual(mine);
    expect(await requireWorkspace(world, caller, mine.id.toUpperCase())).toEqual(mine);
  });

  test.each([
    ['the id of a workspace of another token', () => foreign.id],
    ['the id of a deleted workspace of the token', () => token.workspaceIds[0] ?? ''],
    ['an unknown id', () => newId()],
    ['an id with a space after it', () => `${mine.id} `],
    ['a malformed id', () => 'first'],
    ['an empty id', () => ''],
  ])('is not found by %s', async (_, id) => {
    expect(await refusalOf(requireWorkspace(world, callerByToken(token), id()))).toEqual(NOT_FOUND);
  });
});

describe('a resource', () => {
  test('is returned only to callers with access to its workspace', async () => {
    const resource = { workspaceId: mine.id };
    const caller = callerByToken(token);
    expect(requireAccess(caller, resource)).toBe(resource);
    expect(await refused(() => requireAccess(caller, { workspaceId: foreign.id }))).toEqual(NOT_FOUND);
    expect(await refused(() => requireAccess(caller, null))).toEqual(NOT_FOUND);
  });
});
