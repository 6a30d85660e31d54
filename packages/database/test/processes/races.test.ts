import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { ClaimRequest, Uuid } from '@postshelf/domain';
import { expectedScores } from '@postshelf/testing/contracts/best-times/scores';
import { addImport } from '@postshelf/testing/contracts/imports/samples';
import { addProfile, sampleDetails } from '@postshelf/testing/contracts/posts/samples';
import { addWorkspace, NOW, sampleFolder } from '@postshelf/testing/contracts/samples';
import { databasesOf, dialects, SQLITE, withAddress } from '../support/dialects.ts';
import { inProcesses, type Task } from '../support/processes.ts';

setDefaultTimeout(60_000);

/** Enough rounds for the two processes to collide many times. */
const ROUNDS = 100;
const rounds = Array.from({ length: ROUNDS }, (_, round) => round);

/**
 * Checks that SQLite's locks hold between processes, for a constraint, a limit and a roll-up. The contract suites race
 * every rule between two connections, which for PostgreSQL is the same as two processes.
 */
describe('two processes at once over SQLite', () => {
  const withDatabase = databasesOf(SQLITE);

  test('of two siblings with the same name exactly one is created', () =>
    withDatabase(async (database, address) => {
      const { id } = await addWorkspace(database);
      const named = (name: string): Task<'insertFolder'> => [
        'insertFolder',
        rounds.map((round) => sampleFolder(id, { name: `${name} ${round}` })),
      ];
      const [first, second] = await inProcesses(address, named('TWIN'), named('twin'));
      for (const round of rounds) expect([first[round], second[round]].toSorted()).toEqual(['name_taken', null]);
      const { total } = await database.folders.list(id, {}, { offset: 0, limit: 1 });
      expect(total).toBe(ROUNDS);
    }));

  const claims = (owner: string, request: Omit<ClaimRequest, 'now' | 'lease'>): Task<'claimImport'> => [
    'claimImport',
    rounds.map(() => ({ now: NOW, lease: { owner, until: NOW + 1 }, ...request })),
  ];

  test('each import is claimed once, and no workspace exceeds its limit of leases', () =>
    withDatabase(async (database, address) => {
      const due: Uuid[] = [];
      for (let workspace = 0; workspace < 20; workspace += 1) {
        const { id } = await addWorkspace(database);
        for (let job = 0; job < 6; job += 1) {
          const item = await addImport(database, id, { start: { dueAt: NOW - 6 + job } });
          if (job < 3) due.push(item.id);
        }
      }
      const request = { limit: 2, perWorkspace: 3 };
      const answers = await inProcesses(address, claims('first', request), claims('second', request));
      expect(answers.flat(2).toSorted()).toEqual(due.toSorted());
    }));

  test('posts that both import are created once and counted once', () =>
    withDatabase(async (database, address) => {
      const profile = await addProfile(database);
      const said = (likes: number): Task<'upsertPosts'> => [
        'upsertPosts',
        rounds.map((round) =>
          [0, 1, 2].map((post) => sampleDetails(profile, { externalId: `${round} ${post}`, metrics: { likes } })),
        ),
      ];
      const [first, second] = (await inProcesses(address, said(1), said(2))).map((batches) => batches.flat());
      expect(first).toHaveLength(3 * ROUNDS);
      for (const [post, outcome] of (first ?? []).entries())
        expect([outcome, second?.[post]].toSorted()).toEqual(['created', 'updated']);
      const { items } = await database.posts.list(profile.workspaceId, {}, { offset: 0, limit: 1000 });
      expect(items).toHaveLength(3 * ROUNDS);
      const { id: profileId, workspaceId } = profile;
      const window = { from: 0, to: 2 * NOW };
      const scores = await database.bestTimes.scores({ workspaceId, profileId }, window, 'UTC');
      expect(scores).toEqual(expectedScores(items, window));
      expect((await database.bestTimes.rebuild()).corrected).toBe(0);
    }));
});

test.each(dialects)('a fresh database of $name is migrated by exactly one of several processes', (dialect) =>
  withAddress(dialect, async (address) => {
    const task: Task<'migrate'> = ['migrate', [null]];
    const ran = await inProcesses(address, task, task, task);
    const names = Object.keys(dialect.migrations);
    expect(ran.flat().toSorted((a, b) => b.length - a.length)).toEqual([names, [], []]);
  }),
);
