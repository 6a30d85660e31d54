import { Refusal } from '../errors.ts';

/** Maximum contents of a workspace; null for any number. Covers and previews don't count. */
export interface Quota {
  readonly maxBytes: number | null;
  readonly maxItems: number | null;
}

export const NO_QUOTA: Quota = { maxBytes: null, maxItems: null };

export interface Amount {
  readonly bytes: number;
  readonly items: number;
}

/** The usage of a workspace: its `active` items, but not those that presigned uploads have only declared. */
export interface WorkspaceUsage extends Amount, Quota {
  readonly images: number;
  readonly videos: number;
  /** The trash counts against the quota as well. */
  readonly trashBytes: number;
  readonly trashItems: number;
}

/** Returns what counts against the quota. */
export const heldBy = ({
  bytes,
  items,
  trashBytes,
  trashItems,
  maxBytes,
  maxItems,
}: WorkspaceUsage): Amount & Quota => ({
  bytes: bytes + trashBytes,
  items: items + trashItems,
  maxBytes,
  maxItems,
});

export const STORAGE_FULL = "The workspace's storage is full.";

const EMPTY_TRASH = 'Empty the trash to make room.';

/** @param helps whether emptying the trash would help */
export const withAdvice = (sentence: string, helps: boolean): string =>
  helps ? `${sentence} ${EMPTY_TRASH}` : sentence;

/** Maximum quota in bytes; larger numbers aren't exact. */
export const MAX_QUOTA = Number.MAX_SAFE_INTEGER;

export const isQuota = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/**
 * Thrown if a write would exceed the quota; nothing is stored then. The error is on `file`, unless the caller knows
 * which field the file came from.
 */
export class StorageFull extends Refusal {
  readonly sentence: string;

  /**
   * @param room the amount that would have fitted
   * @param trashHelps whether the write would fit if the trash were emptied
   */
  constructor(
    readonly room: Amount,
    trashHelps = false,
  ) {
    const sentence = withAdvice(STORAGE_FULL, trashHelps);
    super({ code: 'invalid', errors: { file: [sentence] } });
    this.sentence = sentence;
  }
}

/** Returns the room that is left: negative beyond the quota; infinite without one. */
const roomLeft = ({ maxBytes, maxItems }: Quota, { bytes, items }: Amount): Amount => ({
  bytes: (maxBytes ?? Infinity) - bytes,
  items: (maxItems ?? Infinity) - items,
});

const isBeyond = ({ bytes, items }: Amount): boolean => bytes < 0 || items < 0;

/** The amounts that a write has added to a workspace. */
export interface Growth {
  /** Items that have become `active`. */
  readonly added: Amount;
  /** The amount that new presigned uploads have declared. */
  readonly announced: Amount;
  /** Whether everything that was added had been declared before. */
  readonly isSettled: boolean;
}

/**
 * Checks that a write stays within the quota. Files that are only declared count as used (`reserved`), except if
 * everything that was added had been declared before. In that case they don't count: they may have been declared before
 * the quota was lowered, and mustn't take the space of files that have arrived.
 *
 * @param used the amount used after the write, without the trash
 * @param reserved the amount that presigned uploads have declared
 * @throws StorageFull
 */
export function requireRoom(
  { added, announced, isSettled }: Growth,
  quota: Quota,
  used: Amount,
  reserved: Amount,
  trash: Amount = { bytes: 0, items: 0 },
): void {
  const left = roomLeft(quota, plus(trash, isSettled ? used : plus(used, reserved)));
  if (isBeyond(left)) throw new StorageFull(plus(left, plus(added, announced)), !isBeyond(plus(left, trash)));
}

/**
 * Returns the indexes of the files that don't fit if they are stored in order. If all would fit, returns all indexes,
 * because any of the files may have exceeded the quota.
 */
export function withoutRoom(sizes: readonly number[], room: Amount): readonly number[] {
  let left = room;
  const beyond = sizes.flatMap((size, index) => {
    const then = { bytes: left.bytes - size, items: left.items - 1 };
    if (isBeyond(then)) return [index];
    left = then;
    return [];
  });
  return beyond.length > 0 ? beyond : sizes.map((_, index) => index);
}

export const plus = (one: Amount, other: Amount): Amount => ({
  bytes: one.bytes + other.bytes,
  items: one.items + other.items,
});

export const minus = (one: Amount, other: Amount): Amount => ({
  bytes: one.bytes - other.bytes,
  items: one.items - other.items,
});

type Measured = Amount & Quota;

/**
 * Whether usage has reached a mark, 80 or 100 % of a quota, between `before` and `after`. Each mark is thus reported
 * only once.
 */
export function reachesMark(before: Measured, after: Measured): boolean {
  const was = marksAt(before);
  return marksAt(after).some((isReached, index) => isReached && !was[index]);
}

/** Computes with whole numbers, because 0.8 isn't exact. */
const marksAt = ({ bytes, maxBytes, items, maxItems }: Measured): readonly boolean[] =>
  [4, 5].flatMap((fifths) => [
    maxBytes !== null && 5 * bytes >= fifths * maxBytes,
    maxItems !== null && 5 * items >= fifths * maxItems,
  ]);
