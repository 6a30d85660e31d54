import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { ActiveMedia, Post, Profile, Uuid } from '@postshelf/domain';
import { addPost, addProfile, samplePost, sampleProfile } from '@postshelf/testing/contracts/posts/samples';
import {
  addWorkspace,
  newId,
  sampleCover,
  sampleImage,
  sampleProcessing,
  sampleVideo,
} from '@postshelf/testing/contracts/samples';
import { thrownBy } from '@postshelf/testing/outcomes';
import type { Database } from '../../src/index.ts';
import { postToRow } from '../../src/posts/post-rows.ts';
import type { PostRow } from '../../src/store/tables.ts';
import { dialects, type Opened, type OpenedStore, openNew } from '../support/dialects.ts';

interface Rows {
  readonly profile: Profile;
  readonly other: Profile;
  readonly theirs: Profile;
  /** A post with the external id `post` that shows the image. */
  readonly post: Post;
  readonly image: ActiveMedia;
  readonly free: ActiveMedia;
  /** Media that can't be attached. */
  readonly unfit: readonly Uuid[];
}

async function addRows(database: Database): Promise<Rows> {
  const { id } = await addWorkspace(database);
  const profile = await addProfile(database, id);
  const other = await addProfile(database, id);
  const theirs = await addProfile(database);
  const [image, free, video] = [sampleImage(id), sampleImage(id), sampleVideo(id)];
  const unfit = [sampleCover(video), sampleProcessing(id), sampleImage(theirs.workspaceId)];
  await database.media.insert([image, free, video, ...unfit]);
  const post = await addPost(database, profile, { externalId: 'post', mediaIds: [image.id] });
  return { profile, other, theirs, post, image, free, unfit: [...unfit.map((item) => item.id), newId()] };
}

/** Invalid rows that no repository writes. The schema itself must refuse them. */
const POSTS: Readonly<Record<string, (rows: Rows) => Partial<PostRow>>> = {
  'a missing profile': () => ({ profile_id: newId() }),
  'a profile of another workspace': ({ theirs }) => ({ profile_id: theirs.id }),
  'another workspace than the profile': ({ theirs }) => ({ workspace_id: theirs.workspaceId }),
  'an external id that is taken': () => ({ external_id: 'post' }),
  'a time before the epoch': () => ({ published_at: -1 }),
  'a fraction of a millisecond': () => ({ published_at: 0.5 }),
  'impressions below zero': () => ({ impressions: -1 }),
  'likes below zero': () => ({ likes: -1 }),
  'comments below zero': () => ({ comments: -1 }),
  'shares below zero': () => ({ shares: -1 }),
  'saves below zero': () => ({ saves: -1 }),
  'clicks below zero': () => ({ clicks: -1 }),
  'half a like': () => ({ likes: 0.5 }),
};

describe.each(dialects)('the schema of $name', (dialect) => {
  let opened: Opened;
  let rows: Rows;

  beforeAll(async () => {
    opened = await openNew(dialect);
    rows = await addRows(opened.one);
  });
  afterAll(() => opened.close());

  const write = (work: Parameters<OpenedStore['write']>[0]): Promise<unknown> => opened.store.write(work);
  const expectRefused = async (work: Parameters<OpenedStore['write']>[0]): Promise<void> => {
    expect(await thrownBy(write(work))).toMatchObject(dialect.refused);
  };

  test.each(Object.entries(POSTS))('refuses a post with %s on insert and update', async (_, wrong) => {
    const good = postToRow(samplePost(rows.profile));
    const bad = wrong(rows);
    await expectRefused((trx) =>
      trx
        .insertInto('posts')
        .values({ ...good, ...bad })
        .execute(),
    );
    await write((trx) => trx.insertInto('posts').values(good).execute());
    await expectRefused((trx) => trx.updateTable('posts').set(bad).where('id', '=', good.id).execute());
  });

  test('refuses to give a post another profile or another id', async () => {
    for (const change of [{ profile_id: rows.other.id }, { id: newId() }])
      await expectRefused((trx) => trx.updateTable('posts').set(change).where('id', '=', rows.post.id).execute());
  });

  test('refuses a profile whose workspace is missing or changes, and the deletion of one with posts', async () => {
    const { profile, other, theirs } = rows;
    const { id, name, network } = sampleProfile(newId());
    const homeless = { id, workspace_id: newId(), name, network, version: 1, created_at: 0, updated_at: 0 };
    await expectRefused((trx) => trx.insertInto('profiles').values(homeless).execute());
    const change = { workspace_id: theirs.workspaceId };
    await expectRefused((trx) => trx.updateTable('profiles').set(change).where('id', '=', other.id).execute());
    await expectRefused((trx) => trx.deleteFrom('profiles').where('id', '=', profile.id).execute());
  });

  test('refuses to attach anything but active media of the workspace, or to attach media twice', async () => {
    const { post, image, free, unfit } = rows;
    const attach = (media_id: Uuid, position: number) => (trx: Parameters<Parameters<typeof write>[0]>[0]) =>
      trx.insertInto('post_media').values({ post_id: post.id, position, media_id }).execute();
    expect(unfit).toHaveLength(4);
    for (const id of [...unfit, image.id]) await expectRefused(attach(id, 1));
    for (const position of [0, -1]) await expectRefused(attach(free.id, position));
    await expectRefused((trx) =>
      trx.updateTable('post_media').set({ media_id: free.id }).where('post_id', '=', post.id).execute(),
    );
    await write(attach(free.id, 1));
    await write((trx) => trx.deleteFrom('post_media').where('media_id', '=', free.id).execute());
  });

  test('refuses to delete attached media, and changes after which they could not be attached', async () => {
    const { image, free, theirs } = rows;
    await expectRefused((trx) => trx.deleteFrom('media').where('id', '=', image.id).execute());
    for (const change of [
      { workspace_id: theirs.workspaceId },
      { cover_of: free.id },
      { id: newId() },
      { status: 'failed', error_message: 'message', type: null, size: null, sha256: null, width: null, height: null },
    ] as const) {
      await expectRefused((trx) => trx.updateTable('media').set(change).where('id', '=', image.id).execute());
    }
    await write((trx) => trx.updateTable('media').set({ name: 'name' }).where('id', '=', image.id).execute());
    await write((trx) => trx.deleteFrom('media').where('id', '=', free.id).execute());
  });

  test('deletes attachments together with their post', async () => {
    await write((trx) => trx.deleteFrom('posts').where('id', '=', rows.post.id).execute());
    expect(await opened.store.reads.selectFrom('post_media').selectAll().execute()).toEqual([]);
  });
});
