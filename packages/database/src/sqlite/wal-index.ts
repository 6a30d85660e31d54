import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { unavailable } from '../store/errors.ts';

/**
 * Bytes of the header's first copy, which a commit writes last (sqlite.org/walformat.html, section 2.1). It counts the
 * commits, beside salts and checksums of the log.
 */
const HEADER = 48;

const newHeader = (): Int32Array => new Int32Array(HEADER / Int32Array.BYTES_PER_ELEMENT);

/** A database that this process uses, by any number of connections. */
interface Use {
  users: number;
  /** What is open of its index, by device and inode: another file may have taken its place. */
  readonly descriptors: Map<string, number>;
}

const uses = new Map<string, Use>();

/**
 * The index of a write-ahead log, which all who use the database share. It tells whether anything was committed for the
 * price of reading 48 bytes, without SQLite's locks.
 *
 * To close any descriptor of a file takes from the process all locks on it, those of SQLite too
 * (sqlite.org/howtocorrupt.html, section 2.2). So whoever connects to a database has one of these from before the first
 * connection to behind the last, and the files are closed when nobody has.
 */
export class WalIndex {
  readonly #path: string;
  readonly #use: Use;
  #descriptor: number | null = null;
  #isClosed = false;
  #header = newHeader();
  #former = newHeader();

  /** @param path of a database that is there; nothing is opened yet */
  constructor(path: string) {
    this.#path = realpathSync(path);
    this.#use = uses.get(this.#path) ?? { users: 0, descriptors: new Map() };
    this.#use.users += 1;
    uses.set(this.#path, this.#use);
  }

  /** Opens the index, which the first connection has made. */
  open(): void {
    const name = `${this.#path}-shm`;
    const { dev, ino } = statSync(name, { bigint: true });
    const { descriptors } = this.#use;
    this.#descriptor = descriptors.get(`${dev}:${ino}`) ?? openSync(name, 'r');
    descriptors.set(`${dev}:${ino}`, this.#descriptor);
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

  /** Comes behind the end of all connections. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#descriptor = null;
    this.#use.users -= 1;
    if (this.#use.users > 0) return;
    uses.delete(this.#path);
    for (const descriptor of this.#use.descriptors.values()) closeSync(descriptor);
  }

  /** Gives the bytes that were read. */
  #read(header: Int32Array): number {
    if (this.#descriptor === null) throw unavailable(new Error('The database is closed.'));
    try {
      return readSync(this.#descriptor, header, 0, HEADER, 0);
    } catch (error) {
      throw unavailable(error);
    }
  }
}
