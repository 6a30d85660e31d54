import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { canSetClock, OtherClock } from '../faults/support/clock.ts';
import { serve } from '../imports/support/answers.ts';
import { accepted, importUrl, loopback, settled } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { jpeg, mp4 } from '../support/fixtures.ts';
import { boundary, file, multipart } from '../support/multipart.ts';
import { rawRequest } from '../support/raw.ts';
import { expectErrorShape } from '../support/reply.ts';
import { jsonCommand } from '../support/server.ts';
import { onDisk } from '../support/storage.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { figures, requests } from './support/figures.ts';
import { lineWith } from './support/log.ts';

const LIST = '/v1/workspaces/{workspace}/media_contents';
const ONE = '/v1/media_contents/{id}';

let world: World;
let origin: Origin;

beforeAll(async () => {
  world = await World.openAlone({ ...loopback, ...onDisk, IMPORT_RETRY_DELAYS: '1' });
  origin = await Origin.open();
});

afterAll(async () => {
  origin.close();
  await world.close();
});

describe('requests', () => {
  test('are counted and timed by method, route pattern and status', async () => {
    await world.call(`GET /workspaces/{workspace}/media_contents`);
    await world.call(`GET /workspaces/{workspace}/media_contents`, { token: null });
    for (let times = 0; times < 3; times += 1) await world.call('GET /media_contents/{unknown}');
    await world.call('HEAD /media_contents/{unknown}');
    await world.call('PUT /media_contents/{unknown}');
    const found = await figures(world);
    expect(found.get(requests('GET', LIST, 200))).toBe(1);
    expect(found.get(requests('GET', LIST, 401))).toBe(1);
    expect(found.get(requests('GET', ONE, 404))).toBe(3);
    expect(found.get(requests('HEAD', ONE, 404))).toBe(1);
    expect(found.get(requests('PUT', ONE, 405))).toBe(1);
    const timed = `{method="GET",route="${LIST}"}`;
    expect(found.get(`postshelf_http_request_duration_seconds_count${timed}`)).toBe(2);
    expect(found.get(`postshelf_http_request_duration_seconds_sum${timed}`)).toBeGreaterThan(0);
    expect(found.get('postshelf_http_requests_in_flight')).toBe(1);
  });

  test('add no series for invented paths, methods and hosts', async () => {
    const attack = async (mark: string): Promise<void> => {
      await world.call(`GET /v1/${mark}`);
      await world.call(`GET /files/${mark}/${mark}/${mark}`);
      await world.call(`GET /media_contents/${mark}`);
      await world.call(`GET /trpc/${mark}`);
      await rawRequest(world.server.port, `${mark} /${mark} HTTP/1.1\r\nHost: ${mark}\r\nConnection: close\r\n\r\n`);
      await rawRequest(world.server.port, `GET /${mark} HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n`);
    };
    await attack('FIRST');
    const before = await figures(world);
    for (let number = 0; number < 20; number += 1) await attack(`ATTACK${number}`);
    const after = await figures(world);
    // The first check of all objects may end in the meantime, and add its own metrics.
    const series = (of: ReadonlyMap<string, number>) => [...of.keys()].filter((name) => !name.includes('check')).sort();
    expect(series(after)).toEqual(series(before));
    expect([...after.keys()].join('\n')).not.toMatch(/ATTACK|FIRST/);
    expect(after.get(requests('GET', 'none', 404))).toBeGreaterThanOrEqual(21);
  });

  test('add the size of their bodies to a counter', async () => {
    const body = multipart([file('beach.jpg', jpeg())], boundary);
    const series = `postshelf_http_request_body_bytes_total{route="${LIST}"}`;
    const before = (await figures(world)).get(series) ?? 0;
    expect((await world.upload(body)).status).toBe(201);
    expect((await figures(world)).get(series)).toBe(before + body.bytes.length);
  });
});

