import type { Uuid } from '../ids.ts';

/** What is known of an item's previews. Nothing is known of one that nobody has tried to decode. */
export interface PreviewFacts {
  /** Whether decoding has failed, which it will always do: there are no previews. */
  readonly hasFailed: boolean;
  /** A data URL; null where there is none. */
  readonly placeholder: string | null;
}

/** Milliseconds after which previews are tried again ahead of the asking, by the times that they couldn't be made. */
const RETRY_DELAYS: readonly number[] = [60_000, 600_000, 3_600_000, 6 * 3_600_000];

/** When to try again what couldn't be made for a reason that may pass; null: only when somebody asks. */
export const retryPreviewsAfter = (faults: number): number | null => RETRY_DELAYS[faults - 1] ?? null;

/**
 * What is kept of previews beside their bytes, and which are to be made before anybody asks: those of new pictures, covers
 * included. They become due with their item, in one transaction (`MediaRepository.insert`, `ImportQueue.finish`,
 * `PresignRepository.finish`, `CoverQueue.finish`), and go with it.
 */
export interface PreviewRepository {
  /** Of those of the items of which anything is known. At most 100 at a time. */
  factsOf(ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, PreviewFacts>>;
  /** Keeps what decoding came to: nothing is due any more. False where there is no such item (any more). */
  keep(id: Uuid, facts: PreviewFacts): Promise<boolean>;
  /** Keeps a placeholder, and what is due stays due. False as of {@link keep}. */
  keepPlaceholder(id: Uuid, placeholder: string): Promise<boolean>;
  /** The items whose previews are due at `now`, the latest first. Nobody claims them: to make one twice does no harm. */
  due(now: number, limit: number): Promise<readonly Uuid[]>;
  /** Counts one more fault, and puts off what is due by {@link retryPreviewsAfter}. */
  putOff(id: Uuid, now: number): Promise<void>;
  /** Those of the ids that are an item's, covers included. At most 1,000 at a time. */
  existingItems(ids: readonly Uuid[]): Promise<ReadonlySet<Uuid>>;
}
