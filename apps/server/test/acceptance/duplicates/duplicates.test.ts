// These tests add files that the workspace already has, and files with a declared hash. They do this in each of the
// ways to add a file.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { createHash, randomBytes } from 'node:crypto';
import { serve } from '../imports/support/answers.ts';
import { importUrl, itemCount, loopback, settled, show, withoutCovers } from '../imports/support/imports.ts';
import { Origin } from '../imports/support/origin.ts';
import { confirm, presign, readIssued, upload } from '../presign/support/uploads.ts';
import * as fixtures from '../support/fixtures.ts';
import { field, file, type Part } from '../support/multipart.ts';
import { arrayAt, at, expectErrorShape, expectInvalid, type Reply, stringAt } from '../support/reply.ts';
import { type MediaItem, mediaItems, oneMediaItem } from '../support/shapes.ts';
import { World } from '../support/world.ts';

let world: World;
let origin: Origin;

beforeAll(async () => {
  origin = await Origin.open();
  // Calls go alternately to two servers, which share a database and a storage.
  world = await World.open({ ...loopback, ...withoutCovers, UPLOAD_CONCURRENCY: '100' }, [], { servers: 2 });
  await world.token('blind', '{workspace}', ['--scope', 'media:write']);
});

afterAll(async () => {
  await world?.close();
  await origin?.close();
});

/** A file that no other test uses. It ends with random bytes, which readers of the format ignore. */
const newFile = (make: () => Uint8Array): Uint8Array => Buffer.concat([make(), randomBytes(16)]);
const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

interface Terms {
  readonly sha256?: string;
  readonly on_duplicate?: string;
}

/** One way to add a file. */
interface Way {
  readonly name: string;
  readonly make: () => Uint8Array;
  /**
   * The field that error messages name; null if the file is sent only after the first answer, so that a wrong file
   * makes the item `failed`.
   */
  readonly field: string | null;
  readonly subject: string;
  /** Sends the first request, and returns its answer. */
  begin(bytes: Uint8Array, terms: Terms, token?: string): Promise<Reply>;
  /** The status of the first answer on success. */
  readonly status: number;
  /**
   * Completes the upload or import. Returns the id from the first answer, and the item once it is `active` or `failed`.
   */
  end(reply: Reply, bytes: Uint8Array): Promise<{ readonly id: string; readonly item: MediaItem }>;
}

const atOnce = async (reply: Reply) => {
  const [item] = mediaItems(reply);
  if (item === undefined) throw new Error(`No item: ${reply.text}`);
  return { id: item.id, item };
};

const fields = (terms: Terms): Part[] => [
  ...(terms.on_duplicate === undefined ? [] : [field('on_duplicate', terms.on_duplicate)]),
  ...(terms.sha256 === undefined ? [] : [field('sha256[]', terms.sha256)]),
];

const tokenOf = (token?: string) => (token === undefined ? {} : { token });

const byUrl = (bytes: Uint8Array, terms: Terms, token?: string) =>
  importUrl(world, origin.page('beach', serve(bytes)).url, terms, tokenOf(token));

const WAYS: readonly Way[] = [
  {
    name: 'multipart',
    make: fixtures.png,
    field: 'files.0',
    subject: 'The files.0',
    begin: (bytes, terms, token) => world.upload([file('beach.png', bytes), ...fields(terms)], tokenOf(token)),
    status: 201,
    end: atOnce,
  },
  {
    name: 'image URL',
    make: fixtures.jpeg,
    field: 'url',
    subject: 'The file at the URL',
    begin: byUrl,
    status: 201,
    end: atOnce,
  },
  {
    name: 'video URL',
    make: fixtures.mp4,
    field: null,
    subject: 'The file at the URL',
    begin: byUrl,
    status: 202,
    end: async (reply) => {
      const { id } = await atOnce(reply);
      return { id, item: await settled(world, { id }) };
    },
  },
  {
    name: 'presign',
    make: fixtures.jpeg,
    field: null,
    subject: 'The file',
    begin: (bytes, terms, token) =>
      presign(world, [{ name: 'beach.jpg', size: bytes.length, mime: 'image/jpeg', ...terms }], token),
    status: 201,
    end: async (reply, bytes) => {
      const issued = readIssued(at(arrayAt(reply.json, 'data'), 0));
      await upload(issued, bytes);
      const confirmed = await confirm(world, issued);
      if (confirmed.status === 422) return { id: issued.id, item: await show(world, issued.id) };
      return { id: issued.id, item: oneMediaItem(confirmed) };
    },
  },
];

