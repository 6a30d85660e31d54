// These tests check how operators list jobs of every kind while no worker runs, and what cancelling a job does.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { ScriptedFfmpeg } from '../faults/support/ffmpeg.ts';
import { status } from '../imports/support/answers.ts';
import { show } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { unusedId } from '../isolation/support/scene.ts';
import { jpeg, mp4 } from '../support/fixtures.ts';
import { boundary, file, multipart } from '../support/multipart.ts';
import { at, stringAt } from '../support/reply.ts';
import { startServer } from '../support/server.ts';
import { type Row, row, table } from '../support/table.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { createWebhook, Receiver } from '../webhooks/support/receiver.ts';
import { cancel, idsOf, importLater, jobOf, jobs, patient } from './support/jobs.ts';

const KINDS = ['check', 'cover', 'delivery', 'fit', 'import', 'preview', 'removal'];

let ffmpeg: ScriptedFfmpeg;
let origin: Origin;
let receiver: Receiver;
let world: World;

beforeAll(async () => {
  ffmpeg = new ScriptedFfmpeg();
  [world, origin] = await Promise.all([World.openAlone({ ...patient, FFMPEG_PATH: ffmpeg.path }), Origin.open()]);
  // Only a server that works on jobs creates the one that checks the library.
  await world.server.end();
  world.server = await startServer(world.dataDir, world.server.settings, ['serve', '--no-worker']);
  receiver = new Receiver();
  await world.operator();
  const { ids } = world;
  ids.video = await videoWithoutCover();
  ids.photo = (await world.storeOne(file('beach.jpg', jpeg()))).id;
  const fit = await world.call('POST /media_contents/{photo}/fit', { json: { target: 'x.post' } });
  ids.fitted = stringAt(fit.json, 'data', 0, 'id');
  ids.late = await importLater(world, origin.page('late.mp4', status(503)).url);
  ids.hook = (await createWebhook(world, receiver.hook())).id;
  await world.call('POST /webhooks/{hook}/test');
  const inn = await world.call('POST /workspaces', { token: 'operator', json: { name: 'Inn' } });
  ids.removed = stringAt(inn.json, 'data', 'id');
  await world.call('DELETE /workspaces/{removed}', { token: 'operator' });
  ids.library = String((await world.database.column("select subject_id from jobs where kind = 'check'"))[0]);
});

afterAll(async () => {
  await world.close();
  receiver.close();
  origin.close();
  ffmpeg.remove();
});

/** Stores a video that gets no slot for its cover in time, because another video occupies the slot. */
async function videoWithoutCover(): Promise<string> {
  ffmpeg.does('sleep 1000; :');
  const leaving = new AbortController();
  const held = fetch(`${world.server.url}/v1/workspaces/${world.ids.workspace}/media_contents`, {
    method: 'POST',
    headers: {
      'content-type': `multipart/form-data; boundary="${boundary}"`,
      authorization: `Bearer ${world.tokens.all}`,
    },
    body: Buffer.from(multipart([file('other.mp4', mp4())]).bytes),
    signal: leaving.signal,
  });
  await until('a cover is being made', () => ffmpeg.running().length > 0, 60_000);
  const { id } = await world.storeOne(file('film.mp4', mp4()));
  leaving.abort();
  await Promise.allSettled([held]);
  return id;
}

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const operating = (...rows: readonly Row[]): readonly Row[] => rows.map((each) => ({ ...each, token: 'operator' }));

const lists = (name: string, query: string, ...ids: readonly string[]): Row => ({
  name,
  send: `GET /jobs?${query}`,
  status: 200,
  after: ({ json }) => {
    expect(idsOf(Object.values(Object(at(json, 'data'))))).toEqual(world.fill(ids));
    expect(at(json, 'meta', 'total')).toBe(ids.length);
  },
});

const IMPORT = 'import:{late}';
const NAMED = [
  'check:{library}',
  'cover:{video}',
  'delivery:{hook}',
  'fit:{fitted}',
  IMPORT,
  'preview:{photo}',
] as const;

