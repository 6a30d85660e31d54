import type { Uuid } from '../ids.ts';

export interface PreviewFacts {
  readonly hasFailed: boolean;
  /** A data URL. */
  readonly placeholder: string | null;
}

/** What is known of the previews of images. Those that are to be made ahead have a job, added with the image. */
export interface PreviewRepository {
  /** At most 100 at a time. */
  factsOf(ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, PreviewFacts>>;
  /** Ends the job. False: there is no such item. */
  keep(id: Uuid, facts: PreviewFacts): Promise<boolean>;
  /** The job stays. */
  keepPlaceholder(id: Uuid, placeholder: string): Promise<boolean>;
  /** At most 1,000 at a time. */
  existingItems(ids: readonly Uuid[]): Promise<ReadonlySet<Uuid>>;
}
