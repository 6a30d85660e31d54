import { describe, expect, test } from 'bun:test';
import {
  describeOwnershipProblem,
  judgeOwnership,
  type OwnershipFacts,
  type OwnershipJudgement,
  type OwnershipProblem,
  parseUuid,
  type StorageSample,
  type Uuid,
} from '@postshelf/domain';
import fc from 'fast-check';

const uuid = (last: number): Uuid => {
  const id = parseUuid(`01890a5d-ac96-774b-bcce-b30209900${String(last).padStart(3, '0')}`);
  if (!id) throw new Error('no id');
  return id;
};
const [A, B] = [uuid(1), uuid(2)];

const NOTHING: StorageSample = { objects: 0, known: 0, items: 0, present: 0, others: false };
const sample = (details: Partial<StorageSample>): StorageSample => ({ ...NOTHING, ...details });
const mark = (library: Uuid | null, restoring: number | null = null) => ({ library, generation: 5, restoring });
const known = { id: A, restoredAt: null };
const restored = { ...known, restoredAt: 7 };

const show = (judgement: OwnershipJudgement): string =>
  judgement.verdict === 'refuse' ? judgement.problem.reason : judgement.verdict;

const CASES: readonly (readonly [string, Partial<OwnershipFacts>, string])[] = [
  ['accepts a mark of the same library', { library: known, mark: mark(A) }, 'own'],
  ["accepts a mark that the library's row doesn't record yet", { library: known, mark: mark(A) }, 'own'],
  ['refuses a mark of another library', { library: known, mark: mark(B) }, 'other_library'],
  ['refuses a mark with a new database', { library: null, mark: mark(B) }, 'new_database'],
  ['refuses an unfinished restore', { library: known, mark: mark(A, 1) }, 'restoring'],
  ['accepts a restore whose database is in place', { library: restored, mark: mark(A, 7) }, 'own'],
  ['refuses a database from an earlier restore', { library: restored, mark: mark(A, 6) }, 'restoring'],
  ['refuses a database from a restore of another library', { library: restored, mark: mark(B, 7) }, 'restoring'],
  ['refuses an unfinished restore of another library', { library: known, mark: mark(B, 1) }, 'restoring'],
  [
    'refuses an unfinished restore of an unknown library with a new database',
    { library: null, mark: mark(null, 1) },
    'restoring',
  ],
  ['starts fresh with nothing at all', { library: null }, 'fresh'],
  [
    'refuses media without a mark with a new database',
    { library: null, sample: sample({ objects: 1 }) },
    'new_database',
  ],
  ['refuses unfinished files with a new database', { library: null, sample: sample({ others: true }) }, 'new_database'],
  ['starts fresh without items and media', { library: known }, 'fresh'],
  [
    'starts fresh without items while uploads are unfinished',
    { library: known, sample: sample({ others: true }) },
    'fresh',
  ],
  ['refuses an empty storage if there are items', { library: known, sample: sample({ items: 1 }) }, 'media_missing'],
  [
    'claims a storage whose objects agree with the items',
    { library: known, sample: sample({ objects: 9, known: 9, items: 9, present: 9 }) },
    'claim',
  ],
  [
    'claims a storage of which half agrees',
    { library: known, sample: sample({ objects: 4, known: 2, items: 6, present: 3 }) },
    'claim',
  ],
  [
    'refuses objects that are mostly unknown',
    { library: known, sample: sample({ objects: 5, known: 2, items: 2, present: 2 }) },
    'unknown_media',
  ],
  [
    'refuses items that mostly lack their objects',
    { library: known, sample: sample({ objects: 2, known: 2, items: 5, present: 2 }) },
    'unknown_media',
  ],
  ['refuses objects if there are no items', { library: known, sample: sample({ objects: 1 }) }, 'unknown_media'],
  [
    'claims a storage that agrees after its mark was lost',
    { library: known, sample: sample({ objects: 1, known: 1, items: 1, present: 1 }) },
    'claim',
  ],
];

const uuids = fc.constantFrom(A, B);
const samples = fc
  .record({ objects: fc.nat(20), items: fc.nat(20), others: fc.boolean(), k: fc.nat(20), p: fc.nat(20) })
  .map(({ objects, items, others, k, p }) =>
    sample({ objects, items, others, known: Math.min(k, objects), present: Math.min(p, items) }),
  );
const facts: fc.Arbitrary<OwnershipFacts> = fc.record({
  library: fc.option(fc.record({ id: uuids, restoredAt: fc.option(fc.nat(3)) })),
  mark: fc.option(fc.record({ library: fc.option(uuids), generation: fc.nat(), restoring: fc.option(fc.nat(3)) })),
  sample: samples,
});

describe('judgeOwnership', () => {
  test.each(CASES)('%s', (_, given, expected) => {
    expect(show(judgeOwnership({ library: null, mark: null, sample: NOTHING, ...given }))).toBe(expected);
  });

  test('never claims media if the database knows less than half of the sample', () => {
    fc.assert(
      fc.property(facts, (given) => {
        const { verdict } = judgeOwnership(given);
        const knows = given.library !== null && given.sample.known * 2 >= given.sample.objects;
        if (given.mark === null && given.sample.objects > 0 && !knows) expect(verdict).toBe('refuse');
      }),
    );
  });

  test('decides only by the mark, unless a restore is unfinished', () => {
    fc.assert(
      fc.property(facts, (given) => {
        if (given.mark === null) return;
        const { library, restoring } = given.mark;
        const isOwn = library !== null && (restoring === null || restoring === given.library?.restoredAt);
        const expected = isOwn && given.library?.id === given.mark.library ? 'own' : 'refuse';
        expect(judgeOwnership(given).verdict).toBe(expected);
      }),
    );
  });
});

describe('the message for a refused storage', () => {
  const places = { database: 'postgres://postshelf@db.example/postshelf', storage: 'the bucket "media"' };
  const PROBLEMS: readonly OwnershipProblem[] = [
    { reason: 'restoring' },
    { reason: 'other_library', marked: A, id: B },
    { reason: 'new_database', marked: A },
    { reason: 'new_database', marked: null },
    { reason: 'media_missing', id: A },
    { reason: 'unknown_media', id: A, sample: sample({ objects: 5, known: 1, items: 3, present: 2 }) },
  ];

  const nameOf = (problem: OwnershipProblem): string =>
    'marked' in problem && problem.marked === null ? `${problem.reason} and no mark` : problem.reason;

  test.each(PROBLEMS.map((problem) => [nameOf(problem), problem] as const))(
    'names ids, locations and a command in one line: reason %s',
    (_, problem) => {
      const line = describeOwnershipProblem(problem, places);
      expect(line).not.toContain('\n');
      expect(line).toContain(places.storage);
      expect(line).toContain(problem.reason === 'restoring' ? '"postshelf restore"' : '"postshelf storage adopt"');
      if (problem.reason !== 'restoring') expect(line).toContain(places.database);
      if ('marked' in problem && problem.marked) expect(line).toContain(problem.marked);
      if ('id' in problem) expect(line).toContain(problem.id);
    },
  );
});
