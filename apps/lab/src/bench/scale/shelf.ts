import type { Running } from '@postshelf/harness';
import { freePort } from '@postshelf/testing/servers/free-port';
import { postshelf, serve } from '../support/program.ts';

const SECRET = 'benchmark-secret-0123456789abcdef0123456789abcdef';

/** A workspace and who may enter it, wherever the settings keep it. */
export interface Shelf {
  readonly settings: Readonly<Record<string, string>>;
  readonly workspace: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Makes the schema, a workspace and a token. */
export async function openShelf(given: Readonly<Record<string, string>>): Promise<Shelf> {
  const settings = { ...given, JWT_SECRET: SECRET };
  await postshelf(['migrate'], settings);
  const { id } = await postshelf(['workspace', 'create', '--name', 'Scale'], settings);
  const { token } = await postshelf(['token', 'create', '--workspace', String(id)], settings);
  return { settings, workspace: String(id), headers: { Authorization: `Bearer ${token}` } };
}

/** A process that serves a shelf. */
export interface Served extends Running {
  /** With the version segment. */
  readonly url: string;
}

/** Starts so many processes over one shelf; all of them run, or none. */
export async function serveShelf({ settings }: Shelf, count: number): Promise<readonly Served[]> {
  const running: Served[] = [];
  try {
    while (running.length < count) {
      const port = await freePort();
      const root = `http://127.0.0.1:${port}`;
      running.push({ ...(await serve({ ...settings, PORT: String(port) }, root)), url: `${root}/v1` });
    }
    return running;
  } catch (error) {
    await stopAll(running);
    throw error;
  }
}

export async function stopAll(running: readonly Running[]): Promise<void> {
  for (const process of running) await process.end();
}

/** @throws Error unless the answer is a success */
export async function ask(url: string, headers: Readonly<Record<string, string>>, body?: unknown): Promise<unknown> {
  const init: RequestInit =
    body === undefined
      ? { headers }
      : { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(url, init);
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`);
  return response.json();
}
