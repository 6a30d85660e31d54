import { join } from 'node:path';

const FIXTURE = join(import.meta.dir, '../fixtures/storage-process.ts');

export interface OtherProcess {
  readonly pid: number;
  /** What stood behind `done`. */
  readonly said: string;
  /** kill -9; resolves when the process is gone. */
  kill(): Promise<void>;
}

/** Another process that runs the command of the fixture, has said `done`, and waits. It ends with this one at the latest. */
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
  const said = /^done(?: (.+))?\n$/.exec(new TextDecoder().decode(value));
  if (!said) {
    await kill();
    throw new Error(`${command[0]} failed.`);
  }
  return { pid: child.pid, said: said[1] ?? '', kill };
}

/** Has another process stage the bytes, and publish them when there is a key, and kills it before it discards them. */
export async function crash(root: string, bytes: Uint8Array, key: string | null): Promise<void> {
  await (await startProcess('publish-and-wait', root, Buffer.from(bytes).toString('base64'), key ?? '')).kill();
}

const path = Bun.which('strace');

/** Where strace is; null when it isn't on this machine, or a container doesn't let it trace. */
export const strace = path && Bun.spawnSync([path, '-o', '/dev/null', 'true']).success ? path : null;

/** What a command of the fixture printed, run under strace with the options, its threads followed. */
async function runTraced(options: readonly string[], command: readonly string[]): Promise<string> {
  const child = Bun.spawn([strace ?? 'strace', '-f', ...options, process.execPath, FIXTURE, ...command], {
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

/** What a command prints while fsync fails with EIO: for the paths, or for all files when there are none. */
export const whileSyncFails = (paths: readonly string[], ...command: readonly string[]): Promise<string> =>
  runTraced(
    ['-o', '/dev/null', '-e', 'trace=fsync', '-e', 'inject=fsync:error=EIO', ...paths.flatMap((each) => ['-P', each])],
    command,
  );

/** What a command prints while what is written can't be brought to the disk ahead of the end, as it is full. */
export const whileEarlySyncFails = (...command: readonly string[]): Promise<string> =>
  runTraced(['-o', '/dev/null', '-e', 'trace=fdatasync', '-e', 'inject=fdatasync:error=ENOSPC'], command);

const CALLS = 'trace=fsync,fdatasync,link,linkat,rename,renameat,renameat2,unlink,unlinkat,rmdir';

/** The calls of the operating system that a command made, in the order in which they ended; only those that succeeded. */
export async function traceCalls(output: string, ...command: readonly string[]) {
  // `-y` shows the path behind each descriptor, `-z` the calls that succeeded, each on one line once it has ended.
  await runTraced(['-y', '-z', '-e', CALLS, '-o', output], command);
  const calls = (await Bun.file(output).text()).split('\n').map((line) => line.replace(/^\d+ +/, ''));
  return {
    /** Where the first call stands that begins with the name and is about a path that begins so; -1 when none does. */
    indexOf: (name: string, start: string, from = 0): number =>
      calls.findIndex((call, index) => index >= from && call.startsWith(name) && call.includes(`"${start}`)),
    /** The paths that were made durable between two calls. */
    synced: (from: number, to?: number): string[] =>
      calls.slice(from, to).flatMap((call) => /^fsync\(\d+<(.*)>\) = 0/.exec(call)?.[1] ?? []),
  };
}

/** Fails unless each call was made, and they came in this order. */
export function requireOrder(...indexes: readonly number[]): void {
  const isOrdered = indexes.every((index, at) => index > (indexes[at - 1] ?? -1));
  if (!isOrdered) throw new Error(`Not in order: ${indexes.join(', ')}`);
}
