export interface CollectionFacts {
  /** All of the storage. */
  readonly objects: number;
  /** Objects of no item that are no longer in use. */
  readonly orphans: number;
  /** Orphans older than the library itself ({@link isOlderThanLibrary}). */
  readonly older: number;
  /** {@link Library.restoredAt} */
  readonly isRestored: boolean;
  /** Most objects that one collection may move, 0 to 100. */
  readonly maxPercent: number;
}

/**
 * Why nothing moves to the trash without consent. `restored`: the objects may belong to items that the database lacks.
 * `older_than_library`: no crash of this library left them. `too_many`: crashes leave few.
 */
export type WithheldReason = 'restored' | 'older_than_library' | 'too_many';

/** So many need no consent, even if they are all of a small library. */
export const FEW_ORPHANS = 20;

/** Milliseconds between the clocks of a storage and of a database's first server. */
const CLOCK_DIFFERENCE = 10 * 60 * 1000;

/** null: the orphans may be moved to the trash. */
export function refuseCollection(facts: CollectionFacts): WithheldReason | null {
  const { objects, orphans, older, isRestored, maxPercent } = facts;
  if (orphans === 0) return null;
  if (isRestored) return 'restored';
  if (older > 0) return 'older_than_library';
  return orphans > FEW_ORPHANS && orphans * 100 > objects * maxPercent ? 'too_many' : null;
}

/**
 * @param modifiedAt milliseconds since the epoch, by the storage's clock
 * @param createdAt of the library, by the clock of the process that made it
 */
export const isOlderThanLibrary = (modifiedAt: number, createdAt: number): boolean =>
  modifiedAt < createdAt - CLOCK_DIFFERENCE;

export interface WithheldCollection extends CollectionFacts {
  readonly reason: WithheldReason;
}

/** One line: how many objects stay, why, and what to do. */
export function describeWithheld({ reason, objects, orphans, older, maxPercent }: WithheldCollection): string {
  const left = `Nothing was moved to the trash: ${orphans} of ${objects} objects have no item`;
  return `${left}${WHY[reason]({ older, maxPercent })}. ${WHAT_TO_DO}`;
}

const WHY = {
  restored: () => ', and the database is a restored one or an older copy, which may have forgotten their items',
  older_than_library: ({ older }) =>
    `, and ${older} of them ${older === 1 ? 'is' : 'are'} older than the database's library`,
  too_many: ({ maxPercent }) => `, more than ${maxPercent} percent (GC_MAX_ORPHANS_PERCENT)`,
} as const satisfies Record<WithheldReason, (facts: Pick<CollectionFacts, 'older' | 'maxPercent'>) => string>;

const WHAT_TO_DO =
  'If the database is the right one and they may go, run "postshelf gc --yes-really"; otherwise restore the database that knows them.';
