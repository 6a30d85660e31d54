import { expect, test } from 'bun:test';
import { missingFor, ROLES as NAMES, scopesOf } from '../../../../packages/domain/src/people/person.ts';
import { ROLES, rolesGivenBy } from '../../src/people/roles.ts';

test('roles have the scopes that the service gives them', () => {
  expect(Object.keys(ROLES)).toEqual([...NAMES]);
  for (const role of NAMES) expect([...ROLES[role].scopes].sort()).toEqual([...scopesOf(role)].sort());
});

test.each(NAMES)('a caller with the scopes of a %s is offered the roles that the service lets them give', (role) => {
  const scopes = scopesOf(role);
  expect(rolesGivenBy(scopes)).toEqual(NAMES.filter((given) => missingFor(scopes, [given]) === null));
});
