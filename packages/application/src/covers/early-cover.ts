import type { ByteSource, Cover, Uuid } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

type EarlyPorts = Pick<Ports, 'covers' | 'shares'>;

/**
 * Makes the cover of a video while the video is still being received, where its beginning is enough for that, so that
 * nobody waits for it after the last byte. Takes a slot if one is free, and waits for none. Without an early cover the same
 * picture is made of the whole video. Call {@link stop} in any case.
 */
export class EarlyCover {
  readonly #stopped = new AbortController();
  #asking: Promise<void> | null = null;
  /** Bytes of the beginning that are enough; null until known. */
  #enough: number | null = null;
  /** null until it is begun. */
  #making: Promise<Cover | null> | null = null;
  #isTaken = false;

  constructor(
    private readonly ports: EarlyPorts,
    private readonly workspaceId: Uuid,
  ) {}

  /** Called with what is there of the video so far, which grows from call to call. */
  offer(beginning: ByteSource): void {
    if (this.#making !== null || this.#isTaken || this.#stopped.signal.aborted) return;
    if (this.#enough === null) this.#asking ??= this.#ask(beginning);
    else if (beginning.size >= this.#enough) this.#begin(beginning);
  }

  /**
   * Waits for the cover; null where it has to be made of the whole video.
   *
   * @param signal aborted when nobody wants it any more
   */
  async take(signal: AbortSignal): Promise<Cover | null> {
    this.#isTaken = true;
    const stop = (): void => this.#stopped.abort();
    signal.addEventListener('abort', stop);
    try {
      return await this.#making;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Ends the making, and resolves when it has ended. */
  async stop(): Promise<void> {
    this.#isTaken = true;
    // A picture has no cover: nothing was begun, and aborting costs as much as a database query.
    if (this.#asking === null) return;
    this.#stopped.abort();
    await Promise.all([this.#asking, this.#making]);
  }

  async #ask(beginning: ByteSource): Promise<void> {
    this.#enough = (await orNull(this.ports.covers.enough?.(beginning))) ?? Number.POSITIVE_INFINITY;
    this.offer(beginning);
  }

  #begin(beginning: ByteSource): void {
    const giveBack = this.ports.shares.tryTake('covers', this.workspaceId);
    if (giveBack === null) return;
    this.#making = orNull(this.ports.covers.make(beginning, this.#stopped.signal)).finally(giveBack);
  }
}

/** A failure only means that there is no early cover: one that lasts is reported when the whole video is read. */
const orNull = <T>(work: Promise<T | null> | undefined): Promise<T | null> =>
  work === undefined ? Promise.resolve(null) : work.catch(() => null);
