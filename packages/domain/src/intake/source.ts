export interface FoundFile {
  readonly kind: 'file';
  /** From the source's root, `/` between names. Unique. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
}

export interface LeftOutEntry {
  /** `refused`: somebody may miss it. */
  readonly kind: 'left_out' | 'refused';
  /** Of a file, or of a folder with all that is in it. */
  readonly path: string;
  /** A sentence. */
  readonly reason: string;
}

export type SourceEntry = FoundFile | LeftOutEntry;

export interface OpenedFile {
  /** As it is now, which may differ from what was found. */
  readonly size: number;
  readonly modifiedAt: number;
  /** A chunk is valid until the next one is requested. Iterating throws {@link Unreadable}, also if the file changes meanwhile. */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The file's path on this machine, where it can be read again; null: nowhere. */
  readonly localPath: string | null;
  close(): Promise<void>;
}

/** Files that exist already, in a folder or a bucket. Nothing is ever written to it. */
export interface Source {
  /** For people, without secrets. */
  readonly place: string;
  /**
   * Every file, in no particular order, without holding them all. Links aren't followed.
   *
   * @param reasonToLeaveOut asked of the path of each file and folder; null: it is taken
   * @throws Refusal `unavailable`
   */
  entries(reasonToLeaveOut: (path: string) => string | null): AsyncIterable<SourceEntry>;
  /** @throws Unreadable; Refusal `unavailable` */
  open(path: string): Promise<OpenedFile>;
  close(): void;
}

/** A file of a source can't be read, whatever happens to others. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';

  /** @param message a sentence @param hasChanged whether it may be read if that is tried again */
  constructor(
    message: string,
    readonly hasChanged = false,
  ) {
    super(message);
  }
}

export const CHANGED = 'It changed while it was read.';
export const GONE = 'It is no longer there.';
