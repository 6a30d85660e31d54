import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program, type Settings, spawnProcess, untilAnswered } from '@postshelf/harness';
import { Origin } from '@postshelf/harness/origin';
import { freePort } from '@postshelf/testing/servers/free-port';
import { Api } from '../../../src/torture/load/api.ts';
import { Contents } from '../../../src/torture/support/contents.ts';
import { textAt } from '../../../src/torture/support/json.ts';
import { enter, runCommand } from '../../../src/torture/support/program.ts';
import { type Call, readTrace } from './trace.ts';

const CALLS = [
  ...['fsync', 'fdatasync', 'link', 'linkat', 'rename', 'renameat', 'renameat2', 'unlink', 'unlinkat', 'rmdir'],
  ...['pwrite64', 'sendto', 'sendmsg', 'write', 'writev'],
];

/** Maximum milliseconds until the service answers: strace slows it down. */
const START_TIMEOUT = 60_000;

/** Number of bytes that the trace shows of each write: the size of a database page. */
const SHOWN = 4096;

/** The service with its default settings, run under strace. */
export interface TracedService {
  readonly api: Api;
  readonly origin: Origin;
  readonly contents: Contents;
  /** The directory of the objects. */
  readonly root: string;
  /** Ends the service, deletes its files, and returns its system calls. */
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
  const { workspace, token } = await enter(settings);
  const trace = join(folder, 'trace');
  const traced = spawnTraced(trace, ['serve'], settings);
  const contents = await Contents.open(1);
  const origin = await Origin.open();
  const api = new Api(`http://127.0.0.1:${port}`, workspace, token);
  await untilAnswered(`http://127.0.0.1:${port}/health`, [traced], START_TIMEOUT);
  return {
    api,
    origin,
    contents,
    root: join(folder, 'data/media'),
    async end() {
      const { pid } = traced.child;
      const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
      for (const pid of children.trim().split(' ')) process.kill(Number(pid), 'SIGTERM');
      await traced.exited;
      origin.close();
      const calls = readTrace(await readFile(trace, 'latin1'));
      await rm(folder, { recursive: true });
      return calls;
    },
  };
}

/** Returns the system calls of `postshelf migrate` in an empty directory. */
export const traceFirstCommand = (): Promise<Traced> => traced(['migrate'], async () => []);

/** Returns the system calls of the command that issues the first token of a library. */
export const traceFirstToken = (): Promise<Traced> =>
  traced(['token', 'create'], async (settings) => {
    await runCommand(['migrate'], settings);
    return ['--workspace', textAt(await runCommand(['workspace', 'create', '--name', 'First'], settings), 'id')];
  });

interface Traced {
  readonly data: string;
  readonly calls: readonly Call[];
}

/** Runs a command under strace. @param prepare returns further arguments of the command */
async function traced(
  command: readonly string[],
  prepare: (settings: Settings) => Promise<readonly string[]>,
): Promise<Traced> {
  const folder = await mkdtemp(join(tmpdir(), 'postshelf-traced-'));
  const [data, trace] = [join(folder, 'new/data'), join(folder, 'trace')];
  const settings = { DATA_DIR: data };
  const args = [...command, ...(await prepare(settings))];
  const code = await spawnTraced(trace, args, settings).exited;
  if (code !== 0) throw new Error(`postshelf ${args.join(' ')} ended with ${code}.`);
  const calls = readTrace(await readFile(trace, 'latin1'));
  await rm(folder, { recursive: true });
  return { data, calls };
}

function spawnTraced(trace: string, args: readonly string[], settings: Settings) {
  const options = ['-f', '-y', '-s', String(SHOWN), '-e', `trace=${CALLS.join(',')}`, '-o', trace];
  const { command, environment } = program;
  return spawnProcess(['strace', ...options, ...command, ...args], {
    env: { ...environment, ...settings },
    output: 'errors-only',
  });
}
