import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import * as fixtures from '../support/fixtures.ts';
import { type Reply, stringAt } from '../support/reply.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

const UPLOADS = '/workspaces/{workspace}/uploads';
const VERSION = { 'tus-resumable': '1.0.0' };
const MB = 1024 * 1024;

let world: World;

beforeAll(async () => {
  world = await World.open({ CORS_ORIGINS: 'https://app.example' });
});

afterAll(() => world.close());

/** A PNG, padded after its end to the given number of bytes if it is smaller. */
const picture = (length = 0): Buffer => {
  const bytes = Buffer.from(fixtures.png());
  return Buffer.concat([bytes, Buffer.alloc(Math.max(0, length - bytes.length), 7)]);
};

const metadataOf = (fields: Readonly<Record<string, string>>): string =>
  Object.entries(fields)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',');

type Headers = Readonly<Record<string, string>>;

const create = (size: number, fields: Readonly<Record<string, string>> = {}, headers: Headers = {}): Promise<Reply> =>
  world.call(`POST ${UPLOADS}`, {
    headers: {
      ...VERSION,
      'upload-length': String(size),
      'upload-metadata': metadataOf({ filename: 'beach.png', ...fields }),
      ...headers,
    },
  });

/** Creates a resumable upload. @returns its id */
async function begin(size: number, fields: Readonly<Record<string, string>> = {}): Promise<string> {
  const reply = await create(size, fields);
  expect(reply.status).toBe(201);
  return String(reply.headers.get('location')).split('/').at(-1) ?? '';
}

const patch = (id: string, offset: number, bytes: Uint8Array, headers: Headers = {}): Promise<Reply> =>
  world.call(`PATCH /uploads/${id}`, {
    headers: {
      ...VERSION,
      'upload-offset': String(offset),
      'content-type': 'application/offset+octet-stream',
      ...headers,
    },
    body: bytes,
  });

const head = (id: string): Promise<Reply> => world.call(`HEAD /uploads/${id}`, { headers: VERSION });
const offsetOf = async (id: string): Promise<string | null> => (await head(id)).headers.get('upload-offset');
const show = async (id: string): Promise<unknown> => (await world.call(`GET /media_contents/${id}`)).json;
const digestOf = (algorithm: string, bytes: Uint8Array): string =>
  `${algorithm} ${createHash(algorithm).update(bytes).digest('base64')}`;

