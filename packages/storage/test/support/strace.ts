const path = Bun.which('strace');

/** Where strace is; null when it isn't on this machine, or a container doesn't let it trace. */
export const strace = path && Bun.spawnSync([path, '-o', '/dev/null', 'true']).success ? path : null;

/**
 * Runs a fixture under strace, following its threads.
 * @returns what it printed
 */
export async function runTraced(
  options: readonly string[],
  fixture: string,
  ...args: readonly string[]
): Promise<string> {
  const command = [strace ?? 'strace', '-f', ...options, process.execPath, fixture, ...args];
  const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' });
  const [printed, complaints] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`The traced process failed: ${complaints}`);
  return printed;
}
