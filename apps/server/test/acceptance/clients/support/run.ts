interface Where {
  readonly cwd: string;
  /** All that the command sees of the environment. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs a command to its end and gives what it printed.
 *
 * @throws Error with all that it said, when it fails
 */
export async function run(command: readonly string[], { cwd, env }: Where): Promise<string> {
  const child = Bun.spawn([...command], { cwd, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' });
  const [code, stdout, stderr] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if (code !== 0) throw new Error(`${command.slice(0, 3).join(' ')} ended with ${code}: ${stderr}${stdout}`);
  return stdout;
}
