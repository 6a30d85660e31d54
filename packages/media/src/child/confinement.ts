import { basename } from 'node:path';
import { runCommand } from './run-command.ts';

export interface Limits {
  /** Bytes of address space. */
  readonly memoryBytes: number;
  /** Seconds of CPU time. */
  readonly cpuSeconds: number;
  /** Bytes of the largest file that it may write. Default 0. */
  readonly fileBytes?: number;
}

/**
 * Sets limits in the shell, which exec keeps: address space, CPU time, files written, no core dump, few open files. The
 * command isn't run if one can't be set, nor if the parent has died.
 */
const LIMIT_SCRIPT =
  'test "$PPID" = "$1" && ulimit -v "$2" && ulimit -t "$3" && ulimit -f "$4" && ulimit -c 0 && ulimit -n 64 && shift 4 && exec "$@"';

const BLOCK = 512;

/** The means of this machine to confine child processes. */
export interface Confinement {
  /** Words before a command that give it no network, and kill it when this process dies. */
  readonly wrappers: readonly string[];
  /** Whether a shell can limit the address space, which is impossible on macOS. */
  readonly limitsMemory: boolean;
}

/** The limits are set once the wrappers of {@link findConfinement} have started. */
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

/** For a service that is started without `PATH`. */
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

function findTool(name: string): string | null {
  const { PATH } = process.env;
  return Bun.which(name, { PATH: PATH ? `${PATH}:${SYSTEM_PATH}` : SYSTEM_PATH });
}

/** Not every machine allows these; each one that works is used. */
const WRAPPERS = [
  // An empty network namespace.
  { words: ['unshare', '--user', '--map-root-user', '--net', '--'], without: 'can reach the network' },
  // Killed when this process ends, even by kill -9. After unshare, which would undo it.
  { words: ['setpriv', '--pdeathsig', 'KILL', '--'], without: 'outlive a kill -9 of the service by some seconds' },
] as const;

/** More than any child gets. */
const PROBED_KIBIBYTES = 8 * 1024 ** 2;
const WITHOUT_LIMIT = 'may use all memory';

/** As far as the machine has them: `low` for work that no request waits for, `lowest` for what nobody waits for. */
const PRIORITIES = {
  normal: [],
  low: [['nice', '-n', '10']],
  lowest: [
    ['nice', '-n', '19'],
    ['ionice', '-c', '3'],
  ],
} as const;

let found: Promise<Confinement> | undefined;

/** How children are confined on this machine. Probed only once. */
export async function findConfinement(priority: keyof typeof PRIORITIES = 'normal'): Promise<Confinement> {
  found ??= probeConfinement();
  const { wrappers, limitsMemory } = await found;
  const words = PRIORITIES[priority].flatMap(([name, ...options]) => {
    const path = findTool(name);
    return path === null ? [] : [path, ...options];
  });
  return { wrappers: [...words, ...wrappers], limitsMemory };
}

/** @param works whether a command runs on this machine */
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

/** What children can do because this machine lacks means: words that complete "they …". */
export function weaknessesOf({ wrappers, limitsMemory }: Confinement): readonly string[] {
  const missing = WRAPPERS.filter(({ words: [name] }) => !wrappers.some((word) => basename(word) === name));
  return [...missing.map(({ without }) => without), ...(limitsMemory ? [] : [WITHOUT_LIMIT])];
}

const canRun = async (command: readonly string[]): Promise<boolean> =>
  (await runCommand(command, { maxOutput: 0, signal: AbortSignal.timeout(20_000) })) !== null;
