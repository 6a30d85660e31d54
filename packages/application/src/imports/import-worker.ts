import type { ImportJob, Lease, Uuid } from '@postshelf/domain';
import type { ReleaseSlot } from '../fair-share/slot-pool.ts';
import type { Ports, Shared } from '../ports.ts';
import { type AttemptPorts, type Download, ImportAttempt, type ImportOutcome } from './import-attempt.ts';

export interface ImportWorkerOptions {
  /** Unique to this process and run. */
  readonly owner: string;
  readonly perWorkspace: number;
  /** Milliseconds that a lease lasts unless it is renewed. */
  readonly leaseTime: number;
  /** Milliseconds; one try more than delays. */
  readonly retryDelays: readonly number[];
  readonly within?: (work: () => Promise<void>) => Promise<void>;
  readonly onSlotFree?: () => void;
  readonly onOutcome: (outcome: ImportOutcome) => void;
}

interface Running {
  abort(): void;
  readonly settled: Promise<void>;
}

/**
 * Claims imports that are due, and takes over open downloads from requests, as many as get a slot. Its caller calls
 * {@link claimDue} and {@link renewLeases} at intervals, and {@link stop} at the end.
 */
export class ImportWorker {
  readonly #running = new Map<Uuid, Running>();
  #stopping = false;
  /** Two concurrent claims would count the same free slots. */
  #claiming: Promise<void> | null = null;

  constructor(
    private readonly ports: AttemptPorts,
    private readonly options: ImportWorkerOptions,
  ) {}

  lease(): Lease {
    return { owner: this.options.owner, until: this.ports.clock.now() + this.options.leaseTime };
  }

  /** Takes a slot for a download that a request hands over with {@link adopt}; null when none is free. */
  reserve(workspaceId: Uuid): ReleaseSlot | null {
    return this.#stopping ? null : this.ports.shares.tryTake('imports', workspaceId);
  }

  /** Continues a download that a request started, in its slot. Its job must be in the queue under {@link lease}. */
  adopt(job: ImportJob, download: Download, releaseSlot: ReleaseSlot): void {
    this.#run(job, releaseSlot, download);
  }

  /** Starts jobs that are due, as many as their workspaces have free slots for. */
  claimDue(): Promise<void> {
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = null;
    });
    return this.#claiming;
  }

  async #claim(): Promise<void> {
    if (this.#stopping || this.ports.shares.workspacesAtLimit('imports') === null) return;
    let isMoreDue = true;
    while (isMoreDue && !this.#stopping) isMoreDue = await this.#claimSome();
  }

  /** @returns whether more may be due that slots are free for */
  async #claimSome(): Promise<boolean> {
    const claimed = await claimImports(this.ports, this.lease(), this.options.perWorkspace);
    if (this.#stopping) {
      await Promise.all(claimed.map(({ job }) => this.#attempt(job).giveUp())).finally(() => {
        for (const { releaseSlot } of claimed) releaseSlot();
      });
      return false;
    }
    for (const { job, releaseSlot } of claimed) {
      // After the machine slept, a job may be claimed again on which this worker still works.
      if (this.#running.has(job.mediaId)) releaseSlot();
      else this.#run(job, releaseSlot, null);
    }
    return claimed.length > 0;
  }

  async renewLeases(): Promise<void> {
    const ids = [...this.#running.keys()];
    if (ids.length === 0) return;
    const held = await this.ports.imports.renew(ids, this.lease());
    for (const id of ids) if (!held.has(id)) this.#running.get(id)?.abort();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    const running = [...this.#running.values()];
    for (const { abort } of running) abort();
    await Promise.allSettled([this.#claiming, ...running.map(({ settled }) => settled)]);
  }

  #attempt(job: ImportJob): ImportAttempt {
    const { retryDelays, onOutcome } = this.options;
    return new ImportAttempt(this.ports, job, { lease: () => this.lease(), retryDelays, onOutcome });
  }

  #run(job: ImportJob, releaseSlot: ReleaseSlot, adopted: Download | null): void {
    const attempt = this.#attempt(job);
    const work = (): Promise<void> => attempt.run(adopted);
    const settled = Promise.resolve()
      .then(() => (this.options.within ? this.options.within(work) : work()))
      .catch((cause: unknown) => attempt.report('fault', cause))
      .finally(() => {
        this.#running.delete(job.mediaId);
        releaseSlot();
        if (!this.#stopping) this.options.onSlotFree?.();
      });
    this.#running.set(job.mediaId, { abort: () => attempt.abort(), settled });
  }
}

/** As many are read of each workspace that has some due. */
const MAX_CLAIMED = 10;

interface ClaimedImport {
  readonly job: ImportJob;
  /** Gives back the slot that the job was claimed with. */
  readonly releaseSlot: ReleaseSlot;
}

/**
 * Claims jobs that are due, each with a slot of its workspace.
 *
 * @param perWorkspace leased jobs of one workspace, in all processes together
 */
async function claimImports(
  { imports, shares, clock }: Pick<Ports, 'imports' | 'clock'> & Pick<Shared, 'shares'>,
  lease: Lease,
  perWorkspace: number,
): Promise<readonly ClaimedImport[]> {
  const without = shares.workspacesAtLimit('imports');
  if (without === null) return [];
  const slots = new Map<Uuid, ReleaseSlot>();
  const admits = ({ mediaId, workspaceId }: Pick<ImportJob, 'mediaId' | 'workspaceId'>): boolean => {
    const slot = slots.get(mediaId) ?? shares.tryTake('imports', workspaceId);
    if (slot) slots.set(mediaId, slot);
    return slot !== null;
  };
  try {
    const jobs = await imports.claim({ now: clock.now(), lease, limit: MAX_CLAIMED, perWorkspace, without, admits });
    return jobs.flatMap((job) => {
      const releaseSlot = slots.get(job.mediaId);
      slots.delete(job.mediaId);
      return releaseSlot ? [{ job, releaseSlot }] : [];
    });
  } finally {
    for (const releaseSlot of slots.values()) releaseSlot();
  }
}
