const TIMEOUT_MS = 60_000;

interface Result {
  /** Standard output; null if the program failed. */
  readonly output: Buffer | null;
  /** Standard error. */
  readonly complaint: string;
}

export async function resultOf(command: readonly string[], timeout = TIMEOUT_MS): Promise<Result> {
  const child = Bun.spawn([...command], { stdio: ['ignore', 'pipe', 'pipe'], timeout });
  const [output, complaint] = await Promise.all([
    new Response(child.stdout).arrayBuffer(),
    new Response(child.stderr).text(),
  ]);
  return { output: (await child.exited) === 0 ? Buffer.from(output) : null, complaint };
}

/** Returns the standard output of a program that succeeds, otherwise null. */
export const outputOf = async (command: readonly string[], timeout?: number): Promise<Buffer | null> =>
  (await resultOf(command, timeout)).output;
