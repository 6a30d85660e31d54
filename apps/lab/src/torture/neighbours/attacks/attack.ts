import type { Entry } from '@postshelf/harness';
import type { Origin } from '@postshelf/harness/origin';
import type { Deployment } from '../../deployments/deployment.ts';

/** What attackers have: one ordinary token each, and a web server of their own. */
export interface Target {
  readonly port: number;
  /** `http://127.0.0.1:{port}` */
  readonly root: string;
  readonly attackers: readonly [Entry, Entry];
  readonly origin: Origin;
  /** Bytes that are free on the disk of the service. */
  freeDisk(): Promise<number>;
  /** What an operator does to an attacker's token. */
  revoke(attacker: Entry): Promise<void>;
}

/** Something besides waits that an attack shows. */
export interface Finding {
  readonly what: string;
  readonly value: string;
  /** Whether it is as it should be; null where nothing is promised. */
  readonly isKept: boolean | null;
}

/** Attacks until the signal aborts, and leaves nothing open. */
type Assault = (signal: AbortSignal) => Promise<readonly Finding[]>;

export interface Attack {
  readonly name: string;
  /** What is done, for the table. */
  readonly about: string;
  /** What the service is started in, where that isn't what this machine is. */
  readonly surroundings?: {
    /** File descriptors that the process may have. */
    readonly descriptors?: number;
    /** Bytes of a disk of its own. Only of use where all is kept on it: SQLite and files. */
    readonly disk?: number;
  };
  /** Fills the database straight, before the service starts. */
  readonly fill?: (deployment: Deployment, workspace: string) => Promise<void>;
  /** Whatever the attacker does over HTTP beforehand. */
  prepare(target: Target): Promise<Assault>;
}
