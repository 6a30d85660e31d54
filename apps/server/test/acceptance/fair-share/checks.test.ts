import { afterAll, beforeAll, expect, test } from 'bun:test';
import { gate, serveGated } from '../imports/support/answers.ts';
import { Origin } from '../imports/support/origin.ts';
import { jpeg } from '../support/fixtures.ts';
import { type Reply, stringAt } from '../support/reply.ts';
import { World } from '../support/world.ts';
import { addTenant, firstTenant, importFor, type Tenant, untilSlotsAre, uploadPicture } from './support/tenants.ts';

/** Settings under which no slow download is aborted. */
const PATIENT = { IMPORT_IDLE_TIMEOUT_MS: '240000', IMPORT_MIN_BYTES_PER_SECOND: '0' };

let origin: Origin;

beforeAll(async () => {
  origin = await Origin.open();
});
afterAll(() => origin.close());

const check = (world: World, { token }: Tenant, item: string): Promise<Reply> =>
  world.call(`POST /media_contents/${item}/fetch_check`, { token, json: { targets: ['x.post'] } });

const isOk = ({ status, json }: Reply) => [status, (json as { data?: [{ ok: boolean }] }).data?.[0].ok];

const storedId = async (world: World, tenant: Tenant): Promise<string> =>
  stringAt((await uploadPicture(world, tenant)).json, 'data', 0, 'id');

test('a link is checked even while all slots of the workspace for imports by URL are in use', async () => {
  const world = await World.openAlone({ ...PATIENT, IMPORT_ALLOWED_NETWORKS: '127.0.0.1/32' });
  const rest = gate();
  try {
    const own = firstTenant(world);
    const item = await storedId(world, own);
    const held = () => origin.page('held.jpg', serveGated(jpeg(), 400, rest)).url;
    const asked = Array.from({ length: 20 }, () => importFor(world, own, held()));
    await untilSlotsAre(world, 'fetches', 12, 8);
    expect(isOk(await check(world, own, item))).toEqual([200, true]);
    rest.open();
    await Promise.all(asked);
  } finally {
    rest.open();
    await world.close();
  }
});

test('link checks of a workspace run one at a time, at most five wait, and they delay no other workspace', async () => {
  const rest = gate();
  let held = '';
  // Links point to `front`, which passes requests on to the service at `behind`, but holds back requests for the files
  // of one workspace.
  let behind = '';
  const front = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch({ method, url, headers }) {
      const { pathname } = new URL(url);
      if (held !== '' && pathname.startsWith(`/files/${held}/`)) await rest.opened;
      return fetch(`${behind}${pathname}`, { method, headers });
    },
  });
  const world = await World.openAlone({ PUBLIC_URL: `http://127.0.0.1:${front.port}` });
  behind = world.server.url;
  try {
    const [own, second] = [firstTenant(world), await addTenant(world, 'second')];
    const [item, other] = [await storedId(world, own), await storedId(world, second)];
    held = own.workspace;
    const asked = Array.from({ length: 9 }, () => check(world, own, item));
    await untilSlotsAre(world, 'checks', 1, 5);
    expect(isOk(await check(world, second, other))).toEqual([200, true]);
    rest.open();
    const replies = await Promise.all(asked);
    const refused = replies.filter(({ status }) => status === 503);
    expect(refused.map(({ headers }) => headers.get('retry-after'))).toEqual(['10', '10', '10']);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(6);
    expect(isOk(await check(world, own, item))).toEqual([200, true]);
  } finally {
    rest.open();
    await world.close();
    await front.stop(true);
  }
});
