import { expect, test } from 'bun:test';
import {
  describeBestTimesRepository,
  describeFolderRepository,
  describeImportQueue,
  describeLibraryRepository,
  describeMediaRepository,
  describeObjectChecks,
  describePostRepository,
  describePresignRepository,
  describeProfileRepository,
  describeTokenRepository,
  describeWorkspaceRemoval,
  describeWorkspaceRepository,
} from '@postshelf/testing';
import { sql } from 'kysely';
import { dialects, openerOf } from './dialects.ts';

for (const dialect of dialects) {
  const { name } = dialect;
  const open = openerOf(dialect);
  describeLibraryRepository(name, open);
  describeObjectChecks(name, open);
  describeWorkspaceRepository(name, open);
  describeWorkspaceRemoval(name, open);
  describeFolderRepository(name, open);
  describeMediaRepository(name, open);
  describePresignRepository(name, open);
  describeTokenRepository(name, open);
  describeImportQueue(name, open);
  describeProfileRepository(name, open);
  describePostRepository(name, open);
  describeBestTimesRepository(name, open);

  const { deadlocks } = dialect;
  if (deadlocks === null) continue;
  test(`${name}: in none of this did two transactions wait for each other`, async () => {
    const { store } = await open();
    const { rows } = await sql`${sql.raw(deadlocks)}`.execute(store.reads);
    expect(rows).toEqual([{ deadlocks: 0 }]);
  });
}
