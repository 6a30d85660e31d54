import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/**
 * The path of the thread's code in the compiled program, a constant of the build (.dev/build.mjs); undefined when run
 * from source.
 */
declare const POSTSHELF_HASH_THREAD: string | undefined;

const PROGRAM =
  typeof POSTSHELF_HASH_THREAD === 'string' ? POSTSHELF_HASH_THREAD : new URL('../../hash-thread.ts', import.meta.url);

/** Milliseconds for which an idle thread is kept: it takes some megabytes of memory, and about 20 ms to start. */
const IDLE_MS = 10_000;

/** A message to the thread about the file with this id, or the request to end. */
export type HashRequest =
  | { readonly id: number; readonly kind: 'begin'; readonly path: string }
  | { readonly id: number; readonly kind: 'written'; readonly bytes: number; readonly isWhole: boolean }
  | { readonly id: number; readonly kind: 'drop' }
  | 'close';

/** The hash of a whole file in lower-case hex; null when the thread failed to read it. */
export interface HashReply {
  readonly id: number;
  readonly sha256: string | null;
}

/** A file that the thread hashes while it is being written. */
export interface ThreadHash {
  /** Tells the thread that it may read up to this number of bytes. */
  written(bytes: number): void;
  /**
   * Resolves with the hash, given the size of the completely written file; null when the thread failed. Never rejects.
   */
  end(size: number): Promise<string | null>;
  /** Cancels the hash. */
  drop(): void;
}

/**
 * Manages the thread in which a process hashes large files; it is started for the first of them and ended after a while
 * without any. The thread reads the written bytes from the system's cache, which takes a fifth of the time of hashing.
 * So only numbers are passed between the threads, the writer waits for it only at the end, and if it fails the file can
 * be hashed without it.
 */
export class HashThreads {
  #worker: Worker | null = null;
  readonly #hashing = new Map<number, (sha256: string | null) => void>();
  #last = 0;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly program: string | URL = PROGRAM,
    private readonly idleMs = IDLE_MS,
    /** Whether a second thread helps: on a single core the two would only take turns. */
    private readonly isUseful = availableParallelism() > 1,
  ) {}

  /** Whether the thread is running. */
  get isRunning(): boolean {
    return this.#worker !== null;
  }

  /** Begins to hash a file; null when a thread wouldn't help. */
  begin(path: string): ThreadHash | null {
    if (!this.isUseful) return null;
    const worker = this.#worker ?? this.#start();
    this.#worker = worker;
    clearTimeout(this.#idle);
    this.#last += 1;
    const id = this.#last;
    // The thread keeps the process alive only while it has files.
    worker.ref();
    const { promise, resolve } = Promise.withResolvers<string | null>();
    this.#hashing.set(id, resolve);
    const ask = (request: HashRequest): void => {
      if (this.#hashing.has(id)) worker.postMessage(request);
    };
    ask({ id, kind: 'begin', path });
    return {
      written: (bytes) => ask({ id, kind: 'written', bytes, isWhole: false }),
      end: (size) => {
        ask({ id, kind: 'written', bytes: size, isWhole: true });
        return promise;
      },
      drop: () => {
        ask({ id, kind: 'drop' });
        this.#settle(id, null);
      },
    };
  }

  #settle(id: number, sha256: string | null): void {
    this.#hashing.get(id)?.(sha256);
    this.#hashing.delete(id);
    const worker = this.#worker;
    if (this.#hashing.size > 0 || worker === null) return;
    worker.unref();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      this.#worker = null;
      const request: HashRequest = 'close';
      worker.postMessage(request);
    }, this.idleMs);
    this.#idle.unref();
  }

  #start(): Worker {
    const worker = new Worker(this.program);
    const end = (): void => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      for (const id of [...this.#hashing.keys()]) this.#settle(id, null);
    };
    worker.on('message', ({ id, sha256 }: HashReply) => this.#settle(id, sha256));
    worker.on('error', end);
    worker.on('exit', end);
    return worker;
  }
}
