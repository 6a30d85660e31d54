import { describe, expect, test } from 'bun:test';
import {
  type CollectionFacts,
  describeWithheld,
  isOlderThanLibrary,
  refuseCollection,
  type WithheldReason,
} from '@postshelf/domain';

const facts = (some: Partial<CollectionFacts>): CollectionFacts => ({
  objects: 1000,
  orphans: 0,
  older: 0,
  isRestored: false,
  maxPercent: 10,
  ...some,
});

const RULES: readonly (readonly [string, Partial<CollectionFacts>, WithheldReason | null])[] = [
  ['nothing', {}, null],
  ['nothing in a restored library', { isRestored: true }, null],
  ['nothing where nothing may go to the trash', { maxPercent: 0 }, null],
  ['one object', { orphans: 1 }, null],
  ['all of a few objects', { objects: 20, orphans: 20 }, null],
  ['all objects, one more than a few', { objects: 21, orphans: 21 }, 'too_many'],
  ['as many as the share', { orphans: 100 }, null],
  ['one more than the share', { orphans: 101 }, 'too_many'],
  ['a few beyond the share', { objects: 100, orphans: 20 }, null],
  ['one more than a few beyond the share', { objects: 100, orphans: 21 }, 'too_many'],
  ['all objects where any share may go', { orphans: 1000, maxPercent: 100 }, null],
  ['one more than a few where no share may go', { orphans: 21, maxPercent: 0 }, 'too_many'],
  ['a few where no share may go', { orphans: 20, maxPercent: 0 }, null],
  ['one object in a restored library', { orphans: 1, isRestored: true }, 'restored'],
  [
    'one object in a restored library, where any share may go',
    { orphans: 1, isRestored: true, maxPercent: 100 },
    'restored',
  ],
  ['objects of which one is older than the library', { orphans: 2, older: 1 }, 'older_than_library'],
  ['an older object, where any share may go', { orphans: 1, older: 1, maxPercent: 100 }, 'older_than_library'],
];

test.each(RULES)('%s', (_, some, reason) => {
  expect(refuseCollection(facts(some))).toBe(reason);
});

test("an object counts as older than its library only beyond the clocks' tolerance", () => {
  const createdAt = Date.UTC(2026, 0, 31);
  expect(isOlderThanLibrary(createdAt, createdAt)).toBe(false);
  expect(isOlderThanLibrary(createdAt - 600_000, createdAt)).toBe(false);
  expect(isOlderThanLibrary(createdAt - 600_001, createdAt)).toBe(true);
});

describe('the message', () => {
  test.each(['restored', 'older_than_library', 'too_many'] as const)(
    'for objects that are %s has one line',
    (reason) => {
      const line = describeWithheld({ ...facts({ orphans: 30, objects: 100, older: 2 }), reason });
      expect(line).toStartWith('Nothing was moved to the trash: 30 of 100 objects have no item');
      expect(line).toContain('"postshelf gc --yes-really"');
      expect(line).not.toContain('\n');
    },
  );
});
