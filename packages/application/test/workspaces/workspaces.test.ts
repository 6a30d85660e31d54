import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { NO_QUOTA } from '@postshelf/domain';
import { createWorkspace, listFolders } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { invalidOn, refusalOf } from '../support/refusals.ts';
import { makeWorld, type World } from '../support/world.ts';

afterEach(databases.closeAll);

let world: World;

beforeEach(async () => {
  world = await makeWorld();
});

const request = { name: 'Bakery', timezone: 'Europe/Berlin', systemFolders: [] };

describe('creating a workspace', () => {
  test('stores its name and time zone', async () => {
    const workspace = await createWorkspace(world, { ...request, name: '  Cafe\u0301  ' });
    expect(workspace).toEqual({
      id: workspace.id,
      name: 'Caf\u00e9',
      timezone: 'Europe/Berlin',
      stripLocation: null,
      ...NO_QUOTA,
      links: 'public',
      linkKey: null,
      createdAt: world.clock.now(),
    });
    expect(await world.workspaces.list()).toEqual([workspace]);
  });

  test('creates its system folders at the root', async () => {
    const workspace = await createWorkspace(world, { ...request, systemFolders: ['Inbox', ' Brand '] });
    const { items } = await listFolders(world, workspace, {}, { page: 1, perPage: 25 });
    expect(items.map(({ name, isSystem, parentId }) => ({ name, isSystem, parentId }))).toEqual([
      { name: 'Brand', isSystem: true, parentId: null },
      { name: 'Inbox', isSystem: true, parentId: null },
    ]);
  });

  test.each([
    ['an empty name', { name: ' ' }, 'name', 'The name field is required.'],
    ['a long name', { name: 'n'.repeat(101) }, 'name', 'The name field must not be greater than 100 characters.'],
    ['an unknown zone', { timezone: 'Mars/Base' }, 'timezone', 'There is no time zone "Mars/Base".'],
    ['an offset as a time zone', { timezone: '+02:00' }, 'timezone', 'There is no time zone "+02:00".'],
    [
      'a bidirectional override in a folder name',
      { systemFolders: ['Inbox', 'a\u202eb'] },
      'system_folder',
      'The system folder field must not contain control characters.',
    ],
    [
      'two folders of one name',
      { systemFolders: ['Stra\u00dfe', 'STRASSE'] },
      'system_folder',
      'The system folders must have different names.',
    ],
  ])('refuses %s and stores nothing', async (_, change, field, sentence) => {
    expect(await refusalOf(createWorkspace(world, { ...request, ...change }))).toEqual(invalidOn(field, sentence));
    expect(await world.workspaces.list()).toEqual([]);
  });
});
