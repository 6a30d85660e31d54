import { expect } from 'bun:test';
import { fail, type MediaFilter, type Uuid } from '@postshelf/domain';
import { sampleArchive } from '@postshelf/testing/contracts/archives/archive-repository';
import { sampleEntry } from '@postshelf/testing/contracts/audit/audit-repository';
import { sampleCalendar } from '@postshelf/testing/contracts/calendars/calendar-repository';
import { addFit, addImport, claim, release } from '@postshelf/testing/contracts/job-samples';
import { ADDED } from '@postshelf/testing/contracts/jobs/added';
import { addPost, addProfile, sampleDetails, sampleProfile } from '@postshelf/testing/contracts/posts/samples';
import { sampleUpload } from '@postshelf/testing/contracts/presign-repository/samples';
import {
  addChain,
  addFolder,
  addWorkspace,
  NOW,
  newId,
  sampleCover,
  sampleFailed,
  sampleFolder,
  sampleImage,
  samplePerson,
  sampleToken,
  sampleVideo,
} from '@postshelf/testing/contracts/samples';
import {
  addDelivery,
  addWebhook,
  claim as claimDelivery,
  NO,
  outcome,
  secretOf,
} from '@postshelf/testing/contracts/webhooks/samples';
import { type Compilable, Kysely, type Dialect as KyselyDialect, sql } from 'kysely';
import { folderToRow } from '../../src/folders/folder-rows.ts';
import { mediaToRow } from '../../src/media/media-rows.ts';
import { profileToRow } from '../../src/posts/profile-repository.ts';
import { repositories } from '../../src/repositories.ts';
import type { Repositories } from '../../src/store/database.ts';
import type { Dialect } from '../../src/store/dialect.ts';
import type { ScanStore, Store } from '../../src/store/store.ts';
import type { Tables } from '../../src/store/tables.ts';

export interface AskedQuery {
  /** The parameters of the query's last run. */
  readonly parameters: readonly unknown[];
  /** Whether the query also runs outside scans and operators' commands. */
  readonly isOnMainThread: boolean;
}

type Elsewhere = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * Runs the queries of requests, of workers and of the removal of a workspace. Returns each query by its SQL.
 *
 * @param prepareSearch marks the workspace's existing items as indexed for search. Whether searches find them doesn't
 *   matter.
 */
export async function queriesOfRequests(
  connection: KyselyDialect,
  dialect: Dialect,
  prepareSearch: (queries: Kysely<Tables>, workspaceId: Uuid) => Promise<unknown>,
): Promise<ReadonlyMap<string, AskedQuery>> {
  const queries = new Map<string, AskedQuery>();
  let isOnMainThread = true;
  const kysely = new Kysely<Tables>({
    dialect: connection,
    log: ({ query: { sql: text, parameters } }) =>
      void queries.set(text, {
        parameters,
        isOnMainThread: isOnMainThread || queries.get(text)?.isOnMainThread === true,
      }),
  });
  const elsewhere: Elsewhere = async (work) => {
    isOnMainThread = false;
    try {
      return await work();
    } finally {
      isOnMainThread = true;
    }
  };
  const write: Store['write'] = (work) => kysely.transaction().execute(work);
  const sources: ScanStore = { read: write, dialect, compute: async ({ run }, ...parameters) => run(...parameters) };
  const store: Store = {
    ...sources,
    write,
    lookup<Row>(query: (queries: Kysely<Tables>) => Compilable<Row>) {
      const compiled = query(kysely).compile();
      return async (...parameters: readonly Uuid[]) =>
        (await kysely.executeQuery<Row>({ ...compiled, parameters })).rows;
    },
    scan: (asked, _, ...parameters) => elsewhere(() => asked.run(sources, ...parameters)),
    settled: () => null,
  };
  await makeRequests(repositories(store));
  await readLargeLists(repositories(store), store, (id) => elsewhere(() => prepareSearch(kysely, id)));
  await removeWorkspace(repositories(store), elsewhere);
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

  await stores.events.listen([id], Number.MAX_SAFE_INTEGER);
  const folder = await addFolder(stores, id);
  const child = await addFolder(stores, id, { parentId: folder.id });
  await folders.find(child.id);
  await folders.update(child.id, { parentId: null }, NOW);
  for (const filter of [{}, { parentId: null }]) await folders.list(id, filter, slice);
  await folders.update(child.id, { parentId: folder.id }, NOW);
  await folders.list(id, { parentId: folder.id }, slice);
  await folders.update(folder.id, { parentId: (await addFolder(stores, id)).id }, NOW);
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
  await media.delete(video.id);

  const limited = await addWorkspace(stores, [], { maxItems: 1 });
  await media.insert([sampleImage(limited.id)]);
  await stores.workspaces.usage(limited.id);
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
  await doJobs(stores, id);
  await makePictures(stores, id);
  await keepPosts(stores, id);
  await readCalendars(stores, id);
  await readArchives(stores, id);
  await folders.delete(child.id);
  await folders.delete(folder.id);
  await deliverToWebhooks(stores, id);
  await repeatRequests(stores, token.id);
  await useSessions(stores, token.id);
  await usePeople(stores, id);
  await readEvents(stores, id);
  await audit(stores, id, token.id);
}

