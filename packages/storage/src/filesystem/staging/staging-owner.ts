import { createHash, randomUUID } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { withFallback } from '../disk/failures.ts';
import { readProcess } from './proc-stat.ts';

/** Identifies one process: no other, on any machine and at any time, shares all of these values. */
export interface StagingOwner {
  /** Identifies the machine across reboots; null if machines can't be told apart reliably. */
  readonly machine: string | null;
  /** The UUID of the kernel's current boot (random(4)). */
  readonly boot: string;
  /**
   * The number of its PID namespace (pid_namespaces(7)), which is reused only when all processes in the namespace are
   * dead.
   */
  readonly namespace: string;
  readonly pid: number;
  /** Its start time in clock ticks since boot, which distinguishes it from other processes with the same pid. */
  readonly started: string;
}

/** Error codes when there is no Linux /proc, or it can't be read. */
const UNREADABLE = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'];

export interface CurrentOwner {
  /** null if it can't be determined (macOS). */
  readonly owner: StagingOwner | null;
  /** A valid path component that no other process has. */
  readonly name: string;
}

let own: Promise<CurrentOwner> | undefined;

/** The owner of this process. */
export function currentOwner(): Promise<CurrentOwner> {
  own ??= readOwner().then((owner) => ({ owner, name: owner ? nameOfOwner(owner) : randomUUID() }));
  return own;
}

/** @param proc where proc(5) is mounted */
export const readOwner = (proc = '/proc'): Promise<StagingOwner | null> =>
  withFallback(UNREADABLE, readOwnerFrom(proc), null);

async function readOwnerFrom(proc: string): Promise<StagingOwner | null> {
  const [boot, link, self, machine] = await Promise.all([
    readFile(`${proc}/sys/kernel/random/boot_id`, 'utf8'),
    readlink(`${proc}/self/ns/pid`),
    readProcess('self', proc),
    readMachine(),
  ]);
  const namespace = /^pid:\[(\d+)\]$/.exec(link)?.[1];
  // If the pids differ, /proc belongs to another PID namespace and doesn't show the processes of ours.
  if (namespace === undefined || self?.pid !== process.pid) return null;
  return { machine, boot: boot.trim(), namespace, pid: self.pid, started: self.started };
}

/**
 * Identifies the machine by its machine id and its host name together: cloned machines share the id, and machines with
 * a default name share the name. null in a container without a machine id, as its host name alone may exist on other
 * machines, too. Hashed, as a machine id should not be exposed (machine-id(5)).
 */
async function readMachine(): Promise<string | null> {
  const id = await withFallback(UNREADABLE, readFile('/etc/machine-id', 'utf8'), '');
  if (!/^[0-9a-f]{32}\n?$/.test(id)) return null;
  return createHash('sha256').update(`${id.trim()} ${hostname()}`).digest('hex').slice(0, 32);
}

const UNKNOWN = 'unknown';
const NAME = /^([0-9a-f]{32}|unknown)\.([0-9a-f-]{36})\.(\d+)\.(\d+)\.(\d+)$/;

export const nameOfOwner = ({ machine, boot, namespace, pid, started }: StagingOwner): string =>
  [machine ?? UNKNOWN, boot, namespace, pid, started].join('.');

/** The owner with this name; null for a name that {@link nameOfOwner} doesn't produce. */
export function parseOwner(name: string): StagingOwner | null {
  const [, machine, boot, namespace, pid, started] = NAME.exec(name) ?? [];
  if (!machine || !boot || !namespace || !pid || !started) return null;
  return { machine: machine === UNKNOWN ? null : machine, boot, namespace, pid: Number(pid), started };
}
