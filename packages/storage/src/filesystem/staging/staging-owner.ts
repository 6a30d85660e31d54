import { createHash, randomUUID } from 'node:crypto';
import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { unless } from '../disk/failures.ts';
import { readProcess } from './proc-stat.ts';

/** One run of a process: no other one, on whatever machine and at whatever time, has all of this in common with it. */
export interface Run {
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

/** What a system without Linux's /proc, or with one that may not be read, answers. */
const UNTOLD = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM'];

export interface OwnRun {
  /** null where it can't be told (macOS). */
  readonly run: Run | null;
  /** Goes as a path component, and nobody else takes it. */
  readonly name: string;
}

let own: Promise<OwnRun> | undefined;

/** The run that asks: the same for everybody in it. */
export function thisRun(): Promise<OwnRun> {
  own ??= readRun().then((run) => ({ run, name: run ? nameOf(run) : randomUUID() }));
  return own;
}

/** @param proc where proc(5) is mounted */
export const readRun = (proc = '/proc'): Promise<Run | null> => unless(UNTOLD, attemptReadRun(proc), null);

async function attemptReadRun(proc: string): Promise<Run | null> {
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
 * A container has a host name alone, which may be what its neighbours on other machines are called: that won't do.
 * Hashed: a machine's id is not to be shown around (machine-id(5)).
 */
async function readMachine(): Promise<string | null> {
  const id = await unless(UNTOLD, readFile('/etc/machine-id', 'utf8'), '');
  if (!/^[0-9a-f]{32}\n?$/.test(id)) return null;
  return createHash('sha256').update(`${id.trim()} ${hostname()}`).digest('hex').slice(0, 32);
}

const UNKNOWN = 'unknown';
const NAME = /^([0-9a-f]{32}|unknown)\.([0-9a-f-]{36})\.(\d+)\.(\d+)\.(\d+)$/;

export const nameOf = ({ machine, boot, namespace, pid, started }: Run): string =>
  [machine ?? UNKNOWN, boot, namespace, pid, started].join('.');

/** The run of that name; null for a name that {@link nameOf} doesn't give. */
export function parseRun(name: string): Run | null {
  const [, machine, boot, namespace, pid, started] = NAME.exec(name) ?? [];
  if (!machine || !boot || !namespace || !pid || !started) return null;
  return { machine: machine === UNKNOWN ? null : machine, boot, namespace, pid: Number(pid), started };
}
