import type { CommandResult } from './server.ts';

export interface Where {
  readonly cwd: string;
  /** All that the command sees of the environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Runs any command, ours or another's, to its end. */
export async function outcomeOf(command: readonly string[], { cwd, env }: Where): Promise<CommandResult> {
  const child = Bun.spawn([...command], { cwd, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [code, stdout, stderr] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code, stdout, stderr };
}

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
export async function inParallel<T>(all: readonly T[], run: (one: T) => Promise<void>): Promise<void> {
  const waiting = [...all];
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await run(next);
  };
  await Promise.all(Array.from({ length: 4 }, work));
}
