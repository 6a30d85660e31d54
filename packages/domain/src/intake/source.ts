export interface FoundFile {
  readonly kind: 'file';
  /** The path from the source's root, with `/` between names. Unique. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
}

interface LeftOutEntry {
  /** `left_out` entries are skipped on purpose. `refused` ones couldn't be read, and a user may miss them. */
  readonly kind: 'left_out' | 'refused';
  /** The path of a file, or of a folder that is skipped with everything in it. */
  readonly path: string;
  /** A sentence. */
  readonly reason: string;
}

export type SourceEntry = FoundFile | LeftOutEntry;

export interface OpenedFile {
  /** The current values, which may differ from those at the time when the file was found. */
  readonly size: number;
  readonly modifiedAt: number;
  /**
   * The file's bytes; a chunk is valid until the next one is requested. Iterating throws {@link Unreadable} if the file
   * can't be read or changes meanwhile.
   */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The file's path on this machine, where it can be read again; null if there is none. */
  readonly localPath: string | null;
  close(): Promise<void>;
}

/** Existing files in a folder or a bucket, which is never written to. */
export interface Source {
  /** The location, as it is shown to people; contains no secrets. */
  readonly place: string;
  /**
   * Iterates every file in no particular order without holding them all in memory. Links aren't followed.
   *
   * @param reasonToLeaveOut called with the path of each file and folder; returns null to include it
   * @throws Refusal `unavailable`
   */
  entries(reasonToLeaveOut: (path: string) => string | null): AsyncIterable<SourceEntry>;
  /** Opens a file. @throws Unreadable; Refusal `unavailable` */
  open(path: string): Promise<OpenedFile>;
  close(): void;
}

/** Thrown if a file of a source can't be read; the other files may still be readable. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';

  /** @param message a sentence @param hasChanged whether the file has changed, so that another attempt may succeed */
  constructor(
    message: string,
    readonly hasChanged = false,
  ) {
    super(message);
  }
}

export const CHANGED = 'It changed while it was read.';
export const GONE = 'It is no longer there.';
