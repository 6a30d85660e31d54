import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { unavailable } from '../unavailable.ts';

/**
 * Bytes of the header's first copy, which a commit writes last (sqlite.org/walformat.html, section 2.1). It counts the
 * commits, beside salts and checksums of the log.
 */
const HEADER = 48;

const newHeader = (): Int32Array => new Int32Array(HEADER / Int32Array.BYTES_PER_ELEMENT);

interface OpenFile {
  readonly descriptor: number;
  users: number;
}

/** What this process has open, by device and inode. */
const openFiles = new Map<string, OpenFile>();

/**
 * The index of a write-ahead log, which all who use the database share. It tells whether anything was committed for the
 * price of reading 48 bytes, without SQLite's locks.
 */
export class WalIndex {
  readonly #key: string;
  readonly #file: OpenFile;
  #header = newHeader();
  #former = newHeader();

  /** @param path a database with a connection that stays open until this is closed */
  constructor(path: string) {
    const name = `${path}-shm`;
    const { dev, ino } = statSync(name);
    this.#key = `${dev}:${ino}`;
    this.#file = openFiles.get(this.#key) ?? { descriptor: openSync(name, 'r'), users: 0 };
    this.#file.users += 1;
    openFiles.set(this.#key, this.#file);
  }

  /**
   * Whether anything was committed, by anyone, since this was asked before; the first time, true. A commit that is being
   * made at this instant may count already; one that somebody was told of does.
   *
   * @throws Refusal `unavailable`
   */
  hasChanged(): boolean {
    const [header, former] = [this.#former, this.#header];
    [this.#header, this.#former] = [header, former];
    if (this.#read(header) < HEADER) return true;
    for (let index = 0; index < header.length; index += 1) if (header[index] !== former[index]) return true;
    return false;
  }

  /**
   * Comes behind the end of all connections: the last who has the file open closes it, and that takes from the process
   * all locks on it, those of SQLite too (sqlite.org/howtocorrupt.html, section 2.2).
   */
  close(): void {
    this.#file.users -= 1;
    if (this.#file.users > 0) return;
    openFiles.delete(this.#key);
    closeSync(this.#file.descriptor);
  }

  /** Gives the bytes that were read. */
  #read(header: Int32Array): number {
    try {
      return readSync(this.#file.descriptor, header, 0, HEADER, 0);
    } catch (error) {
      throw unavailable(error);
    }
  }
}
