import { readFileSync } from 'node:fs';
import { cpuSeconds } from '@postshelf/harness';
import type { Figure } from '../benchmark.ts';
import { spreadOf } from '../in-turn.ts';
import { load } from '../support/load.ts';
import { ask, type Served, type Shelf, serveShelf, stopAll } from './shelf.ts';

const PROCESSES = [1, 2, 4] as const;
const ROUNDS = 3;
const CONNECTIONS = 16;
const SECONDS = 3;
/** Imports of a round, and clients that ask for them. */
const IMPORTS = 100;
const CLIENTS = 16;

/**
 * What 1, 2 and 4 processes of `postshelf serve` do over one database and one folder, one number of them after the other in
 * each round. Clients know all addresses: a balancer in between would be measured with them.
 *
 * @param film a film of some kilobytes, which is imported again and again
 */
export async function measureProcesses(shelf: Shelf, film: string): Promise<readonly Figure[]> {
  const origin = serveFile(film);
  const measured = new Map<string, number[]>();
  const keep = (what: string, value: number): void => void measured.set(what, [...(measured.get(what) ?? []), value]);
  try {
    const url = `http://127.0.0.1:${origin.port}/film.mp4`;
    for (let round = 0; round < ROUNDS; round++) {
      for (const count of PROCESSES) {
        const running = await serveShelf(shelf, count);
        try {
          keep(`imports, ${count} × serve`, await importsPerSecond(shelf, running, url));
          const { perSecond, perCpuSecond } = await reads(shelf, running);
          keep(`small reads, ${count} × serve`, perSecond);
          keep(`small reads by CPU time of the servers, ${count} × serve`, perCpuSecond);
        } finally {
          await stopAll(running);
        }
      }
    }
  } finally {
    await origin.stop(true);
  }
  return Array.from(measured, ([what, values]) => {
    const { median, lowest, highest } = spreadOf(values);
    return { what, value: median, unit: 'per s', spread: [lowest, highest] as const };
  });
}

function serveFile(path: string) {
  const bytes = readFileSync(path);
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(bytes, { headers: { 'Content-Type': 'video/mp4' } }),
  });
}

/** From the first request until every item is `active`. */
async function importsPerSecond({ workspace, headers }: Shelf, running: readonly Served[], url: string) {
  const waiting = Array.from({ length: IMPORTS }, (_, number) => running[number % running.length]?.url ?? '');
  const start = performance.now();
  const client = async (): Promise<void> => {
    for (let base = waiting.pop(); base !== undefined; base = waiting.pop())
      await ask(`${base}/workspaces/${workspace}/media_contents`, headers, { url });
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const [{ url: base } = { url: '' }] = running;
  while ((await itemsOf('processing', base, workspace, headers)) > 0) await Bun.sleep(20);
  const taken = (performance.now() - start) / 1000;
  if ((await itemsOf('failed', base, workspace, headers)) > 0) throw new Error('Imports have failed.');
  return IMPORTS / taken;
}

async function itemsOf(status: string, base: string, workspace: string, headers: Shelf['headers']): Promise<number> {
  const list = `${base}/workspaces/${workspace}/media_contents?per_page=1&status=${status}`;
  return ((await ask(list, headers)) as { readonly meta: { readonly total: number } }).meta.total;
}

/** One item by its id, asked for at all processes at once. */
async function reads({ workspace, headers }: Shelf, running: readonly Served[]) {
  const [{ url: base } = { url: '' }] = running;
  const list = (await ask(`${base}/workspaces/${workspace}/media_contents?per_page=1`, headers)) as {
    readonly data: readonly { readonly id: string }[];
  };
  const path = `/media_contents/${list.data[0]?.id}`;
  const used = async (): Promise<number> =>
    (await Promise.all(running.map(({ pid }) => cpuSeconds(pid)))).reduce((sum, seconds) => sum + seconds, 0);
  const before = await used();
  const answered = await Promise.all(
    running.map(({ url }) =>
      load(url + path, { connections: CONNECTIONS / running.length, seconds: SECONDS, headers }),
    ),
  );
  const spent = (await used()) - before;
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    perSecond: sum(answered.map(({ requests, seconds }) => requests / seconds)),
    perCpuSecond: sum(answered.map(({ requests }) => requests)) / spent,
  };
}
