// These tests check, with a running worker, that operators can retry jobs immediately and cancel running jobs, and that
// jobs that have failed permanently are kept.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { beginUpload, firstTenant } from '../fair-share/support/tenants.ts';
import { gate, inTurn, serve, serveGated, status } from '../imports/support/answers.ts';
import { megabyte, movie } from '../imports/support/files.ts';
import { expectActive, expectFailed, settled, withoutCovers } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { figures } from '../operate/support/figures.ts';
import { jpeg } from '../support/fixtures.ts';
import { file } from '../support/multipart.ts';
import { arrayAt, at, expectInvalid } from '../support/reply.ts';
import { command } from '../support/server.ts';
import { onDisk } from '../support/storage.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import {
  status as answering,
  inTurn as answeringInTurn,
  createWebhook,
  ok,
  Receiver,
} from '../webhooks/support/receiver.ts';
import { cancel, importLater, jobOf, jobs, patient, retry, untilJobIs } from './support/jobs.ts';

let world: World;
let origin: Origin;
let receiver: Receiver;

beforeAll(async () => {
  [world, origin] = await Promise.all([
    World.openAlone({ ...patient, ...withoutCovers, ...onDisk, PREVIEWS_AHEAD: 'true' }),
    Origin.open(),
  ]);
  receiver = new Receiver();
  await world.operator();
});

afterAll(async () => {
  receiver.close();
  origin.close();
  await world.close();
});

const video = movie(2 * megabyte);

/** Starts an import that runs for as long as the gate is closed. */
async function heldImport() {
  const rest = gate();
  const page = origin.page('held.mp4', serveGated(video, megabyte, rest));
  const item = await importLater(world, page.url);
  return { rest, page, item, id: `import:${item}` };
}

/** Starts an import whose first attempt fails. Its second attempt is due in a day. */
async function waitingImport() {
  const page = origin.page('late.mp4', inTurn(status(503), serve(video)));
  const item = await importLater(world, page.url);
  return { page, item, id: `import:${item}` };
}

const trpc = (procedure: string, json: unknown, token = 'operator') =>
  world.call(`POST /trpc/${procedure}`, { json, token });

async function doctor(): Promise<unknown> {
  // `doctor` exits with 1, because there is no ffmpeg.
  const { stdout } = await command(['doctor', '--json'], world.server.settings);
  const checks = arrayAt(JSON.parse(stdout), 'checks');
  return checks.find((check) => at(check, 'name') === 'jobs');
}

describe('a running import', () => {
  test('keeps using its open connection, and cannot be retried', async () => {
    const { rest, page, item, id } = await heldImport();
    expect(await jobOf(world, id)).toMatchObject({ state: 'running', attempts: 0, starts: 1, reason: null });
    expectInvalid(await retry(world, id), { job: 'The job is running.' });
    rest.open();
    await expectActive(world, await settled(world, { id: item }), video);
    expect(page.requests).toHaveLength(1);
    expect(await jobOf(world, id)).toBeUndefined();
  });

  test('fails and closes the connection to its origin if it is cancelled', async () => {
    const { page, item, id } = await heldImport();
    await until('it is downloading', () => page.open === 1, 60_000);
    expect((await cancel(world, id)).status).toBe(204);
    expect(await jobOf(world, id)).toBeUndefined();
    await expectFailed(world, await settled(world, { id: item }), /^An operator cancelled it\.$/);
    await until('the connection to the origin is closed', () => page.open === 0, 60_000);
    expect(page.requests).toHaveLength(1);
  });
});

describe('a retried job', () => {
  test('is tried immediately', async () => {
    const { page, item, id } = await waitingImport();
    const reply = await retry(world, id);
    expect([reply.status, at(reply.json, 'data', 'id')]).toEqual([202, id]);
    await expectActive(world, await settled(world, { id: item }), video);
    expect(page.requests).toHaveLength(2);
  });

  test('is tried once, even if the request is repeated', async () => {
    const page = origin.page('gone.mp4', status(503));
    const id = `import:${await importLater(world, page.url)}`;
    const send = () =>
      world.call(`POST /jobs/${id}/retry`, { token: 'operator', headers: { 'idempotency-key': 'once' } });
    const first = await send();
    await until('it was tried', async () => page.requests.length === 2, 60_000);
    await untilJobIs(world, id, 'waiting');
    const second = await send();
    expect([second.json, second.headers.get('idempotency-replayed')]).toEqual([first.json, 'true']);
    expect(page.requests).toHaveLength(2);
    expect(await jobOf(world, id)).toMatchObject({ attempts: 2, reason: expect.stringContaining('503') });
    await cancel(world, id);
  });

  test('of a webhook sends the webhook’s pending deliveries', async () => {
    const hook = receiver.hook(answeringInTurn(answering(500), ok));
    const { id } = await createWebhook(world, hook, ['workspace.quota']);
    await world.call(`POST /webhooks/${id}/test`);
    await until('it was refused', () => hook.requests.length === 1, 60_000);
    await untilJobIs(world, `delivery:${id}`, 'waiting');
    expect((await retry(world, `delivery:${id}`)).status).toBe(202);
    await until('it is sent again', () => hook.requests.length === 2, 60_000);
    await untilJobIs(world, `delivery:${id}`, 'gone');
  });
});

