import { collect, forEachConcurrently } from '@postshelf/harness';
import type { Settings } from './server.ts';

export { collect };

/**
 * Runs a command that must succeed.
 *
 * @returns its standard output
 * @throws Error with all of its output if it fails
 */
export async function run(
  command: readonly string[],
  where: { readonly cwd: string; readonly env: Settings },
): Promise<string> {
  const { code, stdout, stderr } = await collect(command, where);
  if (code !== 0) throw new Error(`${command.slice(0, 3).join(' ')} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}

/** The lines of a text, without blank ones. */
export const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');

/** Runs independent processes in parallel, but at most four at a time, because more of them wouldn't be faster. */
export const inParallel = <T>(all: Iterable<T>, run: (one: T) => Promise<unknown>): Promise<void> =>
  forEachConcurrently(all, 4, run);
