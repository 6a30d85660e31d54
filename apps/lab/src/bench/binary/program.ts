import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY } from '@postshelf/harness';
import { freePort } from '@postshelf/testing/servers/free-port';

const BARE = 'Bun.serve({ hostname: "127.0.0.1", port: process.env.PORT, fetch: () => new Response("ok") });\n';

/** Builds the program as a single executable, and returns its path. */
export async function buildProgram(): Promise<string> {
  await succeed(['node', join(REPOSITORY, '.dev/build.mjs')]);
  return join(REPOSITORY, 'dist/postshelf');
}

/** Builds the smallest server that Bun can compile, as the baseline of the measurements, and returns its path. */
export async function buildBareServer(folder: string): Promise<string> {
  const source = join(folder, 'bare.ts');
  const made = join(folder, 'bare');
  await Bun.write(source, BARE);
  await succeed([process.execPath, 'build', '--compile', '--bytecode', '--format=esm', source, `--outfile=${made}`]);
  return made;
}

/** A server in an empty folder, measured from its start to its first answer. */
export interface Started {
  readonly pid: number;
  /** Milliseconds from the start of the server to the first byte of the first answer. */
  readonly firstAnswer: number;
  end(): Promise<void>;
}

/** Starts the program and sends requests until it answers. The only settings are the path of ffmpeg and the port. */
export async function startProgram(command: readonly string[]): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'postshelf-bench-'));
  const port = await freePort();
  const start = performance.now();
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: { PORT: String(port), PATH: process.env.PATH ?? '' },
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`${command.join(' ')} ended with ${child.exitCode}.`);
    await Bun.sleep(1);
  }
  const firstAnswer = performance.now() - start;
  const end = async (): Promise<void> => {
    child.kill();
    await child.exited;
    rmSync(folder, { recursive: true, force: true });
  };
  return { pid: child.pid, firstAnswer, end };
}

/** Sends a request on a bare socket, because starting an HTTP client would add to the measured time. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: {
        open: (socket) => void socket.write('GET /health HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n'),
        data: (socket) => {
          resolve(true);
          socket.end();
        },
        close: () => resolve(false),
      },
    }).catch(() => resolve(false));
  });
}

async function succeed(command: readonly string[]): Promise<void> {
  const child = Bun.spawn([...command], { cwd: REPOSITORY, stdio: ['ignore', 'ignore', 'inherit'] });
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} ended with ${child.exitCode}.`);
}
