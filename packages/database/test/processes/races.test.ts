import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ClaimRequest, type Folder, LAST_PUBLISHED, type Uuid } from '@postshelf/domain';
import { addImport } from '@postshelf/testing/contracts/imports/samples';
import { addProfile, sampleDetails } from '@postshelf/testing/contracts/posts/samples';
import { sampleUpload } from '@postshelf/testing/contracts/presign-repository/samples';
import { addFolder, addWorkspace, NOW, sampleFolder } from '@postshelf/testing/contracts/samples';
import { databasesOf, dialects, SQLITE, withAddress } from '../support/dialects.ts';
import { inProcesses, type Task } from '../support/processes.ts';

setDefaultTimeout(60_000);

/** Enough for the two to meet many times. */
const ROUNDS = 100;
const rounds = Array.from({ length: ROUNDS }, (_, round) => round);

/**
 * Two connections of one process don't share SQLite's locks as two processes do. PostgreSQL knows connections alone, and
 * its contract suite races those.
 */
describe('two processes at once over SQLite', () => {
  const withDatabase = databasesOf(SQLITE);

  test('of twin siblings exactly one is made', () =>
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

  test('crossing moves never make a cycle', () =>
    withDatabase(async (database, address) => {
      const { id } = await addWorkspace(database);
      const pairs: (readonly [Folder, Folder])[] = [];
      for (const _ of rounds) pairs.push([await addFolder(database, id), await addFolder(database, id)]);
      const [first, second] = await inProcesses(
        address,
        ['moveFolder', pairs.map(([a, b]) => ({ id: a.id, parentId: b.id }))],
        ['moveFolder', pairs.map(([a, b]) => ({ id: b.id, parentId: a.id }))],
      );
      for (const [round, [a, b]] of pairs.entries()) {
        const refused = [first[round], second[round]].map((answer) => answer === 'cycle');
        const found = [await database.folders.find(a.id), await database.folders.find(b.id)];
        const parents = found.map((folder) => folder?.parentId);
        if (refused[0]) expect({ refused, parents }).toEqual({ refused: [true, false], parents: [null, a.id] });
        else expect({ refused, parents }).toEqual({ refused: [false, true], parents: [b.id, null] });
      }
    }));

  const claims = (owner: string, request: Omit<ClaimRequest, 'now' | 'lease'>): Task<'claimImport'> => [
    'claimImport',
    rounds.map(() => ({ now: NOW, lease: { owner, until: NOW + 1 }, ...request })),
  ];

  test('each import is claimed by one, and no workspace has more under lease than it may', () =>
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

  test('an import whose lease runs out is finished, or claimed by the other: never both', () =>
    withDatabase(async (database, address) => {
      const { id } = await addWorkspace(database);
      const ids: Uuid[] = [];
      for (const round of rounds) {
        const start = { lease: { owner: 'first', until: NOW + round } };
        ids.push((await addImport(database, id, { start })).id);
      }
      const lease = { owner: 'second', until: NOW + 2 * ROUNDS };
      const [finished, claimed] = await inProcesses(
        address,
        ['finishImport', ids.map((item) => ({ id: item, owner: 'first' }))],
        ['claimImport', rounds.map((round) => ({ now: NOW + round, lease, limit: 1, perWorkspace: ROUNDS }))],
      );
      const taken = new Set(claimed.flat());
      for (const [round, item] of ids.entries()) {
        expect(taken.has(item)).toBe(!finished[round]);
        const found = await database.media.find(item);
        expect(found?.item.status).toBe(finished[round] ? 'failed' : 'processing');
      }
    }));

  test('of two that claim an upload one gets it', () =>
    withDatabase(async (database, address) => {
      const { id } = await addWorkspace(database);
      const uploads = rounds.map(() => sampleUpload(id));
      await database.presign.add(uploads);
      const claimAs = (owner: string): Task<'claimUpload'> => [
        'claimUpload',
        uploads.map(({ item }) => ({ id: item.id, lease: { owner, until: NOW + 1 }, now: NOW })),
      ];
      const [first, second] = await inProcesses(address, claimAs('first'), claimAs('second'));
      for (const round of rounds) expect([first[round], second[round]].toSorted()).toEqual([false, true]);
    }));

  test('posts that both import are made once and counted once', () =>
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
      const scope = { profileId: profile.id };
      const pages = await Array.fromAsync(database.bestTimes.read(scope, { from: 0, to: LAST_PUBLISHED }, () => true));
      const sum = (of: 'posts' | 'engagement') =>
        pages.flatMap(({ rows }) => rows).reduce((total, row) => total + row[of], 0);
      const { items } = await database.posts.list(profile.workspaceId, {}, { offset: 0, limit: 1000 });
      expect(items).toHaveLength(3 * ROUNDS);
      expect(sum('posts')).toBe(items.length);
      expect(sum('engagement')).toBe(items.reduce((total, post) => total + post.metrics.likes, 0));
      expect((await database.bestTimes.rebuild()).corrected).toBe(0);
    }));
});

test.each(dialects)('a fresh database of $name is migrated by one of several processes', (dialect) =>
  withAddress(dialect, async (address) => {
    const task: Task<'migrate'> = ['migrate', [null]];
    const ran = await inProcesses(address, task, task, task);
    const names = Object.keys(dialect.migrations);
    expect(ran.flat().toSorted((a, b) => b.length - a.length)).toEqual([names, [], []]);
  }),
);
