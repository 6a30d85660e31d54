import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type KeptServer, keptServer, SCRIPTS } from '../kept.ts';

/** The process that answers S3 requests. The objects outlive this process, because another one stores them. */
export interface Gateway {
  /** Sends SIGSTOP: the gateway accepts connections but doesn't answer. */
  pause(): Promise<void>;
  /** Sends SIGCONT. */
  resume(): Promise<void>;
  /** Sends SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>;
  /** Starts the process again; resolves when it answers. */
  start(): Promise<void>;
  /** Limits a bucket to this many bytes; null removes the limit. */
  limit(bucket: string, bytes: number | null): Promise<void>;
  /** Creates a user without rights to any bucket. */
  makeUser(name: string): Promise<{ readonly accessKeyId: string; readonly secretAccessKey: string }>;
}

/** Starts Ceph's gateway with a store in memory; returns null if it isn't installed. */
export async function startRadosgw(): Promise<{
  readonly settings: Readonly<Record<string, string>>;
  readonly gateway: Gateway;
} | null> {
  if (!Bun.which('radosgw') || !Bun.which('ceph-mon') || !Bun.which('ceph-osd')) return null;
  const kept = await keptServer('radosgw');
  return { settings: kept.settings, gateway: gatewayOf(kept) };
}

function gatewayOf({ directory, requireOwn }: KeptServer): Gateway {
  const signal = async (name: NodeJS.Signals): Promise<number> => {
    requireOwn();
    const pid = Number(await readFile(join(directory, 'client.pid'), 'utf8'));
    process.kill(pid, name);
    return pid;
  };
  const admin = (...args: string[]): Promise<string> =>
    run(['radosgw-admin', '-n', 'client.rgw', ...args], { CEPH_CONF: join(directory, 'ceph.conf') });
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
      await run([join(SCRIPTS, 'radosgw/gateway.sh'), directory]);
    },
    limit: async (bucket, bytes) => {
      const quota = (what: string, ...more: string[]) =>
        admin('quota', what, '--quota-scope=bucket', `--bucket=${bucket}`, ...more);
      if (bytes !== null) await quota('set', `--max-size=${bytes}`);
      await quota(bytes === null ? 'disable' : 'enable');
    },
    makeUser: async (name) => {
      const made = await admin('user', 'create', `--uid=${name}`, `--display-name=${name}`);
      const read = (key: string): string => new RegExp(`"${key}": "(\\w+)"`).exec(made)?.[1] ?? '';
      return { accessKeyId: read('access_key'), secretAccessKey: read('secret_key') };
    },
  };
}

/**
 * Runs a command and returns its output.
 *
 * @throws Error with its error output if it failed
 */
async function run(command: string[], environment: Readonly<Record<string, string>> = {}): Promise<string> {
  const env = { ...process.env, ...environment };
  const child = Bun.spawn(command, { env, stdout: 'pipe', stderr: 'pipe' });
  const [printed, complaint] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  if ((await child.exited) !== 0) throw new Error(complaint);
  return printed;
}

/** Whether a process is alive. A zombie counts as ended, since there may be no parent to reap it. */
async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => null);
  return status !== null && !/^State:\s+Z/m.test(status);
}
