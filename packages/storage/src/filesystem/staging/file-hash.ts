import { readFully } from '../disk/read-write.ts';
import { HashThreads, type ThreadHash } from './hash-threads.ts';
import type { StagingFile } from './staging-area.ts';

/** Bytes from which a file is hashed in another thread, from its beginning: a smaller one isn't worth to start it. */
const LARGE_BYTES = 16 * 1024 * 1024;

/** Files at once for which there is a thread: beside more, the megabytes that it takes are wanted for them. */
const FEW = 2;

/** Bytes between two messages to the thread. */
const STEP_BYTES = 2 * 1024 * 1024;

const PIECE_BYTES = 256 * 1024;

const threads = new HashThreads();
let running = 0;

/**
 * The SHA-256 of a file that is being written: here at first, and of a large one in a thread beside, which reads what is
 * written and leaves this one free. Where the thread fails the file is read here. {@link close} it, whatever happens.
 */
export class FileHash {
  #here: Bun.CryptoHasher | null = new Bun.CryptoHasher('sha256');
  #beside: ThreadHash | null = null;
  #size = 0;
  #isLarge = false;
  /** Bytes that the thread knows to be written. */
  #told = 0;

  constructor(
    private readonly file: StagingFile,
    private readonly hashThreads = threads,
    private readonly largeBytes = LARGE_BYTES,
  ) {
    running += 1;
  }

  /** Takes the next bytes, before they are written, and how many of the file are. */
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

  /** Lower-case hex, once all of it is written. @throws what reading the file throws */
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
      if (bytes.byteLength === 0) throw new Error('The staged file is shorter than what was written of it.');
      hash.update(bytes);
      position += bytes.byteLength;
    }
    return hash.digest('hex');
  }
}
