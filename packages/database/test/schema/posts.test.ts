import { describe, expect, test } from 'bun:test';
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
import { postToRow } from '../../src/posts/post-rows.ts';
import type { EngagementDayRow, PostRow } from '../../src/store/tables.ts';
import { dialects, type Opened, type OpenedStore, openerOf } from '../support/dialects.ts';

interface Rows {
  readonly profile: Profile;
  readonly other: Profile;
  readonly theirs: Profile;
  /** It has the external id `post` and shows the image. */
  readonly post: Post;
  readonly image: ActiveMedia;
  readonly free: ActiveMedia;
  /** None of them can be attached. */
  readonly unfit: readonly Uuid[];
}

const withRows = async (
  open: () => Promise<Opened>,
  test: (store: OpenedStore, rows: Rows) => Promise<void>,
): Promise<void> => {
  const { one: database, store, close } = await open();
  try {
    const { id } = await addWorkspace(database);
    const profile = await addProfile(database, id);
    const other = await addProfile(database, id);
    const theirs = await addProfile(database);
    const [image, free, video] = [sampleImage(id), sampleImage(id), sampleVideo(id)];
    const unfit = [sampleCover(video), sampleProcessing(id), sampleImage(theirs.workspaceId)];
    await database.media.insert([image, free, video, ...unfit]);
    const post = await addPost(database, profile, { externalId: 'post', mediaIds: [image.id] });
    const ids = [...unfit.map((item) => item.id), newId()];
    await test(store, { profile, other, theirs, post, image, free, unfit: ids });
  } finally {
    await close();
  }
};

/** What the schema has to refuse by itself, as no repository asks for it. */
const POSTS: Readonly<Record<string, (rows: Rows) => Partial<PostRow>>> = {
  'a profile that is not there': () => ({ profile_id: newId() }),
  'a profile of another workspace': ({ theirs }) => ({ profile_id: theirs.id }),
  'another workspace than the profile': ({ theirs }) => ({ workspace_id: theirs.workspaceId }),
  'an external id that is taken': () => ({ external_id: 'post' }),
  'a time before the epoch': () => ({ published_at: -1 }),
  'a part of a millisecond': () => ({ published_at: 0.5 }),
  'impressions below zero': () => ({ impressions: -1 }),
  'likes below zero': () => ({ likes: -1 }),
  'comments below zero': () => ({ comments: -1 }),
  'shares below zero': () => ({ shares: -1 }),
  'saves below zero': () => ({ saves: -1 }),
  'clicks below zero': () => ({ clicks: -1 }),
  'half a like': () => ({ likes: 0.5 }),
};

const DAYS: Readonly<Record<string, Partial<EngagementDayRow>>> = {
  'a profile that is not there': { profile_id: newId() },
  'a day before the epoch': { day: -1 },
  'no posts': { quarters: Buffer.alloc(0) },
  'half a quarter': { quarters: Buffer.alloc(20) },
  'more quarters than a day has': { quarters: Buffer.alloc(97 * 13) },
};

