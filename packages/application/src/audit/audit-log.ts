import { type AuditEntry, Refusal } from '@postshelf/domain';
import { hasDatabaseSpace } from '../database-space.ts';
import type { Ports } from '../ports.ts';

/** Milliseconds to wait before an entry is written, together with all entries that arrive in the meantime. */
const DELAY = 100;

const RETRY_DELAY = 1_000;

/** Number of entries that are written together. */
const BATCH = 100;

/** Maximum number of entries that wait while the database accepts none. Beyond that number, the oldest are lost. */
const MAX_WAITING = 10_000;

export type Recorded = Omit<AuditEntry, 'id' | 'at' | 'counts'>;

/**
 * Records what requests have done. Entries are written in batches, because a separate write for each request would make
 * changes wait for the disk twice. A killed process loses the entries of the last {@link DELAY} milliseconds. While the
 * disk is low on space, entries are dropped, because they would fill the disk; their loss is reported.
 */
export class AuditLog {
  #waiting: AuditEntry[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<void> | null = null;
  #isFailing = false;

  /** @param onFailure called with the reason when writing begins to fail, and each time that entries are lost */
  constructor(
    private readonly ports: Pick<Ports, 'audit' | 'clock' | 'ids' | 'databaseSpace'>,
    private readonly onFailure: (cause: unknown, lost: number) => void,
  ) {}

  /** Queues entries and returns immediately. */
  record(done: readonly Recorded[]): void {
    const at = this.ports.clock.now();
    for (const each of done) this.#waiting.push({ ...each, id: this.ports.ids.next(), at, counts: null });
    if (this.#waiting.length >= BATCH && !this.#isFailing) void this.flush();
    else if (this.#waiting.length > 0) this.#schedule(DELAY);
    this.#bound(null);
  }

  /** Writes the remaining entries at shutdown; entries that can't be written are lost. */
  async close(): Promise<void> {
    await this.flush();
    clearTimeout(this.#timer);
    if (this.#waiting.length > 0) this.onFailure(null, this.#waiting.length);
  }

  /** Writes the waiting entries. Resolves once they are written, or a write has failed. */
  async flush(): Promise<void> {
    await this.#writing;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
    await this.#writing;
  }

  #schedule(delay: number): void {
    this.#timer ??= setTimeout(() => void this.flush(), delay).unref();
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      try {
        if (!(await hasDatabaseSpace(this.ports))) {
          this.onFailure(new Refusal({ code: 'storage_low' }), batch.length);
          continue;
        }
        await this.ports.audit.record(batch);
        this.#isFailing = false;
      } catch (cause) {
        this.#waiting.unshift(...batch);
        if (!this.#isFailing) this.onFailure(cause, 0);
        this.#isFailing = true;
        this.#bound(cause);
        return this.#schedule(RETRY_DELAY);
      }
    }
  }

  #bound(cause: unknown): void {
    const lost = this.#waiting.splice(0, this.#waiting.length - MAX_WAITING).length;
    if (lost > 0) this.onFailure(cause, lost);
  }
}
