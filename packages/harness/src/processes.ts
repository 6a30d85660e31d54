import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@postshelf/testing/waiting';
import { type Program, program } from './program.ts';

/** Settings by name; `undefined` means not set at all. */
export type Settings = Readonly<Record<string, string | undefined>>;

type Signal = 'SIGTERM' | 'SIGKILL' | 'SIGINT' | 'SIGHUP' | 'SIGQUIT';

interface Surroundings {
  /** Default: this process's own. */
  readonly cwd?: string;
  /** The whole environment of the process. */
  readonly env: Settings;
}

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function collect(command: readonly string[], { cwd, env }: Surroundings): Promise<CommandResult> {
  const child = Bun.spawn([...command], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [code, stdout, stderr] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code, stdout, stderr };
}

/**
 * Settings of the memory allocator that halve the processor time of a command, which then has a third of the page
 * faults. A server that runs for longer needs more processor time with them.
 */
const QUICK_START: Settings = { MIMALLOC_ALLOW_THP: '1', MIMALLOC_PURGE_DELAY: '-1' };

/** Runs a command of a program to its end. */
export const command = (args: readonly string[], settings: Settings, by: Program = program): Promise<CommandResult> =>
  collect([...by.command, ...args], { cwd: by.cwd, env: { ...QUICK_START, ...by.environment, ...settings } });

/**
 * Runs a command and returns the object that it prints.
 *
 * @throws Error if the command fails, or doesn't print exactly one object
 */
export async function jsonCommand(
  args: readonly string[],
  settings: Settings,
  by: Program = program,
): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await command([...args, '--json'], settings, by);
  if (code !== 0) throw new Error(`postshelf ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
  const value: unknown = JSON.parse(stdout);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`postshelf ${args.join(' ')} printed no JSON object: ${stdout}`);
  }
  return { ...value };
}

interface SpawnOptions extends Surroundings {
  /**
   * Where the output is written; by default, to temporary files. With `appendTo`, standard output and standard error
   * are appended to one file. With `errors-only`, standard output is discarded and standard error is inherited, so that
   * writing a log doesn't slow down a process that is measured.
   */
  readonly output?: { readonly appendTo: string } | 'errors-only';
}

export interface Spawned {
  readonly child: Bun.Subprocess;
  readonly exited: Promise<number>;
  stdout(): string;
  stderr(): string;
  /** Removes the files of the process's output. */
  forget(): void;
}

export function spawnProcess(command: readonly string[], { cwd, env, output }: SpawnOptions): Spawned {
  const folder = output === undefined ? mkdtempSync(join(tmpdir(), 'postshelf-output-')) : null;
  const [stdout, stderr] = folder === null ? [null, null] : [join(folder, 'stdout'), join(folder, 'stderr')];
  const file = typeof output === 'object' ? openSync(output.appendTo, 'a') : null;
  const child = Bun.spawn([...command], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...env },
    stdin: 'ignore',
    stdout: stdout === null ? (file ?? 'ignore') : Bun.file(stdout),
    stderr: stderr === null ? (file ?? 'inherit') : Bun.file(stderr),
  });
  if (file !== null) closeSync(file);
  const read = (path: string | null): string => (path === null ? '' : readFileSync(path, 'utf8'));
  return {
    child,
    exited: child.exited,
    stdout: () => read(stdout ?? (typeof output === 'object' ? output.appendTo : null)),
    stderr: () => read(stderr),
    forget: () => {
      if (folder !== null) rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface Running {
  readonly pid: number;
  log(): string;
  readonly exited: Promise<number>;
  /** -1 if a signal ended it; null while it runs. */
  exitCode(): number | null;
  /** Ends the process; settles once it has ended. Repeated calls do nothing. */
  end(signal?: Signal): Promise<number>;
}

interface StartOptions extends SpawnOptions {
  /** A request that must succeed before the process counts as started. */
  readonly probe: string | Request;
  /** Maximum number of milliseconds until the request succeeds. */
  readonly deadline?: number;
}

/**
 * Starts a process and waits until it answers.
 *
 * @throws Error if the process ends or doesn't answer in time; it is no longer running then
 */
export async function startProcess(command: readonly string[], options: StartOptions): Promise<Running> {
  const spawned = spawnProcess(command, options);
  const { child, exited } = spawned;
  let whole: string | undefined;
  const log = () => whole ?? spawned.stdout() + spawned.stderr();
  try {
    await untilAnswered(options.probe, [spawned], options.deadline ?? 30_000);
  } catch (error) {
    child.kill('SIGKILL');
    await exited;
    spawned.forget();
    throw error;
  }
  return {
    pid: child.pid,
    log,
    exited,
    exitCode: () => codeOf(child),
    async end(signal = 'SIGTERM') {
      child.kill(signal);
      const code = await exited;
      whole ??= log();
      spawned.forget();
      return code;
    },
  };
}

/**
 * Waits until an address answers.
 *
 * @throws Error if one of the processes ends, or the address doesn't answer in time
 */
export async function untilAnswered(
  probe: string | Request,
  processes: readonly Spawned[],
  deadline: number,
): Promise<void> {
  const request = new Request(probe);
  await until(
    `${request.url} answers`,
    async () => {
      for (const { child, stdout, stderr } of processes)
        if (codeOf(child) !== null) throw new Error(`The process ended while it started:\n${stdout()}${stderr()}`);
      // A kept-alive connection would be reused after the process has ended, so the first request to the next process
      // on the same port would fail.
      const answer = await fetch(request.clone(), { keepalive: false }).catch(() => undefined);
      await answer?.arrayBuffer();
      return answer?.ok === true;
    },
    deadline,
  );
}

/** Returns the exit code; -1 if a signal ended the process, and null while it runs. */
const codeOf = ({ exitCode, signalCode }: Bun.Subprocess): number | null =>
  exitCode ?? (signalCode === null ? null : -1);
