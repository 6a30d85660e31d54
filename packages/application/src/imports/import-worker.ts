import {
  IMPORT_INTERRUPTED,
  type ImportJob,
  type Lease,
  MAX_INTERRUPTIONS,
  nextRetry,
  processOfOwner,
  RemoteError,
  type Uuid,
} from '@postshelf/domain';
import type { GiveBack } from '../fair-share/slot-pool.ts';
import type { ReceivedFile } from '../media/inspect-staged.ts';
import type { Ports } from '../ports.ts';
import { failImport, finishImport, removeLeftOver } from './finish-import.ts';
import { ImportRejected, type OpenPorts, openImport } from './open-import.ts';

type WorkerPorts = Pick<
  Ports,
  'workspaces' | 'imports' | 'media' | 'duplicates' | 'covers' | 'clock' | 'ids' | 'processes' | 'shares'
> &
  OpenPorts;

export interface ImportWorkerOptions {
  /** From `leaseOwner`: unique to this process and run. */
  readonly owner: string;
  /** Imports at once of one workspace, in all processes together. */
  readonly perWorkspace: number;
  /** Milliseconds that a lease lasts unless it is renewed. */
  readonly leaseTime: number;
  /** Milliseconds before the second try, the third, and so on: there is one try more than delays. */
  readonly retryDelays: readonly number[];
  /** Wraps the work on one import, to measure it. */
  readonly within?: (work: () => Promise<void>) => Promise<void>;
  /** Called when an import ended, so that another can start. */
  readonly onSlotFree?: () => void;
  /** Called with the outcome of an import or of a try; `cause` is for the log only. */
  readonly onOutcome: (outcome: {
    readonly mediaId: Uuid;
    readonly outcome: 'active' | 'failed' | 'retry' | 'dropped' | 'fault';
    readonly cause?: unknown;
  }) => void;
}

/** Jobs of one claim. It reads as many of each workspace that has some due. */
const MAX_CLAIMED = 10;

/** A download in progress. */
export interface Download {
  readonly received: Promise<ReceivedFile>;
  /** Makes `received` fail. */
  abort(): void;
}

interface Running {
  abort(): void;
  readonly settled: Promise<void>;
}

/**
 * Processes URL imports: claims jobs that are due, and takes over open downloads from requests, as many as get a slot. It has no timer: its
 * caller calls {@link claimDue} and {@link renewLeases} at intervals, and {@link stop} at the end.
 */
export class ImportWorker {
  readonly #running = new Map<Uuid, Running>();
  #stopping = false;
  /** The claim in progress: two concurrent ones would count the same free slots. */
  #claiming: Promise<void> | null = null;

  constructor(
    private readonly ports: WorkerPorts,
    private readonly options: ImportWorkerOptions,
  ) {}

  /** A lease for jobs that the worker takes now. */
  lease(): Lease {
    return { owner: this.options.owner, until: this.ports.clock.now() + this.options.leaseTime };
  }

  /**
   * Takes a slot for a download that a request hands over with {@link adopt}; null when none is free. Who doesn't hand it
   * over after all gives it back.
   */
  reserve(workspaceId: Uuid): GiveBack | null {
    return this.#stopping ? null : this.ports.shares.tryTake('imports', workspaceId);
  }

  /** Continues a download that a request started, in its slot. Its job must be in the queue under {@link lease}. */
  adopt(job: ImportJob, receiving: Download, giveBack: GiveBack): void {
    this.#run(job, giveBack, () => receiving);
  }

  /** Starts jobs that are due, as many as there are slots free for their workspaces, and those of processes that died. */
  claimDue(): Promise<void> {
    return this.#claimWith(() => this.#freeOfTheDead());
  }

  /** The same for when a slot has become free, which is often; who died is found by {@link claimDue}. */
  claimNext(): Promise<void> {
    return this.#claimWith(async () => undefined);
  }