/** Sends the head of a PATCH and some bytes of its body, but never the rest. */
async function stall(id: string, offset: number, length: number, bytes: Uint8Array) {
  const { hostname, port } = new URL(world.server.url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  socket.on('data', (data) => {
    answer += data;
  });
  socket.on('error', () => undefined);
  const headers = [
    `PATCH /v1/uploads/${id} HTTP/1.1`,
    `Host: ${hostname}`,
    `Authorization: Bearer ${world.tokens.all}`,
    'Tus-Resumable: 1.0.0',
    `Upload-Offset: ${offset}`,
    'Content-Type: application/offset+octet-stream',
    `Content-Length: ${length}`,
  ];
  socket.write(`${headers.join('\r\n')}\r\n\r\n`);
  socket.write(bytes);
  return { socket, answer: () => answer };
}

test('a file sent in several requests becomes an item with the metadata of its upload', async () => {
  const folder = await world.folder('Films');
  const bytes = picture(4 * MB);
  const sha256 = createHash('sha256').update(bytes).digest();
  const reply = await create(bytes.length, {
    filename: 'Two words.mov',
    label: 'Quay',
    folder_id: folder,
    digest: `sha-256=:${sha256.toString('base64')}:`,
    created_at: '2019-07-31T20:30:00.250+02:00',
    filetype: 'image/png',
  });
  expect(reply.status).toBe(201);
  const location = String(reply.headers.get('location'));
  expect(location).toStartWith(`${world.server.url}/v1/uploads/`);
  expect(Date.parse(String(reply.headers.get('upload-expires')))).toBeGreaterThan(Date.now() + 23 * 3_600_000);
  const id = location.split('/').at(-1) ?? '';
  const temporary = await show(id);
  expect(temporary).toMatchObject({ data: { status: 'temporary', name: 'Two words.mov', label: 'Quay' } });
  const link = stringAt(temporary, 'data', 'link');
  expect(link).toEndWith('/Two%20words.mov');
  const begun = await head(id);
  expect([begun.headers.get('upload-offset'), begun.headers.get('upload-metadata')]).toEqual([
    '0',
    expect.stringContaining(`filename ${Buffer.from('Two words.mov').toString('base64')}`),
  ]);
  const first = await patch(id, 0, bytes.subarray(0, 1000));
  expect([first.status, first.headers.get('upload-offset')]).toEqual([204, '1000']);
  expect((await patch(id, 0, bytes.subarray(0, 1000))).status).toBe(409);
  expect((await patch(id, 1000, bytes.subarray(1000, 3.5 * MB))).status).toBe(204);
  expect(await offsetOf(id)).toBe(String(3.5 * MB));
  const last = await patch(id, 3.5 * MB, bytes.subarray(3.5 * MB));
  expect([last.status, last.headers.get('postshelf-media-id')]).toEqual([204, id]);
  expect((await world.call(`GET /media_contents/${id}?include=details`)).json).toMatchObject({
    data: {
      ...{ status: 'active', name: 'Two words.png', link, folder_id: folder },
      details: { sha256: sha256.toString('hex'), created_at: '2019-07-31T18:30:00.250Z' },
    },
  });
  const served = await fetch(link);
  expect(served.headers.get('content-type')).toBe('image/png');
  expect(Buffer.from(await served.bytes()).equals(bytes)).toBe(true);
  const after = await head(id);
  expect([after.headers.get('upload-offset'), after.headers.get('upload-length')]).toEqual([`${4 * MB}`, `${4 * MB}`]);
  expect(after.headers.get('postshelf-media-id')).toBe(id);
  expect(after.headers.get('cache-control')).toBe('no-store');
  expect((await patch(id, bytes.length, new Uint8Array())).headers.get('postshelf-media-id')).toBe(id);
  expect((await world.call(`DELETE /uploads/${id}`, { headers: VERSION })).status).toBe(204);
  expect((await head(id)).status).toBe(404);
  expect(await show(id)).toMatchObject({ data: { status: 'active' } });
});

test('a file that is sent with the creation request is answered with its item, even if it is a duplicate', async () => {
  const bytes = picture(70_000);
  const send = (fields: Readonly<Record<string, string>>) =>
    world.call(`POST ${UPLOADS}`, {
      headers: {
        ...VERSION,
        'upload-length': String(bytes.length),
        'upload-metadata': metadataOf({ filename: 'a.png', ...fields }),
        'content-type': 'application/offset+octet-stream',
      },
      body: bytes,
    });
  const first = await send({});
  expect([first.status, first.headers.get('upload-offset')]).toEqual([201, '70000']);
  const mediaId = first.headers.get('postshelf-media-id');
  const second = await send({ on_duplicate: 'return' });
  expect(second.headers.get('postshelf-media-id')).toBe(mediaId);
  const id = String(second.headers.get('location')).split('/').at(-1) ?? '';
  expect((await head(id)).headers.get('postshelf-media-id')).toBe(mediaId);
});

test('a failed creation request with bytes leaves no upload, because the client has no URL to resume it', async () => {
  const before = await world.database.column('select media_id from resumable_uploads');
  const type = { 'content-type': 'application/offset+octet-stream' };
  const send = (headers: Headers) =>
    world.call(`POST ${UPLOADS}`, {
      headers: { ...VERSION, ...type, 'upload-length': '10', 'upload-metadata': 'filename YQ==', ...headers },
      body: new Uint8Array(10),
    });
  expect((await send({ 'upload-length': '9' })).status).toBe(413);
  expect((await send({ 'upload-checksum': 'sha1 AAAA' })).status).toBe(460);
  expect((await send({})).status).toBe(422);
  expect(await world.database.column('select media_id from resumable_uploads')).toEqual(before);
});

test('a refused file is never reported as complete', async () => {
  const bytes = Buffer.from('no picture at all');
  const id = await begin(bytes.length);
  const refused = await patch(id, 0, bytes);
  expect(refused.status).toBe(422);
  expect(refused.json).toMatchObject({ errors: { file: [expect.stringContaining('must be a file of type')] } });
  expect(await offsetOf(id)).toBe(String(bytes.length - 1));
  const again = await patch(id, bytes.length - 1, bytes.subarray(-1));
  expect(again.text).toBe(refused.text);
  const other = Buffer.from(fixtures.png());
  const wrong = await begin(other.length, { digest: `sha-256=:${Buffer.alloc(32).toString('base64')}:` });
  expect((await patch(wrong, 0, other)).json).toMatchObject({
    errors: { file: ['The file does not match its sha256.'] },
  });
});

describe('a refused request', () => {
  test.each([
    [412, 'another version of tus', { 'tus-resumable': '0.2.2' }],
    [400, 'a length that is not a number', { 'upload-length': 'many' }],
    [422, 'a length of 0', { 'upload-length': '0' }],
    [413, 'a length above 2 GB', { 'upload-length': String(2 * 1024 * MB + 1) }],
    [400, 'concatenation', { 'upload-concat': 'partial' }],
    [422, 'metadata with an empty file name', { 'upload-metadata': 'filename' }],
    [
      422,
      'metadata that is too long',
      { 'upload-metadata': metadataOf({ filename: 'a.png', note: 'x'.repeat(4000) }) },
    ],
    [422, 'metadata that is not Base64', { 'upload-metadata': 'filename not-base64' }],
    [422, 'an invalid digest', { 'upload-metadata': metadataOf({ filename: 'a.png', digest: 'sha-256=abc' }) }],
    [422, 'a date without a time', { 'upload-metadata': metadataOf({ filename: 'a.png', created_at: '2019-07-31' }) }],
    [
      422,
      'an unknown folder',
      { 'upload-metadata': metadataOf({ filename: 'a.png', folder_id: crypto.randomUUID() }) },
    ],
    [
      422,
      'an unknown value of on_duplicate',
      { 'upload-metadata': metadataOf({ filename: 'a.png', on_duplicate: 'replace' }) },
    ],
  ])('is answered %d for %s', async (status, _, headers) => {
    const reply = await create(10, {}, headers);
    expect(reply.status).toBe(status);
    expect(reply.headers.get('tus-resumable')).toBe('1.0.0');
  });

  test('has the right status for an invalid token, workspace, offset, length, type or metadata', async () => {
    const id = await begin(10);
    await world.token('reader', '{workspace}', ['--scope', 'media:read']);
    for (const [token, status] of [
      ['reader', 403],
      ['foreign', 404],
      [null, 401],
    ] as const) {
      const reply = await world.call(`PATCH /uploads/${id}`, {
        token,
        headers: { ...VERSION, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
        body: new Uint8Array(1),
      });
      expect(reply.status).toBe(status);
    }
    expect((await head(crypto.randomUUID())).status).toBe(404);
    expect((await patch(id, 0, new Uint8Array(11))).status).toBe(413);
    expect((await patch(id, 5, new Uint8Array(10))).status).toBe(409);
    expect((await create(10, {}, { 'upload-metadata': '' })).json).toMatchObject({
      errors: { filename: expect.anything() },
    });
    expect((await patch(id, 0, new Uint8Array(1), { 'content-type': 'image/png' })).status).toBe(415);
    expect((await patch(id, 0, new Uint8Array(1), { 'upload-offset': '-1' })).status).toBe(400);
  });
});

test('OPTIONS lists the tus extensions without a token, and only allowed origins can read the headers', async () => {
  for (const path of [UPLOADS, `/uploads/${crypto.randomUUID()}`]) {
    const reply = await world.call(`OPTIONS ${path}`, { token: null });
    expect(reply.status).toBe(204);
    expect(reply.headers.get('tus-extension')).toBe('creation,creation-with-upload,expiration,termination,checksum');
    expect(reply.headers.get('tus-max-size')).toBe(String(2 * 1024 * MB));
  }
  const allowed = await create(10, {}, { origin: 'https://app.example' });
  expect(allowed.headers.get('access-control-expose-headers')).toContain('Postshelf-Media-Id');
  expect(
    (await create(10, {}, { origin: 'https://other.example' })).headers.get('access-control-allow-origin'),
  ).toBeNull();
});

test.each(['sha1', 'sha256'])('bytes that do not match their %s checksum are discarded', async (algorithm) => {
  const bytes = picture();
  const id = await begin(bytes.length);
  const half = bytes.subarray(0, 40);
  expect((await patch(id, 0, half, { 'upload-checksum': digestOf(algorithm, bytes) })).status).toBe(460);
  expect((await patch(id, 0, half, { 'upload-checksum': `${algorithm} AAAA` })).status).toBe(460);
  expect((await patch(id, 0, half, { 'upload-checksum': 'crc32 AAAA' })).status).toBe(400);
  expect(await offsetOf(id)).toBe('0');
  expect((await patch(id, 0, half, { 'upload-checksum': digestOf(algorithm, half) })).status).toBe(204);
  const rest = bytes.subarray(40);
  expect((await patch(id, 40, rest, { 'upload-checksum': digestOf(algorithm, half) })).status).toBe(460);
  expect(await offsetOf(id)).toBe('40');
  expect((await patch(id, 40, rest)).headers.get('postshelf-media-id')).toBe(id);
});

test('an upload has one writer at a time, and a stalled writer loses its lease and changes nothing', async () => {
  const bytes = picture(5 * MB);
  const id = await begin(bytes.length);
  const slow = await stall(id, 0, bytes.length, bytes.subarray(0, 1000));
  await until('the writer has the lease', async () => (await head(id)).status === 423);
  expect((await patch(id, 0, bytes)).status).toBe(423);
  await until('its silence is noticed', async () => (await head(id)).status === 200, 4_000);
  expect(await offsetOf(id)).toBe('0');
  expect((await patch(id, 0, bytes.subarray(0, 2 * MB))).status).toBe(204);
  slow.socket.write(Buffer.alloc(4 * MB, 9));
  await until('the old writer is refused', () => slow.answer().startsWith('HTTP/1.1 423'));
  slow.socket.destroy();
  expect(await offsetOf(id)).toBe(String(2 * MB));
  expect((await patch(id, 2 * MB, bytes.subarray(2 * MB))).status).toBe(204);
  const link = stringAt(await show(id), 'data', 'link');
  expect(Buffer.from(await (await fetch(link)).bytes()).equals(bytes)).toBe(true);
});

test('a slow writer keeps its lease, and a body that is too long does not complete the upload', async () => {
  const bytes = picture(MB);
  const id = await begin(bytes.length);
  const slow = await stall(id, 0, bytes.length, bytes.subarray(0, 1000));
  for (let sent = 1000; sent < 9000; sent += 1000) {
    await Bun.sleep(330);
    slow.socket.write(bytes.subarray(sent, sent + 1000));
  }
  expect((await head(id)).status).toBe(423);
  slow.socket.destroy();
  await until('the lease has ended', async () => (await head(id)).status === 200);
  expect(await offsetOf(id)).toBe('9000');
  // The body is a stream, so the request has no Content-Length.
  const tooLong = await fetch(`${world.server.url}/v1/uploads/${id}`, {
    method: 'PATCH',
    headers: {
      ...VERSION,
      authorization: `Bearer ${world.tokens.all}`,
      'upload-offset': '9000',
      'content-type': 'application/offset+octet-stream',
    },
    body: new Blob([Buffer.concat([bytes.subarray(9000), Buffer.from('more')])]).stream(),
  });
  expect(tooLong.status).toBe(413);
  expect(Number(await offsetOf(id))).toBeLessThan(bytes.length);
});

test('X-HTTP-Method-Override replaces the method for clients that can only send POST', async () => {
  const bytes = picture(2000);
  const id = await begin(bytes.length);
  const post = (method: string, headers: Record<string, string> = {}, body?: Uint8Array) =>
    world.call(`POST /uploads/${id}`, {
      headers: { ...VERSION, 'X-HTTP-Method-Override': method, ...headers },
      ...(body && { body }),
    });
  const chunk = { 'Upload-Offset': '0', 'Content-Type': 'application/offset+octet-stream' };
  expect((await post('PATCH', chunk, bytes)).headers.get('postshelf-media-id')).toBe(id);
  expect((await post('HEAD')).headers.get('upload-offset')).toBe('2000');
  expect((await patch(id, 0, bytes)).status).toBe(409);
  expect((await post('DELETE')).status).toBe(204);
  const other = await post('PURGE');
  expect([other.status, other.headers.get('allow')]).toEqual([405, 'HEAD, PATCH, DELETE']);
});

test('received bytes survive a broken connection and a kill of the service', async () => {
  const bytes = picture(9 * MB);
  const id = await begin(bytes.length);
  const cut = await stall(id, 0, bytes.length, bytes.subarray(0, 100_000));
  await until('the writer has the lease', async () => (await head(id)).status === 423);
  await Bun.sleep(200);
  cut.socket.destroy();
  await until('the lease has ended', async () => (await head(id)).status === 200);
  const came = Number(await offsetOf(id));
  expect(came).toBeGreaterThan(0);
  const killed = await stall(id, came, bytes.length - came, bytes.subarray(came, 8 * MB));
  await Bun.sleep(500);
  await world.server.end('SIGKILL');
  await world.restart();
  killed.socket.destroy();
  await until('the lease has ended', async () => (await head(id)).status === 200);
  const offset = Number(await offsetOf(id));
  expect(offset).toBeWithin(came, 8 * MB + 1);
  const last = await patch(id, offset, bytes.subarray(offset));
  expect(last.headers.get('postshelf-media-id')).toBe(id);
  const link = stringAt(await show(id), 'data', 'link');
  expect(Buffer.from(await (await fetch(link)).bytes()).equals(bytes)).toBe(true);
});

test('the declared bytes of an upload count against the quota until the upload is deleted', async () => {
  const { workspace } = world.ids;
  const limit = (bytes: string) =>
    world.database.change(`update workspaces set max_bytes = ${bytes} where id = '${workspace}'`);
  await limit(String(80 * MB));
  const id = await begin(45 * MB);
  const full = await create(45 * MB);
  expect(full.json).toMatchObject({ errors: { file: [expect.stringContaining('storage is full')] } });
  expect((await world.call(`DELETE /uploads/${id}`, { headers: VERSION })).status).toBe(204);
  expect(await show(id)).toMatchObject({ message: 'Not found.' });
  await begin(45 * MB);
  await limit('null');
});
