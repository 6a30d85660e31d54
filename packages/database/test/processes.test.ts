import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Folder } from '@postshelf/domain';
import { addFolder, addWorkspace, sampleFolder } from '@postshelf/testing';
import { SQLITE_MIGRATIONS } from '../src/migrations/sqlite/index.ts';
import { withDatabase, withFile } from './scratch.ts';
import { inTwoProcesses } from './two-processes.ts';

/** Each commit waits for the disk, which may be a slow one. */
setDefaultTimeout(60_000);

/** Enough for the two to meet many times. */
const ROUNDS = 100;
const rounds = Array.from({ length: ROUNDS }, (_, round) => round);

describe('two processes at once', () => {
  test('of twin siblings exactly one is made', () =>
    withDatabase(async (database, file) => {
      const { id } = await addWorkspace(database);
      const named = (name: string) => rounds.map((round) => sampleFolder(id, { name: `${name} ${round}` }));
      const inputs = [named('TWIN'), named('twin')] as const;
      const [first, second] = await inTwoProcesses<(string | null)[]>('insert-folders.ts', file, inputs);
      for (const round of rounds) expect([first[round], second[round]].toSorted()).toEqual(['name_taken', null]);
      const { total } = await database.folders.list(id, {}, { offset: 0, limit: 1 });
      expect(total).toBe(ROUNDS);
    }));

  test('crossing moves never make a cycle', () =>
    withDatabase(async ({ folders, ...database }, file) => {
      const { id } = await addWorkspace({ folders, ...database });
      const pairs: (readonly [Folder, Folder])[] = [];
      for (const _ of rounds) {
        pairs.push([await addFolder({ folders, ...database }, id), await addFolder({ folders, ...database }, id)]);
      }
      const inputs = [
        pairs.map(([a, b]) => ({ id: a.id, parentId: b.id })),
        pairs.map(([a, b]) => ({ id: b.id, parentId: a.id })),
      ] as const;
      const [first, second] = await inTwoProcesses<unknown[]>('move-folders.ts', file, inputs);
      for (const [round, [a, b]] of pairs.entries()) {
        const refused = [first[round], second[round]].map((answer) => answer === 'cycle');
        const parents = [(await folders.find(a.id))?.parentId, (await folders.find(b.id))?.parentId];
        if (refused[0]) expect({ refused, parents }).toEqual({ refused: [true, false], parents: [null, a.id] });
        else expect({ refused, parents }).toEqual({ refused: [false, true], parents: [b.id, null] });
      }
    }));

  test('a fresh database is migrated once', () =>
    withFile(async (file) => {
      const [first, second] = await inTwoProcesses<string[]>('migrate.ts', file, [null, null]);
      expect([first, second].toSorted((a, b) => a.length - b.length)).toEqual([[], Object.keys(SQLITE_MIGRATIONS)]);
    }));
});
