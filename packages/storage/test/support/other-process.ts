import { join } from 'node:path';

export interface OtherProcess {
  readonly pid: number;
  /** What stood behind `done`. */
  readonly said: string;
  /** kill -9; resolves when it is dead and buried. */
  kill(): Promise<void>;
}

const FIXTURES = join(import.meta.dir, '../fixtures');

/** A process that runs the fixture, has said `done`, and waits. It ends with this one at the latest. */
export async function startProcess(fixture: string, ...args: readonly string[]): Promise<OtherProcess> {
  const command = [process.execPath, join(FIXTURES, fixture), ...args];
  const child = Bun.spawn(command, { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' });
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await child.exited;
  };
  const { value } = await child.stdout.getReader().read();
  const said = /^done(?: (.+))?\n$/.exec(new TextDecoder().decode(value));
  if (!said) {
    await kill();
    throw new Error(`${fixture} failed.`);
  }
  return { pid: child.pid, said: said[1] ?? '', kill };
}

/** Has another process stage the bytes, and publish them when there is a key, and kills it before it discards them. */
export async function crash(root: string, bytes: Uint8Array, key: string | null): Promise<void> {
  const other = await startProcess('publish-and-wait.ts', root, Buffer.from(bytes).toString('base64'), key ?? '');
  await other.kill();
}
