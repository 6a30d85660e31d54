import { availableParallelism } from 'node:os';

/** Processors from which on Bun's own settings are as good. */
const ENOUGH = 8;

/**
 * What Bun reads of its environment once, as it starts, and what is better where processors are few:
 *
 * - Threads for calls of the file system, each of which may wait for the disk. Bun has one per processor: with two, two files that are
 *   being synced keep all other reads and writes waiting. Threads are started when they are needed.
 * - Ten times as many calls of a function before JavaScriptCore compiles it as thoroughly as it can (FTL). It does so beside the work, but
 *   on the same processors: of the first ten thousand uploads that took a sixth of the time, and saved none.
 * - Four times as many calls before it compiles anything during the start, which takes a quarter less of the processors that way.
 */
const BETTER = {
  UV_THREADPOOL_SIZE: '8',
  BUN_JSC_thresholdForFTLOptimizeAfterWarmUp: '640000',
  BUN_JSC_startupJITDeferralScale: '4',
} as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** Those that are better here and not set; an operator's own stay. @returns names and values */
export function betterSettings(env: Environment, processors: number): Readonly<Record<string, string>> {
  if (processors >= ENOUGH) return {};
  // Bun takes an empty variable for one that isn't there, and goes by Go's number of threads, too.
  const isSet = (name: string): boolean =>
    Boolean(env[name]) || (name === 'UV_THREADPOOL_SIZE' && Boolean(env.GOMAXPROCS));
  return Object.fromEntries(Object.entries(BETTER).filter(([name]) => !isSet(name)));
}

/**
 * Replaces this program by itself, with what is better here in its environment (execve(2): the same process with the same open
 * files). To be called before anything is begun.
 *
 * @param command the program, and what it takes before its own arguments, which follow
 * @returns where nothing is better, or the system can't, as an emulator's for programs of its own: everything works, but uploads wait
 *   for each other
 */
export function startAnew(command: readonly [string, ...string[]]): void {
  const better = betterSettings(process.env, availableParallelism());
  if (Object.keys(better).length === 0) return;
  try {
    process.execve?.(command[0], [...command, ...process.argv.slice(2)], { ...process.env, ...better });
  } catch {
    // Told with all that is weaker on this machine.
  }
}

/** Whether uploads wait for each other. */
export const hasFewThreads = (): boolean =>
  betterSettings(process.env, availableParallelism()).UV_THREADPOOL_SIZE !== undefined;
