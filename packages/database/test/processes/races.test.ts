import { describe, expect, test } from 'bun:test';
import type { Uuid } from '@postshelf/domain';
import { addImports } from '@postshelf/testing/contracts/job-samples';
import { addWorkspace, NOW } from '@postshelf/testing/contracts/samples';
import { databasesOf, dialects, SQLITE, withAddress } from '../support/dialects.ts';
import { inProcesses, type Task } from '../support/processes.ts';

/** The number of rounds, which is enough for the two processes to collide many times. */
const ROUNDS = 100;
const rounds = Array.from({ length: ROUNDS }, (_, round) => round);

/**
 * These tests check that SQLite's locks also enforce a limit between two processes. The contract suites test every rule
 * with two concurrent connections, which for PostgreSQL is the same as two processes.
 */
describe('two concurrent processes with SQLite', () => {
  const withDatabase = databasesOf(SQLITE);

  const claims = (owner: string): Task<'claim'> => [
    'claim',
    rounds.map(() => ({
      kind: 'import',
      rules: { batch: 2, order: 'oldest' },
      now: NOW,
      lease: { owner, until: NOW + 1 },
      perWorkspace: 3,
      without: [],
    })),
  ];

  test('claim each job once and never exceed the limit of leases per workspace', () =>
    withDatabase(async (database, address) => {
      const due: Uuid[] = [];
      for (let workspace = 0; workspace < 20; workspace += 1) {
        const { id } = await addWorkspace(database);
        due.push(...(await addImports(database, id, 6)).slice(0, 3));
      }
      const answers = await inProcesses(address, claims('first'), claims('second'));
      expect(answers.flat(2).toSorted()).toEqual(due.toSorted());
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