/** Sends the file, which must be accepted, and returns the resulting item. */
async function store(way: Way, bytes: Uint8Array, terms: Terms = {}) {
  const reply = await way.begin(bytes, terms);
  expect({ status: reply.status, text: reply.text }).toEqual({ status: way.status, text: reply.text });
  return way.end(reply, bytes);
}

describe.each(WAYS)('a file added by $name', (way) => {
  test('is returned as the existing item with on_duplicate=return, and stored again with keep', async () => {
    const bytes = newFile(way.make);
    const folder = await world.folder(`Folder ${way.name}`);
    const { item: first } = await store(way, bytes, { on_duplicate: 'return' });
    const changes = { name: `Kept ${way.name}`, label: 'Label', folder_id: folder };
    const there = oneMediaItem(await world.call(`PATCH /media_contents/${first.id}`, { json: changes }));
    const [count, files] = [await itemCount(world), await world.files()];
    const { id, item } = await store(way, bytes, { on_duplicate: 'return' });
    expect(item).toEqual(there);
    expect(await itemCount(world)).toBe(count);
    await world.untilFilesAre(files);
    if (way.status === 202 || id !== there.id) {
      // The service issued this id before it knew the bytes. With it, clients can read the existing item, but can't
      // change or delete it.
      expect(await show(world, id)).toEqual(there);
      expect(oneMediaItem(await confirm(world, { id }))).toEqual(there);
      expect((await world.call(`GET /media_contents/${id}`, { token: 'foreign' })).status).toBe(404);
      expect((await world.call(`PATCH /media_contents/${id}`, { json: { label: 'x' } })).status).toBe(404);
      expect((await world.call(`DELETE /media_contents/${id}`)).status).toBe(404);
    }
    expect(id === there.id).toBe(way.field !== null);
    const { item: another } = await store(way, bytes, { on_duplicate: 'keep' });
    expect(another.id).not.toBe(there.id);
    expect((await store(way, bytes)).item.id).not.toBe(there.id);
    expect(await itemCount(world)).toBe(count + 2);
    await world.call(`DELETE /media_contents/${there.id}`);
    expect((await world.call(`GET /media_contents/${id}`)).status).toBe(404);
  });

  test('is rejected if its bytes differ from the declared hash', async () => {
    const bytes = newFile(way.make);
    const sha256 = hashOf(bytes);
    for (const good of [sha256, sha256.toUpperCase()]) {
      expect((await store(way, bytes, { sha256: good, on_duplicate: 'return' })).item.status).toBe('active');
    }
    const [count, files] = [await itemCount(world), await world.files()];
    const wrong = await way.begin(bytes, { sha256: hashOf(newFile(way.make)), on_duplicate: 'return' });
    const sentence = `${way.subject} does not match its sha256.`;
    if (way.field !== null) {
      expectInvalid(wrong, { [way.field]: sentence });
      expect(await itemCount(world)).toBe(count);
    } else {
      const { id, item } = await way.end(wrong, bytes);
      expect(item).toMatchObject({ id, status: 'failed', error_message: sentence });
    }
    await world.untilFilesAre(files);
  });

  test('needs media:read for on_duplicate=return, and is refused if the hash or on_duplicate is invalid', async () => {
    const bytes = newFile(way.make);
    const blind = await way.begin(bytes, { on_duplicate: 'return' }, 'blind');
    expect({ status: blind.status, message: at(blind.json, 'message') }).toEqual({
      status: 403,
      message: 'The scope media:read is missing.',
    });
    expectErrorShape(blind);
    expect((await way.begin(bytes, { on_duplicate: 'keep' }, 'blind')).status).toBe(way.status);
    const within = way.name === 'presign' ? 'files.0.' : '';
    const hash = way.name === 'multipart' ? 'sha256.0' : `${within}sha256`;
    const refused = await way.begin(bytes, { sha256: `${hashOf(bytes)}0`, on_duplicate: 'replace' });
    expectInvalid(refused, {
      [hash]: `The ${hash} field must be a SHA-256 in hex, 64 digits.`,
      [`${within}on_duplicate`]: `The selected ${within}on duplicate is invalid.`,
    });
  });
});

