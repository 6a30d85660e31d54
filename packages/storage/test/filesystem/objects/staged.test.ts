import { describe, expect, test } from 'bun:test';
import { rm } from 'node:fs/promises';
import { outcomeOf } from '@postshelf/testing/outcomes';
import { KEY, openStreaming, stageText } from '../../support/objects.ts';
import { testInScratch, withScratch } from '../../support/scratch.ts';
import { ownDirectory } from '../../support/staging.ts';

describe('staged bytes', () => {
  testInScratch(
    'cannot be published twice, after a discard or after they were lost, and the error says which',
    async (root) => {
      const storage = await openStreaming(root);
      const published = await stageText(storage, 'bytes');
      await published.publish(KEY);
      expect(await outcomeOf(published.publish(KEY))).toThrow('published already');
      await published.discard();
      expect(await outcomeOf(published.publish(KEY))).toThrow('discarded already');
      const discarded = await stageText(storage, 'bytes');
      await discarded.discard();
      expect(await outcomeOf(discarded.publish(KEY))).toThrow('discarded already');
      const lost = await stageText(storage, 'bytes');
      // Another machine does this if it considers this process dead.
      await rm(await ownDirectory(root), { recursive: true });
      expect(await outcomeOf(lost.publish(KEY))).toThrow('removed before they were published');
      await lost.discard();
    },
  );

  test.each([
    [-1, 1],
    [0.5, 1],
    [Number.NaN, 1],
    [0, -1],
    [0, Number.POSITIVE_INFINITY],
  ])('cannot be read from offset %d with length %d', (offset, length) =>
    withScratch(async (root) => {
      const staged = await stageText(await openStreaming(root), 'bytes');
      expect(await outcomeOf(staged.read(offset, length))).toThrow(RangeError);
      await staged.discard();
    })(),
  );
});
