import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '@postshelf/testing/servers/free-port';
import { Api } from '../../src/load/api.ts';
import { Contents } from '../../src/support/contents.ts';
import { textAt } from '../../src/support/json.ts';
import { Origin } from '../../src/support/origin.ts';
import { runCommand, type Settings } from '../../src/support/program.ts';
import { type Call, readTrace } from './trace.ts';

const POSTSHELF = resolve(import.meta.dir, '../../../server/src/main.ts');

const path = Bun.which('strace');

/** Where strace is; null when it isn't on this machine, or a container doesn't let it trace. */
export const strace = path && Bun.spawnSync([path, '-o', '/dev/null', 'true']).success ? path : null;

const CALLS = [
  ...['fsync', 'fdatasync', 'link', 'linkat', 'rename', 'renameat', 'renameat2', 'unlink', 'unlinkat', 'rmdir'],
  ...['pwrite64', 'sendto', 'sendmsg', 'write', 'writev'],
];

/** Bytes of each write that the trace shows: a page of the database. */
const SHOWN = 4096;

/** The service with its default settings, run from source under strace. */
export interface TracedService {
  readonly api: Api;
  readonly origin: Origin;
  readonly contents: Contents;
  /** Where objects are. */
  readonly root: string;
  /** Ends the service and gives what it did; the files are gone then. */
  end(): Promise<readonly Call[]>;
}

export async function traceService(): Promise<TracedService> {
  const folder = await mkdtemp(join(tmpdir(), 'postshelf-traced-'));
  const port = await freePort();
  const settings: Settings = {
    DATA_DIR: join(folder, 'data'),
    PORT: String(port),
    LOG_LEVEL: 'warn',
    IMPORT_ALLOWED_NETWORKS: '127.0.0.1/32',
  };
  await runCommand(['migrate'], settings);
  const workspace = textAt(await runCommand(['workspace', 'create', '--name', 'Traced'], settings), 'id');
  const token = textAt(await runCommand(['token', 'create', '--workspace', workspace], settings), 'token');
  const trace = join(folder, 'trace');
  const child = spawnTraced(trace, ['serve'], settings);
  const contents = await Contents.open(1);
  const origin = new Origin(contents);
  const api = new Api(`http://127.0.0.1:${port}`, workspace, token);
  while (!(await isUp(port))) {
    if (child.exitCode !== null) throw new Error(`The traced service ended with ${child.exitCode}.`);
    await Bun.sleep(20);
  }
  return {
    api,
    origin,
    contents,
    root: join(folder, 'data/media'),
    async end() {
      const traced = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
      for (const pid of traced.trim().split(' ')) process.kill(Number(pid), 'SIGTERM');
      await child.exited;
      await origin.close();
      const calls = readTrace(await readFile(trace, 'latin1'));
      await rm(folder, { recursive: true });
      return calls;
    },
  };
}

/** What `postshelf migrate` asks of the system where nothing is there yet. */
export const traceFirstCommand = (): Promise<Traced> => traced(['migrate'], async () => []);

/** What issuing the first token of a library asks of the system. */
export const traceFirstToken = (): Promise<Traced> =>
  traced(['token', 'create'], async (settings) => {
    await runCommand(['migrate'], settings);
    return ['--workspace', textAt(await runCommand(['workspace', 'create', '--name', 'First'], settings), 'id')];
  });

interface Traced {
  readonly data: string;
  readonly calls: readonly Call[];
}

/** @param prepare gives more arguments */
async function traced(
  command: readonly string[],
  prepare: (settings: Settings) => Promise<readonly string[]>,
): Promise<Traced> {
  const folder = await mkdtemp(join(tmpdir(), 'postshelf-traced-'));
  const [data, trace] = [join(folder, 'new/data'), join(folder, 'trace')];
  const settings = { DATA_DIR: data };
  const args = [...command, ...(await prepare(settings))];
  const child = spawnTraced(trace, args, settings);
  if ((await child.exited) !== 0) throw new Error(`postshelf ${args.join(' ')} ended with ${child.exitCode}.`);
  const calls = readTrace(await readFile(trace, 'latin1'));
  await rm(folder, { recursive: true });
  return { data, calls };
}

function spawnTraced(trace: string, args: readonly string[], settings: Settings) {
  const options = ['-f', '-y', '-s', String(SHOWN), '-e', `trace=${CALLS.join(',')}`, '-o', trace];
  return Bun.spawn([strace ?? 'strace', ...options, process.execPath, POSTSHELF, ...args], {
    env: { PATH: process.env.PATH ?? '', TMPDIR: tmpdir(), ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

const isUp = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/health`, { keepalive: false } as RequestInit).then(
    ({ ok }) => ok,
    () => false,
  );