/** Runs the queries of a request with an idempotency key, but not the removal of old answers by garbage collection. */
async function repeatRequests({ idempotency }: Repositories, tokenId: Uuid): Promise<void> {
  const claim = { id: newId(), callerId: tokenId, owner: 'owner' };
  const lease = { owner: claim.owner, until: NOW + 1 };
  await idempotency.claim(claim, lease, { now: NOW, expiresAt: NOW });
  await idempotency.renew(claim, NOW + 2);
  await idempotency.complete({ claim, answer: Buffer.from('answer'), expiresAt: NOW });
  await idempotency.claim(claim, { ...lease, owner: 'another' }, { now: NOW, expiresAt: NOW });
  await idempotency.release(claim);
}

async function readArchives({ archives }: Repositories, workspaceId: Uuid): Promise<void> {
  const archive = sampleArchive(workspaceId);
  expect(await archives.insert(archive, NOW)).toBe('kept');
  await archives.find(archive.id);
  await archives.prune(NOW, 25);
}

async function readCalendars({ calendars, profiles }: Repositories, workspaceId: Uuid): Promise<void> {
  const profile = sampleProfile(workspaceId);
  await profiles.insert(profile);
  const calendar = sampleCalendar(workspaceId, { profileId: profile.id });
  expect(await calendars.insert(calendar)).toBe('kept');
  await calendars.find(calendar.id);
  await calendars.list(workspaceId, { offset: 0, limit: 25 });
  await calendars.delete(calendar.id);
}

/** Runs the queries about people, their links and their sessions. */
async function usePeople({ people, sessions }: Repositories, workspaceId: Uuid): Promise<void> {
  const allow = () => undefined;
  const identity = { issuer: 'https://id.example.com', subject: 'ada' };
  const person = samplePerson(workspaceId, { email: 'ada@example.com' });
  await people.insert(person, { hash: 'invitation', expiresAt: NOW + 1 });
  await people.find(person.id);
  await people.findInvited('invitation');
  await people.list(workspaceId, { offset: 0, limit: 10 });
  await people.update(person.id, { name: 'Ada', email: 'bob@example.com', role: 'viewer' }, NOW, allow);
  await people.invite(person.id, { hash: 'again', expiresAt: NOW + 1 }, NOW, allow);
  const session = { id: newId(), tokenId: null, name: 'browser', createdAt: NOW, expiresAt: NOW + 1, lastUsedAt: null };
  const start = { hash: session.id, grounds: { kind: 'invitation', hash: 'again' }, replacedHash: null } as const;
  await sessions.insert(session, start);
  await people.bind(identity, 'bob@example.com', NOW);
  const bound = { ...session, id: newId() };
  await sessions.insert(bound, { hash: bound.id, grounds: { kind: 'identity', identity }, replacedHash: null });
  await people.ofSession(bound.id);
  await sessions.list({ people: [person.id] }, NOW, { offset: 0, limit: 10 });
  await sessions.end({ people: [person.id] }, bound.id);
  await people.namesOf([
    { kind: 'person', id: person.id },
    { kind: 'token', id: person.id },
  ]);
  await people.endSessions(person.id, allow);
  await people.remove(person.id, allow);
}

