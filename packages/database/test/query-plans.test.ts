import { expect, test } from 'bun:test';
import { fail, type Uuid } from '@postshelf/domain';
import {
  addFolder,
  addImport,
  addPost,
  addProfile,
  addWorkspace,
  NOW,
  sampleCover,
  sampleDetails,
  sampleImage,
  sampleToken,
  sampleUpload,
  sampleVideo,
} from '@postshelf/testing';
import { Kysely } from 'kysely';
import { openSqlite } from '../src/index.ts';
import { repositories } from '../src/repositories/repositories.ts';
import type { Store } from '../src/repositories/store.ts';
import type { Tables } from '../src/repositories/tables.ts';
import { connect } from '../src/sqlite/connect.ts';
import { PreparedSqliteDialect } from '../src/sqlite/dialect.ts';
import { withFile } from './scratch.ts';

const TABLE =
  '(?:media|folders|tokens|token_workspaces|imports|presigned_uploads|profiles|posts|post_media|engagement_days)';
/** A search that names no index is one too. */
const WALK = new RegExp(`SCAN ${TABLE}\\b|SEARCH ${TABLE}$`, 'm');
/** Of a list, whose index has the order already; a few folders above another, or workspaces, may be sorted. */
const SORT = /^select .*TEMP B-TREE/s;

const LIST_OF_POSTS = /^select \* from "posts" .*offset/;
const SEARCH_OF_POSTS = /^SEARCH posts USING INDEX (.*)$/m;

test('no query of a request or a worker walks over a whole table or sorts', () =>
  withFile(async (file) => {
    const migrated = await openSqlite(file);
    await migrated.migrate();
    await migrated.close();

    const connection = await connect(file, 0);
    const queries = new Map<string, readonly unknown[]>();
    const kysely = new Kysely<Tables>({
      dialect: new PreparedSqliteDialect(connection, 'begin immediate'),
      log: ({ query }) => void queries.set(query.sql, query.parameters),
    });
    const transact: Store['transact'] = (work) => kysely.transaction().execute(work);
    await makeRequests(repositories({ reads: kysely, snapshot: transact, transact }));

    const plans = Array.from(queries, ([text, parameters]) => {
      const steps = connection.prepare<unknown[], { detail: string }>(`explain query plan ${text}`).all(...parameters);
      return [text, ...steps.map((step) => step.detail)].join('\n');
    });
    expect(plans.filter((plan) => WALK.test(plan) || SORT.test(plan))).toEqual([]);
    expect(plans.length).toBeGreaterThan(20);
    expect(plans.filter((plan) => LIST_OF_POSTS.test(plan)).map((plan) => SEARCH_OF_POSTS.exec(plan)?.[1])).toEqual(
      ['', ' AND published_at>?', ' AND published_at>? AND published_at<?'].flatMap((range) => [
        `posts_latest (workspace_id=?${range})`,
        `posts_of_profile (profile_id=?${range})`,
      ]),
    );
    await kysely.destroy();
  }));

async function makeRequests(stores: ReturnType<typeof repositories>): Promise<void> {
  const { folders, media, presigned, tokens } = stores;
  const slice = { offset: 0, limit: 25 };
  const { id } = await addWorkspace(stores);
  const token = sampleToken([id]);
  await tokens.insert(token);
  await tokens.find(token.id);
  await tokens.touch(token.id, NOW);

  const folder = await addFolder(stores, id);
  const child = await addFolder(stores, id, { parentId: folder.id });
  await folders.find(child.id);
  await folders.update(child.id, { parentId: null }, NOW);
  for (const filter of [{}, { parentId: null }]) await folders.list(id, filter, slice);
  await folders.update(child.id, { parentId: folder.id }, NOW);
  await folders.list(id, { parentId: folder.id }, slice);

  const video = sampleVideo(id, { folderId: folder.id });
  const image = sampleImage(id);
  await media.insert([video, sampleCover(video), image]);
  await media.find(video.id);
  await media.update(video.id, { name: 'name' }, NOW);
  for (const filter of [
    {},
    { folderId: null },
    { folderId: folder.id },
    { kind: 'image', search: 'sample' },
  ] as const) {
    await media.list(id, filter, slice);
  }
  await media.listActive(video.id, 25);
  await media.existingFullNames([video.fullName]);
  await media.remove(video.id);

  const { item, ticket } = sampleUpload(id);
  await presigned.add([{ item, ticket }]);
  await presigned.claim(item.id, { owner: 'owner', until: NOW + 1 }, NOW);
  await presigned.release(item.id, 'owner');
  await presigned.claim(item.id, { owner: 'owner', until: NOW + 1 }, NOW);
  await presigned.find(item.id);
  await presigned.expired(NOW, 100);
  const outcome = { item: sampleVideo(id, { id: item.id }), cover: null };
  await presigned.finish(item.id, 'owner', () => outcome);

  await runImports(stores, id);
  await keepPosts(stores, id);
  await folders.remove(child.id);
  await folders.remove(folder.id);
}

async function keepPosts(stores: ReturnType<typeof repositories>, workspaceId: Uuid): Promise<void> {
  const { profiles, posts, media, engagement } = stores;
  const slice = { offset: 0, limit: 25 };
  const profile = await addProfile(stores, workspaceId);
  await profiles.find(profile.id);
  await profiles.findMany([profile.id]);
  await profiles.list(workspaceId, slice);

  const image = sampleImage(workspaceId);
  await media.insert([image]);
  const details = sampleDetails(profile, { mediaIds: [image.id] });
  await posts.put([details, sampleDetails(profile)], NOW);
  await posts.put([{ ...details, text: 'text', mediaIds: [] }], NOW);
  await posts.findExternal(profile.id, details.externalId);
  const post = await addPost(stores, profile, { externalId: 'post', mediaIds: [image.id] });
  await posts.find(post.id);
  await posts.updateMetrics(post.id, { likes: 1 }, NOW);
  await media.remove(image.id);
  for (const filter of [{}, { from: 0 }, { from: 0, to: NOW }]) {
    await posts.list(workspaceId, filter, slice);
    await posts.list(workspaceId, { ...filter, profileId: profile.id }, slice);
  }

  const visitor = { takesWhole: () => false, quarter() {}, post() {}, endProfile() {} };
  const window = { from: 0, to: 2 * NOW };
  await engagement.visit({ profileId: profile.id }, window, visitor);
  await engagement.visit({ workspaceId }, window, visitor);
  await posts.remove(post.id);
}

/** What a worker asks; the counting of its queue, for metrics, is not among it. */
async function runImports(stores: ReturnType<typeof repositories>, workspaceId: Uuid): Promise<void> {
  const { imports } = stores;
  const [first, second] = [await addImport(stores, workspaceId), await addImport(stores, workspaceId)];
  const lease = { owner: 'worker', until: NOW + 1 };
  const claimed = await imports.claim({ now: NOW, lease, limit: 2, perWorkspace: 2 });
  expect(claimed).toHaveLength(2);
  await imports.renew([first.id, second.id], lease);
  await imports.release(first.id, lease.owner, { dueAt: NOW, attempts: 1 });
  await imports.finish(second.id, lease.owner, (item) => ({ item: fail(item, 'message', NOW), cover: null }));
}
