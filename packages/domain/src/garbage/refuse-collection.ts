export interface CollectionFacts {
  readonly objects: number;
  /** Number of objects that belong to no item and are no longer in use. */
  readonly orphans: number;
  /** Orphans older than the library. */
  readonly older: number;
  /** Whether {@link Library.restoredAt} is set. */
  readonly isRestored: boolean;
  /** Maximum percentage of orphans among all objects, 0 to 100. */
  readonly maxPercent: number;
}

/**
 * `restored`: the objects may belong to items that the database lacks. `older_than_library`: some objects are too old
 * to be left over from a crash of this library. `too_many`: there are more orphans than crashes usually leave.
 */
export type WithheldReason = 'restored' | 'older_than_library' | 'too_many';

/** Number of orphans up to which their share doesn't matter. */
const FEW_ORPHANS = 20;

/** Maximum percentage of orphans, unless the operator sets another one. */
export const DEFAULT_MAX_ORPHANS_PERCENT = 10;

const CLOCK_DIFFERENCE = 10 * 60 * 1000;

/** Returns why orphans must not be moved to the trash; null if they can be moved. */
export function refuseCollection(facts: CollectionFacts): WithheldReason | null {
  const { objects, orphans, older, isRestored, maxPercent } = facts;
  if (orphans === 0) return null;
  if (isRestored) return 'restored';
  if (older > 0) return 'older_than_library';
  return orphans > FEW_ORPHANS && orphans * 100 > objects * maxPercent ? 'too_many' : null;
}

/** Whether an object is older than the library. Both times are milliseconds since the epoch, by different clocks. */
export const isOlderThanLibrary = (modifiedAt: number, createdAt: number): boolean =>
  modifiedAt < createdAt - CLOCK_DIFFERENCE;

export interface WithheldCollection extends CollectionFacts {
  readonly reason: WithheldReason;
}

export function describeWithheld({ reason, objects, orphans, older, maxPercent }: WithheldCollection): string {
  const left = `Nothing was moved to the trash: ${orphans} of ${objects} objects have no item`;
  return `${left}${WHY[reason]({ older, maxPercent })}. ${WHAT_TO_DO}`;
}

const WHY = {
  restored: () => ', and the database was restored or is an older copy, which may not know their items',
  older_than_library: ({ older }) =>
    `, and ${older} of them ${older === 1 ? 'is' : 'are'} older than the database's library`,
  too_many: ({ maxPercent }) => `, more than ${maxPercent} percent (GC_MAX_ORPHANS_PERCENT)`,
} as const satisfies Record<WithheldReason, (facts: Pick<CollectionFacts, 'older' | 'maxPercent'>) => string>;

const WHAT_TO_DO =
  'If this is the right database and these objects can be deleted, run "postshelf gc --yes-really"; otherwise restore the database that has their items.';
