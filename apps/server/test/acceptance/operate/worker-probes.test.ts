import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, readlinkSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { serve } from '../imports/support/answers.ts';
import { accepted, importUrl, loopback, settled } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { startWorker, type Worker } from '../imports/support/processes.ts';
import { mp4 } from '../support/fixtures.ts';
import { rawRequest } from '../support/raw.ts';
import { freePort, spawnServer } from '../support/server.ts';
import { onDisk } from '../support/storage.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

const token = 'metrics-token-of-the-test';

let world: World;
let origin: Origin;
let worker: Worker;
let port: number;

beforeAll(async () => {
  [world, origin, port] = await Promise.all([
    World.openWithoutWorker({ ...loopback, ...onDisk }),
    Origin.open(),
    freePort(),
  ]);
  worker = await startWorker(world.server, { WORKER_PORT: String(port), METRICS_TOKEN: token });
});

afterAll(async () => {
  await worker.end();
  origin.close();
  await world.close();
});

const ask = (path: string, init: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${port}${path}`, { ...init, keepalive: false } as RequestInit);

const figures = async () => (await ask('/metrics', { headers: { authorization: `Bearer ${token}` } })).text();

/** The inodes of the TCP sockets on which a process listens. */
function listening(pid: number): string[] {
  const own = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
    } catch {
      return [];
    }
  });
  const tables = ['tcp', 'tcp6'].map((name) => readFileSync(`/proc/${pid}/net/${name}`, 'utf8'));
  const listeners = tables
    .flatMap((text) => text.trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => state === '0A')
    .map((fields) => fields[9] ?? '');
  return own.filter((inode) => listeners.includes(inode));
}

const NO_JOBS = { waiting: 0, running: 0, retried: 0, failed: 0, oldest: null };

describe('a worker with WORKER_PORT', () => {
  test('answers /health and /ready like a server', async () => {
    const health = await ask('/health');
    expect({ status: health.status, body: await health.json() }).toEqual({ status: 200, body: { status: 'ok' } });
    const ready = await ask('/ready');
    expect({ status: ready.status, body: await ready.json() }).toEqual({ status: 200, body: { status: 'ready' } });
    const answer = await ask('/ready', { headers: { authorization: `Bearer ${token}` } });
    expect(await answer.json()).toMatchObject({ status: 'ready', jobs: { import: NO_JOBS } });
    const head = await ask('/ready', { method: 'HEAD' });
    expect({ status: head.status, body: await head.text() }).toEqual({ status: 200, body: '' });
  });

  test('requires the token for /metrics, which counts its work', async () => {
    const stranger = await ask('/metrics');
    expect({ status: stranger.status, body: await stranger.json() }).toEqual({
      status: 401,
      body: { message: 'Unauthenticated.' },
    });
    const page = origin.page('film.mp4', serve(mp4()));
    await settled(world, accepted(await importUrl(world, page.url)));
    await until('the import is counted', async () =>
      /^postshelf_jobs_total\{kind="import",outcome="active"\} 1$/m.test(await figures()),
    );
    // The worker collects garbage as soon as it has started.
    await until('garbage collection is counted', async () =>
      /^postshelf_gc_runs_total\{outcome="done"\} [1-9]/m.test(await figures()),
    );
    const text = await figures();
    expect(text).toMatch(/^postshelf_jobs_running\{kind="import"\} 0$/m);
    expect(text).toMatch(/^process_resident_memory_bytes [1-9]/m);
    // A worker receives no files.
    expect(text).not.toMatch(/^postshelf_uploads_running/m);
  });

  test('answers /ready with 503 while the storage is missing', async () => {
    const [media, away] = [join(world.dataDir, 'media'), join(world.dataDir, 'away')];
    renameSync(media, away);
    const gone = await ask('/ready');
    renameSync(away, media);
    expect({ status: gone.status, body: await gone.json() }).toEqual({
      status: 503,
      body: { message: 'The service is not ready.' },
    });
    expect((await ask('/ready')).status).toBe(200);
  });

  test('answers everything else with the usual error', async () => {
    for (const [method, path, status, message] of [
      ['GET', '/', 404, 'Not found.'],
      ['GET', '/v1/me', 404, 'Not found.'],
      ['GET', '/constructor', 404, 'Not found.'],
      ['GET', '/metrics/', 404, 'Not found.'],
      ['POST', '/ready', 405, 'Method not allowed.'],
    ] as const) {
      const reply = await ask(path, { method });
      expect({ path, status: reply.status, body: await reply.json() }).toEqual({ path, status, body: { message } });
    }
    const twice = 'GET /ready HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n';
    expect((await rawRequest(port, twice))?.status).toBe(400);
  });

  test('does not start if its port is in use, and reports it', async () => {
    const { exited, stderr, forget } = spawnServer({ ...world.server.settings, WORKER_PORT: String(port) }, ['worker']);
    expect(await exited).toBe(1);
    expect(stderr()).toContain(`WORKER_PORT: ${port} is in use on 127.0.0.1`);
    forget();
  });
});

test('a worker without WORKER_PORT listens on no port', async () => {
  const silent = await startWorker(world.server);
  try {
    expect(listening(silent.pid)).toEqual([]);
    expect(listening(worker.pid)).toHaveLength(1);
  } finally {
    await silent.end();
  }
});
