import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  fromSource,
  jsonCommand,
  type Program,
  REPOSITORY,
  type Running,
  type Settings,
  startProcess,
} from '@postshelf/harness';
import { freePort } from '@postshelf/testing/servers/free-port';

export const source = fromSource();

export const sourceOf = (checkout: string): Program => ({
  ...source,
  command: source.command.map((path) => path.replace(REPOSITORY, resolve(checkout))),
  cwd: resolve(checkout),
});

export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'postshelf-bench-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Runs `use` with a temporary folder. At the end, stops the programs that `use` passed to `until`, in reverse order,
 * and removes the folder.
 */
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
      for (const program of running) await program.end();
    }
  });
}

/**
 * Runs a command of the program.
 *
 * @throws Error if the command fails
 */
export const postshelf = (
  args: readonly string[],
  settings: Settings,
  by: Program = source,
): Promise<Record<string, unknown>> => jsonCommand(args, settings, by);

/**
 * Starts the service.
 *
 * @param by the program to start; by default the one in this checkout
 */
export const serve = (settings: Settings, url: string, by: Program = source): Promise<Running> =>
  start([...by.command, 'serve'], settings, `${url}/health`);

export interface Script extends Running {
  /** `http://127.0.0.1:{port}` */
  readonly root: string;
}

/** Starts a script, and waits until it answers `GET /`, or the probe, with a success. */
export async function startScript(
  file: string,
  settings: Settings,
  probe: (root: string) => string | Request = (root) => root,
): Promise<Script> {
  const port = String(await freePort());
  const root = `http://127.0.0.1:${port}`;
  return { root, ...(await start([process.execPath, file], { ...settings, PORT: port }, probe(root))) };
}

/** Starts a program. Its log is discarded, so that writing it isn't measured. */
const start = (command: readonly string[], settings: Settings, probe: string | Request): Promise<Running> =>
  startProcess(command, { env: { ...source.environment, ...settings }, output: 'errors-only', probe });
