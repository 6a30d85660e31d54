import type { Uuid } from '../ids.ts';

export interface PreviewFacts {
  readonly hasFailed: boolean;
  /** A data URL. */
  readonly placeholder: string | null;
}

/**
 * Stores what is known about the previews of images. If the previews of an image are to be made ahead, the job for this
 * is added together with the image.
 */
export interface PreviewRepository {
  /** Returns what is known about the previews of at most 100 images. */
  factsOf(ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, PreviewFacts>>;
  /** Stores what is known about an image's previews, and ends the job. Returns false if the item doesn't exist. */
  store(id: Uuid, facts: PreviewFacts): Promise<boolean>;
  /** Stores the placeholder and keeps the job. */
  storePlaceholder(id: Uuid, placeholder: string): Promise<boolean>;
  /** Returns which of at most 1,000 items exist. */
  existingItems(ids: readonly Uuid[]): Promise<ReadonlySet<Uuid>>;
}
