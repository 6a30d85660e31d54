import { availableParallelism } from 'node:os';

/** Number of processors from which Bun's own settings are as good. */
const ENOUGH = 8;

/**
 * Environment variables that Bun reads once, when it starts, with better values for few processors:
 *
 * - Threads for file system calls, each of which may wait for the disk. By default Bun has one per processor: with two,
 *   two files that are being synced block all other reads and writes. Threads are started when needed.
 * - Ten times as many calls of a function before JavaScriptCore compiles it with its slowest compiler (FTL). That runs
 *   concurrently, but on the same processors: it took a sixth of the time of the first ten thousand uploads, and saved
 *   none.
 * - Four times as many calls before anything is compiled during the start, which then takes a quarter less processor
 *   time.
 */
const BETTER = {
  UV_THREADPOOL_SIZE: '8',
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: '640000',
  BUN_JSC_startupJITDeferralScale: '4',
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The variables to set here: those that help with this many processors and weren't set by the operator.
 *
 * @returns names and values
 */
export function missingSettings(env: Environment, processors: number): Readonly<Record<string, string>> {
  if (processors >= ENOUGH) return {};
  // Bun treats an empty variable as unset, and also reads Go's number of threads.
  const isSet = (name: string): boolean =>
    Boolean(env[name]) || (name === 'UV_THREADPOOL_SIZE' && Boolean(env.GOMAXPROCS));
  return Object.fromEntries(Object.entries(BETTER).filter(([name]) => !isSet(name)));
}

/**
 * Executes this program again in the same process (execve(2), which keeps open files) with the better variables in its
 * environment. Must be called before anything else.
 *
 * @param command the program and its leading arguments, to which this process's arguments are appended
 * @returns only if there is nothing to set, or the system can't execute it, as in some emulators: everything works, but
 *   uploads wait for each other
 */
export function reexecute(command: readonly [string, ...string[]]): void {
  const better = missingSettings(process.env, availableParallelism());
  if (Object.keys(better).length === 0) return;
  try {
    process.execve?.(command[0], [...command, ...process.argv.slice(2)], { ...process.env, ...better });
  } catch {
    // Reported with the other weaknesses of this machine.
  }
}

/** Whether uploads wait for each other. */
export const hasFewThreads = (): boolean =>
  missingSettings(process.env, availableParallelism()).UV_THREADPOOL_SIZE !== undefined;
