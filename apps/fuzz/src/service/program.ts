import { closeSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from '@postshelf/testing/servers/free-port';

const REPOSITORY = resolve(import.meta.dir, '../../../..');
const POSTSHELF = join(REPOSITORY, 'apps/server/src/main.ts');

/** Milliseconds that the service may take until it answers. */
const START_TIMEOUT = 30_000;

type Settings = Readonly<Record<string, string>>;

/** Folders that no answer may name. */
export const SOURCE_FOLDER = REPOSITORY;

/** Nothing of the caller's environment but what a process needs to run. */
const environment = (settings: Settings): Settings => ({
  PATH: process.env.PATH ?? '',
  TMPDIR: tmpdir(),
  HOME: tmpdir(),
  ...settings,
});

/** Runs a command to its end and gives the one JSON object that it prints. @throws Error when it fails */
export async function postshelf(args: readonly string[], settings: Settings): Promise<Record<string, unknown>> {
  const child = Bun.spawn([process.execPath, POSTSHELF, ...args, '--json'], {
    env: environment(settings),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [code, stdout, stderr] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if (code !== 0) throw new Error(`postshelf ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** A `serve` process of its own. */
export interface Program {
  readonly port: number;
  readonly pid: number;
  /** The code it ended with; null while it runs. */
  exitCode(): number | null;
  stop(): Promise<void>;
}

/** Starts the service, ready to answer; what it logs goes to a file. @throws Error when it ends or is silent */
export async function serve(settings: Settings, log: string): Promise<Program> {
  const port = await freePort();
  const output = openSync(log, 'a');
  const child = Bun.spawn([process.execPath, POSTSHELF, 'serve'], {
    env: environment({ ...settings, PORT: String(port) }),
    stdin: 'ignore',
    stdout: output,
    stderr: output,
  });
  closeSync(output);
  const stop = async (): Promise<void> => {
    child.kill();
    await child.exited;
  };
  const deadline = performance.now() + START_TIMEOUT;
  while (!(await answers(`http://127.0.0.1:${port}/health`))) {
    if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}.`);
    if (performance.now() > deadline) {
      await stop();
      throw new Error('The service does not answer.');
    }
    await Bun.sleep(20);
  }
  // A process that a signal ended has no code: that is an end, too.
  const exitCode = (): number | null => child.exitCode ?? (child.signalCode === null ? null : -1);
  return { port, pid: child.pid, exitCode, stop };
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