describe('a multipart request with several files', () => {
  test('can declare hashes before or after its files, and omit some of the hashes', async () => {
    const [first, second] = [newFile(fixtures.png), newFile(fixtures.png)];
    const files = [file('a.png', first), file('b.png', second)];
    const [ofFirst, ofSecond] = [field('sha256[]', hashOf(first)), field('sha256[]', hashOf(second))];
    const none = field('sha256[]', '');
    const taken = [
      [ofFirst, ...files, ofSecond],
      [...files, none, ofSecond],
      [ofFirst, ...files],
    ];
    for (const parts of taken) expect((await world.upload(parts)).status).toBe(201);
    expectInvalid(await world.upload([ofSecond, ...files, ofFirst]), { 'files.0': true, 'files.1': true });
    expectInvalid(await world.upload([none, ofFirst, ...files]), { 'files.1': true });
    const tooMany = 'The sha256 field must not have more items than there are files.';
    expectInvalid(await world.upload([...files, ofFirst, ofSecond, none]), { sha256: tooMany });
  });

  test('returns the same item for each of several equal files', async () => {
    const [there, twice, alone] = [newFile(fixtures.png), newFile(fixtures.png), newFile(fixtures.png)];
    const known = await world.storeOne(file('known.png', there));
    const count = await itemCount(world);
    const files = [file('a.png', twice), file('b.png', there), file('c.png', twice), file('d.png', alone)];
    const items = await world.store(field('on_duplicate', 'return'), ...files);
    expect(items.map(({ name }) => name)).toEqual(['a.png', 'known.png', 'a.png', 'd.png']);
    expect([items[1], items[2]]).toEqual([known, items[0]]);
    expect(await itemCount(world)).toBe(count + 2);
  });
});

test('a file of another workspace is not a duplicate', async () => {
  const bytes = newFile(fixtures.png);
  const { id } = await world.storeOne(file('beach.png', bytes));
  const theirs = async (parts: readonly Part[]): Promise<string> => {
    const form = new FormData();
    for (const { name, value, filename } of parts) {
      if (filename === undefined) form.append(name, String(value));
      else form.append(name, new Blob([Buffer.from(value)]), String(filename));
    }
    const url = `${world.server.url}/v1/workspaces/${world.ids.foreign}/media_contents`;
    const headers = { authorization: `Bearer ${world.tokens.foreign}` };
    const response = await fetch(url, { method: 'POST', headers, body: form });
    expect(response.status).toBe(201);
    return stringAt(await response.json(), 'data', 0, 'id');
  };
  const first = await theirs([file('beach.png', bytes), field('on_duplicate', 'return')]);
  expect(first).not.toBe(id);
  expect(await theirs([file('beach.png', bytes), field('on_duplicate', 'return')])).toBe(first);
});

test('50 equal files added concurrently, in every way and to two servers, become one item', async () => {
  const bytes = newFile(fixtures.mp4);
  const [count, files] = [await itemCount(world), await world.files()];
  const { url } = origin.page('film', serve(bytes));
  const terms = { on_duplicate: 'return' };
  const byPresign = async (): Promise<MediaItem> => {
    const reply = await presign(world, [{ name: 'film.mp4', size: bytes.length, mime: 'video/mp4', ...terms }]);
    const issued = readIssued(at(arrayAt(reply.json, 'data'), 0));
    await upload(issued, bytes);
    return oneMediaItem(await confirm(world, issued));
  };
  const byImport = async () => settled(world, (await atOnce(await importUrl(world, url, terms))).item, 60_000);
  const byMultipart = () => world.storeOne(file('film.mp4', bytes), field('on_duplicate', 'return'));
  const items = await Promise.all(
    Array.from({ length: 50 }, (_, number) => [byMultipart, byMultipart, byPresign, byImport][number % 4]?.()),
  );
  expect(new Set(items.map((item) => item?.id)).size).toBe(1);
  expect(await itemCount(world)).toBe(count + 1);
  const [kept] = items;
  if (!kept) throw new Error('50 files made no item.');
  const object = (await world.files()).filter((name) => name.includes(kept.id));
  await world.untilFilesAre([...files, ...object].sort());
});
