import type { Uuid } from '../ids.ts';

/** What decoding has found. */
export interface PreviewFacts {
  /** For good: there are no previews. */
  readonly hasFailed: boolean;
  /** A data URL. */
  readonly placeholder: string | null;
}

/** By the number of failures so far. */
const RETRY_DELAYS: readonly number[] = [60_000, 600_000, 3_600_000, 6 * 3_600_000];

/** Milliseconds; null: not before the preview is requested. */
export const retryPreviewsAfter = (faults: number): number | null => RETRY_DELAYS[faults - 1] ?? null;

/**
 * Facts beside the bytes, and the queue of previews to make ahead: due with the insertion of an image, a cover
 * included, and deleted with it.
 */
export interface PreviewRepository {
  /** Those without are left out. At most 100 at a time. */
  factsOf(ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, PreviewFacts>>;
  /** Nothing is due afterwards. False if there is no such item. */
  keep(id: Uuid, facts: PreviewFacts): Promise<boolean>;
  /** What is due stays due. False as in {@link keep}. */
  keepPlaceholder(id: Uuid, placeholder: string): Promise<boolean>;
  /** The latest first. Without claims, as making one twice does no harm. */
  due(now: number, limit: number): Promise<readonly Uuid[]>;
  /** Due now or later. */
  depth(): Promise<number>;
  /** Counts another fault and delays by {@link retryPreviewsAfter}. */
  putOff(id: Uuid, now: number): Promise<void>;
  /** Covers included. At most 1,000 at a time. */
  existingItems(ids: readonly Uuid[]): Promise<ReadonlySet<Uuid>>;
}
