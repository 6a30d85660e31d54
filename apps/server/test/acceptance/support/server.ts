import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@postshelf/testing/servers/free-port';
import { type Program, program } from './program.ts';
import { until } from './until.ts';

export { freePort };

/** The forging rows sign tokens of their own with it; `serve` and `token create` get the same. */
export const jwtSecret = 'acceptance-secret-0123456789abcdef0123456789abcdef0123456789abcdef';

/** By name; undefined is not set at all. */
export type Settings = Readonly<Record<string, string | undefined>>;

/** What a test sends to a process. */
export type Signal = 'SIGTERM' | 'SIGKILL' | 'SIGINT' | 'SIGHUP' | 'SIGQUIT';

/** A `serve` process of its own, with the address where it answers and the folder where it keeps everything. */
export interface Server {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly dataDir: string;
  readonly settings: Settings;
  /** How it was started. */
  readonly program: Program;
  /** Everything the process has written to stdout and stderr so far, or had when it ended. */
  log(): string;
  /** Settles with the exit code when the process has ended by itself. */
  readonly exited: Promise<number>;
  /** Sends the signal and settles with the exit code once the process is gone; again and again does no harm. */
  end(signal?: Signal): Promise<number>;
}

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** An empty scratch folder; the caller removes it with {@link removeFolder}. */
export function scratchFolder(): string {
  return mkdtempSync(join(tmpdir(), 'postshelf-acceptance-'));
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Starts the process without waiting for it to listen, for the rows in which it must refuse to. */
export function spawnServer(settings: Settings, args: readonly string[] = ['serve'], by: Program = program) {
  const logs = scratchFolder();
  const stdout = join(logs, 'stdout');
  const stderr = join(logs, 'stderr');
  const child = Bun.spawn([...by.command, ...args], {
    cwd: by.cwd,
    env: { ...by.environment, ...settings },
    stdin: 'ignore',
    stdout: Bun.file(stdout),
    stderr: Bun.file(stderr),
  });
  return {
    child,
    exited: child.exited,
    stdout: () => readFileSync(stdout, 'utf8'),
    stderr: () => readFileSync(stderr, 'utf8'),
    forget: () => removeFolder(logs),
  };
}

/** Starts a command as a person would, with a terminal of 80 columns; `onData` gets what would be on its screen. */
export function spawnInTerminal(args: readonly string[], settings: Settings, onData: (data: Uint8Array) => void) {
  return Bun.spawn([...program.command, ...args], {
    cwd: program.cwd,
    env: { ...program.environment, JWT_SECRET: jwtSecret, ...settings },
    terminal: { cols: 80, rows: 24, data: (_terminal, data) => onData(data) },
  });
}

/** Starts `serve` over `dataDir` and waits until `GET /health` answers 200. */
export async function startServer(
  dataDir: string,
  extra: Settings = {},
  args?: readonly string[],
  by: Program = program,
): Promise<Server> {
  const port = extra.PORT === undefined ? await freePort() : Number(extra.PORT);
  const settings: Settings = {
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    JWT_SECRET: jwtSecret,
    LOG_LEVEL: 'info',
    ...extra,
    PORT: String(port),
  };
  const process = spawnServer(settings, args, by);
  let whole: string | undefined;
  const log = () => whole ?? process.stdout() + process.stderr();
  const url = `http://127.0.0.1:${port}`;
  const up = async () => {
    if (process.child.exitCode !== null) throw new Error(`The server ended while it started:\n${log()}`);
    const reply = await fetch(`${url}/health`).catch(() => undefined);
    await reply?.arrayBuffer();
    return reply?.status === 200;
  };
  try {
    await until('GET /health answers 200', up, 20_000);
  } catch (error) {
    process.child.kill('SIGKILL');
    await process.exited;
    process.forget();
    throw error;
  }
  const end = async (signal: Signal = 'SIGTERM') => {
    process.child.kill(signal);
    const code = await process.exited;
    if (whole === undefined) {
      whole = log();
      process.forget();
    }
    return code;
  };
  return { url, port, pid: process.child.pid, dataDir, settings, program: by, log, exited: process.exited, end };
}

/** The lines on standard error but for those that say how far a copy has come, which a slow machine has time for. */
export const complaintsIn = (stderr: string): string[] =>
  stderr.split('\n').filter((line) => line !== '' && !/^\w+: [\d,]+ of [\d,]+ (rows|objects) \(\d+%\)$/.test(line));

/** Runs one `postshelf` command to its end. */
export async function command(
  args: readonly string[],
  settings: Settings,
  by: Program = program,
): Promise<CommandResult> {
  const child = Bun.spawn([...by.command, ...args], {
    cwd: by.cwd,
    env: { ...by.environment, JWT_SECRET: jwtSecret, ...settings },
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

/** Runs a command with `--json` and gives the one object it prints; fails on anything beside it. */
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
