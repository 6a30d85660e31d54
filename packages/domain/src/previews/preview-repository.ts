import type { Uuid } from '../ids.ts';

/** What is known of an item's previews once decoding was tried. */
export interface PreviewFacts {
  /** Whether decoding failed for good: there are no previews. */
  readonly hasFailed: boolean;
  /** A data URL; null where there is none. */
  readonly placeholder: string | null;
}

/** Milliseconds after which previews are tried again in the background, by the number of failures so far. */
const RETRY_DELAYS: readonly number[] = [60_000, 600_000, 3_600_000, 6 * 3_600_000];

/** When to try again after a failure that may pass; null: only when somebody asks for the preview. */
export const retryPreviewsAfter = (faults: number): number | null => RETRY_DELAYS[faults - 1] ?? null;

/**
 * What is kept of previews beside their bytes, and which are to be made before anybody asks: those of new pictures, covers
 * included. They become due with their item, in one transaction (`MediaRepository.insert`, `ImportQueue.finish`,
 * `PresignRepository.finish`, `CoverQueue.finish`), and go with it.
 */
export interface PreviewRepository {
  /** The facts of the given items; those without are left out. At most 100 at a time. */
  factsOf(ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, PreviewFacts>>;
  /** Keeps the result of decoding: nothing is due any more. False where there is no such item (any more). */
  keep(id: Uuid, facts: PreviewFacts): Promise<boolean>;
  /** Keeps a placeholder; what is due stays due. False as in {@link keep}. */
  keepPlaceholder(id: Uuid, placeholder: string): Promise<boolean>;
  /** The items whose previews are due at `now`, the latest first. There are no claims: making one twice does no harm. */
  due(now: number, limit: number): Promise<readonly Uuid[]>;
  /** Counts one more fault, and puts off what is due by {@link retryPreviewsAfter}. */
  putOff(id: Uuid, now: number): Promise<void>;
  /** Those of the ids that are an item's, covers included. At most 1,000 at a time. */
  existingItems(ids: readonly Uuid[]): Promise<ReadonlySet<Uuid>>;
}
