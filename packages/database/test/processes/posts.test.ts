import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { LAST_PUBLISHED, type UpsertOutcome } from '@postshelf/domain';
import { addProfile, sampleDetails } from '@postshelf/testing/contracts/posts/samples';
import { databasesOf, dialects } from '../support/dialects.ts';
import { inTwoProcesses } from '../support/processes.ts';

/** Each commit waits for the disk, which may be a slow one. */
setDefaultTimeout(60_000);

/** Enough for the two to meet many times. */
const BATCHES = 100;

describe.each(dialects)('two processes at once over $name', (dialect) => {
  const withDatabase = databasesOf(dialect);

  test('that import the same posts make each once, and count each once', () =>
    withDatabase(async (database, address) => {
      const profile = await addProfile(database);
      const said = (likes: number) =>
        Array.from({ length: BATCHES }, (_, batch) =>
          [0, 1, 2].map((post) => sampleDetails(profile, { externalId: `${batch} ${post}`, metrics: { likes } })),
        );
      const outcomes = await inTwoProcesses<UpsertOutcome[][]>('put-posts.ts', address, [said(1), said(2)]);
      const [first, second] = outcomes.map((batches) => batches.flat());
      expect(first?.map((outcome, post) => [outcome, second?.[post]].toSorted())).toEqual(
        Array.from({ length: 3 * BATCHES }, () => ['created', 'updated']),
      );
      const pages = await Array.fromAsync(
        database.bestTimes.read({ profileId: profile.id }, { from: 0, to: LAST_PUBLISHED }, () => true),
      );
      const rows = pages.flatMap((page) => page.rows);
      const told = rows.reduce((sum, { posts }) => sum + posts, 0);
      const engagement = rows.reduce((sum, row) => sum + row.engagement, 0);
      const kept = { offset: 0, limit: 1000 };
      const { items } = await database.posts.list(profile.workspaceId, {}, kept);
      expect(told).toBe(3 * BATCHES);
      expect(items).toHaveLength(told);
      expect(engagement).toBe(items.reduce((sum, post) => sum + post.metrics.likes, 0));
      expect((await database.bestTimes.rebuild()).corrected).toBe(0);
    }));
});
