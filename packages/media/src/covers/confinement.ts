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
 * Set by the shell and kept across exec: address space, CPU time, files written, no core dump, few files open.
 * A shell that can't set one runs nothing; nor does one whose parent has died before the wrappers could tie it to its life.
 */
const LIMIT_SCRIPT =
  'test "$PPID" = "$1" && ulimit -v "$2" && ulimit -t "$3" && ulimit -f "$4" && ulimit -c 0 && ulimit -n 64 && shift 4 && exec "$@"';

/** What POSIX counts files in. */
const BLOCK = 512;

/** The command behind its limits, which are set behind whatever {@link findWrappers} found. */
export function confine(command: readonly string[], limits: Limits, wrappers: readonly string[]): readonly string[] {
  const kibibytes = Math.floor(limits.memoryBytes / 1024);
  const blocks = Math.ceil((limits.fileBytes ?? 0) / BLOCK);
  const words = [process.pid, kibibytes, limits.cpuSeconds, blocks].map(String);
  return [...wrappers, '/bin/sh', '-c', LIMIT_SCRIPT, 'sh', ...words, ...command];
}

/** Where the tools of a system are, for services that are started without `PATH`: they confine no less. */
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The path of a tool of the system; null where there is none of this name. */
export function findTool(name: string): string | null {
  const { PATH } = process.env;
  return Bun.which(name, { PATH: PATH ? `${PATH}:${SYSTEM_PATH}` : SYSTEM_PATH });
}

/** Not every machine lets everybody have these, least of all in a container; each is used where it works. */
const WRAPPERS = [
  // A network namespace with nothing in it.
  ['unshare', '--user', '--map-root-user', '--net', '--'],
  // Killed when this process is, kill -9 included. After unshare, which would undo it.
  ['setpriv', '--pdeathsig', 'KILL', '--'],
] as const;

/** Words to put before a command so that it has no network and dies with this process, as far as the machine can. */
export async function findWrappers(): Promise<readonly string[]> {
  const found = await Promise.all(
    WRAPPERS.map(async ([name, ...options]) => {
      const path = findTool(name);
      if (path === null) return [];
      const wrapper = [path, ...options];
      const worked = await runCommand([...wrapper, '/bin/true'], { maxOutput: 0, signal: AbortSignal.timeout(20_000) });
      return worked === null ? [] : wrapper;
    }),
  );
  return found.flat();
}
