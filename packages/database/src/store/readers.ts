import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type Problem, Refusal } from '@postshelf/domain';
import { unavailable } from './errors.ts';
import { scanCancelled } from './scan.ts';
import type { Computation, Scan } from './store.ts';

/** Maximum number of threads; each takes 5 to 20 MB and, while it scans, a core. */
const MAX_THREADS = 4;

/**
 * Returns the number of threads. One core is left to the main thread, because without a free core it was blocked for 16
 * to 27 ms at a time.
 */
const threadsOf = (cores: number): number => Math.max(1, Math.min(MAX_THREADS, cores - 1));

/** A constant of the build (.dev/build.mjs): the thread's code; undefined when run from source. */
declare const POSTSHELF_READER_THREAD: string | undefined;

const PROGRAM =
  typeof POSTSHELF_READER_THREAD === 'string'
    ? POSTSHELF_READER_THREAD
    : new URL('../reader-thread.ts', import.meta.url);

/** The result of one step of the search index. */
export interface FillStep {
  /** Number of entries added or removed; also 0 if another connection held the write lock. */
  readonly entries: number;
  readonly isDone: boolean;
}

export interface ReaderData {
  readonly path: string;
  readonly busyTimeoutMs: number;
  /** The number of the scan that is no longer wanted, a 32-bit integer. */
  readonly unwanted: SharedArrayBuffer;
}

/**
 * The extent of a checkpoint. `passive`: as far as readers allow; `truncate`: the whole log, if no reader prevents it.
 */
export type Checkpoint = 'passive' | 'truncate';

/** A scan or a computation by its name, a checkpoint, or a step of the search index. */
export type ReaderWork =
  | { readonly kind: 'scan'; readonly name: string; readonly parameters: readonly unknown[] }
  | { readonly kind: 'compute'; readonly name: string; readonly parameters: readonly unknown[] }
  | { readonly kind: 'checkpoint'; readonly how: Checkpoint }
  | { readonly kind: 'fillSearchIndex' };

export type ReaderRequest = { readonly number: number; readonly work: ReaderWork } | 'close';

export type ReaderReply =
  | { readonly result: unknown }
  | { readonly problem: Problem; readonly cause: unknown }
  | { readonly error: unknown };

interface Job {
  readonly work: ReaderWork;
  readonly signal: AbortSignal | undefined;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export interface ReaderFigures {
  readonly threads: number;
  readonly running: number;
  readonly waiting: number;
  readonly answered: number;
  readonly cancelled: number;
}

/**
 * Runs scans and computations in threads, in the order of arrival. Each thread has its own connections, and does one
 * scan or computation at a time. A thread is started when all other threads are busy, and then kept. All threads share
 * one instance of SQLite, so closing a connection releases no other connection's locks.
 */
export class Readers {
  readonly #threads = new Set<ReaderThread>();
  readonly #waiting = new Set<Job>();
  #checkpoint: Promise<void> | null = null;
  #answered = 0;
  #cancelled = 0;

  constructor(
    private readonly path: string,
    private readonly busyTimeoutMs: number,
    readonly size: number = threadsOf(availableParallelism()),
  ) {}

  get figures(): ReaderFigures {
    return {
      threads: this.#threads.size,
      running: [...this.#threads].filter((thread) => thread.isBusy).length,
      waiting: this.#waiting.size,
      answered: this.#answered,
      cancelled: this.#cancelled,
    };
  }

  /**
   * Runs a scan.
   *
   * @param signal cancels the scan, or its wait
   * @throws whatever the scan throws; Refusal `malformed` if it was cancelled, `unavailable` if its thread died
   */
  run<Parameters extends readonly unknown[], Result>(
    { name }: Scan<Parameters, Result>,
    parameters: Parameters,
    signal?: AbortSignal,
  ): Promise<Result> {
    return this.#submit({ kind: 'scan', name, parameters }, signal);
  }

  /** Runs a computation like {@link run}, but opens no database. */
  compute<Parameters extends readonly unknown[], Result>(
    { name }: Computation<Parameters, Result>,
    parameters: Parameters,
  ): Promise<Result> {
    return this.#submit({ kind: 'compute', name, parameters });
  }

  #submit<Result>(work: ReaderWork, signal?: AbortSignal): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      if (signal?.aborted) return reject(scanCancelled());
      const leave = (): void => {
        if (this.#waiting.delete(job)) job.reject(scanCancelled());
      };
      const settle = (): void => signal?.removeEventListener('abort', leave);
      const job: Job = {
        work,
        signal,
        resolve: (result) => {
          settle();
          this.#answered += 1;
          resolve(result as Result);
        },
        reject: (error) => {
          settle();
          if (signal?.aborted) this.#cancelled += 1;
          reject(error);
        },
      };
      signal?.addEventListener('abort', leave);
      this.#waiting.add(job);
      this.#next();
    });
  }

