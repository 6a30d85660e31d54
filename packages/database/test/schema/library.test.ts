import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { Uuid } from '@postshelf/domain';
import { addFit, addImport } from '@postshelf/testing/contracts/job-samples';
import {
  addWorkspace,
  newId,
  sampleCover,
  sampleFolder,
  sampleImage,
  sampleProcessing,
  sampleVideo,
} from '@postshelf/testing/contracts/samples';
import { thrownBy } from '@postshelf/testing/outcomes';
import { folderToRow } from '../../src/folders/folder-rows.ts';
import type { Database } from '../../src/index.ts';
import { mediaToRow } from '../../src/media/media-rows.ts';
import type { FolderRow, JobRow, MediaRow, MediaTagRow } from '../../src/store/tables.ts';
import { dialects, type Opened, type OpenedStore, openNew } from '../support/dialects.ts';

interface Rows {
  readonly theirs: Uuid;
  readonly folder: Uuid;
  readonly theirFolder: Uuid;
  readonly image: Uuid;
  readonly cover: Uuid;
  readonly importing: Uuid;
  readonly fitting: Uuid;
}

/** Invalid rows that no repository writes. The schema itself must refuse them. */
const MEDIA: Readonly<Record<string, (rows: Rows) => Partial<MediaRow>>> = {
  'an active item without content': () => ({ size: null }),
  'an active item with half a checksum': () => ({ sha256: 'abc' }),
  'an active item with an error message': () => ({ error_message: 'message' }),
  'a processing item with content': () => ({ status: 'processing' }),
  'a failed item without a message': () => ({ ...WITHOUT_CONTENT, status: 'failed' }),
  'a temporary item with a message': () => ({ ...WITHOUT_CONTENT, status: 'temporary', error_message: 'message' }),
  'an unknown status': () => ({ status: 'deleted' as never }),
  'an image with a duration': () => ({ time: 1 }),
  'a video with a duration of 0': () => ({ type: 'video/mp4', time: 0 }),
  'a size below zero': () => ({ size: -1 }),
  'a width of 0': () => ({ width: 0 }),
  'a number where text belongs': () => ({ created_at: 'today' as never }),
  'a missing folder': () => ({ folder_id: newId() }),
  'a folder of another workspace': ({ theirFolder }) => ({ folder_id: theirFolder }),
  'a cover in a folder': ({ folder, image }) => ({ folder_id: folder, cover_of: image }),
  'a cover of itself': () => ({ id: COVER, cover_of: COVER }),
  'a cover of a missing item': () => ({ cover_of: newId() }),
  'details that are not an object': () => ({ details: '[]' }),
  'details without a file': () => ({ ...WITHOUT_CONTENT, status: 'processing', details: '{}' }),
};
const WITHOUT_CONTENT = { type: null, size: null, sha256: null, width: null, height: null, details: null };
const COVER = newId();

const FOLDERS: Readonly<Record<string, (rows: Rows) => Partial<FolderRow>>> = {
  'a missing parent': () => ({ parent_id: newId() }),
  'a parent of another workspace': ({ theirFolder }) => ({ parent_id: theirFolder }),
  'a flag that is neither 0 nor 1': () => ({ is_system: 2 as never }),
  'a name that is taken': () => ({ name_key: 'folder' }),
};

const TAGS: Readonly<Record<string, (rows: Rows) => Partial<MediaTagRow>>> = {
  'a tag of a missing item': () => ({ media_id: newId() }),
  'a tag of a cover': ({ cover }) => ({ media_id: cover }),
  'a tag in another workspace than its item': ({ theirs }) => ({ workspace_id: theirs }),
  'a tag that the item has at another position': ({ image }) => ({
    media_id: image,
    position: 1,
    tag_key: 'kept',
  }),
  'a second tag at the same position': ({ image }) => ({ media_id: image }),
  'a position below zero': () => ({ position: -1 }),
};

const JOBS: Readonly<Record<string, (rows: Rows) => Partial<JobRow>>> = {
  'a job of a missing item': () => ({ subject_id: newId() }),
  'a job of an active item': ({ image }) => ({ subject_id: image }),
  'a second job of one item': ({ importing }) => ({ subject_id: importing }),
  'a job in another workspace than its item': ({ theirs }) => ({ workspace_id: theirs }),
  'a fit of an item that is made from no other': () => ({ kind: 'fit' }),
  'a lease without an end': () => ({ due_at: null, lease_owner: 'worker' }),
  'attempts below zero': () => ({ attempts: -1 }),
  'claims below zero': () => ({ claims: -1 }),
};

const jobRow = (subjectId: Uuid, workspaceId: Uuid, kind: JobRow['kind'] = 'import'): JobRow => ({
  kind,
  subject_id: subjectId,
  workspace_id: workspaceId,
  payload: null,
  added_at: 0,
  due_at: 0,
  attempts: 0,
  claims: 0,
  lease_owner: null,
  reason: null,
});

async function addRows(database: Database, mine: Uuid): Promise<Rows> {
  const theirs = newId();
  for (const id of [mine, theirs]) {
    await addWorkspace(database, [], { id });
  }
  const [folder, theirFolder] = [sampleFolder(mine, { name: 'Folder' }), sampleFolder(theirs)];
  for (const each of [folder, theirFolder]) await database.folders.insert(each);
  const image = sampleImage(mine, { folderId: folder.id });
  const video = sampleVideo(mine);
  const cover = sampleCover(video);
  await database.media.insert([image, video, cover]);
  await database.media.update(image.id, { tags: ['Kept'] }, 0);
  const importing = await addImport(database, mine);
  return {
    theirs,
    folder: folder.id,
    theirFolder: theirFolder.id,
    image: image.id,
    cover: cover.id,
    importing: importing.id,
    fitting: await addFit(database, mine),
  };
}

