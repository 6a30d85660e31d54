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
  ['a mark of the same library', { library: known, mark: mark(A) }, 'own'],
  ['one that the row does not know of yet', { library: known, mark: mark(A) }, 'own'],
  ['a mark of another library', { library: known, mark: mark(B) }, 'other_library'],
  ['a mark, and a new database', { library: null, mark: mark(B) }, 'new_database'],
  ['a restore that was not finished', { library: known, mark: mark(A, 1) }, 'restoring'],
  ['a restore whose database is in its place', { library: restored, mark: mark(A, 7) }, 'own'],
  ['a database that an earlier restore put there', { library: restored, mark: mark(A, 6) }, 'restoring'],
  ['one that a restore of another library put there', { library: restored, mark: mark(B, 7) }, 'restoring'],
  ['one of another library', { library: known, mark: mark(B, 1) }, 'restoring'],
  ['one that knew no library yet, and a new database', { library: null, mark: mark(null, 1) }, 'restoring'],
  ['nothing at all', { library: null }, 'fresh'],
  ['a new database, and media without a mark', { library: null, sample: sample({ objects: 1 }) }, 'new_database'],
  ['a new database, and files on their way', { library: null, sample: sample({ others: true }) }, 'new_database'],
  ['a row without items, and no media', { library: known }, 'fresh'],
  ['a row without items that waits for uploads', { library: known, sample: sample({ others: true }) }, 'fresh'],
  ['items, and a storage with nothing', { library: known, sample: sample({ items: 1 }) }, 'media_missing'],
  [
    'rows and objects that agree',
    { library: known, sample: sample({ objects: 9, known: 9, items: 9, present: 9 }) },
    'claim',
  ],
  [
    'half of both that agree',
    { library: known, sample: sample({ objects: 4, known: 2, items: 6, present: 3 }) },
    'claim',
  ],
  [
    'objects that are mostly unknown',
    { library: known, sample: sample({ objects: 5, known: 2, items: 2, present: 2 }) },
    'unknown_media',
  ],
  [
    'items that mostly lack their objects',
    { library: known, sample: sample({ objects: 2, known: 2, items: 5, present: 2 }) },
    'unknown_media',
  ],
  ['objects, and a row without items', { library: known, sample: sample({ objects: 1 }) }, 'unknown_media'],
  [
    'agreement after the mark was lost',
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

describe('whether a database and a storage are of one library', () => {
  test.each(CASES)('%s', (_, given, expected) => {
    expect(show(judgeOwnership({ library: null, mark: null, sample: NOTHING, ...given }))).toBe(expected);
  });

  test('media are never claimed by a database that knows less than half of the sample', () => {
    fc.assert(
      fc.property(facts, (given) => {
        const { verdict } = judgeOwnership(given);
        const knows = given.library !== null && given.sample.known * 2 >= given.sample.objects;
        if (given.mark === null && given.sample.objects > 0 && !knows) expect(verdict).toBe('refuse');
      }),
    );
  });

  test('a mark alone decides, for the library that it names, unless a restore is unfinished', () => {
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

describe('what is said of a refusal', () => {
  const places = { database: 'postgres://postshelf@db.example/postshelf', storage: 'the bucket "media"' };
  const PROBLEMS: readonly OwnershipProblem[] = [
    { reason: 'restoring' },
    { reason: 'other_library', marked: A, id: B },
    { reason: 'new_database', marked: A },
    { reason: 'new_database', marked: null },
    { reason: 'media_missing', id: A },
    { reason: 'unknown_media', id: A, sample: sample({ objects: 5, known: 1, items: 3, present: 2 }) },
  ];

  test.each(PROBLEMS.map((problem) => [problem.reason, problem] as const))(
    '%s: one line with ids, places and a command',
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
