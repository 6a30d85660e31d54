import { join } from 'node:path';
import { outlast } from './staging.ts';

const FIXTURE = join(import.meta.dir, '../fixtures/storage-process.ts');

export interface OtherProcess {
  /** Kills the process with SIGKILL. Resolves when it has ended. */
  kill(): Promise<void>;
}

/**
 * Starts another process with a command of the fixture. Resolves when the process has printed `done` and waits. The
 * process ends with this one at the latest.
 */
export async function startProcess(...command: readonly string[]): Promise<OtherProcess> {
  const child = Bun.spawn([process.execPath, FIXTURE, ...command], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await child.exited;
  };
  const { value } = await child.stdout.getReader().read();
  if (new TextDecoder().decode(value) !== 'done\n') {
    await kill();
    throw new Error(`${command[0]} failed.`);
  }
  return { kill };
}

/**
 * Makes another process stage the bytes, and publish them if a key is given. Kills the process before it discards them,
 * and makes it look as if it had been silent for a minute.
 */
export async function crash(root: string, bytes: Uint8Array, key: string | null): Promise<void> {
  await (await startProcess('publish-and-wait', root, Buffer.from(bytes).toString('base64'), key ?? '')).kill();
  await outlast(root);
}

/** Runs a command of the fixture under strace with these options, following its threads. Returns its output. */
async function runTraced(options: readonly string[], command: readonly string[]): Promise<string> {
  const child = Bun.spawn(['strace', '-f', ...options, process.execPath, FIXTURE, ...command], {
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [printed, complaints] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(`The traced process failed: ${complaints}`);
  return printed;
}

/**
 * Runs a command while fsync fails with EIO, and returns the output of the command. Only syncs of the given paths fail;
 * if no paths are given, all syncs do.
 */
export const whileSyncFails = (paths: readonly string[], ...command: readonly string[]): Promise<string> =>
  runTraced(
    ['-o', '/dev/null', '-e', 'trace=fsync', '-e', 'inject=fsync:error=EIO', ...paths.flatMap((each) => ['-P', each])],
    command,
  );

/** Returns the output of a command for which early syncs (fdatasync) fail because the disk is full. */
export const whileEarlySyncFails = (...command: readonly string[]): Promise<string> =>
  runTraced(['-o', '/dev/null', '-e', 'trace=fdatasync', '-e', 'inject=fdatasync:error=ENOSPC'], command);

const CALLS = 'trace=fsync,fdatasync,link,linkat,rename,renameat,renameat2,unlink,unlinkat,rmdir';

/** Returns the successful system calls of a command, in the order in which they ended. */
export async function traceCalls(output: string, ...command: readonly string[]) {
  // The option `-y` shows the path of each descriptor. The option `-z` shows only successful calls, each on one line
  // once it has ended.
  await runTraced(['-y', '-z', '-e', CALLS, '-o', output], command);
  const calls = (await Bun.file(output).text()).split('\n').map((line) => line.replace(/^\d+ +/, ''));
  return {
    /**
     * Returns the index of the first call, from `from` on, with this name and a path that begins with `start`; -1 if
     * there is none.
     */
    indexOf: (name: string, start: string, from = 0): number =>
      calls.findIndex((call, index) => index >= from && call.startsWith(name) && call.includes(`"${start}`)),
    /** Returns the paths that were synced between two calls. */
    synced: (from: number, to?: number): string[] =>
      calls.slice(from, to).flatMap((call) => /^fsync\(\d+<(.*)>\) = 0/.exec(call)?.[1] ?? []),
  };
}

/** Throws unless each index is greater than the one before, so that all calls were made, in this order. */
export function requireOrder(...indexes: readonly number[]): void {
  const isOrdered = indexes.every((index, at) => index > (indexes[at - 1] ?? -1));
  if (!isOrdered) throw new Error(`Not in order: ${indexes.join(', ')}`);
}
