import type { Settings } from '@postshelf/harness';

export type Row = Readonly<Record<string, unknown>>;

/** What the storage holds, by a look of our own: hashes of bytes, in lower-case hex. */
export interface Stored {
  /** By key, `{workspace}/{id}/{name}`. */
  readonly objects: ReadonlyMap<string, string>;
  /** Files that were sent to presigned addresses, by the id of their item. */
  readonly uploads: ReadonlyMap<string, string>;
  /** What was set aside: the keys that it had. */
  readonly trash: readonly string[];
  /** Previews, by the ids of the items that they are made of. */
  readonly previews: readonly string[];
  /** Whatever else is there, but for the mark of the library. */
  readonly others: readonly string[];
}

/** One way to run the service, made anew for each run of the torture. */
export interface Deployment {
  readonly name: string;
  /** Which database and storage, for the table. */
  readonly about: string;
  readonly settings: Settings;
  /** Arguments of the processes that share the library. */
  readonly processes: readonly (readonly string[])[];
  /**
   * Asks the database itself, for all of it as it is at one moment. Statements are such that either database understands
   * them.
   */
  read(statements: readonly string[]): Promise<readonly (readonly Row[])[]>;
  /** Changes the database behind the service's back. */
  change(statement: string): Promise<void>;
  /** Resolves when the database has ended all that killed processes had asked of it. */
  quiet(): Promise<void>;
  /** @throws Violation where the database finds itself damaged */
  checkDatabase(): Promise<void>;
  /** Reads every byte that the storage holds. */
  readAll(): Promise<Stored>;
  /** Takes back what the deployment made outside of its folder. */
  close(): Promise<void>;
}

/** Makes a deployment that keeps what it has, as far as it can, in the folder; null where a part of it is missing. */
export type Deploy = (folder: string) => Promise<Deployment | null>;