/** Runs the queries for a browser session: signing in with a code, using the session, and ending it. */
async function useSessions({ sessions }: Repositories, tokenId: Uuid): Promise<void> {
  await sessions.insertCode({ id: newId(), hash: 'code', tokenId, expiresAt: NOW + 1 });
  await sessions.findCode('code');
  const session = { id: newId(), tokenId, name: 'browser', createdAt: NOW, expiresAt: NOW + 1, lastUsedAt: null };
  await sessions.insert(session, { hash: 'hash', grounds: { kind: 'token', codeHash: 'code' }, replacedHash: 'other' });
  await sessions.find('hash');
  await sessions.touch(session.id, NOW);
  await sessions.list({ tokenId }, NOW, { offset: 0, limit: 10 });
  await sessions.end({ tokenId }, session.id);
  await sessions.prune(NOW, 10);
}

/** Runs the queries about webhooks and their deliveries, except those that count them for metrics. */
async function deliverToWebhooks(stores: Repositories, workspaceId: Uuid): Promise<void> {
  const { webhooks, deliveries } = stores;
  const slice = { offset: 0, limit: 25 };
  const webhook = await addWebhook(stores, workspaceId);
  await webhooks.find(webhook.id);
  await webhooks.list(workspaceId, slice);
  await webhooks.rotate(webhook.id, secretOf('new'), NOW, NOW);
  await addFolder(stores, workspaceId);
  expect(await deliveries.fanOut(10, { newId, payloadOf: () => '{}' }, NOW)).toBe(1);
  await addDelivery(stores, webhook);
  expect(await claimDelivery(stores)).not.toBeNull();
  await deliveries.putBack(webhook.id, 'owner', NOW);
  const due = await claimDelivery(stores);
  if (due === null) throw new Error('There is no delivery.');
  const { id } = due.delivery;
  await deliveries.finish(due.delivery, 'owner', outcome(NO, { nextAttemptAt: NOW + 1 }));
  await deliveries.find(id);
  await deliveries.list(webhook.id, slice);
  await deliveries.redeliver(id, NOW);
  await webhooks.update(webhook.id, { enabled: false }, NOW);
  await deliveries.prune(NOW, 10);
  await webhooks.delete(webhook.id, NOW);
}

async function audit({ audit: entries }: Repositories, workspaceId: Uuid, tokenId: Uuid): Promise<void> {
  const slice = { offset: 0, limit: 25 };
  const entry = sampleEntry({ workspaceId, tokenId });
  await entries.record([entry]);
  for (const filter of [{}, { workspaceId }, { tokenId }, { workspaceId, tokenId, to: NOW }]) {
    await entries.list({ from: 0, ...filter }, slice);
    for (const last of [null, entry]) await entries.listBehind({ from: 0, ...filter }, last, 25);
  }
  await entries.prune(NOW, 25);
}

async function readEvents({ events }: Repositories, workspaceId: Uuid): Promise<void> {
  const last = await events.newest();
  const [first] = await events.listAfter(0, 25);
  expect(await events.listOf(workspaceId, 0, last, 25)).not.toEqual([]);
  await events.find(workspaceId, first?.event.id ?? newId(), 0);
  await events.mark(workspaceId, NOW, NOW);
  await events.endListening(0);
  await events.prune(NOW, 25);
}

/** Runs the queries that look for duplicates, and those of an upload whose id becomes an alias of the existing item. */
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
  await duplicates.prune(NOW, 10);
  await media.delete(image.id);
}

/**
 * Reads lists with more items, folders and profiles than the main thread may list, and a folder with more than one page
 * of subfolders.
 */