describe('jobs', () => {
  test('are counted by kind, state and outcome, and the age of the oldest is reported', async () => {
    const idle = await figures(world);
    for (const figure of ['waiting', 'running', 'retried', 'failed', 'oldest_seconds']) {
      expect(idle.get(`postshelf_jobs_${figure}{kind="import"}`)).toBe(0);
    }
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const bytes = mp4();
    const held = origin.page('held.mp4', async ({ send, finish }) => {
      await send(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes.length}\r\nConnection: close\r\n\r\n`);
      await send(bytes.subarray(0, 5000));
      await released;
      await send(bytes.subarray(5000));
      finish();
    });
    const item = accepted(await importUrl(world, held.url));
    const busy = await figures(world);
    expect(busy.get('postshelf_jobs_running{kind="import"}')).toBe(1);
    expect(busy.get('postshelf_jobs_oldest_seconds{kind="import"}')).toBeGreaterThan(0);
    release();
    expect((await settled(world, item)).status).toBe('active');
    const missing = origin.page('missing.mp4', serve(new Uint8Array(), { status: 503 }));
    expect((await settled(world, accepted(await importUrl(world, missing.url)))).status).toBe('failed');
    // An item is visible in its final state shortly before its job is counted.
    const total = (ended: ReadonlyMap<string, number>, outcome: string) =>
      ended.get(`postshelf_jobs_total{kind="import",outcome="${outcome}"}`);
    await until('both are counted', async () => {
      const ended = await figures(world);
      return total(ended, 'active') === 1 && total(ended, 'failed') === 1;
    });
    expect((await figures(world)).get('postshelf_jobs_running{kind="import"}')).toBe(0);
  });
});

const hasClock = canSetClock('metrics of a garbage collection that removes objects');

test.skipIf(!hasClock)(
  'runs of garbage collection are counted, with removed objects, freed bytes and duration',
  async () => {
    const clock = new OtherClock(true);
    const own = await World.openAlone({ ...onDisk, ...clock.settings });
    try {
      const orphan = join(own.dataDir, 'media', String(own.ids.workspace), String(own.ids.unknown), 'orphan.jpg');
      await own.server.end();
      await Bun.write(orphan, 'left by a crash');
      await own.restart();
      const runs = async () => (await figures(own)).get('postshelf_gc_runs_total{outcome="done"}') ?? 0;
      await until('garbage was collected', async () => (await runs()) === 1);
      // The first run removes nothing: in the first 90 seconds, the service can't tell whether a copy of the database
      // is in use.
      expect(existsSync(orphan)).toBe(true);
      clock.jump(95);
      await until('garbage was collected twice', async () => (await runs()) === 2);
      const found = await figures(own);
      expect(found.get('postshelf_gc_runs_total{outcome="done"}')).toBe(2);
      expect(found.get('postshelf_gc_runs_total{outcome="failed"}')).toBe(0);
      expect(found.get('postshelf_gc_runs_total{outcome="withheld"}')).toBe(0);
      expect(found.get('postshelf_gc_withheld_objects')).toBe(0);
      expect(found.get('postshelf_gc_removed_total{kind="trashed"}')).toBe(1);
      expect(found.get('postshelf_gc_removed_total{kind="trash"}')).toBe(0);
      expect(found.has('postshelf_gc_removed_total{kind="bytes"}')).toBe(false);
      // Objects in the trash still use disk space.
      expect(found.get('postshelf_gc_removed_bytes_total')).toBe(0);
      expect(found.get('postshelf_gc_restored_total')).toBe(0);
      expect(found.get('postshelf_gc_last_run_duration_seconds')).toBeWithin(0, 60);
      expect(existsSync(orphan)).toBe(false);
      const line = await lineWith(own, { msg: 'garbage collected', trashed: 1, bytes: 0 });
      expect(line.seconds).toBeNumber();
      await Bun.write(orphan, 'left by another');
      await own.storage.ageTrash();
      const settings = { ...own.server.settings, TRASH_DAYS: '0' };
      expect(await jsonCommand(['gc'], settings, own.server.program)).toEqual({
        staged: 0,
        trashed: 1,
        trash: 1,
        restored: 0,
        unconfirmed: 0,
        uploads: 0,
        previews: 0,
        bytes: 15,
        withheld: 0,
        seconds: expect.any(Number),
      });
    } finally {
      await own.close();
      clock.close();
    }
  },
);

test('database connections have metrics only with PostgreSQL', async () => {
  // Metrics of PostgreSQL's connections are tested in database-pool.test.ts.
  const names = [...(await figures(world)).keys()].filter((name) => name.startsWith('postshelf_database'));
  expect(names.length).toBe(world.database.settings.DATABASE_URL === undefined ? 0 : 4);
});

test('the process, garbage collection, uploads and the disk have metrics', async () => {
  const found = await figures(world);
  const now = Date.now() / 1000;
  expect(found.get('postshelf_gc_last_run_timestamp_seconds')).toBeWithin(now - 3600, now + 1);
  expect(found.get('postshelf_gc_removed_total{kind="trashed"}')).toBe(0);
  expect(found.get('postshelf_uploads_running')).toBe(0);
  expect(found.get('postshelf_uploads_waiting')).toBe(0);
  expect(found.get('postshelf_disk_free_bytes')).toBeGreaterThan(0);
  expect(found.get('process_resident_memory_bytes')).toBeWithin(10_000_000, 1_000_000_000);
  expect(found.get('process_start_time_seconds')).toBeWithin(now - 3600, now + 1);
  expect(found.get('process_cpu_seconds_total')).toBeGreaterThan(0);
  expect(found.get('process_open_fds')).toBeGreaterThan(3);
});

test("the metrics include the program's version", async () => {
  const { version, commit } = await world.command(['version']);
  const found = await figures(world);
  expect(found.get(`postshelf_build_info{version="${version}",commit="${commit ?? ''}"}`)).toBe(1);
  expect(found.get('postshelf_log_lines_dropped_total')).toBe(0);
});

test('metrics are in the format that Prometheus reads', async () => {
  const reply = await world.call('GET /metrics', { token: null });
  expect(reply.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(reply.text).toMatch(/^# HELP \w+ .+\n# TYPE \w+ counter\n/);
});

test('metrics require the bearer token if one is set', async () => {
  const guarded = await World.openAlone({ METRICS_TOKEN: 'figures-for-prometheus-alone' });
  try {
    expect((await figures(guarded, { authorization: 'Bearer figures-for-prometheus-alone' })).size).toBeGreaterThan(10);
    for (const authorization of ['', 'Bearer figures-for-prometheus-alonf', `Bearer ${guarded.tokens.all}`]) {
      const reply = await guarded.call('GET /metrics', { token: null, headers: { authorization } });
      expect(reply.status).toBe(401);
      expect(reply.headers.get('www-authenticate')).toBe('Bearer');
      expectErrorShape(reply);
    }
  } finally {
    await guarded.close();
  }
});
