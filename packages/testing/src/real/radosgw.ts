import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { keepRunning } from './kept.ts';

const SCRIPTS = resolve(import.meta.dir, '../../../../.ci/radosgw');

/** The process that answers S3 requests; the objects are another's and outlive it. */
export interface Gateway {
  /** SIGSTOP: it takes connections and answers nothing. */
  pause(): Promise<void>;
  /** SIGCONT. */
  resume(): Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again; resolves when it answers. */
  start(): Promise<void>;
}

/** Ceph's gateway over a store in memory, for as long as this process lives; null when it isn't installed. */
export async function startRadosgw(): Promise<{
  readonly settings: Readonly<Record<string, string>>;
  readonly gateway: Gateway;
} | null> {
  if (!Bun.which('radosgw') || !Bun.which('ceph-mon') || !Bun.which('ceph-osd')) return null;
  const directory = await mkdtemp(join(tmpdir(), 'postshelf-radosgw-'));
  const settings = await keepRunning(SCRIPTS, directory, 'S3_FORCE_PATH_STYLE');
  return { settings, gateway: gatewayIn(directory) };
}

function gatewayIn(directory: string): Gateway {
  const signal = async (name: NodeJS.Signals): Promise<number> => {
    const pid = Number(await readFile(join(directory, 'client.pid'), 'utf8'));
    process.kill(pid, name);
    return pid;
  };
  return {
    pause: async () => {
      await signal('SIGSTOP');
    },
    resume: async () => {
      await signal('SIGCONT');
    },
    kill: async () => {
      const pid = await signal('SIGKILL');
      while (await isAlive(pid)) await Bun.sleep(10);
    },
    start: async () => {
      const child = Bun.spawn([join(SCRIPTS, 'gateway.sh'), directory], { stdout: 'ignore', stderr: 'pipe' });
      if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
    },
  };
}

/** A zombie counts as gone: nobody may be there to reap it. */
async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => null);
  return status !== null && !/^State:\s+Z/m.test(status);
}
