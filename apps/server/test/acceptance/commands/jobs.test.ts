// These are the tests of `postshelf jobs`, with and without a running service.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { inTurn, serve, status } from '../imports/support/answers.ts';
import { megabyte, movie } from '../imports/support/files.ts';
import { expectActive, expectFailed, settled, withoutCovers } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { importLater, patient } from '../jobs/support/jobs.ts';
import { arrayAt, at, stringAt } from '../support/reply.ts';
import { command } from '../support/server.ts';
import { World } from '../support/world.ts';

let world: World;
let origin: Origin;

beforeAll(async () => {
  [world, origin] = await Promise.all([World.openAlone({ ...patient, ...withoutCovers }), Origin.open()]);
  await world.operator();
});

afterAll(async () => {
  origin.close();
  await world.close();
});

const video = movie(megabyte);

/** Starts an import whose first attempt fails. */
async function late() {
  const page = origin.page('late.mp4', inTurn(status(503), serve(video)));
  const item = await importLater(world, page.url);
  return { page, item, id: `import:${item}` };
}

const list = async (...args: readonly string[]): Promise<readonly unknown[]> =>
  arrayAt(await world.command(['jobs', 'list', ...args]), 'data');

const run = (...args: readonly string[]) => command(['jobs', ...args], world.server.settings);

describe('postshelf jobs with a running service', () => {
  test('lists jobs as the API does', async () => {
    const { id } = await late();
    const reply = await world.call('GET /jobs?kind=import', { token: 'operator' });
    expect(await list('--kind', 'import', '--state', 'waiting')).toEqual(arrayAt(reply.json, 'data'));
    expect(await list('--kind', 'fit')).toEqual([]);
    const { code, stdout, stderr } = await run('list', '--kind', 'import');
    expect([code, stderr]).toEqual([0, '']);
    const [head = '', line = ''] = stdout.split('\n');
    expect(head.split(/ {2,}/)).toEqual(['ID', 'STATE', 'WORKSPACE', 'ADDED', 'DUE', 'TRIES', 'REASON']);
    expect(line).toMatch(new RegExp(`^${id} +waiting +${world.ids.workspace} .* 1 +.*503`));
    expect((await run('list', '--kind', 'fit')).stdout).toBe('None yet.\n');
    await world.command(['jobs', 'cancel', id]);
  });

  test('retries a job immediately', async () => {
    const { id, item, page } = await late();
    expect(await world.command(['jobs', 'retry', id])).toMatchObject({ id, state: 'waiting', attempts: 1 });
    await expectActive(world, await settled(world, { id: item }), video);
    expect(page.requests).toHaveLength(2);
  });

  test('cancels a job, and adds an entry without a token to the audit log', async () => {
    const { id, item } = await late();
    expect(await world.command(['jobs', 'cancel', id])).toEqual({ id, cancelled: true });
    await expectFailed(world, await settled(world, { id: item }), /^An operator cancelled it\.$/);
    const audit = await world.call('GET /audit?workspace={workspace}', { token: 'operator' });
    const entry = arrayAt(audit.json, 'data').find((each) => at(each, 'subject') === item);
    expect(entry).toMatchObject({ action: 'jobs.cancel', token: null, workspace: world.ids.workspace });
  });

  test.each([
    [['list', '--kind', 'video'], 2, /Allowed choices are import, fit/],
    [['list', '--state', 'done'], 2, /Allowed choices are waiting, running, failed/],
    [['retry'], 2, /id/],
    [['retry', 'import:late'], 1, /There is no job/],
    [['cancel', 'fit:01890000-0000-7000-8000-000000000000'], 1, /There is no job/],
  ])('refuses the arguments %j with exit code %d', async (args, wanted, message) => {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout]).toEqual([wanted, '']);
    expect(stderr).toMatch(message);
  });

  test('refuses to cancel a library check', async () => {
    const [check] = await list('--kind', 'check');
    const { code, stderr } = await run('cancel', stringAt(check, 'id'));
    expect([code, stderr.trim()]).toEqual([2, 'postshelf: A job of this kind cannot be cancelled.']);
  });
});

test('postshelf jobs cancels a job and schedules a retry for the next start while no service runs', async () => {
  const [tried, ended] = [await late(), await late()];
  await world.server.end();
  expect((await run('retry', tried.id)).stdout).toBe(`${tried.id} is tried as soon as a service runs.\n`);
  expect((await run('cancel', ended.id)).stdout).toBe(`${ended.id} has been cancelled.\n`);
  expect((await list('--kind', 'import')).map((job) => at(job, 'id'))).toEqual([tried.id]);
  await world.restart();
  await expectActive(world, await settled(world, { id: tried.item }), video);
  await expectFailed(world, await settled(world, { id: ended.item }), /cancelled/);
});
