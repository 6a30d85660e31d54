import { afterAll, beforeAll, expect, test } from 'bun:test';
import { figures } from '../operate/support/figures.ts';
import { program } from '../support/program.ts';
import { openRaw, type RawConnection } from '../support/raw.ts';
import { onDisk } from '../support/storage.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';
import { beginUpload, firstTenant, untilSlotsAre, uploadPicture } from './support/tenants.ts';

const LIMIT = 256;

let world: World;

beforeAll(async () => {
  const command = ['sh', '-c', `ulimit -n ${LIMIT}; exec "$0" "$@"`, ...program.command];
  world = await World.open(onDisk, [], { program: { ...program, command }, servers: 1 });
});
afterAll(() => world.close());

const REQUEST = 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n';

const closedEarly = async (): Promise<number> =>
  (await figures(world)).get('postshelf_connections_closed_early_total') ?? Number.NaN;

test('the service warns of a low descriptor limit at start, and reports the limit in its metrics', async () => {
  expect(world.server.log()).toContain(`the process can open only ${LIMIT} files and connections`);
  expect((await figures(world)).get('process_max_fds')).toBe(LIMIT);
});

test.each([
  ['without complete request headers end by themselves', ['', REQUEST.slice(0, -4)], false],
  ['that idle between requests are closed early', [REQUEST], true],
])('connections %s when descriptors run out, and a running upload continues', async (_, sent, isEarly) => {
  const before = await closedEarly();
  const upload = await beginUpload(world, firstTenant(world));
  await untilSlotsAre(world, 'uploads', 1, 0);
  const silent: RawConnection[] = [];
  let closed = 0;
  try {
    for (let count = 0; count < 2 * LIMIT; count += 1) {
      const connection = await openRaw(world.server.port);
      silent.push(connection);
      void connection.closed.then(() => {
        closed += 1;
      });
      await connection.send(sent[count % sent.length] ?? '');
    }
    await until('silent connections are closed', () => closed >= LIMIT, 60_000);
    // Each time connections are closed, the server accepts connections that were waiting, so it may run out of
    // descriptors again for some time.
    const answers = new Set<number>();
    await until(
      'another upload is taken',
      async () => {
        const { status } = await uploadPicture(world, firstTenant(world));
        answers.add(status);
        return status !== 503;
      },
      60_000,
    );
    expect([...answers].filter((status) => status !== 503)).toEqual([201]);
    expect((await closedEarly()) > before).toBe(isEarly);
    expect((await upload.end())?.status).toBe(201);
  } finally {
    for (const connection of [...silent, upload.connection]) connection.hangUp();
  }
});
