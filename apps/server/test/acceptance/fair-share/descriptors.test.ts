import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { cpuSeconds, sized } from '@postshelf/harness';
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

/**
 * Opens more connections than there are descriptors, so that the last ones wait to be accepted.
 *
 * @param connections gets the connections, which the caller closes
 * @param sent what the connections send in turn
 */
async function exhaust(connections: RawConnection[], sent: readonly string[]): Promise<void> {
  for (let count = 0; count < 2 * LIMIT; count += 1) {
    const connection = await openRaw(world.server.port);
    connections.push(connection);
    await connection.send(sent[count % sent.length] ?? '');
  }
}

const EARLY = ['that idle between requests are closed early', [REQUEST], true] as const;

/** The runtime closes these connections after twelve seconds, and accepts those that wait only then. */
const LATE = ['without complete request headers end by themselves', ['', REQUEST.slice(0, -4)], false] as const;

test.each(sized([EARLY], [LATE, EARLY]))(
  'connections %s when descriptors run out, and a running upload continues',
  async (_, sent, isEarly) => {
    const before = await closedEarly();
    const upload = await beginUpload(world, firstTenant(world));
    await untilSlotsAre(world, 'uploads', 1, 0);
    const silent: RawConnection[] = [];
    let closed = 0;
    try {
      await exhaust(silent, sent);
      for (const connection of silent)
        void connection.closed.then(() => {
          closed += 1;
        });
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
  },
);

/** The number of times that a process has gone to sleep (proc_pid_status(5)). */
const sleepsOf = (pid: number): number =>
  Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);

test('while connections wait for a descriptor, the service sleeps between its attempts to accept them', async () => {
  const { pid } = world.server;
  const silent: RawConnection[] = [];
  try {
    await exhaust(silent, ['']);
    await until('no descriptor is free', () => readdirSync(`/proc/${pid}/fd`).length === LIMIT);
    const [seconds, sleeps] = [await cpuSeconds(pid), sleepsOf(pid)];
    await Bun.sleep(1000);
    // A busy machine delays the attempts, but doesn't change how long the service works between two sleeps: 0.06 ms, or
    // more than 10 ms if it doesn't sleep between attempts.
    expect(((await cpuSeconds(pid)) - seconds) / (sleepsOf(pid) - sleeps)).toBeLessThan(0.001);
  } finally {
    for (const connection of silent) connection.hangUp();
  }
});
