import { type Program, program } from './program.ts';
import { freePort, type Server, type Settings, startServer } from './server.ts';

/** The number of server processes of each world, which `POSTSHELF_TEST_SERVERS` sets. The default is 1. */
export const serversOfSuite = Number(process.env.POSTSHELF_TEST_SERVERS || 1);

/** Several servers that share one database and one storage. A world sends each call to the next server in turn. */
export interface Fleet extends Server {
  /** The URL of the server for the next call. */
  next(): string;
}

/** Whether the server is a fleet, which distributes calls among several processes. */
export const isFleet = (server: Server): server is Fleet => 'next' in server;

/**
 * Starts `count` servers that can be used like one. `url`, `port` and `pid` belong to the first server. All links lead
 * to it. The log contains the logs of all servers, and `end` waits until all have ended.
 */
export async function startFleet(
  count: number,
  dataDir: string,
  settings: Settings = {},
  by: Program = program,
): Promise<Server> {
  if (count <= 1) return startServer(dataDir, settings, undefined, by);
  const port = settings.PORT ?? String(await freePort());
  const PUBLIC_URL = settings.PUBLIC_URL || `http://127.0.0.1:${port}`;
  const { PORT: _, ...others } = settings;
  const starting = [startServer(dataDir, { ...settings, PORT: port }, undefined, by)];
  while (starting.length < count) starting.push(startServer(dataDir, { ...others, PUBLIC_URL }, undefined, by));
  const started = await Promise.allSettled(starting);
  const all = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const [first] = all;
  if (first === undefined || all.length < count) {
    for (const server of all) await server.end('SIGKILL');
    throw new AggregateError(
      started.flatMap((each) => (each.status === 'rejected' ? [each.reason] : [])),
      'Not all servers have started.',
    );
  }
  let turn = 0;
  const fleet: Fleet = {
    ...first,
    next: () => all[turn++ % all.length]?.url ?? first.url,
    log: () => all.map((server) => server.log()).join(''),
    exited: Promise.all(all.map((server) => server.exited)).then(worst),
    end: async (signal) => worst(await Promise.all(all.map((server) => server.end(signal)))),
  };
  return fleet;
}

const worst = (codes: readonly number[]): number => Math.max(...codes);
