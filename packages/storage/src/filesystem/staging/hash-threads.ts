import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';

/** Where the one file has the thread's program, a constant of its build (.dev/build.mjs); undeclared in the source. */
declare const POSTSHELF_HASH_THREAD: string | undefined;

const PROGRAM =
  typeof POSTSHELF_HASH_THREAD === 'string' ? POSTSHELF_HASH_THREAD : new URL('../../hash-thread.ts', import.meta.url);

/** Milliseconds for which a thread without work is kept: it takes some megabytes, and about 20 ms to start. */
const IDLE_MS = 10_000;

/** What the thread is told of a file, by a number of its own; or to end. */
export type HashRequest =
  | { readonly id: number; readonly kind: 'begin'; readonly path: string }
  | { readonly id: number; readonly kind: 'written'; readonly bytes: number; readonly isWhole: boolean }
  | { readonly id: number; readonly kind: 'drop' }
  | 'close';

/** The hash of a whole file in lower-case hex; null where the thread could not read it. */
export interface HashReply {
  readonly id: number;
  readonly sha256: string | null;
}

/** A file that a thread reads and hashes behind whoever writes it. */
export interface ThreadHash {
  /** Lets the thread read so far. */
  written(bytes: number): void;
  /** Once all of it is written; null where the thread could not do it. Never rejects. */
  end(size: number): Promise<string | null>;
  /** Nobody wants the hash any more. */
  drop(): void;
}

/**
 * The thread in which a process hashes large files, started for the first of them and ended when it had none for a while. It reads
 * what was written from the system's cache, which takes it a fifth of the time of hashing: so nothing is handed over but
 * numbers, nobody waits for it before the end, and whatever becomes of it the file can be hashed without it.
 */
export class HashThreads {
  #worker: Worker | null = null;
  readonly #hashing = new Map<number, (sha256: string | null) => void>();
  #last = 0;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly program: string | URL = PROGRAM,
    private readonly idleMs = IDLE_MS,
    /** With a single core, a second thread takes turns with the first. */
    private readonly isUseful = availableParallelism() > 1,
  ) {}

  /** Whether there is a thread just now. */
  get isRunning(): boolean {
    return this.#worker !== null;
  }

  /** null where a thread would be of no use. */
  begin(path: string): ThreadHash | null {
    if (!this.isUseful) return null;
    const worker = this.#worker ?? this.#start();
    this.#worker = worker;
    clearTimeout(this.#idle);
    this.#last += 1;
    const id = this.#last;
    // It serves files that are being written, and never keeps the process alive by itself.
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