describe.each(dialects)('the schema of $name', (dialect) => {
  const workspaceId = newId();
  let opened: Opened;
  let rows: Rows;

  beforeAll(async () => {
    opened = await openNew(dialect);
    rows = await addRows(opened.one, workspaceId);
  });
  afterAll(() => opened.close());

  const write = (work: Parameters<OpenedStore['write']>[0]): Promise<unknown> => opened.store.write(work);
  const expectRefused = async (work: Parameters<OpenedStore['write']>[0]): Promise<void> => {
    expect(await thrownBy(write(work))).toMatchObject(dialect.refused);
  };

  test.each(Object.entries(MEDIA))('refuses %s on insert and update', async (_, wrong) => {
    const good = mediaToRow(sampleImage(workspaceId), []);
    const bad = wrong(rows);
    await expectRefused((trx) =>
      trx
        .insertInto('media')
        .values({ ...good, ...bad })
        .execute(),
    );
    await write((trx) => trx.insertInto('media').values(good).execute());
    await expectRefused((trx) => trx.updateTable('media').set(bad).where('id', '=', good.id).execute());
  });

  test.each(Object.entries(FOLDERS))('refuses a folder with %s', async (_, wrong) => {
    const row = { ...folderToRow(sampleFolder(workspaceId)), ...wrong(rows) };
    await expectRefused((trx) => trx.insertInto('folders').values(row).execute());
  });

  test.each(Object.entries(TAGS))('refuses %s on insert and update', async (_, wrong) => {
    const item = sampleImage(workspaceId);
    await write((trx) => trx.insertInto('media').values(mediaToRow(item, [])).execute());
    const good = { media_id: item.id, position: 0, workspace_id: workspaceId, tag: 'Tag', tag_key: 'tag' };
    const bad = wrong(rows);
    await expectRefused((trx) =>
      trx
        .insertInto('media_tags')
        .values({ ...good, ...bad })
        .execute(),
    );
    await write((trx) => trx.insertInto('media_tags').values(good).execute());
    await expectRefused((trx) => trx.updateTable('media_tags').set(bad).where('media_id', '=', item.id).execute());
  });

  test.each(Object.entries(JOBS))('refuses %s on insert and update', async (_, wrong) => {
    const item = sampleProcessing(workspaceId);
    await write((trx) => trx.insertInto('media').values(mediaToRow(item, [])).execute());
    const good = jobRow(item.id, workspaceId);
    const bad = wrong(rows);
    await expectRefused((trx) =>
      trx
        .insertInto('jobs')
        .values({ ...good, ...bad })
        .execute(),
    );
    await write((trx) => trx.insertInto('jobs').values(good).execute());
    await expectRefused((trx) => trx.updateTable('jobs').set(bad).where('subject_id', '=', item.id).execute());
  });

  test.each(['cover', 'preview', 'delivery', 'check', 'removal'] as const)(
    'refuses to give a job of kind %s another subject, kind or workspace',
    async (kind) => {
      const subjectId = newId();
      await write((trx) =>
        trx
          .insertInto('jobs')
          .values(jobRow(subjectId, workspaceId, kind))
          .execute(),
      );
      for (const change of [{ kind: 'fit' }, { subject_id: newId() }, { workspace_id: rows.theirs }] as const) {
        await expectRefused((trx) => trx.updateTable('jobs').set(change).where('subject_id', '=', subjectId).execute());
      }
    },
  );

  test.each(['importing', 'fitting'] as const)(
    'refuses to change the status or workspace of an item whose %s job is unfinished',
    async (which) => {
      for (const bad of [
        { status: 'temporary' },
        { status: 'failed', error_message: 'message' },
        { workspace_id: rows.theirs },
      ] as const) {
        await expectRefused((trx) => trx.updateTable('media').set(bad).where('id', '=', rows[which]).execute());
      }
    },
  );

  test('refuses to delete a folder that contains media', () =>
    expectRefused((trx) => trx.deleteFrom('folders').where('id', '=', rows.folder).execute()));

  test('refuses a second cover of one video', async () => {
    const cover = () => ({ ...mediaToRow(sampleImage(workspaceId), []), cover_of: rows.image });
    await write((trx) => trx.insertInto('media').values(cover()).execute());
    await expectRefused((trx) => trx.insertInto('media').values(cover()).execute());
  });
});

test.each(dialects)('the schema of $name deletes an item’s jobs with the item, and no other jobs', async (dialect) => {
  const { one, store, close } = await openNew(dialect);
  try {
    const { id } = await addWorkspace(one);
    const item = sampleImage(id);
    const kinds = ['cover', 'preview', 'delivery', 'check', 'removal'] as const;
    await store.write(async (trx) => {
      await trx.insertInto('media').values(mediaToRow(item, [])).execute();
      for (const kind of kinds)
        await trx
          .insertInto('jobs')
          .values(jobRow(item.id, id, kind))
          .execute();
      await trx.deleteFrom('media').where('id', '=', item.id).execute();
    });
    const left = await store.reads.selectFrom('jobs').select('kind').orderBy('kind').execute();
    expect(left.map(({ kind }) => kind)).toEqual(['check', 'delivery', 'removal']);
  } finally {
    await close();
  }
});
