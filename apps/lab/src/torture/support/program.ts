import { join } from 'node:path';
import {
  command,
  compiled,
  type Entry,
  makeWorkspace,
  program as ownProgram,
  type Program,
  type Settings,
  spawnProcess,
  untilAnswered,
} from '@postshelf/harness';
import { hold, Violation } from '../violation.ts';

/** The program under test. It is the one that the harness uses, unless {@link useProgram} has chosen another one. */
let program = ownProgram;

/** Makes the torture test use a compiled executable, such as the one that `npm run build` makes. */
export function useProgram(path: string): void {
  program = compiled(path);
}

/** Returns the program under test. */
export const chosenProgram = (): Program => program;

/** Milliseconds within which a process must answer on a busy machine. */
const START_TIMEOUT = 120_000;

/** Processes of Postshelf that share one library. They are started and killed together. */
export interface Service {
  readonly pids: readonly number[];
  /**
   * Resolves when the server answers.
   *
   * @throws Violation if a process ends, or if no process answers for two minutes
   */
  ready(): Promise<void>;
  /** Sends SIGKILL to all processes; resolves when they have ended. Repeated calls do nothing. */
  kill(): Promise<void>;
}

/** Starts a process for each list of arguments; their output is appended to `log`. */
export function startService(
  commands: readonly (readonly string[])[],
  settings: Settings,
  log: string,
  by = program,
): Service {
  const { cwd, environment } = by;
  const processes = commands.map((args) =>
    spawnProcess([...by.command, ...args], {
      cwd,
      env: { ...environment, ...settings },
      output: { appendTo: log },
    }),
  );
  return {
    pids: processes.map(({ child }) => child.pid),
    ready: () =>
      untilAnswered(`http://127.0.0.1:${settings.PORT}/health`, processes, START_TIMEOUT).catch((cause: Error) => {
        throw new Violation('The service does not start.', { log, why: cause.message.split('\n')[0] });
      }),
    async kill() {
      for (const { child } of processes) child.kill('SIGKILL');
      await Promise.all(processes.map(({ exited }) => exited));
    },
  };
}

/**
 * Runs a command to its end, and returns the one JSON object that it prints.
 *
 * @throws Violation if the command fails
 */
export async function runCommand(
  args: readonly string[],
  settings: Settings,
  by = program,
): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await command([...args, '--json'], settings, by);
  hold(code === 0, 'A command failed.', { args, code, stderr });
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** Creates a workspace and a token for it. */
export const enter = (settings: Settings): Promise<Entry> => makeWorkspace(settings, { name: 'Torture', by: program });

/** Returns the path of the log of the processes that use a folder. */
export const logIn = (folder: string): string => join(folder, 'service.log');
