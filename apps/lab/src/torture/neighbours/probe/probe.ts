import { join } from 'node:path';
import { type Running, startProcess } from '@postshelf/harness';
import { freePort } from '@postshelf/testing/servers/free-port';
import type { ProberSettings } from './prober.ts';
import type { Waits } from './request-loop.ts';

/** The waits of an honest tenant by kind of request, and the waits for the bare server. */
export type Probed = Readonly<
  Record<'bare' | 'health' | 'request' | 'image' | 'import' | 'cover' | 'preview' | 'fit', Waits>
>;

const script = (name: string): readonly string[] => [process.execPath, join(import.meta.dir, name)];

/** Starts the bare server. */
export async function startBare(): Promise<Running & { readonly root: string }> {
  const port = await freePort();
  const root = `http://127.0.0.1:${port}`;
  const env = { PATH: process.env.PATH, PORT: String(port) };
  return { root, ...(await startProcess(script('bare.ts'), { env, output: 'errors-only', probe: root })) };
}

/** Measures waits during the work, and until the last request is answered. */
export async function probeWhile(settings: ProberSettings, work: () => Promise<void>): Promise<Probed> {
  const env = { ...process.env, PROBER: JSON.stringify(settings) };
  const child = Bun.spawn([...script('prober.ts')], { env, stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' });
  try {
    const lines = linesOf(child.stdout);
    await nextOf(lines);
    await work();
    child.stdin.end();
    return JSON.parse(await nextOf(lines)) as Probed;
  } finally {
    child.kill('SIGKILL');
    await child.exited;
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

async function nextOf(lines: AsyncGenerator<string>): Promise<string> {
  const { done, value } = await lines.next();
  if (done) throw new Error('The prober ended by itself.');
  return value;
}
