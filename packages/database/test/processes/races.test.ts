import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { ClaimRequest, Folder, Uuid } from '@postshelf/domain';
import { addImport } from '@postshelf/testing/contracts/imports/samples';
import { addFolder, addWorkspace, NOW, sampleFolder } from '@postshelf/testing/contracts/samples';
import { databasesOf, dialects, withAddress } from '../support/dialects.ts';
import { inProcesses, inTwoProcesses } from '../support/processes.ts';

/** Each commit waits for the disk, which may be a slow one. */
setDefaultTimeout(60_000);

/** Enough for the two to meet many times. */
const ROUNDS = 100;
const rounds = Array.from({ length: ROUNDS }, (_, round) => round);

describe.each(dialects)('two processes at once over $name', (dialect) => {
  const withDatabase = databasesOf(dialect);

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

  const claims = (owner: string, request: Omit<ClaimRequest, 'now' | 'lease'>): ClaimRequest[] =>
    rounds.map(() => ({ now: NOW, lease: { owner, until: NOW + 1 }, ...request }));

  test('each import is claimed by one', () =>
    withDatabase(async (database, file) => {
      const ids: Uuid[] = [];
      const workspaces = [await addWorkspace(database), await addWorkspace(database)];
      for (const round of rounds) {
        const workspace = workspaces[round % workspaces.length];
        if (workspace) ids.push((await addImport(database, workspace.id, { start: { dueAt: NOW - round } })).id);
      }
      const request = { limit: 1, perWorkspace: ROUNDS };
      const inputs = [claims('first', request), claims('second', request)] as const;
      const answers = await inTwoProcesses<Uuid[][]>('claim-imports.ts', file, inputs);
      expect(answers.flat(2).toSorted()).toEqual(ids.toSorted());
    }));

  test('no workspace has more imports under lease than it may', () =>
    withDatabase(async (database, file) => {
      const expected: Uuid[] = [];
      for (let workspace = 0; workspace < 20; workspace += 1) {
        const { id } = await addWorkspace(database);
        for (let job = 0; job < 6; job += 1) {
          const item = await addImport(database, id, { start: { dueAt: NOW - 6 + job } });
          if (job < 3) expected.push(item.id);
        }
      }
      const request = { limit: 2, perWorkspace: 3 };
      const inputs = [claims('first', request), claims('second', request)] as const;
      const answers = await inTwoProcesses<Uuid[][]>('claim-imports.ts', file, inputs);
      expect(answers.flat(2).toSorted()).toEqual(expected.toSorted());
    }));

  test('an import whose lease runs out is finished, or claimed by the other: never both', () =>
    withDatabase(async (database, file) => {
      const { id } = await addWorkspace(database);
      const ids: Uuid[] = [];
      for (const round of rounds) {
        const start = { lease: { owner: 'first', until: NOW + round } };
        ids.push((await addImport(database, id, { start })).id);
      }
      const lease = { owner: 'second', until: NOW + 2 * ROUNDS };
      const inputs = [
        ids.map((item) => ({ id: item, owner: 'first' })),
        rounds.map((round) => ({ now: NOW + round, lease, limit: 1, perWorkspace: ROUNDS })),
      ] as const;
      const scripts = ['finish-imports.ts', 'claim-imports.ts'] as const;
      const [finished, claimed] = await inTwoProcesses<boolean[] | Uuid[][]>(scripts, file, inputs);
      const ends = new Set(claimed.flat());
      expect(ids.map((item, round) => ends.has(item) !== finished[round])).toEqual(ids.map(() => true));
      for (const [round, item] of ids.entries()) {
        const found = await database.media.find(item);
        expect(found?.item.status).toBe(finished[round] ? 'failed' : 'processing');
      }
    }));

  test('a fresh database is migrated once', () =>
    withAddress(dialect, async (address) => {
      const inputs = Array.from({ length: 6 }, () => null);
      const ran = await inProcesses<string[]>('migrate.ts', address, inputs);
      const names = Object.keys(dialect.migrations);
      expect(ran.toSorted((a, b) => b.length - a.length)).toEqual([names, [], [], [], [], []]);
    }));
});