  #claimWith(prepare: () => Promise<void>): Promise<void> {
    this.#claiming ??= this.#claim(prepare).finally(() => {
      this.#claiming = null;
    });
    return this.#claiming;
  }

  async #claim(prepare: () => Promise<void>): Promise<void> {
    if (this.#stopping || this.ports.shares.withoutRoom('imports') === null) return;
    await prepare();
    let isMoreDue = true;
    while (isMoreDue && !this.#stopping) isMoreDue = await this.#claimSome();
  }

  /** @returns whether there may be more that are due, and slots for them */
  async #claimSome(): Promise<boolean> {
    const { imports, shares, clock } = this.ports;
    const without = shares.withoutRoom('imports');
    if (without === null) return false;
    const slots = new Map<Uuid, GiveBack>();
    try {
      const { perWorkspace } = this.options;
      const admits = ({ mediaId, workspaceId }: Pick<ImportJob, 'mediaId' | 'workspaceId'>): boolean => {
        const slot = slots.get(mediaId) ?? shares.tryTake('imports', workspaceId);
        if (slot) slots.set(mediaId, slot);
        return slot !== null;
      };
      const request = { now: clock.now(), lease: this.lease(), limit: MAX_CLAIMED, perWorkspace, without, admits };
      const jobs = await imports.claim(request);
      if (this.#stopping) {
        await Promise.all(jobs.map((job) => this.#giveBack(job)));
        return false;
      }
      for (const job of jobs) {
        const slot = slots.get(job.mediaId);
        // After the machine slept an expired lease may be claimed by the same worker, which still works on the job.
        if (!slot || this.#running.has(job.mediaId)) continue;
        slots.delete(job.mediaId);
        this.#run(job, slot, () => this.#begin(job));
      }
      return jobs.length > 0;
    } finally {
      // Of jobs that were not taken after all.
      for (const giveBack of slots.values()) giveBack();
    }
  }

  /** Releases the jobs of processes that are known to be dead, without waiting for their leases to expire. */
  async #freeOfTheDead(): Promise<void> {
    const { imports, processes, clock } = this.ports;
    for (const owner of await imports.owners()) {
      if (owner !== this.options.owner && (await processes.isDead(processOfOwner(owner)))) {
        await imports.releaseAll(owner, clock.now());
      }
    }
  }

  /** Renews the leases of running jobs, and aborts jobs whose lease was lost. */
  async renewLeases(): Promise<void> {
    const ids = [...this.#running.keys()];
    if (ids.length === 0) return;
    const held = await this.ports.imports.renew(ids, this.lease());
    for (const id of ids) if (!held.has(id)) this.#running.get(id)?.abort();
  }

  /** Starts no more jobs, releases the running ones, and resolves once none runs. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const running = [...this.#running.values()];
    for (const { abort } of running) abort();
    // The caller of claimDue gets the error of a failed claim.
    await Promise.allSettled([this.#claiming, ...running.map(({ settled }) => settled)]);
  }

  #begin(job: ImportJob): Download {
    const controller = new AbortController();
    const receive = async (): Promise<ReceivedFile> => {
      const pressure = () => this.ports.shares.pressure('imports', job.workspaceId);
      // One that is being removed is known no more, and takes the item along.
      const workspace = (await this.ports.workspaces.find(job.workspaceId)) ?? { stripLocation: null };
      const opened = await openImport(this.ports, workspace, job, { signal: controller.signal, pressure });
      controller.signal.addEventListener('abort', () => opened.close());
      return opened.receive();
    };
    return { received: receive(), abort: () => controller.abort() };
  }

  #run(job: ImportJob, giveBack: GiveBack, begin: () => Download): void {
    const stopping = new AbortController();
    const { signal } = stopping;
    let receiving: Download | null = null;
    const work = async (): Promise<void> => {
      try {
        if (job.claims > MAX_INTERRUPTIONS) {
          await this.#fail(job, IMPORT_INTERRUPTED);
          return;
        }
        receiving = begin();
        if (signal.aborted) receiving.abort();
        const file = await receiving.received;
        try {
          const done = !signal.aborted && (await finishImport(this.ports, job, () => this.lease(), file, signal));
          if (!signal.aborted || done) this.#report(job, done ? 'active' : 'dropped');
          else await this.#giveBack(job);
        } finally {
          await file.object.discard();
        }
      } catch (cause) {
        if (signal.aborted) await this.#giveBack(job);
        else await this.#afterFailure(job, cause);
      }
    };
    const settled = Promise.resolve()
      .then(() => (this.options.within ? this.options.within(work) : work()))
      // The queue is unavailable: the lease expires, and a worker claims the job again.
      .catch((cause: unknown) => this.#report(job, 'fault', cause))
      .finally(() => {
        this.#running.delete(job.mediaId);
        giveBack();
        if (!this.#stopping) this.options.onSlotFree?.();
      });
    const abort = (): void => {
      stopping.abort();
      receiving?.abort();
    };
    this.#running.set(job.mediaId, { abort, settled });
  }

  async #afterFailure(job: ImportJob, cause: unknown): Promise<void> {
    if (cause instanceof ImportRejected) return this.#fail(job, cause.message, cause);
    if (!(cause instanceof RemoteError)) {
      // Our failure, not the remote server's: no attempt is counted, but each claim counts as an interruption.
      this.#report(job, 'fault', cause);
      const [delay = 5000] = this.options.retryDelays;
      await this.#release(job, delay, job.attempts);
      return;
    }
    const attempts = job.attempts + 1;
    const { problem } = cause;
    const mayRecover = problem.kind === 'failed' && problem.mayRecover;
    const next = nextRetry(attempts, mayRecover, this.options.retryDelays);
    if (!next) return this.#fail(job, problem.message, cause);
    this.#report(job, 'retry', cause);
    await this.#release(job, next.delay, attempts);
  }

  async #fail(job: ImportJob, message: string, cause?: unknown): Promise<void> {
    await removeLeftOver(this.ports, job, this.lease());
    const done = await failImport(this.ports, job, this.options.owner, message);
    this.#report(job, done ? 'failed' : 'dropped', cause);
  }

  async #giveBack(job: ImportJob): Promise<void> {
    this.#report(job, 'dropped');
    await this.#release(job, 0, job.attempts);
  }

  async #release(job: ImportJob, delay: number, attempts: number): Promise<void> {
    const dueAt = this.ports.clock.now() + delay;
    await this.ports.imports.release(job.mediaId, this.options.owner, { dueAt, attempts });
  }

  #report(job: ImportJob, outcome: 'active' | 'failed' | 'retry' | 'dropped' | 'fault', cause?: unknown): void {
    this.options.onOutcome({ mediaId: job.mediaId, outcome, ...(cause !== undefined && { cause }) });
  }
}