  /**
   * Checkpoints in a reader thread, because a checkpoint would block the event loop; only one runs at a time. Resolves
   * even if the checkpoint failed: the next commit reports what is wrong with the disk.
   */
  checkpoint(how: Checkpoint): Promise<void> {
    this.#checkpoint ??= new Promise<void>((resolve) => {
      const settle = (): void => {
        this.#checkpoint = null;
        resolve();
      };
      this.#waiting.add({ work: { kind: 'checkpoint', how }, signal: undefined, resolve: settle, reject: settle });
      this.#next();
    });
    return this.#checkpoint;
  }

  /**
   * Updates the search index by one step in a reader thread.
   *
   * @throws Refusal `unavailable` if the database is full or unreachable; if it is busy, the step has no entries
   */
  fillSearchIndex(): Promise<FillStep> {
    return new Promise((resolve, reject) => {
      this.#waiting.add({
        work: { kind: 'fillSearchIndex' },
        signal: undefined,
        resolve: (step) => resolve(step as FillStep),
        reject,
      });
      this.#next();
    });
  }

  async close(): Promise<void> {
    await this.#checkpoint;
    await Promise.all([...this.#threads].map((thread) => thread.close()));
  }

  #next(): void {
    const [job] = this.#waiting;
    const thread = job && this.#idleThread();
    if (!job || !thread) return;
    this.#waiting.delete(job);
    void thread.run(job).finally(() => this.#next());
  }

  #idleThread(): ReaderThread | null {
    for (const thread of this.#threads) if (!thread.isBusy) return thread;
    if (this.#threads.size === this.size) return null;
    const { path, busyTimeoutMs } = this;
    const thread = new ReaderThread(path, busyTimeoutMs, () => this.#threads.delete(thread));
    this.#threads.add(thread);
    return thread;
  }
}

class ReaderThread {
  readonly #worker: Worker;
  readonly #unwanted: Int32Array;
  readonly #ended: Promise<void>;
  #job: Job | null = null;
  #number = 0;
  #reply: ((reply: ReaderReply) => void) | null = null;

  constructor(path: string, busyTimeoutMs: number, onEnd: () => void) {
    const unwanted = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    this.#unwanted = new Int32Array(unwanted);
    const workerData: ReaderData = { path, busyTimeoutMs, unwanted };
    this.#worker = new Worker(PROGRAM, { workerData });
    this.#worker.on('message', (reply: ReaderReply) => this.#reply?.(reply));
    this.#ended = new Promise((resolve) => {
      const end = (cause: unknown): void => {
        onEnd();
        this.#reply?.({ error: unavailable(cause) });
        resolve();
      };
      this.#worker.on('error', end);
      this.#worker.on('exit', (code) => end(new Error(`A reader thread ended unexpectedly (exit code ${code}).`)));
    });
    // The thread never keeps the process alive.
    this.#worker.unref();
  }

  get isBusy(): boolean {
    return this.#job !== null;
  }

  /** Settles the job. Never rejects. */
  async run(job: Job): Promise<void> {
    const { work, signal } = job;
    this.#job = job;
    this.#number += 1;
    const number = this.#number;
    const cancel = (): void => void Atomics.store(this.#unwanted, 0, number);
    signal?.addEventListener('abort', cancel);
    this.#worker.ref();
    const reply = await new Promise<ReaderReply>((resolve) => {
      this.#reply = resolve;
      const request: ReaderRequest = { number, work };
      this.#worker.postMessage(request);
    });
    this.#worker.unref();
    signal?.removeEventListener('abort', cancel);
    this.#reply = null;
    this.#job = null;
    if ('result' in reply) job.resolve(reply.result);
    else if ('problem' in reply) job.reject(new Refusal(reply.problem, { cause: reply.cause }));
    else job.reject(reply.error);
  }

  /**
   * Resolves after the thread's connections are closed: SQLite removes the log only when the last connection is closed.
   */
  async close(): Promise<void> {
    this.#worker.ref();
    const request: ReaderRequest = 'close';
    this.#worker.postMessage(request);
    await this.#ended;
  }
}