async function readLargeLists(
  stores: Repositories,
  store: Store,
  prepareSearch: (workspaceId: Uuid) => Promise<unknown>,
): Promise<void> {
  const { folders, media, profiles } = stores;
  const { id } = await addWorkspace(stores);
  const { id: parentId } = await addFolder(stores, id);
  await addCopies(store, 'folders', folderToRow(sampleFolder(id, { parentId })), 'name_key', { count: 5100 });
  await addCopies(store, 'profiles', profileToRow(sampleProfile(id)), 'name', { count: 5100 });
  const image = sampleImage(id, { folderId: parentId, name: 'sample' });
  // There are more copies than a query reads in list order in search of matches.
  await addCopies(store, 'media', mediaToRow(image, []), 'full_name', { count: 30_100 });
  await prepareSearch(id);
  await addCopies(store, 'media', mediaToRow({ ...image, name: 'found' }, []), 'full_name', {
    first: 30_100,
    count: 100,
  });
  await media.insert([sampleVideo(id, { folderId: parentId }), sampleFailed(id)]);

  await folders.update(parentId, { parentId: (await addFolder(stores, id)).id }, NOW);
  for (const filter of [{}, { parentId }]) await folders.list(id, filter, { offset: 5050, limit: 25 });
  await profiles.list(id, { offset: 0, limit: 25 });
  await media.listTags(id, { offset: 25, limit: 25 });
  const times = { from: NOW - 1, to: NOW + 1 };
  const conditions: readonly MediaFilter[] = [
    ...[{ tags: ['tag', 'other'] }, { sha256: `${image.content.sha256}`, search: 'sample' }],
    ...[
      { search: 'sample' },
      { search: 'found' },
      { search: 'found'.repeat(10) },
      { search: 'found', ...times },
      { search: 'fo und' },
    ],
    ...[{ kind: 'image', ...times } as const, { kind: 'image', from: NOW + 1 } as const],
    ...[{ kind: 'video' } as const, { search: 'o', kind: 'video', from: NOW - 1 } as const],
    ...[{ status: 'failed' } as const, { search: 'found', status: 'active' } as const],
  ];
  for (const filter of conditions.flatMap((each) => [each, { ...each, folderId: parentId }])) {
    for (const by of ['updated_at', 'created_at', 'name'] as const) {
      for (const offset of [0, 29_000]) {
        await media.list(id, { ...filter, sort: { by, descending: true } }, { offset, limit: 25 });
      }
    }
  }
}

/** Adds copies of a row with one statement. Each copy has its own id and its own text in the column `unlike`. */
async function addCopies<Table extends 'folders' | 'profiles' | 'media'>(
  { write, dialect }: Store,
  table: Table,
  row: Tables[Table],
  unlike: keyof Tables[Table],
  { first = 0, count }: { readonly first?: number; readonly count: number },
): Promise<void> {
  const text = sql`('01940000-c000-7000-8000-' || cast(100000000000 + n as text))`;
  const values = Object.entries(row).map(([column, value]) =>
    column === 'id' ? dialect.typedId(text as unknown as Uuid) : column === unlike ? text : sql`${value}`,
  );
  const numbers = sql`with recursive numbers(n) as (
    select ${sql.lit(first)} union all select n + 1 from numbers where n < ${sql.lit(first + count - 1)}
  )`;
  await write((queries) =>
    sql`insert into ${sql.table(table)} (${sql.join(Object.keys(row).map((column) => sql.ref(column)))})
      ${numbers} select ${sql.join(values)} from numbers`.execute(queries),
  );
}

/** Runs the queries of removing a workspace with nested folders. */
async function removeWorkspace(stores: Repositories, elsewhere: Elsewhere): Promise<void> {
  const { id } = await addWorkspace(stores);
  const profile = await addProfile(stores, id);
  await addPost(stores, profile);
  await addChain(stores, id, 3);
  await stores.media.insert([sampleImage(id)]);
  await addDelivery(stores, await addWebhook(stores, id));
  await elsewhere(() => stores.workspaces.contents(id));
  await stores.tokens.insert(sampleToken([id]));
  await stores.workspaces.beginRemoval(id, NOW);
  await stores.workspaces.pendingRemovals();
  while ((await stores.workspaces.removeBatch(id, 2, NOW)) !== null);
}

