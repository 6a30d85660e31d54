import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import * as fixtures from '../support/fixtures.ts';
import {
  arrayAt,
  at,
  expectErrorShape,
  expectInvalid,
  type FailingFields,
  keysOf,
  stringAt,
} from '../support/reply.ts';
import { uuid } from '../support/shapes.ts';
import { uploadStorages } from './support/every-storage.ts';
import { type Library, onFiles } from './support/storages.ts';
import { confirm, confirmed, issue, presign, readIssued, send, show, upload } from './support/uploads.ts';

const sizeLimit = 2 * 1024 ** 3;
const file = { name: 'beach.jpg', size: 1000, mime: 'image/jpeg' };

describe.each([...uploadStorages])('issuing presigned URLs on $name', (storage) => {
  let library: Library;
  beforeAll(async () => {
    library = await storage.open();
  });
  afterAll(() => library.close());

  test('creates a temporary item for each file, in their order', async () => {
    const types = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'video/mp4', 'video/quicktime'];
    const names = ['a.jpg', 'b.png', 'c.gif', 'd.webp', 'e.mp4', 'f.mov'];
    const files = names.map((name, index) => ({ name, size: 1000 + index, mime: types[index] }));
    const reply = await presign(library.world, files);
    expect({ status: reply.status, keys: keysOf(reply.json) }).toEqual({ status: 201, keys: ['data'] });
    const resources = arrayAt(reply.json, 'data');
    expect(resources).toHaveLength(files.length);
    for (const [index, resource] of resources.entries()) {
      expect(resource).toMatchObject({ upload_method: 'PUT', expires_in: '3600' });
      const issued = readIssued(resource);
      expect(issued.id).toMatch(uuid);
      expect(issued.name).toBe(names[index] ?? '');
      expect(issued.fullName).toBe(`${library.world.ids.workspace}/${issued.id}/${issued.name}`);
      expect(issued.link).toEndWith(`/${issued.fullName}`);
      expect(new Headers(issued.headers).get('content-type')).toBe(types[index] ?? '');
      expect(URL.canParse(issued.url)).toBe(true);
      const item = await show(library.world, issued);
      expect(item).toMatchObject({ name: issued.name, full_name: issued.fullName, link: issued.link });
      expect(item).toMatchObject({ status: 'temporary', size: null, error_message: null, folder_id: null });
    }
  });

  test('accepts a label and a folder for each file, which the item keeps', async () => {
    const { world } = library;
    const made = await world.call('POST /workspaces/{workspace}/media_library/folders', { json: { name: 'Summer' } });
    const folder_id = stringAt(made.json, 'data', 'id');
    const bytes = fixtures.jpeg();
    const announced = { ...file, size: bytes.length };
    const reply = await presign(world, [
      { ...announced, label: 'Dawn', folder_id },
      { ...announced, label: '', folder_id: null },
      announced,
    ]);
    expect({ status: reply.status, body: reply.text }).toEqual({ status: 201, body: reply.text });
    const [first, ...others] = arrayAt(reply.json, 'data').map(readIssued);
    if (!first) throw new Error('No address was issued.');
    expect(await show(world, first)).toMatchObject({ status: 'temporary', label: 'Dawn', folder_id });
    for (const issued of others) expect(await show(world, issued)).toMatchObject({ label: null, folder_id: null });
    // The folder is no longer empty, and the item stays in it after its upload.
    expect((await world.call(`DELETE /media_library/folders/${folder_id}`)).status).toBe(422);
    await upload(first, bytes);
    expect(await confirmed(world, first)).toMatchObject({ status: 'active', label: 'Dawn', folder_id });
    const gone = await world.call('POST /workspaces/{workspace}/media_library/folders', { json: { name: 'Gone' } });
    const goneId = stringAt(gone.json, 'data', 'id');
    expect((await world.call(`DELETE /media_library/folders/${goneId}`)).status).toBe(204);
    expectInvalid(await presign(world, [announced, { ...announced, folder_id: goneId }]), {
      'files.1.folder_id': 'The selected files.1.folder id is invalid.',
    });
  });

  test.each([
    ['image/jpg', 'image/jpeg'],
    ['video/x-m4v', 'video/mp4'],
  ])('accepts %s as %s, the type that the upload must then have', async (mime, type) => {
    const bytes = type === 'image/png' ? fixtures.png() : type === 'video/mp4' ? fixtures.mp4() : fixtures.jpeg();
    const issued = await issue(library.world, bytes, { mime });
    expect(new Headers(issued.headers).get('content-type')).toBe(type);
    expect((await send(issued, bytes, { headers: { 'content-type': mime } })).status).toBe(403);
    await upload(issued, bytes);
    expect(await confirmed(library.world, issued)).toMatchObject({ status: 'active' });
  });

  test('makes PUT return the ETag that S3 would return: the MD5 of the bytes, in quotes', async () => {
    for (const bytes of [fixtures.jpeg(), fixtures.mp4()]) {
      const mime = bytes === fixtures.jpeg() ? 'image/jpeg' : 'video/mp4';
      const reply = await send(await issue(library.world, bytes, { mime }), bytes);
      const md5 = new Bun.CryptoHasher('md5').update(bytes).digest('hex');
      expect({ status: reply.status, etag: reply.headers.get('etag') }).toEqual({ status: 200, etag: `"${md5}"` });
    }
  });
});

