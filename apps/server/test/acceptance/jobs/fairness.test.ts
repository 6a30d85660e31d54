// These tests check that workspaces take turns in each kind of job, and that jobs that requests pass directly to the
// runner don't wait in the queue.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { addTenant, firstTenant, importFor } from '../fair-share/support/tenants.ts';
import { type Gate, gate, head, inTurn, serve, status } from '../imports/support/answers.ts';
import { megabyte, movie } from '../imports/support/files.ts';
import { accepted, settled, withoutCovers } from '../imports/support/imports.ts';
import { type Answer, Origin } from '../imports/support/origin.ts';
import { onDisk } from '../support/storage.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { createWebhook, Receiver } from '../webhooks/support/receiver.ts';
import { jobs, patient, retry } from './support/jobs.ts';

const CROWD = 1000;

let origin: Origin;
let receiver: Receiver;

beforeAll(async () => {
  origin = await Origin.open();
  receiver = new Receiver();
});

afterAll(() => {
  origin.close();
  receiver.close();
});

/** Serves nothing until the gate is opened, and an empty file once it is open. */
const after =
  ({ opened }: Gate, asked: string[], name: string): Answer =>
  async ({ send, finish, closed }) => {
    asked.push(name);
    await Promise.race([opened, closed]);
    await send(head({ length: 0 }));
    finish();
  };

async function inWorld(settings: Record<string, string>, use: (world: World) => Promise<void>): Promise<void> {
  const world = await World.openAlone({ ...patient, ...withoutCovers, ...onDisk, ...settings });
  try {
    await world.operator();
    await use(world);
  } finally {
    await world.close();
  }
}

test(`an import waits for one job of another workspace with ${CROWD} jobs, not for all of them`, () =>
  inWorld({ IMPORT_CONCURRENCY: '1' }, async (world) => {
    const [crowd, other] = [firstTenant(world), await addTenant(world, 'other')];
    const asked: string[] = [];
    const rest = gate();
    const crowded = origin.page('crowd.mp4', inTurn(status(503), after(rest, asked, 'crowd')));
    const { id } = accepted(await importFor(world, crowd, crowded.url));
    await copyImport(world, id, CROWD - 1);
    const others = origin.page('other.mp4', inTurn(status(503), after(rest, asked, 'other')));
    const late = accepted(await importFor(world, other, others.url));
    // This makes all imports of the crowd due before the other workspace's import.
    await world.database.change(
      `update jobs set due_at = ${Date.now() - 60_000} where kind = 'import' and subject_id <> '${late.id}'`,
    );
    await world.database.change("update job_turns set due_at = 0 where kind = 'import' and due_at is not null");
    await until('one of the crowd is tried', () => asked.length === 1, 60_000);
    expect((await retry(world, `import:${late.id}`)).status).toBe(202);
    rest.open();
    await settled(world, late, 60_000, other.token);
    expect(asked.slice(0, 3).filter((name) => name === 'other')).toEqual(['other']);
    expect((await jobs(world, `kind=import&workspace=${crowd.workspace}&per_page=1`)).length).toBe(1);
  }));

/** Makes copies of an item that is being imported, and of its job. */
async function copyImport(world: World, id: string, count: number): Promise<void> {
  const ids = Array.from({ length: count }, (_, n) => id.slice(0, 24) + n.toString(16).padStart(12, '0'));
  const { database } = world;
  await database.copy(
    'media',
    `id = '${id}'`,
    ids.map((copy) => ({ id: copy, full_name: `${copy}.mp4` })),
  );
  await database.copy(
    'jobs',
    `subject_id = '${id}'`,
    ids.map((copy) => ({ subject_id: copy })),
  );
}

test('an event is delivered soon although the receivers of another workspace never answer', () =>
  inWorld({}, async (world) => {
    const video = movie(megabyte);
    const silent = receiver.hook(() => new Promise(() => undefined));
    for (let index = 0; index < 12; index++) await createWebhook(world, silent);
    const other = await addTenant(world, 'other');
    const hook = receiver.hook();
    const json = { url: hook.url, types: null };
    const made = await world.call(`POST /workspaces/${other.workspace}/webhooks`, { token: other.token, json });
    expect(made.status).toBe(201);
    const page = origin.page('film.mp4', serve(video));
    await importFor(world, firstTenant(world), page.url);
    await until('the crowd uses all slots of one workspace', () => silent.requests.length >= 8, 60_000);
    const begun = performance.now();
    const folders = `POST /workspaces/${other.workspace}/media_library/folders`;
    await world.call(folders, { token: other.token, json: { name: 'Summer' } });
    await importFor(world, other, page.url);
    await until('the event is delivered', () => hook.requests.length > 0, 60_000);
    // Receivers have 15 seconds to answer. In less than that, the delivery can't have waited for the crowd's receivers.
    expect(performance.now() - begun).toBeLessThan(14_000);
    expect(silent.requests.length).toBe(8);
  }));
