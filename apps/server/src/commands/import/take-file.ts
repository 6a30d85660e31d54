import { createHash, randomUUID } from 'node:crypto';
import { lstat, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isResumable } from '@postshelf/client/resumable';
import { CHANGED, MAX_FILE_BYTES, type OpenedFile, type Source, Unreadable } from '@postshelf/domain';
import type { Recogniser } from '../../compose/source.ts';
import { NotTaken } from './patience.ts';

/** A file that was read to its end and can be sent. */
export interface TakenFile {
  readonly data: Blob;
  readonly sha256: string;
  readonly size: number;
  readonly modifiedAt: number;
  /** Checks the file before it is sent. @throws Unreadable if the file has changed since it was read */
  check(): Promise<void>;
  /** Removes the temporary copy of the file, if there is one. Must be called after the file was sent. */
  release(): Promise<void>;
}

/** Returns why a file of this size is refused, so that it needn't be read; null if the size is accepted. */
export function refuseSize(size: number): string | null {
  if (size === 0) return 'The file must not be empty.';
  return size > MAX_FILE_BYTES ? 'The file must not be larger than 2 GB.' : null;
}

/**
 * Reads each file of a source only once. Keeps small files in memory, and copies large files of a bucket to a folder
 * until they have been sent.
 */
export class FileTaker {
  /** @param spool the folder for large files, which is created when it is needed */
  constructor(
    private readonly source: Source,
    private readonly recogniser: Recogniser,
    private readonly spool: string,
  ) {}

  /**
   * Returns why the service would refuse a file, judging by its beginning; null if the service may accept it.
   *
   * @throws as {@link take}
   */
  async refuse(path: string): Promise<string | null> {
    const file = await this.source.open(path);
    try {
      const head = new Head(this.recogniser);
      for await (const chunk of file.chunks) if (await head.isComplete(chunk)) break;
      await head.end();
      return null;
    } catch (error) {
      if (error instanceof NotTaken) return error.message;
      throw error;
    } finally {
      await file.close();
    }
  }

  /** Reads a file and computes its hash. @throws NotTaken; Unreadable; Refusal `unavailable` */
  async take(path: string): Promise<TakenFile> {
    const file = await this.source.open(path);
    try {
      const refused = refuseSize(file.size);
      if (refused !== null) throw new NotTaken(refused);
      if (!isResumable(file)) return await this.#gather(file);
      return file.localPath === null ? await this.#spool(file) : await this.#hash(file, file.localPath);
    } finally {
      await file.close();
    }
  }

  async #gather(file: OpenedFile): Promise<TakenFile> {
    const bytes = new Uint8Array(file.size);
    let at = 0;
    const sha256 = await this.#read(file, (chunk) => {
      bytes.set(chunk, at);
      at += chunk.length;
    });
    return taken(file, sha256, new Blob([bytes]));
  }

  async #hash(file: OpenedFile, path: string): Promise<TakenFile> {
    const sha256 = await this.#read(file, () => undefined);
    return {
      ...taken(file, sha256, Bun.file(path)),
      async check() {
        const now = await lstat(path).catch(() => null);
        if (now?.isFile() && now.size === file.size && Math.floor(now.mtimeMs) === file.modifiedAt) return;
        throw new Unreadable(CHANGED, true);
      },
    };
  }

  async #spool(file: OpenedFile): Promise<TakenFile> {
    await mkdir(this.spool, { recursive: true });
    const path = join(this.spool, randomUUID());
    const release = (): Promise<void> => rm(path, { force: true });
    try {
      const copy = await open(path, 'wx', 0o600);
      const sha256 = await this.#read(file, (chunk) => copy.writeFile(chunk)).finally(() => copy.close());
      return { ...taken(file, sha256, Bun.file(path)), release };
    } catch (error) {
      await release();
      throw error;
    }
  }

  /** Reads a file to its end, and passes each chunk to `keep`. @returns the SHA-256 of the bytes in hex */
  async #read(file: OpenedFile, keep: (chunk: Uint8Array) => unknown): Promise<string> {
    const hash = createHash('sha256');
    const head = new Head(this.recogniser);
    let size = 0;
    for await (const chunk of file.chunks) {
      size += chunk.length;
      if (size > file.size) break;
      await head.isComplete(chunk);
      hash.update(chunk);
      await keep(chunk);
    }
    await head.end();
    if (size !== file.size) throw new Unreadable(CHANGED, true);
    return hash.digest('hex');
  }
}

const nothing = async (): Promise<void> => undefined;

const taken = ({ size, modifiedAt }: OpenedFile, sha256: string, data: Blob): TakenFile => ({
  ...{ data, sha256, size, modifiedAt },
  check: nothing,
  release: nothing,
});

/** Collects the beginning of a file until its type is known. */
class Head {
  #bytes = new Uint8Array();
  #isJudged = false;

  constructor(private readonly recogniser: Recogniser) {}

  /** Adds a chunk. @returns whether the type is known now @throws NotTaken if the service doesn't accept the type */
  async isComplete(chunk: Uint8Array): Promise<boolean> {
    if (this.#isJudged) return true;
    this.#bytes = Buffer.concat([this.#bytes, chunk]).subarray(0, this.recogniser.headLength);
    if (this.#bytes.length === this.recogniser.headLength) await this.end();
    return this.#isJudged;
  }

  /** Checks the type of a file that has ended. @throws NotTaken if the service doesn't accept the type */
  async end(): Promise<void> {
    if (this.#isJudged) return;
    this.#isJudged = true;
    const refused = await this.recogniser.refuse(this.#bytes);
    if (refused !== null) throw new NotTaken(refused);
  }
}
