const TIMEOUT_MS = 60_000;

/** Standard output of a program that succeeds, otherwise null. */
export async function outputOf(command: readonly string[]): Promise<Buffer | null> {
  const child = Bun.spawn([...command], { stdio: ['ignore', 'pipe', 'ignore'], timeout: TIMEOUT_MS });
  const output = Buffer.from(await new Response(child.stdout).arrayBuffer());
  return (await child.exited) === 0 ? output : null;
}
