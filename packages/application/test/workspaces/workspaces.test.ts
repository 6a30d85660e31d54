import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createWorkspace } from '../../src/index.ts';
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
