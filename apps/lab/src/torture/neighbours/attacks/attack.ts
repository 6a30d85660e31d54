import type { Entry } from '@postshelf/harness';
import type { Origin } from '@postshelf/harness/origin';
import type { Deployment } from '../../deployments/deployment.ts';

/**
 * What an attack can use: the attacked service, and two attackers, each with an ordinary token. The two attackers share
 * a web server.
 */
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

/** A result that an attack reports itself, in addition to the honest tenant's waits, which are always measured. */
export interface Finding {
  readonly what: string;
  readonly value: string;
  /** Whether the value is within a limit that the service promises; null if it promises none. */
  readonly isKept: boolean | null;
}

/** Attacks until the signal aborts, and leaves nothing open. */
type RunAttack = (signal: AbortSignal) => Promise<readonly Finding[]>;

export interface Attack {
  readonly name: string;
  /** Description of the attack, for the table. */
  readonly about: string;
  /** Limits of the machine that apply to the service from its start. */
  readonly surroundings?: {
    /** The maximum number of file descriptors of the process. A lower limit of this machine takes precedence. */
    readonly descriptors?: number;
    /**
     * The size in bytes of a separate disk. The attack then runs only with SQLite and files, where everything is on
     * this disk.
     */
    readonly disk?: number;
  };
  /** Writes rows directly into the database before the service starts. */
  readonly fill?: (deployment: Deployment, workspace: string) => Promise<void>;
  /** Prepares the attack over HTTP, before the waits are measured. */
  prepare(target: AttackTarget): Promise<RunAttack>;
}