describe('the list of jobs', () => {
  test('has jobs of each kind, sorted by kind', async () => {
    const listed = await jobs(world);
    expect(listed.map((job) => at(job, 'kind'))).toEqual(KINDS);
    expect(idsOf(listed)).toEqual(world.fill([...NAMED, 'removal:{removed}']));
  });

  test('has the reason why an import has failed once', async () => {
    const added = stringAt(await jobOf(world, world.fill(IMPORT)), 'added_at');
    expect(await jobOf(world, world.fill(IMPORT))).toEqual({
      ...{ id: world.fill(IMPORT), kind: 'import', state: 'waiting', subject: world.ids.late },
      ...{ workspace: world.ids.workspace, added_at: added, due_at: TIME, attempts: 1, starts: 0 },
      reason: expect.stringContaining('answered 503'),
    });
    expect(Math.abs(Date.parse(added) - Date.now())).toBeLessThan(600_000);
  });

  test('shows no workspace for the library check, and the deleted workspace for its removal', async () => {
    const [check, removal] = [await jobs(world, 'kind=check'), await jobs(world, 'kind=removal')];
    expect([at(check[0], 'workspace'), at(removal[0], 'workspace')]).toEqual([null, world.ids.removed]);
  });

  table(
    () => world,
    operating(
      lists('can be filtered by kind', 'kind=import', IMPORT),
      lists('can be filtered by state', 'state=running'),
      lists('can be filtered by workspace', 'workspace={removed}', 'removal:{removed}'),
      lists(
        'can be filtered by kind, state and workspace together',
        'kind=fit&state=waiting&workspace={workspace}',
        'fit:{fitted}',
      ),
      lists('is empty for a workspace without jobs', 'workspace={foreign}'),
      {
        name: 'has pages',
        send: 'GET /jobs?per_page=3&page=2&state=waiting',
        status: 200,
        after: ({ json }) => {
          expect(idsOf(Object.values(Object(at(json, 'data'))))).toEqual(world.fill(NAMED.slice(3, 6)));
          expect(at(json, 'meta')).toMatchObject({ total: 7, per_page: 3, current_page: 2, last_page: 3 });
          expect(at(json, 'links', 'next')).toBe(`${world.ids.base}/jobs?state=waiting&per_page=3&page=3`);
        },
      },
      row('rejects unknown kinds', 'GET /jobs?kind=video', undefined, 422, { kind: true }),
      row('rejects unknown states', 'GET /jobs?state=done&kind=Import', undefined, 422, { kind: true, state: true }),
      row('rejects a workspace that is not an id', 'GET /jobs?workspace=inn', undefined, 422, { workspace: true }),
    ),
  );
});

describe.each([
  ['retrying a job', 'POST', '/retry'],
  ['cancelling a job', 'DELETE', ''],
])('%s', (_, method, end) => {
  table(
    () => world,
    [
      ...['import', 'import:', 'import:late', '{late}', 'video:{late}', 'IMPORT:{late}', 'cover:{late}', ' {late}'].map(
        (id): Row => ({
          name: `returns 404 for the malformed id "${id}"`,
          send: `${method} /jobs/${encodeURIComponent(id).replaceAll(/%7B(\w+)%7D/g, '{$1}')}${end}`,
          token: 'operator',
          status: 404,
          message: 'Not found.',
        }),
      ),
      {
        name: 'returns 404 for an id that never existed',
        before: ({ ids }) => {
          ids.unused = unusedId(String(ids.late));
        },
        send: `${method} /jobs/import:{unused}${end}`,
        token: 'operator',
        status: 404,
        message: 'Not found.',
      },
      {
        name: 'needs an operator token',
        send: `${method} /jobs/${IMPORT}${end}`,
        token: 'all',
        status: 403,
        message: /The scope operator is missing/,
      },
    ],
  );
});

describe('a job that cannot be cancelled', () => {
  table(
    () => world,
    operating(
      row('is a delivery', 'DELETE /jobs/delivery:{hook}', undefined, 422, {
        job: 'Disable or delete the webhook instead.',
      }),
      row('is a check', 'DELETE /jobs/check:{library}', undefined, 422, {
        job: 'A job of this kind cannot be cancelled.',
      }),
      row('is a removal', 'DELETE /jobs/removal:{removed}', undefined, 422, {
        job: 'A job of this kind cannot be cancelled.',
      }),
    ),
  );

  test('still exists after the refused requests', async () => {
    expect((await jobs(world)).length).toBe(KINDS.length);
  });
});

test('a retried job is due immediately, and waits while there is no worker', async () => {
  const before = Date.now();
  const reply = await world.call(`POST /jobs/${IMPORT}/retry`, { token: 'operator' });
  expect({ status: reply.status, text: reply.text }).toEqual({ status: 202, text: reply.text });
  expect(at(reply.json, 'message')).toBe('The job will be tried immediately.');
  const shown = at(reply.json, 'data');
  expect(shown).toMatchObject({ id: world.fill(IMPORT), state: 'waiting', attempts: 1 });
  expect(Math.abs(Date.parse(stringAt(shown, 'due_at')) - before)).toBeLessThan(60_000);
  expect(await jobOf(world, world.fill(IMPORT))).toEqual(shown);
});

describe('cancelling the job of', () => {
  const gone = async (id: string) => {
    const { status: code, text } = await cancel(world, world.fill(id));
    expect([code, text]).toEqual([204, '']);
    expect(await jobOf(world, world.fill(id))).toBeUndefined();
    expect((await cancel(world, world.fill(id))).status).toBe(404);
  };

  test.each([
    ['an import', IMPORT, 'late'],
    ['a fit', 'fit:{fitted}', 'fitted'],
  ])('%s leaves a failed item with the reason', async (_, job, item) => {
    await gone(job);
    const { status: state, error_message } = await show(world, String(world.ids[item]));
    expect([state, error_message]).toEqual(['failed', 'An operator cancelled it.']);
  });

  test('a cover leaves a video without a cover', async () => {
    await gone('cover:{video}');
    expect(await show(world, String(world.ids.video))).toMatchObject({ status: 'active', thumbnail: null });
  });

  test('a preview leaves an active image', async () => {
    await gone('preview:{photo}');
    expect(await show(world, String(world.ids.photo))).toMatchObject({ status: 'active' });
  });
});
