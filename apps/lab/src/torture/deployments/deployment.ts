import type { Settings } from '@postshelf/harness';

export type Row = Readonly<Record<string, unknown>>;

/** The contents of the storage, read without the service. Hashes are SHA-256 in lower-case hex. */
export interface Stored {
  /** The hashes of objects by key, `{workspace}/{id}/{name}`. */
  readonly objects: ReadonlyMap<string, string>;
  /** The hashes of files that were sent to presigned addresses, by the ids of their items. */
  readonly uploads: ReadonlyMap<string, string>;
  /** Ids of items for which pieces of a resumable upload are stored. */
  readonly pieces: ReadonlySet<string>;
  /** The original keys of objects in the trash. */
  readonly trash: readonly string[];
  /** The ids of items whose previews are stored. */
  readonly previews: readonly string[];
  /** Everything else except the file that marks the library. */
  readonly others: readonly string[];
}

/** One way to run the service, set up again for each run of the torture test. */
export interface Deployment {
  readonly name: string;
  /** Describes the database and the storage, for the table. */
  readonly about: string;
  readonly settings: Settings;
  /** Arguments of the processes that share the library. */
  readonly processes: readonly (readonly string[])[];
  /** Reads the database itself, in one snapshot. The statements must be valid both in SQLite and in PostgreSQL. */
  read(statements: readonly string[]): Promise<readonly (readonly Row[])[]>;
  /** Returns the tables that, according to the schema, name the workspace of each row. */
  tablesOfWorkspaces(): Promise<readonly string[]>;
  /** Changes the database directly, without the service. */
  change(statement: string): Promise<void>;
  /**
   * Waits after a kill, until the database has ended the statements of the killed processes, and the service treats
   * these processes as dead.
   */
  quiet(): Promise<void>;
  /**
   * Runs the database's own check.
   *
   * @throws Violation if it finds damage
   */
  checkDatabase(): Promise<void>;
  /** Reads every byte in the storage. */
  readAll(): Promise<Stored>;
  /** Removes what the deployment made outside of its folder. */
  close(): Promise<void>;
}

/** Makes a deployment that stores its data in the folder if possible; null if this machine lacks a required program. */
export type Deploy = (folder: string) => Promise<Deployment | null>;
