import { afterAll, beforeAll, expect, test } from 'bun:test';
import { issue, send } from '../presign/support/uploads.ts';
import { bigBody, uploadHead } from '../support/big-body.ts';
import { jpeg } from '../support/fixtures.ts';
import { boundary, file, multipart, multipartEnd, partHead } from '../support/multipart.ts';
import { openRaw, type RawConnection } from '../support/raw.ts';
import { expectErrorShape } from '../support/reply.ts';
import { onDisk } from '../support/storage.ts';
import { until, within } from '../support/until.ts';
import { World } from '../support/world.ts';
import { figures } from './support/figures.ts';

let world: World;

beforeAll(async () => {
  world = await World.openAlone({ ...onDisk, UPLOAD_CONCURRENCY: '1' });
});
afterAll(() => world.close());

const body = bigBody([20_000]);

/** Starts an upload. `end` sends the rest of it. */
async function begin(): Promise<{ readonly connection: RawConnection; end(): Promise<void> }> {
  const [first = new Uint8Array(), ...rest] = body.chunks();
  const connection = await openRaw(world.server.port, 'POST');
  await connection.send(uploadHead(world, body.length));
  await connection.send(first);
  const end = async (): Promise<void> => {
    for (const chunk of rest) await connection.send(chunk);
  };
  return { connection, end };
}

const uploads = async () => {
  const found = await figures(world);
  return [found.get('postshelf_uploads_running'), found.get('postshelf_uploads_waiting')];
};

const untilUploadsAre = (running: number, waiting: number) =>
  until(`${running} uploads run and ${waiting} wait`, async () => {
    const [ran, waited] = await uploads();
    return ran === running && waited === waiting;
  });

test('an upload over the limit waits, one over the queue limit is refused, and other requests are answered', async () => {
  const first = await begin();
  await untilUploadsAre(1, 0);
  const second = await begin();
  await untilUploadsAre(1, 1);
  const third = await world.upload([file('beach.jpg', jpeg())]);
  expect(third.status).toBe(503);
  expect(third.headers.get('retry-after')).toBe('10');
  expectErrorShape(third);
  expect(third.json).toEqual({ message: 'Too many uploads are in progress.' });
  const issued = await issue(world, jpeg());
  expect((await send(issued, jpeg())).status).toBe(503);
  expect((await figures(world)).get('postshelf_uploads_turned_away_total')).toBe(2);
  await first.end();
  expect((await first.connection.reply)?.status).toBe(201);
  await second.end();
  expect((await second.connection.reply)?.status).toBe(201);
  await untilUploadsAre(0, 0);
  expect((await send(issued, jpeg())).status).toBe(200);
});

test('a client that disconnects frees its slot, or its position in the queue', async () => {
  const first = await begin();
  await untilUploadsAre(1, 0);
  const second = await begin();
  await untilUploadsAre(1, 1);
  second.connection.hangUp();
  await untilUploadsAre(1, 0);
  first.connection.hangUp();
  await untilUploadsAre(0, 0);
  expect((await world.upload([file('beach.jpg', jpeg())])).status).toBe(201);
});

test('an upload whose body continues after the last boundary is answered and frees its slot', async () => {
  const good = multipart([file('beach.jpg', jpeg())], boundary).bytes;
  const unended = Buffer.concat([partHead({ name: 'files[]', filename: 'b.jpg' }), jpeg().subarray(0, 100)]);
  const whole = Buffer.concat([good, partHead({ name: 'label' }), Buffer.from('\r\n'), unended, multipartEnd()]);
  for (let time = 0; time < 3; time++) {
    const connection = await openRaw(world.server.port, 'POST');
    await connection.send(Buffer.concat([Buffer.from(uploadHead(world, whole.length)), whole]));
    expect((await within('the answer', connection.reply))?.status).toBe(201);
    await untilUploadsAre(0, 0);
  }
});

test('a request without permission to upload takes no slot', async () => {
  const first = await begin();
  await untilUploadsAre(1, 0);
  await world.token('reader', '{workspace}', ['--scope', 'media:read']);
  expect((await world.upload([file('beach.jpg', jpeg())], { token: null })).status).toBe(401);
  expect((await world.upload([file('beach.jpg', jpeg())], { token: 'reader' })).status).toBe(403);
  await first.end();
  expect((await first.connection.reply)?.status).toBe(201);
});
