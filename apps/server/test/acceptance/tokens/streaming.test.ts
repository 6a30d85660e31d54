import { afterEach, beforeEach, expect, test } from 'bun:test';
import { picture } from '../imports/support/files.ts';
import { line, openImport, sendChunk } from '../posts/support/imports.ts';
import { makeProfile, postCount } from '../posts/support/posts.ts';
import { filesBelow } from '../support/disk.ts';
import { openRaw } from '../support/raw.ts';
import { expectErrorShape, type Reply } from '../support/reply.ts';
import { onDisk } from '../support/storage.ts';
import { until, within } from '../support/until.ts';
import { World } from '../support/world.ts';

/** The rate limit in operations per minute. Even a test that polls the service uses less than half of it. */
const LIMIT = 150;

const MB = 1024 * 1024;

let world: World;
let tokenId: string;

beforeEach(async () => {
  world = await World.openAlone({ ...onDisk, RATE_LIMIT_PER_MINUTE: String(LIMIT) });
  world.ids.profile = await makeProfile(world);
  tokenId = await world.token('streaming', '{workspace}');
});
afterEach(() => world.close());

const lines = (from: number): string =>
  Array.from({ length: 250 }, (_, nth) => `${line(world, { external_id: String(from + nth) })}\n`).join('');

/** Starts an import with the token, and waits until its first batch is stored. */
async function beginImport() {
  const { all } = world.tokens;
  world.tokens.all = world.tokens.streaming ?? '';
  const connection = await openImport(world, 'chunked');
  world.tokens.all = all ?? '';
  await sendChunk(connection, lines(0));
  const isStored = async () => (await postCount(world)) === 250 || Bun.sleep(500).then(() => false);
  await until('the first batch is stored', isStored);
  return connection;
}

function expectRefused(reply: Reply | undefined, status: number, message: string): void {
  expect(reply?.status).toBe(status);
  if (reply) expectErrorShape(reply);
  expect(reply?.json).toEqual({ message });
}

test('an import whose token is revoked midway stores no further lines, whether or not more arrive', async () => {
  const [sending, silent] = [await beginImport(), await beginImport()];
  await world.run(['token', 'revoke', tokenId]);
  await sendChunk(sending, lines(250));
  for (const { reply } of [sending, silent]) expectRefused(await within('the answer', reply), 401, 'Unauthenticated.');
  expect(await postCount(world)).toBe(250);
});

test('an import ends with 429 and Retry-After if its token reaches the rate limit during the import', async () => {
  const connection = await beginImport();
  const ask = () => world.call('GET /workspaces/{workspace}/media_contents', { token: 'streaming' });
  while ((await ask()).status === 200);
  const reply = await within('the answer', connection.reply);
  expectRefused(reply, 429, 'Too many requests.');
  expect(Number(reply?.headers.get('retry-after'))).toBeWithin(1, 61);
  expect(await postCount(world)).toBe(250);
});

test('an upload whose token is revoked while a file arrives leaves no files', async () => {
  const before = filesBelow(world.dataDir);
  const connection = await openRaw(world.server.port, 'POST');
  const part = 'Content-Disposition: form-data; name="files[]"; filename="one.png"';
  const first = `--b\r\n${part}\r\n\r\n`;
  const head = [
    `POST ${world.fill('/v1/workspaces/{workspace}/media_contents')} HTTP/1.1`,
    'Host: x',
    `Authorization: Bearer ${world.tokens.streaming}`,
    'Content-Type: multipart/form-data; boundary=b',
    'Content-Length: 9000000',
  ];
  await connection.send(`${head.join('\r\n')}\r\n\r\n${first}`);
  // A smaller file would be buffered in memory instead of being staged.
  await connection.send(picture(2 * MB));
  await connection.send(`\r\n${first}`);
  await until('the first file is staged', () => filesBelow(world.dataDir).length > before.length);
  await world.run(['token', 'revoke', tokenId]);
  expectRefused(await within('the answer', connection.reply), 401, 'Unauthenticated.');
  await until('nothing is left', () => filesBelow(world.dataDir).length === before.length);
});