describe.each(dialects)('the schema of $name refuses', (dialect) => {
  const { refused } = dialect;
  const open = openerOf(dialect);

  for (const [what, wrong] of Object.entries(POSTS)) {
    test(`a post with ${what}, in a new row and an old one`, () =>
      withRows(open, async (store, rows) => {
        const good = postToRow(samplePost(rows.profile));
        const bad = wrong(rows);
        const insert = store.transact((trx) =>
          trx
            .insertInto('posts')
            .values({ ...good, ...bad })
            .execute(),
        );
        await expect(insert).rejects.toMatchObject(refused);
        await store.transact((trx) => trx.insertInto('posts').values(good).execute());
        const update = store.transact((trx) => trx.updateTable('posts').set(bad).where('id', '=', good.id).execute());
        await expect(update).rejects.toMatchObject(refused);
      }));
  }

  test('a post that goes over to another profile, or has another id', () =>
    withRows(open, async (store, { post, other }) => {
      for (const change of [{ profile_id: other.id }, { id: newId() }]) {
        const update = store.transact((trx) =>
          trx.updateTable('posts').set(change).where('id', '=', post.id).execute(),
        );
        await expect(update).rejects.toMatchObject(refused);
      }
    }));

  test('a profile of no workspace, one that goes over to another, and one that goes while it has posts', () =>
    withRows(open, async (store, { profile, other, theirs }) => {
      const { id, name, network } = sampleProfile(newId());
      const homeless = { id, workspace_id: newId(), name, network, created_at: 0, updated_at: 0 };
      const insert = store.transact((trx) => trx.insertInto('profiles').values(homeless).execute());
      await expect(insert).rejects.toMatchObject(refused);
      const change = { workspace_id: theirs.workspaceId };
      const update = store.transact((trx) =>
        trx.updateTable('profiles').set(change).where('id', '=', other.id).execute(),
      );
      await expect(update).rejects.toMatchObject(refused);
      const removal = store.transact((trx) => trx.deleteFrom('profiles').where('id', '=', profile.id).execute());
      await expect(removal).rejects.toMatchObject(refused);
    }));

  test('to attach what is not active media of the workspace, or twice', () =>
    withRows(open, async (store, { post, image, free, unfit }) => {
      const attach = (media_id: Uuid, position = 1) =>
        store.transact((trx) =>
          trx.insertInto('post_media').values({ post_id: post.id, position, media_id }).execute(),
        );
      expect(unfit).toHaveLength(4);
      for (const id of [...unfit, image.id]) await expect(attach(id)).rejects.toMatchObject(refused);
      for (const position of [0, -1]) await expect(attach(free.id, position)).rejects.toMatchObject(refused);
      const exchange = store.transact((trx) =>
        trx.updateTable('post_media').set({ media_id: free.id }).where('post_id', '=', post.id).execute(),
      );
      await expect(exchange).rejects.toMatchObject(refused);
      await attach(free.id);
    }));

  test('that media in use goes, or becomes something that no post can show', () =>
    withRows(open, async (store, { image, free, theirs }) => {
      const removal = store.transact((trx) => trx.deleteFrom('media').where('id', '=', image.id).execute());
      await expect(removal).rejects.toMatchObject(refused);
      for (const change of [
        { workspace_id: theirs.workspaceId },
        { cover_of: free.id },
        { id: newId() },
        { status: 'failed', error_message: 'message', type: null, size: null, sha256: null, width: null, height: null },
      ] as const) {
        const update = store.transact((trx) =>
          trx.updateTable('media').set(change).where('id', '=', image.id).execute(),
        );
        await expect(update).rejects.toMatchObject(refused);
      }
      await store.transact((trx) =>
        trx.updateTable('media').set({ name: 'name' }).where('id', '=', image.id).execute(),
      );
      await store.transact((trx) => trx.deleteFrom('media').where('id', '=', free.id).execute());
    }));

  for (const [what, bad] of Object.entries(DAYS)) {
    test(`a day of ${what}, in a new row and an old one`, () =>
      withRows(open, async (store, { profile, other }) => {
        const good: EngagementDayRow = { profile_id: other.id, day: 0, quarters: Buffer.alloc(96 * 13) };
        const insert = store.transact((trx) =>
          trx
            .insertInto('engagement_days')
            .values({ ...good, ...bad })
            .execute(),
        );
        await expect(insert).rejects.toMatchObject(refused);
        await store.transact((trx) => trx.insertInto('engagement_days').values(good).execute());
        const update = store.transact((trx) =>
          trx.updateTable('engagement_days').set(bad).where('profile_id', '=', profile.id).execute(),
        );
        await expect(update).rejects.toMatchObject(refused);
      }));
  }
});

describe.each(dialects)('over $name', (dialect) => {
  const open = openerOf(dialect);

  test('what a post showed goes with it', () =>
    withRows(open, async (store, { post }) => {
      await store.transact((trx) => trx.deleteFrom('posts').where('id', '=', post.id).execute());
      expect(await store.reads.selectFrom('post_media').selectAll().execute()).toEqual([]);
    }));
});
