import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import { canSetClock, OtherClock } from '../faults/support/clock.ts';
import { sized } from '../support/long.ts';
import { file } from '../support/multipart.ts';
import { type Settings, startServer } from '../support/server.ts';
import { until } from '../support/until.ts';
import { closeKinds, type Kind, kinds, picture } from './support/libraries.ts';

// The service's own times in seconds, plus a margin. The service first changes the fence 90 seconds after a start, and
// then every 60 seconds. Each process checks the fence every ten seconds.
const [FIRST, NEXT, CHECK] = [95, 65, 11];

afterAll(closeKinds);

/** A copy of the current database, made while the service runs. */
function cloned(dataDir: string): string {
  const path = join(dataDir, 'clone.db');
  const database = new Database(join(dataDir, 'postshelf.db'));
  database.run(`vacuum into '${path}'`);
  database.close();
  return path;
}

async function besideItsClone({ open }: Kind): Promise<void> {
  const { world, settings, media, mark, close } = await open();
  // Each process has its own clock, which jumps so that the test need not wait for minutes.
  const [clock, clockOfClone] = [new OtherClock(true), new OtherClock(true)];
  world.server = { ...world.server, settings: { ...world.server.settings, ...clock.settings } };
  await world.restart();
  const item = await world.storeOne(file('kept.png', picture(50)));
  const DATABASE_URL = `sqlite:${cloned(world.dataDir)}`;
  const clone = { ...settings, ...clockOfClone.settings, DATABASE_URL } satisfies Settings;
  const server = await startServer(world.dataDir, { ...clone, METRICS_TOKEN: 'token-of-the-figures' });
  try {
    const send = async (method: string, path: string): Promise<number> => {
      const headers = { authorization: `Bearer ${world.tokens.all}` };
      return (await fetch(`${server.url}/v1${path}`, { method, headers })).status;
    };
    // The clone isn't recognised as a clone yet. The request deletes the row only in the clone's own database.
    expect(await send('DELETE', `/media_contents/${item.id}`)).toBe(204);
    expect(await send('GET', `/media_contents/${item.id}`)).toBe(404);
    const before = await mark();
    clock.jump(FIRST);
    await until('the original has changed the fence', async () => !Bun.deepEquals(await mark(), before));
    clockOfClone.jump(CHECK);
    await until('the clone is recognised', () => server.log().includes('is a copy or an older state'));
    expect((await fetch(`${server.url}/ready`)).status).toBe(503);
    const figures = await fetch(`${server.url}/metrics`, { headers: { authorization: 'Bearer token-of-the-figures' } });
    expect(await figures.text()).toContain('\npostshelf_read_only 1\n');
    const [other] = Object.keys(await media()).filter((name) => name.endsWith('one.png'));
    const otherId = `${other}`.split('/')[1];
    expect(await send('GET', `/media_contents/${otherId}`)).toBe(200);
    expect(await send('DELETE', `/media_contents/${otherId}`)).toBe(503);

    const newer = await world.storeOne(file('newer.png', picture(51)));
    for (const link of [item.link, newer.link]) expect((await fetch(link)).status).toBe(200);
    expect(Object.keys(await media())).toContain(item.full_name);
    for (const path of [`/media_contents/${item.id}`, `/trash/${item.id}`])
      expect((await world.call(`DELETE ${path}`)).status).toBe(204);
    expect((await fetch(item.link)).status).toBe(404);
    expect(Object.keys(await media())).toContain(item.full_name);
    clock.jump(FIRST + NEXT);
    await until('the deleted object is destroyed', async () => !Object.keys(await media()).includes(item.full_name));

    // After a restart, the service recognises immediately that its database is a clone, and collects no garbage.
    await server.end();
    const again = await startServer(world.dataDir, clone);
    expect(again.log()).toContain('is a copy or an older state');
    await again.end();
    expect(Object.keys(await media())).toContain(newer.full_name);
  } finally {
    await server.end();
    await close();
    for (const each of [clock, clockOfClone]) each.close();
  }
}

test.skipIf(!canSetClock('a clone next to the original'))(
  'a clone of a library removes none of the original’s media, and is read-only once the fence changes',
  async () => {
    // Contract tests check the mark in each kind of storage, so by default this test uses only one kind. It prefers a
    // bucket, where changing the mark takes more steps than in a folder.
    await Promise.all(sized(kinds.slice(-1), kinds).map(besideItsClone));
  },
);
