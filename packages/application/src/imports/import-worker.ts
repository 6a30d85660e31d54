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
import type { ReceivedFile } from '../media/inspect-staged.ts';
import type { Ports } from '../ports.ts';
import { failImport, finishImport, removeLeftOver } from './finish-import.ts';
import { ImportRejected, openImport } from './open-import.ts';

type WorkerPorts = Pick<
  Ports,
  'imports' | 'media' | 'storage' | 'covers' | 'inspector' | 'remoteFiles' | 'clock' | 'ids' | 'processes'
>;

export interface ImportWorkerOptions {
  /** As of `leaseOwner`: tells this process and run from every other. */
  readonly owner: string;
  /** Imports at once in this process. */
  readonly concurrency: number;
  /** Imports at once of one workspace, in all processes together. */
  readonly perWorkspace: number;
  /** Milliseconds that a lease lasts unless it is renewed. */
  readonly leaseTime: number;
  /** Milliseconds before the second try, the third, and so on: one more try than there are delays. */
  readonly retryDelays: readonly number[];
  /** Runs the work on one import; for whoever wants to know how long it takes. */
  readonly within?: (work: () => Promise<void>) => Promise<void>;
  /** Hears that an import ended and another could begin. */
  readonly onSlotFree?: () => void;
  /** Hears what ended an import or a try of it; `cause` is for the log alone. */
  readonly onOutcome: (outcome: {
    readonly mediaId: Uuid;
    readonly outcome: 'active' | 'failed' | 'retry' | 'dropped' | 'fault';
    readonly cause?: unknown;
  }) => void;
}

/** An import whose bytes are on their way. */
export interface Download {
  readonly received: Promise<ReceivedFile>;
  /** Makes `received` fail. */
  abort(): void;
}

interface Running {
  readonly workspaceId: Uuid;
  abort(): void;
  readonly settled: Promise<void>;
}

/**
 * Works on URL imports: claims what is due, and takes over from requests that hold an open download. It has no timer of
 * its own; who runs it calls {@link claimDue} and {@link renewLeases} now and then, and {@link stop} in the end.
 */
export class ImportWorker {
  readonly #running = new Map<Uuid, Running>();
  readonly #reserved = new Set<Pick<Running, 'workspaceId'>>();
  #stopping = false;
  /** The claim under way: two at once would both count the same room. */
  #claiming: Promise<void> | null = null;

  constructor(
    private readonly ports: WorkerPorts,
    private readonly options: ImportWorkerOptions,
  ) {}

  /** Leases that the worker takes from now on. */
  lease(): Lease {
    return { owner: this.options.owner, until: this.ports.clock.now() + this.options.leaseTime };
  }

  /**
   * Keeps room for a download that a request wants to hand over with {@link adopt} rather than leave to the queue; null
   * when there is none. The function that it gives lets go of the room; call it in any case.
   */
  reserve(workspaceId: Uuid): (() => void) | null {
    const taken = [...this.#running.values(), ...this.#reserved];
    if (this.#stopping || taken.length >= this.options.concurrency) return null;
    const ofWorkspace = taken.filter((place) => place.workspaceId === workspaceId);
    if (ofWorkspace.length >= this.options.perWorkspace) return null;
    const place = { workspaceId };
    this.#reserved.add(place);
    return () => void this.#reserved.delete(place);
  }

  /** Goes on with a download that a request began; its job must stand in the queue under {@link lease}. */
  adopt(job: ImportJob, receiving: Download): void {
    this.#run(job, () => receiving);
  }

  /** Begins with jobs that are due, as many as there is room for. */
  claimDue(): Promise<void> {
    this.#claiming ??= this.#claim().finally(() => {
      this.#claiming = null;
    });
    return this.#claiming;
  }

  async #claim(): Promise<void> {
    const { concurrency, perWorkspace } = this.options;
    const limit = concurrency - this.#running.size - this.#reserved.size;
    if (this.#stopping || limit < 1) return;
    await this.#freeOfTheDead();
    const request = { now: this.ports.clock.now(), lease: this.lease(), limit, perWorkspace };
    const jobs = await this.ports.imports.claim(request);
    if (this.#stopping) {
      await Promise.all(jobs.map((job) => this.#giveBack(job)));
      return;
    }
    // A lease that ran out while the machine slept may come back to us, who still work on the job.
    for (const job of jobs) if (!this.#running.has(job.mediaId)) this.#run(job, () => this.#begin(job));
  }

  /** A process that was killed and is known to be dead keeps nobody waiting until its leases end. */
  async #freeOfTheDead(): Promise<void> {
    const { imports, processes, clock } = this.ports;
    for (const owner of await imports.owners()) {
      if (owner !== this.options.owner && (await processes.isDead(processOfOwner(owner)))) {
        await imports.releaseAll(owner, clock.now());
      }
    }
  }

  /** Keeps what it works on; what it lost, it drops. */
  async renewLeases(): Promise<void> {
    const ids = [...this.#running.keys()];
    if (ids.length === 0) return;
    const held = await this.ports.imports.renew(ids, this.lease());
    for (const id of ids) if (!held.has(id)) this.#running.get(id)?.abort();
  }

  /** Begins nothing more, gives back what is under way, and resolves when nothing is. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const running = [...this.#running.values()];
    for (const { abort } of running) abort();
    // Whoever asked for the claim hears of it where it fails.
    await Promise.allSettled([this.#claiming, ...running.map(({ settled }) => settled)]);
  }

  #begin(job: ImportJob): Download {
    const controller = new AbortController();
    const receive = async (): Promise<ReceivedFile> => {
      const opened = await openImport(this.ports, job.url, controller.signal);
      controller.signal.addEventListener('abort', () => opened.close());
      return opened.receive();
    };
    return { received: receive(), abort: () => controller.abort() };
  }

  #run(job: ImportJob, begin: () => Download): void {
    let aborted = false;
    let receiving: Download | null = null;
    const work = async (): Promise<void> => {
      try {
        if (job.claims > MAX_INTERRUPTIONS) {
          await this.#fail(job, IMPORT_INTERRUPTED);
          return;
        }
        receiving = begin();
        if (aborted) receiving.abort();
        const file = await receiving.received;
        try {
          const done = !aborted && (await finishImport(this.ports, job, () => this.lease(), file));
          if (!aborted || done) this.#report(job, done ? 'active' : 'dropped');
          else await this.#giveBack(job);
        } finally {
          await file.object.discard();
        }
      } catch (cause) {
        if (aborted) await this.#giveBack(job);
        else await this.#afterFailure(job, cause);
      }
    };
    const settled = Promise.resolve()
      .then(() => (this.options.within ? this.options.within(work) : work()))
      // The queue is out of reach: the lease runs out and somebody claims the job again.
      .catch((cause: unknown) => this.#report(job, 'fault', cause))
      .finally(() => {
        this.#running.delete(job.mediaId);
        if (!this.#stopping) this.options.onSlotFree?.();
      });
    const abort = (): void => {
      aborted = true;
      receiving?.abort();
    };
    this.#running.set(job.mediaId, { workspaceId: job.workspaceId, abort, settled });
  }

  async #afterFailure(job: ImportJob, cause: unknown): Promise<void> {
    if (cause instanceof ImportRejected) return this.#fail(job, cause.message, cause);
    if (!(cause instanceof RemoteError)) {
      // Ours, not the other side's: it costs the import no attempt, but interruptions are counted with each claim.
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
