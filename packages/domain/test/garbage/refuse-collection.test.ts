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
  ['without orphans proceeds', {}, null],
  ['without orphans in a restored library proceeds', { isRestored: true }, null],
  ['without orphans and with a maximum of 0 percent proceeds', { maxPercent: 0 }, null],
  ['of one object proceeds', { orphans: 1 }, null],
  ['of all of 20 objects proceeds', { objects: 20, orphans: 20 }, null],
  ['of all of 21 objects is withheld', { objects: 21, orphans: 21 }, 'too_many'],
  ['of exactly the maximum share proceeds', { orphans: 100 }, null],
  ['of one object more than the maximum share is withheld', { orphans: 101 }, 'too_many'],
  ['of 20 objects proceeds even if they are more than the share', { objects: 100, orphans: 20 }, null],
  ['of 21 objects that are more than the share is withheld', { objects: 100, orphans: 21 }, 'too_many'],
  ['of all objects with a maximum of 100 percent proceeds', { orphans: 1000, maxPercent: 100 }, null],
  ['of 21 objects with a maximum of 0 percent is withheld', { orphans: 21, maxPercent: 0 }, 'too_many'],
  ['of 20 objects with a maximum of 0 percent proceeds', { orphans: 20, maxPercent: 0 }, null],
  ['of one object in a restored library is withheld', { orphans: 1, isRestored: true }, 'restored'],
  [
    'of one object in a restored library is withheld even with a maximum of 100 percent',
    { orphans: 1, isRestored: true, maxPercent: 100 },
    'restored',
  ],
  ['of an object older than the library is withheld', { orphans: 2, older: 1 }, 'older_than_library'],
  [
    'of an older object is withheld even with a maximum of 100 percent',
    { orphans: 1, older: 1, maxPercent: 100 },
    'older_than_library',
  ],
];

test.each(RULES)('a garbage collection %s', (_, some, reason) => {
  expect(refuseCollection(facts(some))).toBe(reason);
});

test("an object counts as older than its library only if the difference exceeds the clocks' tolerance", () => {
  const createdAt = Date.UTC(2026, 0, 31);
  expect(isOlderThanLibrary(createdAt, createdAt)).toBe(false);
  expect(isOlderThanLibrary(createdAt - 600_000, createdAt)).toBe(false);
  expect(isOlderThanLibrary(createdAt - 600_001, createdAt)).toBe(true);
});

describe('the message for a withheld collection', () => {
  test.each(['restored', 'older_than_library', 'too_many'] as const)(
    'is one line with the count and the command for the reason %s',
    (reason) => {
      const line = describeWithheld({ ...facts({ orphans: 30, objects: 100, older: 2 }), reason });
      expect(line).toStartWith('Nothing was moved to the trash: 30 of 100 objects have no item');
      expect(line).toContain('"postshelf gc --yes-really"');
      expect(line).not.toContain('\n');
    },
  );
});
