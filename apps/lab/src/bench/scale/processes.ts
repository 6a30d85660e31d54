import { readFileSync } from 'node:fs';
import { cpuSeconds, repeatConcurrently } from '@postshelf/harness';
import type { Figure } from '../benchmark.ts';
import { spreadOf } from '../in-turn.ts';
import { load } from '../support/load.ts';
import type { Service } from '../support/service.ts';
import { figure } from '../support/side-by-side.ts';

const PROCESSES = [1, 2, 4] as const;
const ROUNDS = 3;
const CONNECTIONS = 16;
const SECONDS = 3;
/** The number of imports in a round, and the number of clients that request them. */
const IMPORTS = 100;
const CLIENTS = 16;

/**
 * Measures 1, 2 and 4 processes of `postshelf serve` that share one database and one folder. Each round measures the
 * three cases one after the other. Clients call each process directly, because a load balancer would affect the
 * measurement.
 *
 * @param start starts a process
 * @param video a video of some kilobytes, which is imported repeatedly
 */
export async function measureProcesses(start: () => Promise<Service>, video: string): Promise<readonly Figure[]> {
  const origin = serveFile(video);
  const measured = new Map<string, number[]>();
  const keep = (what: string, value: number): void => void measured.set(what, [...(measured.get(what) ?? []), value]);
  try {
    const url = `http://127.0.0.1:${origin.port}/video.mp4`;
    for (let round = 0; round < ROUNDS; round++) {
      for (const count of PROCESSES) {
        const running = await startAll(count, start);
        try {
          // Warms up the processes, because the first requests to a new process take twice as long.
          await importsPerSecond(running, url);
          keep(`imports, ${count} × serve`, await importsPerSecond(running, url));
          const { perSecond, perCpuSecond } = await reads(running);
          keep(`small reads, ${count} × serve`, perSecond);
          keep(`small reads by CPU time of the servers, ${count} × serve`, perCpuSecond);
        } finally {
          for (const service of running) await service.end();
        }
      }
    }
  } finally {
    await origin.stop(true);
  }
  return Array.from(measured, ([what, values]) => figure(what, spreadOf(values), 'per s'));
}

async function startAll(count: number, start: () => Promise<Service>): Promise<readonly Service[]> {
  const running: Service[] = [];
  while (running.length < count) running.push(await start());
  return running;
}

function serveFile(path: string) {
  const bytes = readFileSync(path);
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(bytes, { headers: { 'Content-Type': 'video/mp4' } }),
  });
}

/** Returns the imports per second, measured from the first request until every item is `active`. */
async function importsPerSecond(running: readonly Service[], url: string): Promise<number> {
  const start = performance.now();
  let next = 0;
  await repeatConcurrently(CLIENTS, IMPORTS, async () => {
    const service = running[next++ % running.length];
    await service?.post(mediaOf(service), 'application/json', JSON.stringify({ url }));
  });
  while ((await itemsOf('processing', running)) > 0) await Bun.sleep(20);
  const taken = (performance.now() - start) / 1000;
  if ((await itemsOf('failed', running)) > 0) throw new Error('Imports have failed.');
  return IMPORTS / taken;
}

const mediaOf = ({ workspace }: Service): string => `/workspaces/${workspace}/media_contents`;

interface Listed {
  readonly data: readonly { readonly id: string }[];
  readonly meta: { readonly total: number };
}

async function list([service]: readonly Service[], query: string): Promise<Listed> {
  if (!service) throw new Error('No process runs.');
  return (await service.get(`${mediaOf(service)}?per_page=1${query}`)) as Listed;
}

const itemsOf = async (status: string, running: readonly Service[]): Promise<number> =>
  (await list(running, `&status=${status}`)).meta.total;

/** Reads one item by its id, from all processes concurrently. */
async function reads(running: readonly Service[]) {
  const path = `/v1/media_contents/${(await list(running, '')).data[0]?.id}`;
  const used = async (): Promise<number> =>
    (await Promise.all(running.map(({ pid }) => cpuSeconds(pid)))).reduce((sum, seconds) => sum + seconds, 0);
  const before = await used();
  const answered = await Promise.all(
    running.map(({ root, headers }) =>
      load(root + path, { connections: CONNECTIONS / running.length, seconds: SECONDS, headers }),
    ),
  );
  const spent = (await used()) - before;
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    perSecond: sum(answered.map(({ requests, seconds }) => requests / seconds)),
    perCpuSecond: sum(answered.map(({ requests }) => requests)) / spent,
  };
}
