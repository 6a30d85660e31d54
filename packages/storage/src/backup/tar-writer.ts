import { createHash } from 'node:crypto';
import type { BackupMember, BackupOutcome, BackupWriter, Digest } from '@postshelf/domain';
import { type Pack, pack } from 'tar-stream';
import { bytesOf, paxOf } from './tar-format.ts';

type Entry = ReturnType<Pack['entry']>;

/** Lets only the owner read a backup, because it contains the secret that signs tokens. */
export const MODE = 0o600;

/** The destination of a tar's bytes. The methods throw only BackupErrors. */
export interface Sink {
  /** Resolves when more can be written. */
  write(bytes: Uint8Array): Promise<void>;
  finish(outcome: BackupOutcome): Promise<string | null>;
  discard(): Promise<void>;
}

/** A tar that every tar program can read. */
export class TarWriter implements BackupWriter {
  readonly #pack: Pack = pack();
  /** Resolves when the pack has been written to the sink. A failure destroys the pack. */
  readonly #writing: Promise<void>;
  /** Never resolves; rejects with the sink's error, because the destroyed pack would report another error or none. */
  readonly #failed = Promise.withResolvers<never>();

  constructor(private readonly sink: Sink) {
    this.#writing = this.#write();
    // The caller of `add` or `finish` gets the error. This handler only keeps the rejection from counting as unhandled.
    this.#failed.promise.catch(() => undefined);
    this.#pack.on('error', () => undefined);
    this.#writing.catch((error: Error) => this.#pack.destroy(error));
  }

  async #write(): Promise<void> {
    for await (const chunk of bytesOf(this.#pack)) {
      try {
        await this.sink.write(chunk);
      } catch (error) {
        // This must come first: leaving the loop destroys the pack, and its entry then fails with an error of its own.
        this.#failed.reject(error);
        throw error;
      }
    }
  }

  add(member: BackupMember): Promise<Digest> {
    return Promise.race([this.#failed.promise, this.#add(member)]);
  }

  async #add({ name, size, sha256, body }: BackupMember): Promise<Digest> {
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
    // If the body fails first, nothing awaits `ended`. Its rejection must not count as unhandled then.
    ended.catch(() => undefined);
    const entry = this.#pack.entry({ name, size, mode: MODE, ...paxOf(sha256) }, (error) =>
      error ? reject(error) : resolve(),
    );
    // `ended` rejects with the same error.
    entry.on('error', () => undefined);
    const hash = createHash('sha256');
    let written = 0;
    try {
      for await (const chunk of body) {
        hash.update(chunk);
        written += chunk.byteLength;
        if (written > size) throw new Error(`${name} became longer than its ${size} bytes while it was saved.`);
        if (!entry.write(chunk)) await drained(entry);
      }
      if (written < size) throw new Error(`${name} became shorter than its ${size} bytes while it was saved.`);
    } catch (error) {
      entry.destroy(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
    entry.end(null);
    await ended;
    return { size: written, sha256: hash.digest('hex') };
  }

  async finish(outcome: BackupOutcome): Promise<string | null> {
    this.#pack.finalize();
    await this.#writing;
    return this.sink.finish(outcome);
  }

  async discard(): Promise<void> {
    this.#pack.destroy();
    await Promise.allSettled([this.#writing]);
    await this.sink.discard();
  }
}

/** Resolves when the stream takes more bytes or is closed. */
function drained(stream: Pick<Entry, 'on' | 'off'>): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('drain', done);
      stream.off('close', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('close', done);
  });
}
