import type { ByteSource, Cover, Uuid } from '@postshelf/domain';
import type { Ports } from '../ports.ts';

type EarlyPorts = Pick<Ports, 'covers' | 'shares'>;

/**
 * The cover of a video, made while the video still comes in, where its beginning is enough for that, and of any other while
 * its last bytes are synced and hashed: so much the shorter is the wait behind them. Takes a slot if one is free, and waits
 * for none. Where there is no early cover the usual way makes it, of the whole video, with the same picture. {@link stop}
 * it, whatever happens.
 */
export class EarlyCover {
  readonly #stopped = new AbortController();
  #asking: Promise<void> | null = null;
  /** Once it is known. */
  #enough: number | null = null;
  /** Once it is begun. */
  #making: Promise<EarlyResult> | null = null;
  #isTaken = false;

  constructor(
    private readonly ports: EarlyPorts,
    private readonly workspaceId: Uuid,
  ) {}

  /** Takes a look at what is there of the video, which grows from call to call; in the last one it is whole. */
  offer(beginning: ByteSource, isWhole = false): void {
    if (this.#making !== null || this.#isTaken || this.#stopped.signal.aborted) return;
    if (isWhole) this.#begin(beginning, null);
    else if (this.#enough === null) this.#asking ??= this.#ask(beginning);
    else if (beginning.size >= this.#enough) this.#begin(beginning, 'undecided');
  }

  /**
   * The cover, once it is made; null where none can be; `undecided` where it is to be made in the usual way.
   *
   * @param signal aborted when nobody wants it any more
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

  /** Ends the making. Resolves when nothing of it is left. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all([this.#asking, this.#making]);
  }

  async #ask(beginning: ByteSource): Promise<void> {
    this.#enough = (await this.ports.covers.enough?.(beginning).catch(() => null)) ?? Number.POSITIVE_INFINITY;
    this.offer(beginning);
  }

  /** @param none what it means where nothing is made of it */
  #begin(beginning: ByteSource, none: null | 'undecided'): void {
    const giveBack = this.ports.shares.tryTake('covers', this.workspaceId);
    if (giveBack === null) return;
    const { signal } = this.#stopped;
    this.#making = this.ports.covers
      .make(beginning, signal)
      .then((cover) => cover ?? (signal.aborted ? 'undecided' : none))
      .catch(() => 'undecided' as const)
      .finally(giveBack);
  }
}

/** A failure says no more than that there is no early cover: one that lasts is told when the whole video is read. */
type EarlyResult = Cover | null | 'undecided';
