import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { BackupMember, BackupWriter, Digest } from '@postshelf/domain';
import { type Pack, pack } from 'tar-stream';
import { openPlace, syncDirectory } from '../filesystem/directories.ts';
import { writeWhole } from '../filesystem/whole.ts';
import { bytesOf } from './bytes-of.ts';
import { paxOf } from './pax.ts';

type Sink = ReturnType<Pack['entry']>;

/** For its owner alone: a backup holds what signs tokens. */
const MODE = 0o600;

/**
 * A backup as a tar file, readable by any tar. It is written beside its place, as `{path}.{random}.partial`.
 *
 * @throws the operating system's error when nothing can be written there
 */
export async function writeTar(path: string): Promise<BackupWriter> {
  const place = resolve(path);
  const partial = `${place}.${randomUUID()}.partial`;
  return new TarWriter(place, partial, await open(partial, 'wx', MODE));
}

class TarWriter implements BackupWriter {
  readonly #pack: Pack = pack();
  /** Ends when the pack does; its failure ends the pack. */
  readonly #writing: Promise<void>;
  #isOpen = true;

  constructor(
    private readonly place: string,
    private readonly partial: string,
    private readonly handle: FileHandle,
  ) {
    this.#writing = this.#write();
    // Whoever adds or finishes hears of it, and not of the pack's own event.
    this.#pack.on('error', () => undefined);
    this.#writing.catch((error: Error) => this.#pack.destroy(error));
  }

  async #write(): Promise<void> {
    let position = 0;
    for await (const chunk of bytesOf(this.#pack)) {
      await writeWhole(this.handle, chunk, position);
      position += chunk.byteLength;
    }
  }

  async add({ name, size, sha256, body }: BackupMember): Promise<Digest> {
    const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
    // Heard below, unless the body fails before.
    ended.catch(() => undefined);
    const entry = this.#pack.entry({ name, size, mode: MODE, ...paxOf(sha256) }, (error) =>
      error ? reject(error) : resolve(),
    );
    // The same error again, which `ended` tells.
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

  async finish(): Promise<void> {
    this.#pack.finalize();
    await this.#writing;
    await this.handle.sync();
    await this.#close();
    await rename(this.partial, this.place);
    await syncDirectory(dirname(this.place), openPlace);
  }

  async discard(): Promise<void> {
    this.#pack.destroy();
    await Promise.allSettled([this.#writing]);
    await this.#close();
    await rm(this.partial, { force: true });
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.handle.close();
  }
}

/** Resolves when the stream takes more, or never will again. */
function drained(stream: Pick<Sink, 'on' | 'off'>): Promise<void> {
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
