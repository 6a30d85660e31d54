import { constants, fstatSync, openSync, writeSync } from 'node:fs';

/** Maximum bytes that wait for the reader; further lines are discarded. */
const MAX_WAITING = 1024 * 1024;

const RETRY_INTERVAL = 50;

/** Maximum characters of a batch: container logs accept 16 KB in one write. */
const MAX_BATCH = 16 * 1024;

/** Maximum milliseconds, in total, for which an exit waits for the reader. */
const EXIT_TIMEOUT = 1_000;

/**
 * Writes lines to a file, pipe, socket or terminal without blocking: up to a megabyte is buffered; further lines are
 * discarded and counted. The lines of one turn of the event loop are written together, because each write takes a fifth
 * of a small request's time. kill -9 may lose these lines. At exit, the buffered lines are written, but the reader has
 * at most a second to accept them.
 */
export class Output {
  /** Called with the number of discarded lines, once lines can be written again. */
  onMissing: (lines: number) => void = () => undefined;
  readonly #target: number;
  #batch = '';
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  #reported = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #exitBy: number | null = null;

  /** @param descriptor the file descriptor; 1 is standard output */
  constructor(descriptor: number) {
    this.#target = withoutBlocking(descriptor);
    process.once('exit', () => this.#flushBeforeExit());
  }

  /** The number of lines that were discarded since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  write(lines: string): void {
    if (this.#batch === '') setImmediate(() => this.#endBatch());
    this.#batch += lines;
    if (this.#batch.length >= MAX_BATCH || this.#exitBy !== null) this.#endBatch();
  }

  #endBatch(): void {
    if (this.#batch === '') return;
    const bytes = Buffer.from(this.#batch);
    this.#batch = '';
    if (this.#waitingBytes + bytes.length > MAX_WAITING) {
      this.#drop(bytes);
    } else {
      this.#waiting.push(bytes);
      this.#waitingBytes += bytes.length;
    }
    if (this.#exitBy !== null) this.#flushBeforeExit();
    else if (this.#timer === undefined) this.#flush();
  }

  #flush(): void {
    let isTaken = false;
    for (let bytes = this.#waiting[0]; bytes !== undefined; bytes = this.#waiting[0]) {
      const count = this.#take(bytes);
      if (count === 'later') {
        this.#retry();
        return;
      }
      this.#waiting.shift();
      this.#waitingBytes -= bytes.length;
      if (count === 'never') {
        this.#drop(bytes);
        continue;
      }
      isTaken = true;
      if (count === bytes.length) continue;
      this.#waiting.unshift(bytes.subarray(count));
      this.#waitingBytes += bytes.length - count;
    }
    const missing = this.#dropped - this.#reported;
    if (!isTaken || missing === 0) return;
    this.#reported = this.#dropped;
    this.onMissing(missing);
  }

  #take(bytes: Uint8Array): number | 'later' | 'never' {
    try {
      return writeSync(this.#target, bytes);
    } catch (error) {
      return error instanceof Error && 'code' in error && error.code === 'EAGAIN' ? 'later' : 'never';
    }
  }

  #drop(lines: Uint8Array): void {
    for (const byte of lines) if (byte === NEWLINE) this.#dropped += 1;
  }

  #retry(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, RETRY_INTERVAL);
    this.#timer.unref();
  }

  #flushBeforeExit(): void {
    clearTimeout(this.#timer);
    this.#exitBy ??= Date.now() + EXIT_TIMEOUT;
    this.#endBatch();
    for (this.#flush(); this.#waiting.length > 0 && Date.now() < this.#exitBy; this.#flush()) Bun.sleepSync(10);
  }
}

const NEWLINE = 0x0a;

/**
 * Returns a descriptor that doesn't block. Pipes and terminals are reopened for that, because changing the mode of the
 * open descriptor would affect the other programs that share it. A socket can't be reopened, so Bun changes its mode.
 * This affects no other program, because systemd gives each service a separate socket.
 */
function withoutBlocking(descriptor: number): number {
  if (fstatSync(descriptor).isFile()) return descriptor;
  try {
    return openSync(`/proc/self/fd/${descriptor}`, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    Bun.file(descriptor).writer();
    return descriptor;
  }
}
