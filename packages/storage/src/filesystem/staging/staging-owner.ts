import { createHash, randomUUID } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { unless } from '../disk/failures.ts';
import { readProcess } from './proc-stat.ts';

/** Identifies one process: no other, on any machine and at any time, shares all of these values. */
export interface StagingOwner {
  /** The machine, across its boots; null where machines can't be told apart reliably. */
  readonly machine: string | null;
  /** Which boot of which kernel (random(4)): a UUID. */
  readonly boot: string;
  /** Its PID namespace (pid_namespaces(7)). A number is reused only when all processes in the namespace are dead. */
  readonly namespace: string;
  readonly pid: number;
  /** When it started, in clock ticks after the boot; tells it from others with the same id. */
  readonly started: string;
}

/** Error codes where there is no Linux /proc, or it may not be read. */
const UNTOLD = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'];

export interface CurrentOwner {
  /** null where it isn't known (macOS). */
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
export const readOwner = (proc = '/proc'): Promise<StagingOwner | null> => unless(UNTOLD, readOwnerFrom(proc), null);

async function readOwnerFrom(proc: string): Promise<StagingOwner | null> {
  const [boot, link, self, machine] = await Promise.all([
    readFile(`${proc}/sys/kernel/random/boot_id`, 'utf8'),
    readlink(`${proc}/self/ns/pid`),
    readProcess('self', proc),
    readMachine(),
  ]);
  const namespace = /^pid:\[(\d+)\]$/.exec(link)?.[1];
  // With another id there, /proc is that of another namespace, and knows nothing of the processes in ours.
  if (namespace === undefined || self?.pid !== process.pid) return null;
  return { machine, boot: boot.trim(), namespace, pid: self.pid, started: self.started };
}

/**
 * Both names together, as machines that were cloned share the one, and machines that nobody named share the other.
 * A container has only a host name, which containers on other machines may share: not enough.
 * Hashed: a machine's id is not to be shown around (machine-id(5)).
 */
async function readMachine(): Promise<string | null> {
  const id = await unless(UNTOLD, readFile('/etc/machine-id', 'utf8'), '');
  if (!/^[0-9a-f]{32}\n?$/.test(id)) return null;
  return createHash('sha256').update(`${id.trim()} ${hostname()}`).digest('hex').slice(0, 32);
}

const UNKNOWN = 'unknown';
const NAME = /^([0-9a-f]{32}|unknown)\.([0-9a-f-]{36})\.(\d+)\.(\d+)\.(\d+)$/;

export const nameOfOwner = ({ machine, boot, namespace, pid, started }: StagingOwner): string =>
  [machine ?? UNKNOWN, boot, namespace, pid, started].join('.');

/** The owner of that name; null for a name that {@link nameOfOwner} doesn't give. */
export function parseOwner(name: string): StagingOwner | null {
  const [, machine, boot, namespace, pid, started] = NAME.exec(name) ?? [];
  if (!machine || !boot || !namespace || !pid || !started) return null;
  return { machine: machine === UNKNOWN ? null : machine, boot, namespace, pid: Number(pid), started };
}
