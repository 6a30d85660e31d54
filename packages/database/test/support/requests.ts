import { expect } from 'bun:test';
import { fail, type Uuid } from '@postshelf/domain';
import { addImport } from '@postshelf/testing/contracts/imports/samples';
import { addPost, addProfile, sampleDetails } from '@postshelf/testing/contracts/posts/samples';
import { sampleUpload } from '@postshelf/testing/contracts/presign-repository/samples';
import {
  addFolder,
  addWorkspace,
  NOW,
  newId,
  sampleCover,
  sampleFit,
  sampleImage,
  sampleToken,
  sampleVideo,
} from '@postshelf/testing/contracts/samples';
import { type Compilable, Kysely, type Dialect as KyselyDialect } from 'kysely';
import { repositories } from '../../src/repositories.ts';
import type { Repositories } from '../../src/store/database.ts';
import type { Dialect } from '../../src/store/dialect.ts';
import type { Store } from '../../src/store/store.ts';
import type { Tables } from '../../src/store/tables.ts';

/** Collects the SQL of every query of requests and workers, each with the parameters of its last run. */
export async function queriesOfRequests(
  connection: KyselyDialect,
  dialect: Dialect,
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const queries = new Map<string, readonly unknown[]>();
  const kysely = new Kysely<Tables>({
    dialect: connection,
    log: ({ query }) => void queries.set(query.sql, query.parameters),
  });
  const write: Store['write'] = (work) => kysely.transaction().execute(work);
  const sources = { read: write, dialect, requireWanted: () => undefined };
  const store: Store = {
    ...sources,
    write,
    lookup<Row>(query: (queries: Kysely<Tables>) => Compilable<Row>) {
      const compiled = query(kysely).compile();
      return async (...parameters: readonly Uuid[]) =>
        (await kysely.executeQuery<Row>({ ...compiled, parameters })).rows;
    },
    scan: (asked, _, ...parameters) => asked.run(sources, ...parameters),
    settled: () => null,
  };
  await makeRequests(repositories(store));
  await kysely.destroy();
  expect(queries.size).toBeGreaterThan(20);
  return queries;
}

/** Runs every query at least once. */
async function makeRequests(stores: Repositories): Promise<void> {
  const { folders, media, presign, tokens } = stores;
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
  await folders.countsOf(id, [folder.id, child.id]);

  const video = sampleVideo(id, { folderId: folder.id });
  const image = sampleImage(id);
  await media.insert([video, sampleCover(video), image]);
  await media.find(video.id);
  await media.update(video.id, { name: 'name', tags: ['tag', 'other'] }, NOW);
  await media.tagsOf([video.id, image.id]);
  await media.postsOf(id, [video.id, image.id]);
  for (const filter of [
    {},
    { folderId: null },
    { folderId: folder.id },
    { kind: 'image', search: 'sample' },
    { sort: { by: 'updated_at', descending: false } },
    { sort: { by: 'created_at', descending: true } },
    { folderId: folder.id, sort: { by: 'created_at', descending: false } },
    { from: NOW - 1, to: NOW + 1 },
  ] as const) {
    await media.list(id, filter, slice);
  }
  await media.listActive(video.id, 25);
  await media.listUninspected(null, 25);
  await media.storeInspected(image.id, { details: { image: null, video: null }, sha256: null });
  await media.existingFullNames([video.fullName]);
  await media.remove(video.id);

  const { item, upload } = sampleUpload(id);
  await presign.add([{ item, upload }]);
  await presign.claim(item.id, { owner: 'owner', until: NOW + 1 }, NOW);
  await presign.release(item.id, 'owner');
  await presign.claim(item.id, { owner: 'owner', until: NOW + 1 }, NOW);
  await presign.find(item.id);
  await presign.expired(NOW, 100);
  const outcome = { item: sampleVideo(id, { id: item.id }), cover: null };
  await presign.finish(item.id, 'owner', () => outcome);

  await leaveIds(stores, id);
  await runImports(stores, id);
  await makeFits(stores, id);
  await makePictures(stores, id);
  await keepPosts(stores, id);
  await folders.remove(child.id);
  await folders.remove(folder.id);
  await repeatRequests(stores, token.id);
  await useSessions(stores, token.id);
}

/** The queries of a request with an idempotency key, without the removal of old answers by garbage collection. */
async function repeatRequests({ repeats }: Repositories, tokenId: Uuid): Promise<void> {
  const claim = { id: newId(), tokenId, owner: 'owner' };
  const lease = { owner: claim.owner, until: NOW + 1 };
  await repeats.claim(claim, lease, { now: NOW, expiresAt: NOW });
  await repeats.renew(claim, NOW + 2);
  await repeats.complete({ claim, answer: Buffer.from('answer'), expiresAt: NOW });
  await repeats.claim(claim, { ...lease, owner: 'another' }, { now: NOW, expiresAt: NOW });
  await repeats.release(claim);
}

/** The queries of a browser session: signing in by a code, use and end. */
async function useSessions({ sessions }: Repositories, tokenId: Uuid): Promise<void> {
  await sessions.insertCode({ id: newId(), hash: 'code', tokenId, expiresAt: NOW + 1 });
  await sessions.findCode('code');
  const session = { id: newId(), tokenId, name: 'browser', createdAt: NOW, expiresAt: NOW + 1, lastUsedAt: null };
  await sessions.insert(session, { hash: 'hash', codeHash: 'code', replacedHash: 'other' });
  await sessions.find('hash');
  await sessions.touch(session.id, NOW);
  await sessions.list(tokenId, NOW, { offset: 0, limit: 10 });
  await sessions.remove(tokenId, session.id);
  await sessions.reap(NOW, 10);
}

