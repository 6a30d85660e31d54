import type { Uuid } from '../ids.ts';

/** What is known about an item's previews after decoding was attempted. */
export interface PreviewFacts {
  /** Whether decoding failed for good: there are no previews. */
  readonly hasFailed: boolean;
  /** A data URL; null where there is none. */
  readonly placeholder: string | null;
}

/** Milliseconds until previews are tried again in the background, by the number of failures so far. */
const RETRY_DELAYS: readonly number[] = [60_000, 600_000, 3_600_000, 6 * 3_600_000];

/** Milliseconds until the next attempt after a temporary failure; null: not before the preview is requested. */
export const retryPreviewsAfter = (faults: number): number | null => RETRY_DELAYS[faults - 1] ?? null;

/**
 * Facts about previews besides their bytes, and the queue of those to make before they are requested: previews of new
 * images, covers included. They become due in the transaction that inserts their item (`MediaRepository.insert`,
 * `ImportQueue.finish`, `PresignRepository.finish`, `CoverQueue.finish`), and are deleted with it.
 */
export interface PreviewRepository {
  /** The facts of the given items; those without are left out. At most 100 at a time. */
  factsOf(ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, PreviewFacts>>;
  /** Stores the result of decoding, after which nothing is due any more. False if there is no such item (any more). */
  keep(id: Uuid, facts: PreviewFacts): Promise<boolean>;
  /** Stores a placeholder; what is due stays due. False as in {@link keep}. */
  keepPlaceholder(id: Uuid, placeholder: string): Promise<boolean>;
  /**
   * The items whose previews are due at `now`, the latest first. There are no claims, as making a preview twice does no
   * harm.
   */
  due(now: number, limit: number): Promise<readonly Uuid[]>;
  /** How many items have previews that are to be made ahead, now or after a delay. */
  depth(): Promise<number>;
  /** Counts another fault and delays what is due by {@link retryPreviewsAfter}. */
  putOff(id: Uuid, now: number): Promise<void>;
  /** Those of the ids that belong to an item, covers included. At most 1,000 at a time. */
  existingItems(ids: readonly Uuid[]): Promise<ReadonlySet<Uuid>>;
}
