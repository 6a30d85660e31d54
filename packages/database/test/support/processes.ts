import { join } from 'node:path';
import type { Answer, Input, Part } from '../fixtures/rival.ts';

/** The task that a process runs, and its inputs in order. */
export type Task<Name extends Part = Part> = readonly [part: Name, inputs: readonly Input<Name>[]];

/** Runs tasks in separate processes that start at the same time. Resolves with the outcomes of each task's inputs. */
export async function inProcesses<First extends Part, Second extends Part>(
  address: string,
  ...tasks: readonly [Task<First>, Task<Second>, ...Task<Second>[]]
): Promise<readonly [readonly Answer<First>[], readonly Answer<Second>[], ...(readonly Answer<Second>[])[]]> {
  const script = join(import.meta.dir, '../fixtures/rival.ts');
  const processes = tasks.map(([part, inputs]) =>
    Bun.spawn([process.execPath, script, address, part, JSON.stringify(inputs)], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
    }),
  );
  try {
    const outputs = processes.map((child) => linesOf(child.stdout));
    for (const output of outputs) await output.next();
    for (const child of processes) {
      child.stdin.write('go\n');
      await child.stdin.flush();
    }
    const answers = outputs.map(async (output) => JSON.parse((await output.next()).value ?? 'null'));
    return (await Promise.all(answers)) as unknown as [Answer<First>[], Answer<Second>[], ...Answer<Second>[][]];
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
