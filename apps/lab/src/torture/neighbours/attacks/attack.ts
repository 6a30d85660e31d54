import type { Entry } from '@postshelf/harness';
import type { Origin } from '@postshelf/harness/origin';
import type { Deployment } from '../../deployments/deployment.ts';

/** The target of an attack, and the means of the attackers: each has an ordinary token and a web server. */
export interface AttackTarget {
  readonly port: number;
  /** `http://127.0.0.1:{port}` */
  readonly root: string;
  readonly attackers: readonly [Entry, Entry];
  readonly origin: Origin;
  /** Returns the free bytes on the disk of the service. */
  freeDisk(): Promise<number>;
  /** Revokes an attacker's token as an operator. */
  revoke(attacker: Entry): Promise<void>;
}

/** A result of an attack besides the waits of the honest tenant. */
export interface Finding {
  readonly what: string;
  readonly value: string;
  /** Whether the service keeps the promise; null if there is no promise. */
  readonly isKept: boolean | null;
}

/** Attacks until the signal aborts, and leaves nothing open. */
type RunAttack = (signal: AbortSignal) => Promise<readonly Finding[]>;

export interface Attack {
  readonly name: string;
  /** Description of the attack, for the table. */
  readonly about: string;
  /** Limits of the machine under which the service starts. */
  readonly surroundings?: {
    /** The number of file descriptors that the process may have, if this machine grants them. */
    readonly descriptors?: number;
    /** The size in bytes of a separate disk, only for the deployment that stores everything on it: SQLite and files. */
    readonly disk?: number;
  };
  /** Writes rows directly into the database before the service starts. */
  readonly fill?: (deployment: Deployment, workspace: string) => Promise<void>;
  /** Prepares the attack over HTTP, before the waits are measured. */
  prepare(target: AttackTarget): Promise<RunAttack>;
}
