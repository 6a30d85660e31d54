import { expect, test } from 'bun:test';
import { head } from '../imports/support/answers.ts';
import { movie } from '../imports/support/files.ts';
import { accepted, importUrl, loopback, settled } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { startWorker } from '../imports/support/processes.ts';
import { bigBody, uploadHead } from '../support/big-body.ts';
import { openRaw } from '../support/raw.ts';
import { expectErrorShape } from '../support/reply.ts';
import { type Settings, startServer } from '../support/server.ts';
import { until, within } from '../support/until.ts';
import { World } from '../support/world.ts';
import { figures } from './support/figures.ts';
import { lineWith } from './support/log.ts';

async function inWorld(settings: Settings, use: (world: World) => Promise<void>): Promise<void> {
  const world = await World.openAlone(settings);
  try {
    await use(world);
  } finally {
    await world.close();
  }
}

/** Starts an upload of 8 MB, which pauses in the middle until `goOn` is called. */
async function halfAnUpload(world: World) {
  const body = bigBody([8 * 1024 * 1024]);
  const chunks = [...body.chunks()];
  const connection = await openRaw(world.server.port, 'POST');
  await connection.send(uploadHead(world, body.length));
  for (const chunk of chunks.slice(0, 4)) await connection.send(chunk);
  await until('the upload is being received', async () => {
    return (await figures(world)).get('postshelf_uploads_running') === 1;
  });
  const goOn = async (): Promise<void> => {
    for (const chunk of chunks.slice(4)) await connection.send(chunk);
  };
  return { connection, goOn };
}

const refusesConnections = (world: World) =>
  until('new connections are refused', () =>
    fetch(`${world.server.url}/health`).then(
      () => false,
      () => true,
    ),
  );

test('a running upload completes during a stop, while new connections are refused', () =>
  inWorld({}, async (world) => {
    const idle = await openRaw(world.server.port);
    await idle.send('GET /health HTTP/1.1\r\nHost: x\r\n\r\n');
    expect((await idle.reply)?.status).toBe(200);
    const { connection, goOn } = await halfAnUpload(world);
    const ended = world.server.end('SIGTERM');
    await refusesConnections(world);
    await within('an idle connection is closed', idle.closed);
    await goOn();
    expect((await connection.reply)?.status).toBe(201);
    expect(await ended).toBe(0);
    expect(world.server.log()).toContain('"msg":"stopped"');
  }));

test('a server that stops cuts off an endless upload at the deadline, keeps none of it, and exits with 1', () =>
  inWorld({ SHUTDOWN_TIMEOUT_MS: '500' }, async (world) => {
    const before = await world.files();
    const { connection } = await halfAnUpload(world);
    expect(await within('the server stops', world.server.end('SIGTERM'))).toBe(1);
    expect(await connection.reply).toBeUndefined();
    expect(world.server.log()).toMatch(/"cutOff":1,"msg":"work was still running at the deadline"/);
    expect(await world.files()).toEqual(before);
  }));

test.each(['SIGINT', 'SIGHUP', 'SIGQUIT'] as const)('%s stops the server like SIGTERM', (signal) =>
  inWorld({}, async (world) => {
    expect(await world.server.end(signal)).toBe(0);
    expect(world.server.log()).toContain('"msg":"stopped"');
  }),
);

test('a second signal ends the server immediately', () =>
  inWorld({}, async (world) => {
    await halfAnUpload(world);
    void world.server.end('SIGTERM');
    await lineWith(world, { msg: 'stopping: running work is finished first' });
    expect(await within('the server ends', world.server.end('SIGINT'), 3_000)).toBe(1);
  }));

test('an incomplete request does not delay the stop', () =>
  inWorld({}, async (world) => {
    const slow = await openRaw(world.server.port);
    await slow.send('GET /health HTTP/1.1\r\nHost: ');
    expect(await within('the server stops', world.server.end('SIGTERM'), 5_000)).toBe(0);
    await slow.closed;
  }));

test('during SHUTDOWN_DELAY_MS, requests are answered although /ready already returns 503', () =>
  inWorld({ SHUTDOWN_DELAY_MS: '2000' }, async (world) => {
    expect((await world.call('GET /ready', { token: null })).status).toBe(200);
    const ended = world.server.end('SIGTERM');
    await until('the service is not ready any more', async () => {
      return (await world.call('GET /ready', { token: null })).status === 503;
    });
    const reply = await world.call('GET /ready', { token: null });
    expectErrorShape(reply);
    expect(reply.json).toEqual({ message: 'The service is stopping.' });
    expect((await world.call('GET /workspaces/{workspace}/media_contents')).status).toBe(200);
    expect(await ended).toBe(0);
  }));

test('a stop releases running imports, and another process takes them immediately', () =>
  inWorld({ ...loopback, SHUTDOWN_TIMEOUT_MS: '20000' }, async (world) => {
    const origin = await Origin.open();
    const bytes = movie(300_000);
    const page = origin.page('film.mp4', async ({ attempt, send, finish }) => {
      await send(head({ length: bytes.length }));
      await send(bytes.subarray(0, 100_000));
      // The first download never gets the rest of its file.
      if (attempt === 1) return;
      await send(bytes.subarray(100_000));
      finish();
    });
    const item = accepted(await importUrl(world, page.url));
    // A running upload keeps the first process from ending, but not from releasing its imports.
    const { connection, goOn } = await halfAnUpload(world);
    const { settings } = world.server;
    const ended = world.server.end('SIGTERM');
    await until('the download was aborted', () => page.open === 0);
    const worker = await startWorker(world.server);
    try {
      // If the first process had been killed, its lease would have lasted for half a minute.
      await until('the download begins again', () => page.requests.length === 2, 10_000);
      await goOn();
      expect((await connection.reply)?.status).toBe(201);
      expect(await ended).toBe(0);
      world.server = await startServer(world.dataDir, settings, ['serve', '--no-worker']);
      expect(await settled(world, item)).toMatchObject({ status: 'active', size: bytes.length });
    } finally {
      expect(await worker.end()).toBe(0);
      origin.close();
    }
  }));
