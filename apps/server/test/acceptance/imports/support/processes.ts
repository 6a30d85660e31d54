import { type Server, type Settings, spawnServer } from '../../support/server.ts';
import { World } from '../../support/world.ts';
import { eventually, loopback } from './imports.ts';

/** A separate process of `postshelf worker`. */
export interface Worker {
  readonly pid: number;
  /** Everything that the worker has logged. */
  log(): string;
  /** Sends the signal, and resolves with the exit code once the process has ended. */
  end(signal?: 'SIGTERM' | 'SIGKILL'): Promise<number>;
}

/** Starts `worker` with the settings of a server, and waits until it logs that it is working on jobs. */
export async function startWorker({ settings }: Server, extra: Settings = {}): Promise<Worker> {
  const { child, exited, stdout, stderr, forget } = spawnServer({ ...settings, ...extra }, ['worker']);
  const log = () => stdout() + stderr();
  await eventually('the worker logs that it works', () => {
    if (child.exitCode !== null) throw new Error(`The worker ended while it started:\n${log()}`);
    return log().includes('working on jobs') || undefined;
  });
  return {
    pid: child.pid,
    log,
    end: async (signal = 'SIGTERM') => {
      child.kill(signal);
      const code = await exited;
      forget();
      return code;
    },
  };
}

export async function withoutWorker(use: (world: World) => Promise<void>): Promise<void> {
  const world = await World.openWithoutWorker(loopback);
  try {
    await use(world);
  } finally {
    await world.close();
  }
}
