import {
  describeCause,
  type Job,
  type JobKind,
  type JobRules,
  type Lease,
  mayBeClaimedAgain,
  pauseAfterFault,
  type Uuid,
} from '@postshelf/domain';
import type { ReleaseSlot } from '../fair-share/slot-pool.ts';
import { keepRenewing } from '../keep-renewing.ts';
import type { Ports, Shared } from '../ports.ts';
import { fault, type JobContext, type JobEnd, type JobHandler, later } from './job-handler.ts';

/** Milliseconds after which a job is claimed again if its slot was taken meanwhile. */
const BUSY_TIME = 1000;

export type JobRunnerPorts = Pick<Ports, 'jobs' | 'clock' | 'ids'> & Pick<Shared, 'shares'>;

export interface JobOptions {
  readonly rules: JobRules;
  /** Maximum number of leased jobs of a workspace, across all processes; null for any number. */
  readonly perWorkspace: number | null;
  /** Whether jobs may be claimed now, for example because the disk has space for their results. */
  readonly mayClaim?: () => Promise<boolean>;
}

export interface JobRunnerOptions {
  readonly optionsOf: (kind: JobKind) => JobOptions;
  /** Whether the process is quiet: no request that takes precedence over jobs of low priority is being answered. */
  readonly isQuiet: () => boolean;
  /** Wraps the work on a job, for traces. */
  readonly within?: (kind: JobKind, work: () => Promise<void>) => Promise<void>;
  readonly onEnd: (job: Job, end: JobEnd) => void;
  /** Called with errors of the database. The jobs in question are claimed again when their leases have expired. */
  readonly onError: (kind: JobKind, cause: unknown) => void;
}

interface Running {
  readonly subjectIds: readonly Uuid[];
  /**
   * Jobs that this process has claimed again during the work: their lease expired while the machine slept, or they were
   * put back and are due again.
   */
  readonly again: Job[];
  stop(): void;
  readonly ended: Promise<void>;
}

type Run<Kind extends JobKind> = JobHandler<Kind>['run'];

// biome-ignore lint/suspicious/noExplicitAny: a map's type can't express that each kind has a different handler type
type AnyHandler = JobHandler<any>;

/**
 * Works on jobs in this process. The runner claims as many jobs as there are slots, renews their leases while their
 * handlers work, and puts them back or ends them according to the results. The runner's owner calls {@link runDue} at
 * intervals, and {@link stop} at the end.
 */
export class JobRunner {
  readonly #handlers: ReadonlyMap<JobKind, AnyHandler>;
  readonly #running = new Map<JobKind, Set<Running>>();
  readonly #claiming = new Map<JobKind, Promise<void>>();
  readonly #owner: string;
  #isStopping = false;

  constructor(
    private readonly ports: JobRunnerPorts,
    handlers: readonly AnyHandler[],
    private readonly options: JobRunnerOptions,
  ) {
    this.#handlers = new Map(handlers.map((handler) => [handler.kind, handler]));
    this.#owner = ports.ids.next();
  }

