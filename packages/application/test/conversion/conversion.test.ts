import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import { type ImageConverter, NO_TERMS, Refusal, UNDECODABLE, type Workspace } from '@postshelf/domain';
import { fakeHeic } from '@postshelf/testing/fakes';
import { confirmUpload, issueUploads, UploadBatch } from '../../src/index.ts';
import { databases } from '../support/databases.ts';
import { bodyOf, bytesUnder, countStaged } from '../support/objects.ts';
import { refusalOf, thrownBy } from '../support/refusals.ts';
import { inhabitedWorld, replacing, type World } from '../support/world.ts';

afterEach(databases.closeAll);

const HEIC = fakeHeic({ width: 40, height: 30, time: null });
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

let world: World;
let workspace: Workspace;

beforeEach(async () => {
  ({ workspace, ...world } = await inhabitedWorld());
});

async function store(ports: World, bytes: Uint8Array, declared: readonly string[] = []) {
  const batch = new UploadBatch(ports, workspace);
  try {
    await batch.add('beach.HEIC', bodyOf(bytes));
    batch.compare(declared);
    return { errors: batch.errors, stored: await batch.commit({ label: null, folderId: null }) };
  } finally {
    await batch.discard();
  }
}

const changing = (convert: ImageConverter['convert']): World => ({ ...world, converter: { convert } });

describe('an image that needs conversion', () => {
  test('is stored converted, and a declared hash must match the bytes that were sent', async () => {
    const { errors, stored } = await store(world, HEIC, [sha256(HEIC)]);
    expect(errors).toEqual({});
    const { item } = stored[0] ?? expect.unreachable();
    const kept = (await bytesUnder(world, item.fullName)) ?? expect.unreachable();
    expect(item).toMatchObject({
      name: 'beach.jpg',
      content: { type: 'image/jpeg', width: 40, height: 30, size: kept.length, sha256: sha256(kept) },
    });
    expect((await store(world, HEIC, [sha256(kept)])).errors).toHaveProperty(['files.0']);
    expect(countStaged(world)).toBe(0);
    expect(world.shares.workspacesAtLimit('conversions')).toEqual([]);
  });

  test("is refused if it can't be decoded, or if the converter returns no supported image", async () => {
    const sentence = { 'files.0': [`The files.0 ${UNDECODABLE}`] };
    expect((await store(world, HEIC.subarray(0, 14))).errors).toEqual(sentence);
    const made = async function* (bytes: Uint8Array) {
      yield bytes;
    };
    for (const bytes of [HEIC, Buffer.from('text'), Buffer.from('GIF89a\0\0\0\0\0\x009x9@0;')]) {
      const wrong = changing(async () => ({
        size: bytes.length,
        body: () => made(bytes),
        [Symbol.asyncDispose]: async () => undefined,
      }));
      expect((await store(wrong, HEIC)).errors).toEqual(sentence);
    }
    expect(countStaged(world)).toBe(0);
  });

  test('leaves no bytes and no slot behind while conversion is unavailable', async () => {
    const refusal = new Refusal({ code: 'unavailable', message: 'Images cannot be converted right now.' });
    const failing = changing(async () => {
      throw refusal;
    });
    expect(await thrownBy(store(failing, HEIC))).toBe(refusal);
    const broken = changing(async () => ({
      size: 99,
      async *body() {
        yield new Uint8Array(9);
        throw refusal;
      },
      [Symbol.asyncDispose]: async () => undefined,
    }));
    expect(await thrownBy(store(broken, HEIC))).toBe(refusal);
    expect(countStaged(world)).toBe(0);
    expect(world.shares.workspacesAtLimit('conversions')).toEqual([]);
  });

  test('is refused with the name of its type if there is no converter', async () => {
    const { errors } = await store({ ...world, converter: null }, HEIC);
    expect(errors['files.0']).toEqual([expect.stringMatching(/must be a file of type: .*\. It is a HEIC image\.$/)]);
    const file = { name: 'beach.heic', size: HEIC.length, type: 'image/heic', label: null, folderId: null } as const;
    const issuing = issueUploads({ ...world, converter: null }, workspace, [{ ...file, terms: NO_TERMS }]);
    expect(await refusalOf(issuing)).toMatchObject({
      errors: { 'files.0.mime': ['The selected files.0.mime is invalid.'] },
    });
  });
});

describe('a presigned upload', () => {
  async function upload(type: 'image/heic' | 'image/heif' | 'image/avif' | 'image/jpeg', bytes: Uint8Array = HEIC) {
    const file = { name: 'beach.heic', size: bytes.length, type, label: null, folderId: null };
    const terms = { ...NO_TERMS, sha256: sha256(HEIC) };
    const [issued] = await issueUploads(world, workspace, [{ ...file, terms }]);
    const id = issued?.item.id ?? expect.unreachable();
    const presigned = (await world.presign.find(id)) ?? expect.unreachable();
    if (presigned.kind !== 'presigned') return expect.unreachable();
    expect(await world.presignStorage.receive(presigned, bodyOf(bytes))).toBe('kept');
    return { id, issued };
  }

  test.each(['image/heic', 'image/heif'] as const)('of HEIC bytes declared as %s is stored as JPEG', async (type) => {
    const { id, issued } = await upload(type);
    const { item } = await confirmUpload(world, id);
    expect(item).toMatchObject({ status: 'active', name: 'beach.jpg', fullName: issued?.item.fullName });
    const kept = (await bytesUnder(world, item.fullName)) ?? expect.unreachable();
    expect(item).toMatchObject({ content: { size: kept.length, sha256: sha256(kept) } });
    expect(countStaged(world)).toBe(0);
  });

  test.each(['image/avif', 'image/jpeg'] as const)('of a HEIC image declared as %s fails', async (type) => {
    const { id } = await upload(type);
    const sentence = `The uploaded file is not a valid ${type} file. It is a HEIC image.`;
    expect(await refusalOf(confirmUpload(world, id))).toMatchObject({ errors: { file: [sentence] } });
    expect((await world.media.find(id))?.item).toMatchObject({ status: 'failed', errorMessage: sentence });
  });

  test('stays temporary and keeps its bytes while conversion is unavailable', async () => {
    const { id } = await upload('image/heic');
    const refusal = new Refusal({ code: 'unavailable', message: 'Images cannot be converted right now.' });
    const failing = changing(async () => {
      throw refusal;
    });
    expect(await thrownBy(confirmUpload(failing, id))).toBe(refusal);
    expect((await world.media.find(id))?.item.status).toBe('temporary');
    expect((await confirmUpload(world, id)).item.status).toBe('active');
  });

  test('is completed even if a process was killed after it had published the object', async () => {
    const { id } = await upload('image/heic');
    const died = new Error('killed');
    const presign = replacing(world.presign, {
      finish: async () => {
        throw died;
      },
    });
    expect(await thrownBy(confirmUpload({ ...world, presign }, id))).toBe(died);
    expect(await bytesUnder(world, (await world.media.find(id))?.item.fullName ?? '')).not.toBeNull();
    const { item } = await confirmUpload(world, id);
    expect(item).toMatchObject({ status: 'active', name: 'beach.jpg' });
    expect(item.fullName).toEndWith('/beach.jpg');
  });
});
