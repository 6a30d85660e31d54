import { fileURLToPath } from 'node:url';

/** The path of autocannon's main module, which is also its command. */
const AUTOCANNON = fileURLToPath(import.meta.resolve('autocannon'));

interface Load {
  readonly connections: number;
  readonly seconds: number;
  readonly headers: Readonly<Record<string, string>>;
}

interface Report {
  readonly requests: { readonly total: number };
  readonly duration: number;
  readonly non2xx: number;
  readonly errors: number;
}

export interface Answered {
  readonly requests: number;
  readonly seconds: number;
}

/**
 * Sends requests from another process, and returns their number per second.
 *
 * @throws Error unless every answer was a success
 */
export async function load(url: string, { connections, seconds, headers }: Load): Promise<Answered> {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const args = ['--json', '-c', String(connections), '-d', String(seconds), ...given, url];
  const child = Bun.spawn(['node', AUTOCANNON, ...args], { stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' });
  const [code, stdout] = await Promise.all([child.exited, new Response(child.stdout).text()]);
  if (code !== 0) throw new Error(`autocannon ended with ${code}`);
  const { requests, duration, non2xx, errors } = JSON.parse(stdout) as Report;
  if (non2xx + errors > 0) throw new Error(`${non2xx} answers of ${url} were no success, ${errors} didn't come`);
  return { requests: requests.total, seconds: duration };
}
