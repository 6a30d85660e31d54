import { createHash, randomUUID } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { unless } from '../disk/failures.ts';
import { readProcess } from './proc-stat.ts';

/** Identifies one process: no other, on any machine and at any time, shares all of these values. */
export interface StagingOwner {
  /** Which machine it runs on, whatever is booted there; null where machines are not told apart for sure. */
  readonly machine: string | null;
  /** Which boot of which kernel (random(4)): a UUID. */
  readonly boot: string;
  /** In which of its PID namespaces (pid_namespaces(7)). A number is given to another one only when all in it are dead. */
  readonly namespace: string;
  readonly pid: number;
  /** In clock ticks after the boot, which tells it from others that had the same id. */
  readonly started: string;
}

/** Error codes where there is no Linux /proc, or where it may not be read. */
const UNTOLD = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'];

export interface CurrentOwner {
  /** null where it can't be told (macOS). */
  readonly owner: StagingOwner | null;
  /** Goes as a path component, and nobody else takes it. */
  readonly name: string;
}

let own: Promise<CurrentOwner> | undefined;

/** The owner that stands for this process. */
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
  // With another id in there, /proc belongs to another namespace and tells nothing of the processes in ours.
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