describe('presigning files', () => {
  let library: Library;
  beforeAll(async () => {
    library = await onFiles.open();
    await library.world.token('reader', '{workspace}', ['--scope', 'media:read']);
  });
  afterAll(() => library.close());

  const accepted: readonly [string, unknown[]][] = [
    ['ten files', Array.from({ length: 10 }, () => file)],
    ['a size of 2 GB', [{ ...file, size: sizeLimit }]],
    ['a name of 255 characters above U+FFFF', [{ ...file, name: '🌊'.repeat(255) }]],
  ];
  for (const [name, files] of accepted) {
    test(`accepts ${name}`, async () => {
      const reply = await presign(library.world, files);
      expect({ status: reply.status, body: reply.text }).toEqual({ status: 201, body: reply.text });
      expect(arrayAt(reply.json, 'data')).toHaveLength(files.length);
    });
  }

  const refused: readonly [string, unknown, FailingFields][] = [
    ['no files', [], { files: true }],
    ['eleven files', Array.from({ length: 11 }, () => file), { files: true }],
    ['an empty object', [{}], { 'files.0.name': true, 'files.0.size': true, 'files.0.mime': true }],
    ['a name of 256 characters', [{ ...file, name: 'a'.repeat(256) }], { 'files.0.name': /255/ }],
    ['a size of 0', [{ ...file, size: 0 }], { 'files.0.size': true }],
    ['a size of one byte above 2 GB', [{ ...file, size: sizeLimit + 1 }], { 'files.0.size': true }],
    ['a size of 1e300', [{ ...file, size: 1e300 }], { 'files.0.size': true }],
    ['another type', [{ ...file, mime: 'image/svg+xml' }], { 'files.0.mime': true }],
    [
      'several invalid files, with all failing fields',
      [{ ...file, name: '' }, file, { ...file, size: 0, mime: 'text/html' }],
      { 'files.0.name': true, 'files.2.size': true, 'files.2.mime': true },
    ],
  ];
  for (const [name, files, fields] of refused) {
    test(`refuses ${name}`, async () => expectInvalid(await presign(library.world, files), fields));
  }

  test('refuses the folder of another workspace, together with all other errors', async () => {
    const { world } = library;
    const send = 'POST /workspaces/{foreign}/media_library/folders';
    const theirs = await world.call(send, { token: 'foreign', json: { name: 'Theirs' } });
    const folder_id = stringAt(theirs.json, 'data', 'id');
    const wrong = [
      { ...file, folder_id, name: '' },
      { ...file, folder_id: String(world.ids.unknown), label: 'a'.repeat(251) },
      { ...file, folder_id: 'nonsense', label: 7 },
      { ...file, label: '\u0007' },
      null,
    ];
    expectInvalid(await presign(world, wrong), {
      'files.0.name': true,
      'files.0.folder_id': /invalid/,
      'files.1.folder_id': /invalid/,
      'files.1.label': /250/,
      'files.2.folder_id': true,
      'files.2.label': true,
      'files.3.label': true,
      'files.4': true,
    });
  });

  test('creates no items if it is refused', async () => {
    const count = async () =>
      at((await library.world.call('GET /workspaces/{workspace}/media_contents')).json, 'meta', 'total');
    const before = await count();
    expect((await presign(library.world, [file, { ...file, size: 0 }])).status).toBe(422);
    expect(await count()).toBe(before);
  });

  const callers: readonly [string, string | null, number][] = [
    ['without a token', null, 401],
    ['with a token without media:write', 'reader', 403],
    ['with a token of another workspace', 'foreign', 404],
  ];
  for (const [name, token, status] of callers) {
    test(`is answered ${status} ${name}, and so is confirming`, async () => {
      const { world } = library;
      const issued = await issue(world, fixtures.jpeg());
      await upload(issued, fixtures.jpeg());
      const send = `POST /media_contents/${issued.id}/confirm`;
      for (const reply of [await presign(world, [file], token), await world.call(send, { token })]) {
        expect(reply.status).toBe(status);
        expectErrorShape(reply);
      }
      // The refused attempts have not used up the URL.
      expect((await confirm(world, issued)).status).toBe(200);
    });
  }

  for (const id of ['{unknown}', 'nonsense']) {
    test(`confirming ${id} is answered 404`, async () => {
      const reply = await confirm(library.world, { id });
      expect(reply.status).toBe(404);
      expectErrorShape(reply);
    });
  }
});
