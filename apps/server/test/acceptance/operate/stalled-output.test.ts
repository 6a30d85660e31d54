import { afterEach, describe, expect, test } from 'bun:test';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { hasPrograms } from '@postshelf/testing/programs';
import { program } from '../support/program.ts';
import { freePort, jwtSecret, removeFolder, scratchFolder } from '../support/server.ts';
import { until, within } from '../support/until.ts';

/** The standard output of a server. Nothing reads it until the test calls `read`. */
interface StalledOutput {
  /** Starts the command with this output as its standard output. */
  spawn(command: readonly string[], env: Record<string, string>): Bun.Subprocess;
  /**
   * Starts reading.
   *
   * @returns a function that returns the text so far
   */
  read(): () => string;
  /** Closes the output without reading it. */
  abandon(): void;
}

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) removeFolder(folder);
});

async function pipe(): Promise<StalledOutput> {
  const folder = scratchFolder();
  folders.push(folder);
  const path = join(folder, 'pipe');
  Bun.spawnSync(['mkfifo', path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, constants.O_WRONLY);
  return {
    spawn(command, env) {
      const child = Bun.spawn([...command], { cwd: program.cwd, env, stdio: ['ignore', writer, 'inherit'] });
      closeSync(writer);
      return child;
    },
    read() {
      let text = '';
      const buffer = Buffer.alloc(65_536);
      const pump = setInterval(() => {
        try {
          for (let length = 1; length > 0; ) {
            length = readSync(reader, buffer);
            text += buffer.toString('latin1', 0, length);
          }
          clearInterval(pump);
        } catch (error) {
          if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
        }
      }, 5);
      return () => text;
    },
    abandon: () => closeSync(reader),
  };
}

/**
 * A socket, like the ones that systemd gives to services. This one uses TCP, because a shell can open a TCP connection.
 */
async function socket(): Promise<StalledOutput> {
  const accepted = Promise.withResolvers<Socket>();
  const server = createServer({ pauseOnConnect: true }, accepted.resolve);
  const port = await freePort();
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done));
  return {
    spawn: (command, env) =>
      Bun.spawn(['bash', '-c', `exec "$@" >/dev/tcp/127.0.0.1/${port}`, 'bash', ...command], {
        cwd: program.cwd,
        env,
        stdio: ['ignore', 'ignore', 'inherit'],
      }),
    read() {
      let text = '';
      void accepted.promise.then((connection) => {
        connection.on('data', (chunk) => {
          text += chunk.toString('latin1');
        });
        connection.resume();
        server.close();
      });
      return () => text;
    },
    abandon: () => void accepted.promise.then((connection) => connection.destroy()).finally(() => server.close()),
  };
}

async function start(output: StalledOutput) {
  const dataDir = scratchFolder();
  folders.push(dataDir);
  const port = await freePort();
  const env = { ...program.environment, DATA_DIR: dataDir, JWT_SECRET: jwtSecret, PORT: String(port) };
  const child = output.spawn([...program.command, 'serve'], env);
  const url = `http://127.0.0.1:${port}`;
  const isUp = () =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until('GET /health answers 200', isUp);
  /**
   * Requests a missing path. Each request adds a line of 8 KB to the log.
   *
   * @returns how many of the answers were 404
   */
  const ask = async (times: number): Promise<number> => {
    let answered = 0;
    const some = async (): Promise<void> => {
      for (let time = 0; time < times / 20; time += 1) {
        const reply = await within('an answer', fetch(`${url}/v1/${'x'.repeat(8000)}`));
        if (reply.status === 404) answered += 1;
        await reply.arrayBuffer();
      }
    };
    await Promise.all(Array.from({ length: 20 }, some));
    return answered;
  };
  const dropped = async (): Promise<number> => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(/^postshelf_log_lines_dropped_total (\d+)$/m.exec(text)?.[1]);
  };
  return { child, ask, dropped };
}

/** The lines of a log, except for a last line that is still being written. */
const linesOf = (log: string): Record<string, unknown>[] =>
  log
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

const canOpenSocket = hasPrograms(['bash'], 'standard output that is a socket');

describe.each([
  // A pipe holds 64 KB, and a TCP connection holds several megabytes.
  ['a pipe', pipe, 1000],
  ['a socket', socket, 3000],
] as const)('standard output to %s that is not read', (_, open, requests) => {
  test.skipIf(open === socket && !canOpenSocket)(
    'blocks no request, and lines beyond a megabyte are dropped, counted and reported',
    async () => {
      const output = await open();
      const { child, ask, dropped } = await start(output);
      try {
        expect(await ask(requests)).toBe(requests);
        expect(await dropped()).toBeGreaterThan(100);
        const log = output.read();
        const reports = () => linesOf(log()).flatMap((line) => (typeof line.dropped === 'number' ? [line] : []));
        await until('the log reports dropped lines', () => reports().length > 0);
        expect(reports()[0]).toMatchObject({
          level: 'warn',
          msg: 'log lines were dropped, as they were not read in time',
        });
        expect(await ask(20)).toBe(20);
        child.kill('SIGTERM');
        expect(await within('the server ends', child.exited)).toBe(0);
        await until('the last line was read', () => log().includes('"msg":"stopped"'));
        const missing = reports().reduce((sum, line) => sum + Number(line.dropped), 0);
        const logged = linesOf(log()).filter(({ msg, status }) => msg === 'request' && status === 404);
        // Up to two of the dropped lines can be about something other than requests, such as the first garbage
        // collection.
        expect(logged.length + missing).toBeWithin(requests + 20, requests + 23);
      } finally {
        child.kill('SIGKILL');
      }
    },
  );

  test.skipIf(open === socket && !canOpenSocket)(
    'does not delay the stop, and makes no request fail once the output is closed',
    async () => {
      const stalled = await open();
      const first = await start(stalled);
      await first.ask(requests);
      first.child.kill('SIGTERM');
      expect(await within('the server ends', first.child.exited)).toBe(0);
      stalled.abandon();

      const gone = await open();
      const second = await start(gone);
      gone.abandon();
      expect(await second.ask(200)).toBe(200);
      expect(await second.dropped()).toBeGreaterThan(0);
      second.child.kill('SIGTERM');
      expect(await within('the server ends', second.child.exited)).toBe(0);
    },
  );
});