async function keepPosts(stores: Repositories, workspaceId: Uuid): Promise<void> {
  const { profiles, posts, media, bestTimes } = stores;
  const slice = { offset: 0, limit: 25 };
  const profile = await addProfile(stores, workspaceId);
  await profiles.find(profile.id);
  await profiles.findMany([profile.id]);
  await profiles.list(workspaceId, slice);
  const doomed = await addProfile(stores, workspaceId);
  await addPost(stores, doomed);
  await profiles.beginRemoval(doomed.id, NOW);
  while (await profiles.removeBatch(2));

  const image = sampleImage(workspaceId);
  await media.insert([image]);
  const details = sampleDetails(profile, { mediaIds: [image.id] });
  await posts.upsert([details, sampleDetails(profile)], NOW);
  await posts.upsert([{ ...details, text: 'text', mediaIds: [] }], NOW);
  await posts.findExternal(profile.id, details.externalId);
  const post = await addPost(stores, profile, { externalId: 'post', mediaIds: [image.id] });
  await posts.find(post.id);
  await posts.update(post.id, { metrics: { likes: 1 } }, NOW);
  await media.delete(image.id);
  for (const filter of [{}, { from: 0 }, { from: 0, to: NOW }]) {
    await posts.list(workspaceId, filter, slice);
    await posts.list(workspaceId, { ...filter, profileId: profile.id }, slice);
  }
  const shown = sampleImage(workspaceId);
  await media.insert([shown]);
  await addPost(stores, profile, { mediaIds: [shown.id] });
  await posts.list(workspaceId, { mediaId: shown.id }, slice);
  await posts.list(workspaceId, { mediaId: shown.id, profileId: profile.id, from: 0 }, slice);

  const window = { from: 0, to: 2 * NOW };
  for (const profileId of [profile.id, null]) {
    const scope = { workspaceId, profileId };
    await bestTimes.scores(scope, window, 'UTC');
    // The limit is one post, so older posts are only counted.
    await bestTimes.estimate(scope, { window, until: window.to, max: 1, zone: 'UTC', excluded: [] });
    await bestTimes.published(scope, window);
  }
  await posts.delete(post.id);
}

/** Runs the queries of workers for jobs of any kind, except those that count the jobs for metrics. */
async function doJobs(stores: Repositories, workspaceId: Uuid): Promise<void> {
  const { jobs, processing } = stores;
  for (let n = 0; n < 4; n += 1) await addImport(stores, workspaceId);
  await addFit(stores, workspaceId);
  await ADDED.check(stores, workspaceId, NOW);
  await jobs.due(NOW);
  const request = { perWorkspace: 9, without: [newId()] };
  const [first] = await claim(stores, 'import', 'worker', request);
  const rules = { batch: 3, order: 'newest' } as const;
  const [second, third, fourth] = await claim(stores, 'import', 'worker', { rules });
  if (!(first && second && third && fourth)) throw new Error('There are no jobs.');
  await jobs.renew('import', [first.subjectId, second.subjectId], { owner: 'worker', until: NOW + 1 });
  await release(stores, first, 'worker');
  await processing.finish(second, 'worker', (item) => ({ item: fail(item, 'message', NOW), cover: null }));
  await jobs.complete(third, 'worker');
  await jobs.fail(fourth, 'worker', 'reason');
}

async function makePictures(stores: Repositories, workspaceId: Uuid): Promise<void> {
  const { media, previews } = stores;
  const [image, video, other] = [sampleImage(workspaceId), sampleVideo(workspaceId), sampleVideo(workspaceId)];
  await media.insert([image, video, other], [video.id, other.id]);
  const [cover] = await claim(stores, 'cover', 'worker');
  if (!cover) throw new Error('There is no cover to make.');
  await media.finishCover(cover.subjectId, 'worker', sampleCover(cover.subjectId === video.id ? video : other));

  await previews.factsOf([image.id, video.id]);
  await previews.storePlaceholder(image.id, 'data:');
  await previews.store(image.id, { hasFailed: true, placeholder: null });
  await previews.store(video.id, { hasFailed: true, placeholder: null });
  await previews.existingItems([image.id, video.id]);
}
