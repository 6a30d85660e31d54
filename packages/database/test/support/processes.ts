import { join } from 'node:path';

/**
 * Runs a script of `fixtures/`, or one each, in two processes that begin at once, each with an input of its own, and
 * answers what each printed.
 */
export async function inTwoProcesses<Result>(
  script: string | readonly [string, string],
  address: string,
  inputs: readonly [unknown, unknown],
): Promise<readonly [Result, Result]> {
  const [first, second] = await inProcesses<Result>(script, address, inputs);
  return [first as Result, second as Result];
}

/** The same in as many processes as there are inputs. */
export async function inProcesses<Result>(
  script: string | readonly string[],
  address: string,
  inputs: readonly unknown[],
): Promise<readonly Result[]> {
  const processes = inputs.map((input, index) => {
    const name = typeof script === 'string' ? script : `${script[index]}`;
    return Bun.spawn([process.execPath, join(import.meta.dir, '../fixtures', name), address, JSON.stringify(input)], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
    });
  });
  try {
    const outputs = processes.map((child) => linesOf(child.stdout));
    for (const output of outputs) await output.next();
    for (const child of processes) {
      child.stdin.write('go\n');
      await child.stdin.flush();
    }
    return await Promise.all(outputs.map(async (output) => JSON.parse((await output.next()).value ?? 'null')));
  } finally {
    for (const child of processes) {
      child.kill('SIGKILL');
      await child.exited;
    }
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}