/** An upload whose file exists already, and one whose id becomes an alias of another item. */
async function leaveIds(stores: Repositories, workspaceId: Uuid): Promise<void> {
  const { duplicates, media, presign, uploads } = stores;
  const image = sampleImage(workspaceId);
  const sha256 = `${image.content.sha256}`;
  await uploads.insertNew(workspaceId, [{ item: image, cover: null }], []);
  await duplicates.find(workspaceId, sha256);
  const upload = sampleUpload(workspaceId);
  await presign.add([upload]);
  await presign.claim(upload.item.id, { owner: 'owner', until: NOW + 1 }, NOW);
  await presign.finish(upload.item.id, 'owner', () => ({ item: null, sha256, aliasUntil: NOW + 1 }));
  await duplicates.resolve(upload.item.id, NOW);
  await duplicates.reap(NOW);
  await media.remove(image.id);
}

async function keepPosts(stores: Repositories, workspaceId: Uuid): Promise<void> {
  const { profiles, posts, media, bestTimes } = stores;
  const slice = { offset: 0, limit: 25 };
  const profile = await addProfile(stores, workspaceId);
  await profiles.find(profile.id);
  await profiles.findMany([profile.id]);
  await profiles.list(workspaceId, slice);

  const image = sampleImage(workspaceId);
  await media.insert([image]);
  const details = sampleDetails(profile, { mediaIds: [image.id] });
  await posts.upsert([details, sampleDetails(profile)], NOW);
  await posts.upsert([{ ...details, text: 'text', mediaIds: [] }], NOW);
  await posts.findExternal(profile.id, details.externalId);
  const post = await addPost(stores, profile, { externalId: 'post', mediaIds: [image.id] });
  await posts.find(post.id);
  await posts.updateMetrics(post.id, { likes: 1 }, NOW);
  await media.remove(image.id);
  for (const filter of [{}, { from: 0 }, { from: 0, to: NOW }]) {
    await posts.list(workspaceId, filter, slice);
    await posts.list(workspaceId, { ...filter, profileId: profile.id }, slice);
  }

  const window = { from: 0, to: 2 * NOW };
  // Contains no whole quarter, so that single posts are read, too.
  const cut = { from: NOW - 1, to: NOW + 1 };
  for (const profileId of [profile.id, null]) {
    for (const asked of [window, cut]) await bestTimes.scores({ workspaceId, profileId }, asked, 'UTC');
  }
  await posts.remove(post.id);
}

/** The queries of an import worker, without counting its queue for metrics. */
async function runImports(stores: Repositories, workspaceId: Uuid): Promise<void> {
  const { imports } = stores;
  const [first, second] = [await addImport(stores, workspaceId), await addImport(stores, workspaceId)];
  const lease = { owner: 'worker', until: NOW + 1 };
  const claimed = await imports.claim({ now: NOW, lease, limit: 2, perWorkspace: 2 });
  expect(claimed).toHaveLength(2);
  await imports.renew([first.id, second.id], lease);
  await imports.release(first.id, lease.owner, { dueAt: NOW, attempts: 1 });
  await imports.finish(second.id, lease.owner, (item) => ({ item: fail(item, 'message', NOW), cover: null }));
}

/** The queries of workers that make fits, covers and previews, without counting their queues. */
async function makeFits({ fitQueue }: Repositories, workspaceId: Uuid): Promise<void> {
  const lease = { owner: 'worker', until: NOW + 1 };
  for (const item of [sampleFit(workspaceId), sampleFit(workspaceId)]) {
    await fitQueue.add(item, { target: 'x.post', how: 'pad' });
  }
  const [first, second] = [
    await fitQueue.claim({ now: NOW, lease, without: [newId()] }),
    await fitQueue.claim({ now: NOW, lease, without: [] }),
  ];
  if (!first || !second) throw new Error('There are no jobs.');
  await fitQueue.renew(first.mediaId, lease);
  await fitQueue.release(first.mediaId, lease.owner, { freeAt: NOW, claims: 1 });
  await fitQueue.finish(second.mediaId, lease.owner, (item) => ({ item: fail(item, 'message', NOW), cover: null }));
}

async function makePictures(stores: Repositories, workspaceId: Uuid): Promise<void> {
  const { coverQueue, media, previews } = stores;
  const [image, video, other] = [sampleImage(workspaceId), sampleVideo(workspaceId), sampleVideo(workspaceId)];
  await media.insert([image, video, other], [video.id, other.id]);
  expect(await coverQueue.claim({ now: NOW, until: NOW + 1, limit: 2 })).toHaveLength(2);
  await coverQueue.release(video.id, { freeAt: NOW, claims: 1 });
  await coverQueue.finish(other.id, sampleCover(other));

  expect(await previews.due(NOW, 16)).not.toEqual([]);
  await previews.factsOf([image.id, video.id]);
  await previews.putOff(image.id, NOW);
  await previews.keepPlaceholder(image.id, 'data:');
  await previews.keep(image.id, { hasFailed: true, placeholder: null });
  await previews.keep(video.id, { hasFailed: true, placeholder: null });
  await previews.existingItems([image.id, video.id]);
}