test('jobs can be listed, retried and cancelled over tRPC, only with an operator token', async () => {
  const { id } = await waitingImport();
  const input = encodeURIComponent(JSON.stringify({ kind: 'import', state: 'waiting' }));
  const listed = await world.call(`GET /trpc/jobs.list?input=${input}`, { token: 'operator' });
  expect(arrayAt(listed.json, 'result', 'data', 'data').map((job) => at(job, 'id'))).toContain(id);
  for (const procedure of ['jobs.retry', 'jobs.cancel'])
    expect((await trpc(procedure, { id }, 'all')).status).toBe(403);
  expect((await trpc('jobs.retry', { id: `fit:${id}` })).status).toBe(404);
  expect((await trpc('jobs.cancel', { id })).status).toBe(200);
  expect((await trpc('jobs.cancel', { id })).status).toBe(404);
});

test('cancelling or retrying a job adds an audit log entry with the job’s item as subject', async () => {
  const { item, id } = await waitingImport();
  await untilJobIs(world, id, 'waiting');
  await cancel(world, id);
  const reply = await world.call('GET /audit?workspace={workspace}&per_page=100', { token: 'operator' });
  const entries = arrayAt(reply.json, 'data').filter((entry) => at(entry, 'subject') === item);
  expect(entries.map((entry) => at(entry, 'action'))).toEqual(['jobs.cancel', 'media.importUrl']);
  expect(entries[0]).toMatchObject({ workspace: world.ids.workspace, token: expect.any(String) });
  const retried = await waitingImport();
  await retry(world, retried.id);
  const [entry] = arrayAt(
    (await world.call('GET /audit?workspace={workspace}', { token: 'operator' })).json,
    'data',
  ).filter((each) => at(each, 'action') === 'jobs.retry');
  expect(at(entry, 'subject')).toBe(retried.item);
});

test('a failed job is kept with its reason, reported by doctor and metrics, and can be retried', async () => {
  const images = firstTenant(world);
  // Previews wait until there are no uploads.
  const uploading = await beginUpload(world, images);
  const { id: item } = await world.storeOne(file('broken.jpg', jpeg()));
  const id = `preview:${item}`;
  // Makes the job look as if five processes had been killed while they were making the preview.
  const last = `update jobs set claims = 5 where kind = 'preview' and subject_id = '${item}'`;
  expect(await world.database.change(last)).toBe(1);
  await uploading.end();
  // Reads the database directly. A request would delay the preview, because previews wait while requests are running.
  const dueAt = () =>
    world.database.column(`select due_at from jobs where kind = 'preview' and subject_id = '${item}'`);
  await until('it has failed', async () => (await dueAt())[0] === 'null', 60_000);
  const failed = await jobOf(world, id);
  expect(failed).toMatchObject({ due_at: null, starts: 6, reason: 'It was interrupted too often.' });
  expect(await jobs(world, 'state=failed')).toEqual([failed]);

  const waiting = await waitingImport();
  const running = await heldImport();
  expect(await doctor()).toMatchObject({
    verdict: 'warning',
    found: expect.stringMatching(
      /import: \d+ waiting \(\d+ tried before, the oldest for [^)]+\), 1 running; preview: 0 waiting, 0 running, 1 failed/,
    ),
    remedy: expect.stringContaining('postshelf jobs retry'),
  });
  const metrics = await figures(world);
  expect(metrics.get('postshelf_jobs_failed{kind="preview"}')).toBe(1);
  expect(metrics.get('postshelf_jobs_running{kind="import"}')).toBe(1);
  expect(metrics.get('postshelf_jobs_retried{kind="import"}')).toBeGreaterThan(0);
  await Promise.all([cancel(world, waiting.id), cancel(world, running.id)]);

  const reply = await retry(world, id);
  expect([reply.status, at(reply.json, 'data')]).toEqual([
    202,
    expect.objectContaining({ id, state: 'waiting', attempts: 0, starts: 0, reason: null }),
  ]);
  await until('its previews are made', async () => (await dueAt()).length === 0, 60_000);
});
