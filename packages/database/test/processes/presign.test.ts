import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { sampleUpload } from '@postshelf/testing/contracts/presign-repository/samples';
import { addWorkspace, NOW } from '@postshelf/testing/contracts/samples';
import { databasesOf, dialects } from '../support/dialects.ts';
import { inTwoProcesses } from '../support/processes.ts';

/** Each commit waits for the disk, which may be a slow one. */
setDefaultTimeout(60_000);

/** Enough for the two to meet many times. */
const UPLOADS = 100;

describe.each(dialects)('two processes at once over $name', (dialect) => {
  const withDatabase = databasesOf(dialect);

  test('of two that claim an upload one gets it', () =>
    withDatabase(async (database, address) => {
      const { id } = await addWorkspace(database);
      const uploads = Array.from({ length: UPLOADS }, () => sampleUpload(id));
      await database.presign.add(uploads);
      const ids = uploads.map(({ item }) => item.id);
      const claimAs = (owner: string) => ({ ids, lease: { owner, until: NOW + 1 }, now: NOW });
      const inputs = [claimAs('first'), claimAs('second')] as const;
      const [first, second] = await inTwoProcesses<boolean[]>('claim-uploads.ts', address, inputs);
      expect(ids.map((_, index) => [first[index], second[index]].toSorted())).toEqual(ids.map(() => [false, true]));
    }));
});
