import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const SCRIPTS = resolve(import.meta.dir, '../../../../.ci/radosgw');

/**
 * Starts, then waits for its standard input to end, which it does when this process ends, however that comes; then
 * stops. An interrupt from the keyboard goes to the whole group and must not end it before.
 */
const KEEP = `trap '' INT TERM HUP; "$0/start.sh" "$1" && cat >/dev/null; "$0/stop.sh" "$1" >/dev/null 2>&1`;

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
  /** Lets a bucket hold so many bytes and no more; null: as many as there is room for. */
  limit(bucket: string, bytes: number | null): Promise<void>;
}

/** Ceph's gateway over a store in memory, for as long as this process lives; null when it isn't installed. */
export async function startRadosgw(): Promise<{
  readonly settings: Readonly<Record<string, string>>;
  readonly gateway: Gateway;
} | null> {
  if (!Bun.which('radosgw') || !Bun.which('ceph-mon') || !Bun.which('ceph-osd')) return null;
  const directory = await mkdtemp(join(tmpdir(), 'postshelf-radosgw-'));
  const keeper = Bun.spawn(['bash', '-c', KEEP, SCRIPTS, directory], { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' });
  keeper.unref();
  const settings = await readSettings(keeper.stdout);
  if (!settings.S3_FORCE_PATH_STYLE) {
    throw new Error(`radosgw didn't start: ${await new Response(keeper.stderr).text()}`);
  }
  return { settings, gateway: gatewayIn(directory) };
}

/** What the script printed, up to its last line or its end. */
async function readSettings(output: ReadableStream<Uint8Array>): Promise<Record<string, string>> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of output) {
    text += decoder.decode(chunk, { stream: true });
    if (/^S3_FORCE_PATH_STYLE=.*\n/m.test(text)) break;
  }
  return Object.fromEntries(Array.from(text.matchAll(/^(\w+)=(.*)$/gm), ([, name = '', value = '']) => [name, value]));
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
      await run([join(SCRIPTS, 'gateway.sh'), directory]);
    },
    limit: async (bucket, bytes) => {
      const quota = async (what: string, ...more: string[]): Promise<void> => {
        const command = ['radosgw-admin', '-n', 'client.rgw', 'quota', what, '--quota-scope=bucket'];
        await run([...command, `--bucket=${bucket}`, ...more], { CEPH_CONF: join(directory, 'ceph.conf') });
      };
      if (bytes === null) return quota('disable');
      await quota('set', `--max-size=${bytes}`);
      await quota('enable');
    },
  };
}

/** @throws Error with what the command said when it failed */
async function run(command: string[], environment: Readonly<Record<string, string>> = {}): Promise<void> {
  const env = { ...process.env, ...environment };
  const child = Bun.spawn(command, { env, stdout: 'ignore', stderr: 'pipe' });
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
}

/** A zombie counts as gone: nobody may be there to reap it. */
async function isAlive(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => null);
  return status !== null && !/^State:\s+Z/m.test(status);
}
