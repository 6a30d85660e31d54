import type { ByteSource, Cover, Uuid } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

type EarlyPorts = Pick<Ports, 'covers' | 'shares'>;

/**
 * Makes the cover of a video early, so that the upload needn't wait for it after the last byte: while the video is
 * still being received, if its beginning is enough for that, otherwise while its last bytes are synced and hashed.
 * Takes a slot only if one is free. If no early cover is made, the same image is made of the whole video later.
 * Always call {@link stop}.
 */
export class EarlyCover {
  readonly #stopped = new AbortController();
  #estimating: Promise<void> | null = null;
  /** Bytes of the beginning that are enough for a cover; null until known. */
  #enough: number | null = null;
  /** null until making the cover has begun. */
  #making: Promise<EarlyResult> | null = null;
  #isTaken = false;

  constructor(
    private readonly ports: EarlyPorts,
    private readonly workspaceId: Uuid,
  ) {}

  /** Called repeatedly with the video as received so far; in the last call it is complete. */
  offer(beginning: ByteSource, isWhole = false): void {
    if (this.#making !== null || this.#isTaken || this.#stopped.signal.aborted) return;
    if (isWhole) this.#begin(beginning, null);
    else if (this.#enough === null) this.#estimating ??= this.#estimate(beginning);
    else if (beginning.size >= this.#enough) this.#begin(beginning, 'undecided');
  }

  /**
   * Waits for the cover; null if none can be made; `undecided` if it has to be made of the whole video.
   *
   * @param signal aborted when the cover isn't needed any more
   */
  async take(signal: AbortSignal): Promise<EarlyResult> {
    this.#isTaken = true;
    const stop = (): void => this.#stopped.abort();
    signal.addEventListener('abort', stop);
    try {
      return this.#making === null ? 'undecided' : await this.#making;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Stops making the cover, and resolves when that has ended. */
  async stop(): Promise<void> {
    this.#isTaken = true;
    // For an image nothing was begun, and aborting costs as much as a database query.
    if (this.#estimating === null && this.#making === null) return;
    this.#stopped.abort();
    await Promise.all([this.#estimating, this.#making]);
  }

  async #estimate(beginning: ByteSource): Promise<void> {
    this.#enough = (await this.ports.covers.enough?.(beginning).catch(() => null)) ?? Number.POSITIVE_INFINITY;
    this.offer(beginning);
  }

  /** @param none the result when no cover can be made */
  #begin(beginning: ByteSource, none: null | 'undecided'): void {
    const releaseSlot = this.ports.shares.tryTake('covers', this.workspaceId);
    if (releaseSlot === null) return;
    const { signal } = this.#stopped;
    this.#making = this.ports.covers
      .make(beginning, signal)
      .then((cover) => cover ?? (signal.aborted ? 'undecided' : none))
      .catch(() => 'undecided' as const)
      .finally(releaseSlot);
  }
}

/** A failure counts as `undecided`: if it persists, it is reported when the cover is made of the whole video. */
type EarlyResult = Cover | null | 'undecided';
