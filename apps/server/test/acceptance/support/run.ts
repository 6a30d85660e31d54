import { type CommandResult, collect, forEachAtOnce } from '@postshelf/harness';

export interface Where {
  readonly cwd: string;
  /** All that the command sees of the environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Runs any command, ours or another's, to its end. */
export const outcomeOf = (command: readonly string[], where: Where): Promise<CommandResult> => collect(command, where);

/**
 * Runs a command that must succeed, and gives what it printed.
 *
 * @throws Error with all that it said, when it fails
 */
export async function run(command: readonly string[], where: Where): Promise<string> {
  const { code, stdout, stderr } = await outcomeOf(command, where);
  if (code !== 0) throw new Error(`${command.slice(0, 3).join(' ')} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}

/** The lines of a text, without empty ones. */
export const linesOf = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '');

/** Runs what is independent side by side, but no more processes than help. */
export const inParallel = <T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> =>
  forEachAtOnce(all, 4, work);
