import type { Uuid } from '../ids.ts';
import type { FenceProblem } from './fence.ts';
import type { Library } from './library-repository.ts';
import type { StorageMark } from './storage-marker.ts';

/** Number of objects and items that are compared if the storage has no mark. */
export const OWNERSHIP_SAMPLE = { objects: 1000, items: 100 } as const;

export interface StorageSample {
  /** Number of objects in the sample, and how many of them have a row. */
  readonly objects: number;
  readonly known: number;
  /** Number of items in the sample, and how many of them have an object. */
  readonly items: number;
  readonly present: number;
  /** Whether there are uploads, or objects in the trash. */
  readonly others: boolean;
}

export interface OwnershipFacts {
  /** null if the database is new. */
  readonly library: Pick<Library, 'id' | 'restoredAt'> | null;
  readonly mark: StorageMark | null;
  readonly sample: StorageSample;
}

export type OwnershipProblem =
  | FenceProblem
  | { readonly reason: 'restoring' }
  | { readonly reason: 'other_library'; readonly marked: Uuid; readonly id: Uuid }
  | { readonly reason: 'new_database'; readonly marked: Uuid | null }
  | { readonly reason: 'media_missing'; readonly id: Uuid }
  | { readonly reason: 'unknown_media'; readonly id: Uuid; readonly sample: StorageSample };

/**
 * `fresh`: the database and the storage are empty. `claim`: there is no mark, but rows and objects match. In both cases
 * a mark must be written.
 */
export type OwnershipJudgement =
  | { readonly verdict: 'own' | 'fresh' | 'claim' }
  | { readonly verdict: 'refuse'; readonly problem: OwnershipProblem };

const refuse = (problem: OwnershipProblem): OwnershipJudgement => ({ verdict: 'refuse', problem });

/**
 * Judges whether a database and a storage belong together. If in doubt, the verdict is that they don't, because garbage
 * collection would delete objects without a row.
 */
export function judgeOwnership({ library, mark, sample }: OwnershipFacts): OwnershipJudgement {
  if (mark !== null) return isRestored(library, mark) ? { verdict: 'own' } : judgeMark(library?.id ?? null, mark);
  const isEmpty = sample.objects === 0 && !sample.others;
  if (library === null) return isEmpty ? { verdict: 'fresh' } : refuse({ reason: 'new_database', marked: null });
  const { id } = library;
  // A library without items or objects is fresh, because the row of a new library is created before this check.
  if (sample.objects === 0) return sample.items > 0 ? refuse({ reason: 'media_missing', id }) : { verdict: 'fresh' };
  const agree = mostly(sample.known, sample.objects) && mostly(sample.present, sample.items);
  return agree ? { verdict: 'claim' } : refuse({ reason: 'unknown_media', id, sample });
}

/**
 * Whether the restore that the mark describes has finished: its last step puts the database in place, and `restoredAt`
 * shows that the database is from this restore.
 */
export const isRestored = (library: Pick<Library, 'id' | 'restoredAt'> | null, mark: StorageMark): boolean =>
  mark.restoring !== null && library?.id === mark.library && library?.restoredAt === mark.restoring;

function judgeMark(id: Uuid | null, { library: marked, restoring }: StorageMark): OwnershipJudgement {
  if (restoring !== null || marked === null) return refuse({ reason: 'restoring' });
  if (id === null) return refuse({ reason: 'new_database', marked });
  return marked === id ? { verdict: 'own' } : refuse({ reason: 'other_library', marked, id });
}

const mostly = (part: number, all: number): boolean => part * 2 >= all;

export interface LibraryLocations {
  readonly database: string;
  readonly storage: string;
}

export function describeOwnershipProblem(problem: OwnershipProblem, { database, storage }: LibraryLocations): string {
  switch (problem.reason) {
    case 'copy':
      return `The database ${database} is a copy or an older state: another database of the same library now uses the media in ${storage}. This one is read-only. To continue with it, stop the service that uses the other database, and run "postshelf storage adopt --yes".`;
    case 'moved':
      return `The library was copied to ${problem.to}, which is now in use. The database ${database} with the media in ${storage} is read-only. To go back to them, stop the new service and run "postshelf storage adopt --yes".`;
    case 'restoring':
      return `A restore into ${storage} was started but not finished, so no service can start on it. Run "postshelf restore" again: it starts over and keeps existing objects. To abandon the restore, see "postshelf storage adopt".`;
    case 'other_library':
      return `The media in ${storage} belong to library ${problem.marked}, but the database ${database} belongs to library ${problem.id}. Nothing was deleted. ${CORRECT} ${ADOPT}`;
    case 'new_database': {
      const whose = problem.marked === null ? 'a library without an id' : `library ${problem.marked}`;
      return `The media in ${storage} belong to ${whose}, but there is no library in the database ${database}. Nothing was created or deleted. ${CORRECT} ${ADOPT}`;
    }
    case 'media_missing':
      return `The database ${database} belongs to library ${problem.id}, but its media are not in ${storage}. Nothing was deleted. Is the disk mounted? ${CORRECT} ${ADOPT}`;
    case 'unknown_media': {
      const { objects, known, items, present } = problem.sample;
      const figures = `it knows ${known} of ${objects} sampled objects, and ${present} of ${items} sampled items have their object there`;
      return `The database ${database} belongs to library ${problem.id}, but the media in ${storage} do not: ${figures}. Nothing was deleted. ${CORRECT} ${ADOPT}`;
    }
  }
}

const CORRECT = 'Correct DATABASE_URL, DATA_DIR or S3_BUCKET.';
const ADOPT = 'If they do belong together, see "postshelf storage adopt".';
