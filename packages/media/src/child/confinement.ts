import { basename } from 'node:path';
import { runCommand } from './run-command.ts';

export interface Limits {
  /** Maximum size of the address space, in bytes. */
  readonly memoryBytes: number;
  /** Maximum CPU time, in seconds. */
  readonly cpuSeconds: number;
  /** Maximum size of a file that the child writes, in bytes. Default 0. */
  readonly fileBytes?: number;
}

/**
 * A shell script that sets limits, which survive exec, and runs a command. It limits address space, CPU time, the size
 * of written files and the number of open files, and disables core dumps. The command isn't run if a limit can't be set
 * or the parent has died.
 */
const LIMIT_SCRIPT =
  'test "$PPID" = "$1" && ulimit -v "$2" && ulimit -t "$3" && ulimit -f "$4" && ulimit -c 0 && ulimit -n 64 && shift 4 && exec "$@"';

const BLOCK = 512;

/** How child processes can be confined on this machine. */
export interface Confinement {
  /**
   * Wrapper commands that are put in front of a command. As far as the machine allows, they cut the command off from
   * the network, and kill it when this process dies.
   */
  readonly wrappers: readonly string[];
  /** Whether a shell can limit the address space, which is impossible on macOS. */
  readonly limitsMemory: boolean;
}

/**
 * Adds the wrappers and limits to a command. The wrappers of {@link findConfinement} start first, so the limits don't
 * apply to them.
 */
export function confine(
  command: readonly string[],
  limits: Limits,
  { wrappers, limitsMemory }: Confinement,
): readonly string[] {
  const kibibytes = limitsMemory ? Math.floor(limits.memoryBytes / 1024) : 'unlimited';
  const blocks = Math.ceil((limits.fileBytes ?? 0) / BLOCK);
  const words = [process.pid, kibibytes, limits.cpuSeconds, blocks].map(String);
  return [...wrappers, '/bin/sh', '-c', LIMIT_SCRIPT, 'sh', ...words, ...command];
}

/** The search path that is used if the service is started without `PATH`. */
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

function findTool(name: string): string | null {
  const { PATH } = process.env;
  return Bun.which(name, { PATH: PATH ? `${PATH}:${SYSTEM_PATH}` : SYSTEM_PATH });
}

/** Wrappers to try. Not every machine allows all of them; each one that works is used. */
const WRAPPERS = [
  // Runs the command in an empty network namespace.
  { words: ['unshare', '--user', '--map-root-user', '--net', '--'], without: 'can reach the network' },
  // Kills the command when this process ends, even by kill -9. It comes after unshare, because unshare would undo it.
  { words: ['setpriv', '--pdeathsig', 'KILL', '--'], without: 'outlive a kill -9 of the service by some seconds' },
] as const;

/** A memory limit for the probe, above the limit of any child. */
const PROBED_KIBIBYTES = 8 * 1024 ** 2;
const WITHOUT_LIMIT = 'may use all memory';

/**
 * Commands that lower the priority; those that the machine lacks are left out. `low` is for work that no request waits
 * for, `lowest` for background work.
 */
const PRIORITIES = {
  normal: [],
  low: [['nice', '-n', '10']],
  lowest: [
    ['nice', '-n', '19'],
    ['ionice', '-c', '3'],
  ],
} as const;

let found: Promise<Confinement> | undefined;

/** Finds out how children can be confined on this machine. Probes only once. */
export async function findConfinement(priority: keyof typeof PRIORITIES = 'normal'): Promise<Confinement> {
  found ??= probeConfinement();
  const { wrappers, limitsMemory } = await found;
  const words = PRIORITIES[priority].flatMap(([name, ...options]) => {
    const path = findTool(name);
    return path === null ? [] : [path, ...options];
  });
  return { wrappers: [...words, ...wrappers], limitsMemory };
}

/**
 * Probes how children can be confined on this machine.
 *
 * @param works whether a command runs on this machine
 */
export async function probeConfinement(works: typeof canRun = canRun): Promise<Confinement> {
  const [wrappers, limitsMemory] = await Promise.all([
    Promise.all(
      WRAPPERS.map(async ({ words: [name, ...options] }) => {
        const path = findTool(name);
        return path !== null && (await works([path, ...options, '/bin/sh', '-c', ':'])) ? [path, ...options] : [];
      }),
    ),
    works(['/bin/sh', '-c', `ulimit -v ${PROBED_KIBIBYTES}`]),
  ]);
  return { wrappers: wrappers.flat(), limitsMemory };
}

/** Returns what children can do because this machine can't prevent it, in words that complete "they …". */
export function weaknessesOf({ wrappers, limitsMemory }: Confinement): readonly string[] {
  const missing = WRAPPERS.filter(({ words: [name] }) => !wrappers.some((word) => basename(word) === name));
  return [...missing.map(({ without }) => without), ...(limitsMemory ? [] : [WITHOUT_LIMIT])];
}

const canRun = async (command: readonly string[]): Promise<boolean> =>
  (await runCommand(command, { maxOutput: 0, signal: AbortSignal.timeout(20_000) })) !== null;
