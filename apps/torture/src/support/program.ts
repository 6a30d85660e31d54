import { closeSync, openSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { hold, Violation } from '../violation.ts';

/** The program as a user starts it: from the source, unless {@link useProgram} says otherwise. */
let program: readonly string[] = [process.execPath, resolve(import.meta.dir, '../../../server/src/main.ts')];

/** Has the program run as one file (`npm run build`) from now on. */
export function useProgram(path: string): void {
  program = [resolve(path)];
}

export type Settings = Readonly<Record<string, string>>;

/** Milliseconds that a process may take until it answers, on a machine that has much else to do. */
const START_TIMEOUT = 120_000;

/** Nothing of the caller's environment but what a process needs to run. */
const environment = (settings: Settings): Settings => ({ PATH: process.env.PATH ?? '', ...settings });

/** Processes of Postshelf over one library, which live and die together. */
export interface Service {
  /** Resolves when the one that serves answers. @throws Violation when one of them ends, or is silent for a minute */
  ready(): Promise<void>;
  /** SIGKILL to all, at once; resolves when they are gone. Again and again does no harm. */
  kill(): Promise<void>;
}

/**
 * Starts a process for each list of arguments; what they print is added to `log` in the folder.
 *
 * @param url where the one that serves will answer
 */
export function startService(commands: readonly (readonly string[])[], settings: Settings, log: string): Service {
  const file = openSync(log, 'a');
  const children = commands.map((args) =>
    Bun.spawn([...program, ...args], {
      env: environment(settings),
      stdin: 'ignore',
      stdout: file,
      stderr: file,
    }),
  );
  closeSync(file);
  const url = `http://127.0.0.1:${settings.PORT}/health`;
  return {
    async ready() {
      const deadline = performance.now() + START_TIMEOUT;
      while (!(await answers(url))) {
        if (children.some(({ exitCode }) => exitCode !== null))
          throw new Violation('A process ended while it started.', { log });
        if (performance.now() > deadline) throw new Violation('The server does not answer after its start.', { log });
        await Bun.sleep(10);
      }
    },
    async kill() {
      for (const child of children) child.kill('SIGKILL');
      await Promise.all(children.map(({ exited }) => exited));
    },
  };
}

const answers = (url: string): Promise<boolean> =>
  fetch(url, { keepalive: false } as RequestInit).then(
    ({ ok }) => ok,
    () => false,
  );

/** Runs a command to its end, and gives the one JSON object that it prints. @throws Violation when it fails */
export async function runCommand(args: readonly string[], settings: Settings): Promise<Record<string, unknown>> {
  const child = Bun.spawn([...program, ...args, '--json'], {
    env: environment(settings),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [code, printed, complaint] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  hold(code === 0, 'A command failed.', { args, code, complaint });
  return JSON.parse(printed) as Record<string, unknown>;
}

/** Where the processes of a folder write what they have to say. */
export const logIn = (folder: string): string => join(folder, 'service.log');
