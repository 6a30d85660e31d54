import type { Uuid } from '../ids.ts';

export interface PreviewFacts {
  readonly hasFailed: boolean;
  /** A data URL. */
  readonly placeholder: string | null;
}

const RETRY_DELAYS: readonly number[] = [60_000, 600_000, 3_600_000, 6 * 3_600_000];

/** null: not before the preview is requested. */
export const retryPreviewsAfter = (faults: number): number | null => RETRY_DELAYS[faults - 1] ?? null;

/** The queue has previews to make ahead, due with the insertion of an image and deleted with it. */
export interface PreviewRepository {
  /** At most 100 at a time. */
  factsOf(ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, PreviewFacts>>;
  /** Nothing is due afterwards. */
  keep(id: Uuid, facts: PreviewFacts): Promise<boolean>;
  /** What is due stays due. */
  keepPlaceholder(id: Uuid, placeholder: string): Promise<boolean>;
  /** The latest first. Without claims, as making one twice does no harm. */
  due(now: number, limit: number): Promise<readonly Uuid[]>;
  depth(): Promise<number>;
  putOff(id: Uuid, now: number): Promise<void>;
  /** At most 1,000 at a time. */
  existingItems(ids: readonly Uuid[]): Promise<ReadonlySet<Uuid>>;
}
