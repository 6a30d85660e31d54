import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type Problem, Refusal } from '@postshelf/domain';
import { unavailable } from '../store/errors.ts';
import { givenUp } from '../store/scan.ts';
import type { Scan } from '../store/store.ts';
import type { FillStep } from './fill-search-index.ts';

/** A thread takes 5 to 20 MB, and each a core. */
const MAX_THREADS = 4;

/**
 * The main thread keeps a core: with as many scans as cores it stood still for 16 to 27 ms at a time, with one less for
 * 8.
 */
const threadsOf = (cores: number): number => Math.max(1, Math.min(MAX_THREADS, cores - 1));

/**
 * Where the compiled program has the thread's code: a constant of its build (.dev/build.mjs), undefined when run from
 * source.
 */
declare const POSTSHELF_READER_THREAD: string | undefined;

const PROGRAM =
  typeof POSTSHELF_READER_THREAD === 'string'
    ? POSTSHELF_READER_THREAD
    : new URL('../reader-thread.ts', import.meta.url);

/** The data that a thread is started with. */
export interface ReaderData {
  readonly path: string;
  readonly busyTimeoutMs: number;
  /** One 32-bit integer: the number of the scan that is no longer wanted. */
  readonly unwanted: SharedArrayBuffer;
}

/**
 * How to checkpoint the log; sent in place of a scan's name. `passive`: as far as no reader is in the way; `truncate`:
 * all of it if none is, which empties the log.
 */
export type Checkpoint = (typeof CHECKPOINTS)[number];
export const CHECKPOINTS = ['passive', 'truncate'] as const;

/** Lets a thread update the search index by a step (`fill-search-index.ts`); sent in place of a scan's name. */
export const FILL = 'fillSearchIndex';

/** A request to a thread: a scan, a {@link Checkpoint} or {@link FILL}, or to close its connections and end. */
export type ReaderRequest =
  | { readonly number: number; readonly scan: string; readonly parameters: readonly unknown[] }
  | 'close';

/** The result of a request. */
export type ReaderReply =
  | { readonly result: unknown }
  | { readonly problem: Problem; readonly cause: unknown }
  | { readonly error: unknown };

interface Job {
  readonly scan: string;
  readonly parameters: readonly unknown[];
  readonly signal: AbortSignal | undefined;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Scans since the start, and the number of threads. */
export interface ReaderFigures {
  readonly threads: number;
  readonly running: number;
  readonly waiting: number;
  readonly answered: number;
  readonly cancelled: number;
}

/**
 * Runs scans in threads with connections of their own, so that neither requests nor small reads wait for them. A thread
 * runs one scan at a time; it is started when all others are busy, and kept. Scans wait in the order in which they
 * arrived. All threads of a process share one instance of SQLite, so closing a connection drops no other's locks.
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
    /** Threads at most. */
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
   * @param signal ends the scan, or its wait, within some milliseconds
   * @throws what the scan throws; Refusal `malformed` where it was ended, `unavailable` where its thread died
   */
  run<Parameters extends readonly unknown[], Result>(
    { name }: Scan<Parameters, Result>,
    parameters: Parameters,
    signal?: AbortSignal,
  ): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      if (signal?.aborted) return reject(givenUp());
      const leave = (): void => {
        if (this.#waiting.delete(job)) job.reject(givenUp());
      };
      const settle = (): void => signal?.removeEventListener('abort', leave);
      const job: Job = {
        scan: name,
        parameters,
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
   * Lets a thread checkpoint the log, where a commit would block this one for as long as the disk takes. One at a time.
   * Resolves when it was tried: if it fails, the log grows, and the next commit reports what is wrong with the disk.
   */
  checkpoint(how: Checkpoint): Promise<void> {
    this.#checkpoint ??= new Promise<void>((resolve) => {
      const settle = (): void => {
        this.#checkpoint = null;
        resolve();
      };
      this.#waiting.add({ scan: how, parameters: [], signal: undefined, resolve: settle, reject: settle });
      this.#next();
    });
    return this.#checkpoint;
  }

  /**
   * Lets a thread update the search index by a step, where a commit would block this one.
   *
   * @throws Refusal `unavailable` where somebody else writes for too long
   */
  fillSearchIndex(): Promise<FillStep> {
    return new Promise((resolve, reject) => {
      this.#waiting.add({
        scan: FILL,
        parameters: [],
        signal: undefined,
        resolve: (step) => resolve(step as FillStep),
        reject,
      });
      this.#next();
    });
  }

  /** Ends all threads. Nothing may be requested any more. */
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
      this.#worker.on('exit', (code) => end(new Error(`A reader thread ended by itself (${code}).`)));
    });
    // It never keeps the process alive by itself.
    this.#worker.unref();
  }

  get isBusy(): boolean {
    return this.#job !== null;
  }

  /** Settles the job. Never rejects. */
  async run(job: Job): Promise<void> {
    const { scan, parameters, signal } = job;
    this.#job = job;
    this.#number += 1;
    const number = this.#number;
    const cancel = (): void => void Atomics.store(this.#unwanted, 0, number);
    signal?.addEventListener('abort', cancel);
    this.#worker.ref();
    const reply = await new Promise<ReaderReply>((resolve) => {
      this.#reply = resolve;
      const request: ReaderRequest = { number, scan, parameters };
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

  /** Lets it close its connection, so that the last one of the process removes the database's log. */
  async close(): Promise<void> {
    this.#worker.ref();
    const request: ReaderRequest = 'close';
    this.#worker.postMessage(request);
    await this.#ended;
  }
}
