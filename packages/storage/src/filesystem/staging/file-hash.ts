import { readFully } from '../disk/read-write.ts';
import { HashThreads, type ThreadHash } from './hash-threads.ts';
import type { StagingFile } from './staging-area.ts';

/**
 * Written bytes from which on a file is hashed in a thread, from its beginning. For smaller files starting the thread
 * doesn't pay.
 */
const LARGE_BYTES = 16 * 1024 * 1024;

/** With more files than this at once the thread isn't used, as its megabytes of memory are needed for them. */
const FEW = 2;

/** Written bytes between two messages to the thread. */
const STEP_BYTES = 2 * 1024 * 1024;

const PIECE_BYTES = 256 * 1024;

const threads = new HashThreads();
let running = 0;

/**
 * Computes the SHA-256 of a file that is being written. It is hashed on this thread at first; if it becomes large, in a
 * second thread, which reads what is written. If that thread fails, the file is read again here. {@link close} must be
 * called in any case.
 */
export class FileHash {
  #here: Bun.CryptoHasher | null = new Bun.CryptoHasher('sha256');
  #beside: ThreadHash | null = null;
  #size = 0;
  #isLarge = false;
  /** Written bytes that were reported to the thread. */
  #told = 0;

  constructor(
    private readonly file: StagingFile,
    private readonly hashThreads = threads,
    private readonly largeBytes = LARGE_BYTES,
  ) {
    running += 1;
  }

  /** Adds the next bytes, before they are written. @param written how many bytes of the file are written already */
  add(bytes: Uint8Array, written: number): void {
    this.#size += bytes.byteLength;
    this.#here?.update(bytes);
    if (!this.#isLarge && written >= this.largeBytes) {
      this.#isLarge = true;
      if (running <= FEW) this.#beside = this.hashThreads.begin(this.file.path);
      if (this.#beside) this.#here = null;
    }
    if (this.#beside && written - this.#told >= STEP_BYTES) {
      this.#told = written;
      this.#beside.written(written);
    }
  }

  /** The hash in lower-case hex; to be called once the whole file is written. @throws the errors of reading the file */
  async digest(): Promise<string> {
    if (this.#here) return this.#here.digest('hex');
    return (await this.#beside?.end(this.#size)) ?? (await this.#read());
  }

  close(): void {
    running -= 1;
    this.#beside?.drop();
  }

  async #read(): Promise<string> {
    const hash = new Bun.CryptoHasher('sha256');
    for (let position = 0; position < this.#size; ) {
      const bytes = await readFully(this.file.handle, position, Math.min(PIECE_BYTES, this.#size - position));
      if (bytes.byteLength === 0) throw new Error('The staged file is shorter than the bytes written to it.');
      hash.update(bytes);
      position += bytes.byteLength;
    }
    return hash.digest('hex');
  }
}
