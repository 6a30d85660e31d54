import { expect } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CommandResult,
  type Program,
  program,
  type Running,
  command as run,
  jsonCommand as runForJson,
  type Settings,
  type Spawned,
  spawnProcess,
  startProcess,
} from '@postshelf/harness';

export { type CommandResult, collect, type Settings } from '@postshelf/harness';

import { freePort } from '@postshelf/testing/servers/free-port';

export { freePort };

/** The secret of all servers and commands. Tests also sign forged tokens with it. */
export const jwtSecret = 'acceptance-secret-0123456789abcdef0123456789abcdef0123456789abcdef';

/** A running `serve` process, with its address and data folder. */
export interface Server extends Running {
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  readonly settings: Settings;
  readonly program: Program;
}

/** Makes an empty scratch folder. The caller removes it with {@link removeFolder}. */
export function scratchFolder(): string {
  return mkdtempSync(join(tmpdir(), 'postshelf-acceptance-'));
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Starts the process without waiting until it listens, for tests that expect it to refuse to start. */
export const spawnServer = (settings: Settings, args: readonly string[] = ['serve'], by: Program = program): Spawned =>
  spawnProcess([...by.command, ...args], { cwd: by.cwd, env: { ...by.environment, ...settings } });

/** Starts a command in a terminal of 80 columns, as a user would. @param onData gets the terminal's output */
export function spawnInTerminal(args: readonly string[], settings: Settings, onData: (data: Uint8Array) => void) {
  return Bun.spawn([...program.command, ...args], {
    cwd: program.cwd,
    env: { ...program.environment, JWT_SECRET: jwtSecret, ...settings },
    terminal: { cols: 80, rows: 24, data: (_terminal, data) => onData(data) },
  });
}

/** Starts `serve` with this data folder, and waits until `GET /health` answers 200. */
export async function startServer(
  dataDir: string,
  extra: Settings = {},
  args: readonly string[] = ['serve'],
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
  const url = `http://127.0.0.1:${port}`;
  const running = await startProcess([...by.command, ...args], {
    cwd: by.cwd,
    env: { ...by.environment, ...settings },
    probe: `${url}/health`,
    deadline: 20_000,
  });
  return { ...running, url, port, dataDir, settings, program: by };
}

const PROGRESS = /^\w+: [\d,]+ of [\d,]+ (rows|objects) \(\d+%\)$|^[\d,]+ objects, [\d,.]+ MB so far$/;

/** The lines on standard error except for progress, which is only reported on slow machines. */
export const unexpectedLines = (stderr: string): string[] =>
  stderr.split('\n').filter((line) => line !== '' && !PROGRESS.test(line));

/** Expects that the command has succeeded, with nothing but progress on standard error. */
export const expectQuiet = ({ code, stderr }: CommandResult): void =>
  expect({ code, unexpected: unexpectedLines(stderr) }).toEqual({ code: 0, unexpected: [] });

/** Runs one `postshelf` command to its end. */
export const command = (args: readonly string[], settings: Settings, by?: Program): Promise<CommandResult> =>
  run(args, { JWT_SECRET: jwtSecret, ...settings }, by);

/** Runs a command with `--json`. @returns the object that it prints @throws Error if it fails or prints anything else */
export const jsonCommand = (args: readonly string[], settings: Settings, by?: Program) =>
  runForJson(args, { JWT_SECRET: jwtSecret, ...settings }, by);