  /** Starts jobs that are due, as many as there are slots for. Doesn't wait until they end. */
  async runDue(): Promise<void> {
    const kinds = await this.ports.jobs.due(this.ports.clock.now());
    await Promise.all(kinds.map((kind) => this.#startDue(kind)));
  }

  /** Returns a lease of this process. It is also used for work that the process continues, see {@link adopt}. */
  leaseFor(kind: JobKind): Lease {
    return { owner: this.#owner, until: this.ports.clock.now() + this.options.optionsOf(kind).rules.leaseTime };
  }

  /** Takes a slot for a job that a request hands over; null if none is free. */
  reserve(kind: JobKind, workspaceId: Uuid): ReleaseSlot | null {
    const { work } = this.options.optionsOf(kind).rules;
    return this.#isStopping || work === null ? null : this.ports.shares.tryTake(work, workspaceId);
  }

  /** Continues work that a request has started. Its job must have been added under a lease of {@link leaseFor}. */
  adopt<Kind extends JobKind>(
    job: Job<Kind>,
    releaseSlot: ReleaseSlot,
    run: (job: Job<Kind>, context: JobContext) => Promise<JobEnd>,
  ): void {
    this.#start([job], releaseSlot, async (_, context) => [await run(job, context)]);
  }

  /** Interrupts the jobs that can be interrupted, and puts them back. Resolves once nothing is in progress. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const running = [...this.#running.values()].flatMap((some) => [...some]);
    for (const { stop } of running) stop();
    await Promise.allSettled([...this.#claiming.values(), ...running.map(({ ended }) => ended)]);
  }

  /** Starts due jobs of a kind, one claim at a time: two concurrent claims would count the same free slots. */
  #startDue(kind: JobKind): Promise<void> {
    const handler = this.#handlers.get(kind);
    if (!handler || this.#isStopping) return Promise.resolve();
    const claiming =
      this.#claiming.get(kind) ?? this.#claimAll(handler).finally(() => void this.#claiming.delete(kind));
    this.#claiming.set(kind, claiming);
    return claiming;
  }

  async #claimAll(handler: AnyHandler): Promise<void> {
    const { kind } = handler;
    const { mayClaim } = this.options.optionsOf(kind);
    try {
      if (mayClaim && !(await mayClaim())) return;
      while (!this.#isStopping && (await this.#claimSome(handler)));
    } catch (cause) {
      this.options.onError(kind, cause);
    }
  }

  /** Claims and starts some jobs. @returns whether there may be more jobs that are due and have a slot */
  async #claimSome(handler: AnyHandler): Promise<boolean> {
    const { kind } = handler;
    const { rules, perWorkspace } = this.options.optionsOf(kind);
    const without = this.#workspacesWithoutSlot(kind, rules);
    const now = this.ports.clock.now();
    const dueBefore = this.options.isQuiet() ? now : now - rules.patience;
    if (without === null || !Number.isFinite(dueBefore)) return false;
    const lease = this.leaseFor(kind);
    const claimed = await this.ports.jobs.claim({ kind, rules, now: dueBefore, lease, perWorkspace, without });
    const jobs = claimed.filter((job) => !this.#isUnderWay(job));
    const [first] = jobs;
    if (!first) return claimed.length > 0;
    const releaseSlot = this.#takeSlot(rules, first);
    const isFree = releaseSlot !== null && !this.#isStopping;
    if (isFree) this.#start(jobs, releaseSlot, (some, context) => handler.run(some, context));
    else {
      releaseSlot?.();
      for (const job of jobs) await this.#settle(job, later(this.#isStopping ? 0 : BUSY_TIME));
    }
    return isFree;
  }

  /**
   * Whether this process is still working on the job from an earlier claim. If so, also notes the new claim, so that
   * the job is put back when that work has ended.
   */
  #isUnderWay(job: Job): boolean {
    const running = [...(this.#running.get(job.kind) ?? [])].find(({ subjectIds }) =>
      subjectIds.includes(job.subjectId),
    );
    running?.again.push(job);
    return running !== undefined;
  }

  /** Returns the workspaces without a free slot; null if no slot is free at all. */
  #workspacesWithoutSlot(kind: JobKind, { work }: JobRules): readonly Uuid[] | null {
    if (work !== null) return this.ports.shares.workspacesAtLimit(work);
    return (this.#running.get(kind)?.size ?? 0) > 0 ? null : [];
  }

  #takeSlot({ work }: JobRules, { workspaceId }: Job): ReleaseSlot | null {
    if (work === null || workspaceId === null) return () => undefined;
    return this.ports.shares.tryTake(work, workspaceId);
  }

  /** Works on jobs of one workspace and kind, all under one lease. */
  #start<Kind extends JobKind>(jobs: readonly Job<Kind>[], releaseSlot: ReleaseSlot, run: Run<Kind>): void {
    const [first] = jobs;
    if (!first) return;
    const { kind } = first;
    const stopping = new AbortController();
    const work = (): Promise<void> => this.#work(jobs, stopping, run);
    const ended = Promise.resolve()
      .then(() => (this.options.within ? this.options.within(kind, work) : work()))
      .catch((cause: unknown) => this.options.onError(kind, cause))
      .finally(() => {
        releaseSlot();
        this.#running.get(kind)?.delete(running);
      })
      .then(() => this.#putBack(running.again))
      .catch((cause: unknown) => this.options.onError(kind, cause))
      .finally(() => void this.#startDue(kind));
    const subjectIds = jobs.map(({ subjectId }) => subjectId);
    const running: Running = { subjectIds, again: [], stop: () => stopping.abort(), ended };
    const others = this.#running.get(kind) ?? new Set();
    this.#running.set(kind, others.add(running));
  }

  /**
   * Puts jobs back. Does nothing for jobs that no longer exist because they have ended, or that have no lease because
   * they were already put back.
   */
  async #putBack(jobs: readonly Job[]): Promise<void> {
    for (const job of jobs) {
      const { attempts, claims } = job;
      const next = { dueAt: this.ports.clock.now(), attempts, claims: claims - 1 };
      await this.ports.jobs.release(job, this.#owner, next);
    }
  }

  async #work<Kind extends JobKind>(
    jobs: readonly Job<Kind>[],
    stopping: AbortController,
    run: Run<Kind>,
  ): Promise<void> {
    const [first] = jobs;
    if (!first) return;
    const { kind } = first;
    const { leaseTime } = this.options.optionsOf(kind).rules;
    const ids = jobs.map(({ subjectId }) => subjectId);
    const renew = async (): Promise<boolean> => {
      const lease = this.leaseFor(kind);
      const held = await this.ports.jobs.renew(kind, ids, lease);
      if (held.size === 0) stopping.abort();
      // A lease that expired before the database answered is lost.
      return held.size > 0 && this.ports.clock.now() < lease.until;
    };
    const stopRenewing = keepRenewing(leaseTime, renew);
    const { signal } = stopping;
    const context: JobContext = { owner: this.#owner, signal, renew, isQuiet: this.options.isQuiet };
    try {
      const wornOut = jobs.filter(({ claims }) => !mayBeClaimedAgain(this.options.optionsOf(kind).rules, claims));
      for (const job of wornOut) await this.#settle(job, await this.#giveUp(job, context));
      const rest = jobs.filter((job) => !wornOut.includes(job));
      if (rest.length > 0) await this.#runAll(rest, context, run);
    } finally {
      await stopRenewing();
    }
  }

  async #runAll<Kind extends JobKind>(jobs: readonly Job<Kind>[], context: JobContext, run: Run<Kind>): Promise<void> {
    let ends: readonly JobEnd[] = [];
    try {
      ends = await run(jobs, context);
    } catch (cause) {
      ends = jobs.map(() => fault(cause));
    }
    for (const [index, job] of jobs.entries()) {
      const end = ends[index];
      if (!end) throw new Error(`The handler of ${job.kind} did not return the outcome of job ${index}.`);
      const then = end.next === 'fault' ? await this.#afterFault(job, context, end.cause) : end;
      await this.#settle(job, then);
    }
  }

  async #afterFault<Kind extends JobKind>(job: Job<Kind>, context: JobContext, cause: unknown): Promise<JobEnd> {
    if (context.signal.aborted) return later(0);
    const after = pauseAfterFault(this.options.optionsOf(job.kind).rules, job.claims);
    if (after === null) return { ...(await this.#giveUp(job, context, cause)), cause };
    return { next: 'again', outcome: 'fault', cause, after, isStarted: true };
  }

  async #giveUp<Kind extends JobKind>(job: Job<Kind>, context: JobContext, cause?: unknown): Promise<JobEnd> {
    const handler = this.#handlers.get(job.kind);
    if (handler?.giveUp) return handler.giveUp(job, context);
    const reason = cause === undefined ? 'It was interrupted too often.' : describeCause(cause);
    await this.ports.jobs.fail(job, context.owner, reason);
    return { next: 'done', outcome: 'failed' };
  }

  async #settle(job: Job, end: JobEnd): Promise<void> {
    if (end.next === 'again') {
      const { after, attempts = job.attempts, isStarted = false, cause } = end;
      await this.ports.jobs.release(job, this.#owner, {
        dueAt: this.ports.clock.now() + after,
        attempts,
        claims: isStarted ? job.claims : job.claims - 1,
        ...(cause !== undefined && { reason: describeCause(cause) }),
      });
    }
    this.options.onEnd(job, end);
  }
}
