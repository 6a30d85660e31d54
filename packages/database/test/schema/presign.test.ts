import { describe, expect, test } from 'bun:test';
import type { ActiveMedia } from '@postshelf/domain';
import { type SampleUpload, sampleUpload } from '@postshelf/testing/contracts/presign-repository/samples';
import { addWorkspace, NOW, newId, sampleImage } from '@postshelf/testing/contracts/samples';
import { thrownBy } from '@postshelf/testing/outcomes';
import { presignToRow } from '../../src/presign/presign-repository.ts';
import type { PresignedUploadRow } from '../../src/store/tables.ts';
import { dialects, type Opened, type OpenedStore, openerOf } from '../support/dialects.ts';

interface Uploads {
  readonly mine: SampleUpload;
  readonly other: SampleUpload;
  readonly image: ActiveMedia;
}

/** Runs a test with two waiting presigned uploads and an image. */
const withUploads = async (
  open: () => Promise<Opened>,
  test: (store: OpenedStore, uploads: Uploads) => Promise<void>,
): Promise<void> => {
  const { one: database, store, close } = await open();
  try {
    const { id } = await addWorkspace(database);
    const image = sampleImage(id);
    await database.media.insert([image]);
    const [mine, other] = [sampleUpload(id), sampleUpload(id)];
    await database.presign.add([mine, other]);
    await test(store, { mine, other, image });
  } finally {
    await close();
  }
};

/** Invalid changes that no repository makes. The schema itself must refuse them. */
const CHANGES: Readonly<Record<string, (uploads: Uploads) => Partial<PresignedUploadRow>>> = {
  'a size of 0': () => ({ size: 0 }),
  'no type': () => ({ type: null as never }),
  'a fraction of a second': () => ({ expires_at: 3_600_001 }),
  'a lease without an end': () => ({ lease_owner: 'owner' }),
  'a lease without an owner': () => ({ lease_until: NOW }),
  'a missing item': () => ({ media_id: newId() }),
  'an active item': ({ image }) => ({ media_id: image.id }),
};

describe.each(dialects)('the schema of $name', (dialect) => {
  const { refused } = dialect;
  const open = openerOf(dialect);

  for (const [what, wrong] of Object.entries(CHANGES)) {
    test(`refuses a presigned upload with ${what} on insert and update`, () =>
      withUploads(open, async (store, uploads) => {
        const { upload } = uploads.mine;
        const bad = wrong(uploads);
        const insert = store.write(async (trx) => {
          await trx.deleteFrom('presigned_uploads').where('media_id', '=', upload.id).execute();
          const row = { ...presignToRow(upload), ...bad };
          await trx.insertInto('presigned_uploads').values(row).execute();
        });
        expect(await thrownBy(insert)).toMatchObject(refused);
        const update = store.write((trx) =>
          trx.updateTable('presigned_uploads').set(bad).where('media_id', '=', upload.id).execute(),
        );
        expect(await thrownBy(update)).toMatchObject(refused);
      }));
  }

  test('refuses to move a presigned upload to another temporary item', () =>
    withUploads(open, async (store, { mine, other }) => {
      const move = store.write(async (trx) => {
        await trx.deleteFrom('presigned_uploads').where('media_id', '=', other.item.id).execute();
        const change = trx.updateTable('presigned_uploads').set({ media_id: other.item.id });
        await change.where('media_id', '=', mine.item.id).execute();
      });
      expect(await thrownBy(move)).toMatchObject(refused);
    }));

  test('refuses to change the status or id of the item of a presigned upload', () =>
    withUploads(open, async (store, { mine }) => {
      for (const change of [
        { status: 'failed', error_message: 'message' },
        { status: 'processing' },
        { id: newId() },
      ] as const) {
        const update = store.write((trx) =>
          trx.updateTable('media').set(change).where('id', '=', mine.item.id).execute(),
        );
        expect(await thrownBy(update)).toMatchObject(refused);
      }
    }));
});
