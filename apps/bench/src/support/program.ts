import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const REPOSITORY = resolve(import.meta.dir, '../../../..');
const POSTSHELF = join(REPOSITORY, 'apps/server/src/main.ts');

/** Milliseconds that a process may take until it answers. */
const START_TIMEOUT = 30_000;

export interface Running {
  readonly pid: number;
  stop(): Promise<void>;
}

/** A new folder that is removed when the measurement is over. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'postshelf-bench-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A new folder, and programs that are stopped, the last first, before it is removed. */
export function withPrograms<T>(
  use: (folder: string, until: <P extends Running>(started: Promise<P>) => Promise<P>) => Promise<T>,
): Promise<T> {
  return withFolder(async (folder) => {
    const running: Running[] = [];
    try {
      return await use(folder, async (started) => {
        const program = await started;
        running.unshift(program);
        return program;
      });
    } finally {
      for (const program of running) await program.stop();
    }
  });
}

/** A TCP port of the loopback address that nobody listens on at this moment. */
export function freePort(): Promise<number> {
  return new Promise((found, fail) => {
    const probe = createServer().once('error', fail);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => found(port));
    });
  });
}

type Environment = Readonly<Record<string, string>>;

/** Nothing of the caller's environment but what a process needs to run. */
const environment = (settings: Environment): Environment => ({
  PATH: process.env.PATH ?? '',
  TMPDIR: tmpdir(),
  HOME: tmpdir(),
  ...settings,
});

/** Runs a Postshelf command and gives the one JSON object that it prints. @throws Error when it fails */
export async function postshelf(args: readonly string[], settings: Environment): Promise<Record<string, unknown>> {
  const child = Bun.spawn([process.execPath, POSTSHELF, ...args, '--json'], {
    env: environment(settings),
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const [code, stdout] = await Promise.all([child.exited, new Response(child.stdout).text()]);
  if (code !== 0) throw new Error(`postshelf ${args.join(' ')} ended with ${code}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** Starts `postshelf serve`, ready to answer. */
export const serve = (settings: Environment, url: string): Promise<Running> =>
  start([POSTSHELF, 'serve'], settings, new Request(`${url}/health`));

/** A server that a script starts on the `PORT` it is given. */
export interface Script extends Running {
  /** `http://127.0.0.1:{port}` */
  readonly root: string;
}

/** Starts a server of a benchmark's own, which has to answer `GET /` with a success. */
export async function startScript(file: string, settings: Environment): Promise<Script> {
  const port = String(await freePort());
  const root = `http://127.0.0.1:${port}`;
  return { root, ...(await start([file], { ...settings, PORT: port }, new Request(root))) };
}

/**
 * Starts a script under this Bun and waits until a request is answered with a success.
 *
 * @throws Error when it ends or is silent for {@link START_TIMEOUT}
 */
export async function start(script: readonly string[], settings: Environment, probe: Request): Promise<Running> {
  const child = Bun.spawn([process.execPath, ...script], {
    env: environment(settings),
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'inherit',
  });
  const stop = async (): Promise<void> => {
    child.kill();
    await child.exited;
  };
  const deadline = performance.now() + START_TIMEOUT;
  while (!(await answers(probe))) {
    if (child.exitCode !== null) throw new Error(`${script.join(' ')} ended with ${child.exitCode}`);
    if (performance.now() > deadline) {
      await stop();
      throw new Error(`${script.join(' ')} does not answer`);
    }
    await Bun.sleep(20);
  }
  return { pid: child.pid, stop };
}

const answers = (probe: Request): Promise<boolean> =>
  fetch(probe.clone()).then(
    ({ ok }) => ok,
    () => false,
  );
