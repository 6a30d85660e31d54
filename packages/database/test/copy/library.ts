import { type Folder, fail, type MediaItem } from '@postshelf/domain';
import { COUNTS, sampleEntry } from '@postshelf/testing/contracts/audit/audit-repository';
import { sampleCalendar } from '@postshelf/testing/contracts/calendars/calendar-repository';
import { addFit, addImport, claim, release } from '@postshelf/testing/contracts/job-samples';
import { addPost, addProfile } from '@postshelf/testing/contracts/posts/samples';
import { sampleUpload } from '@postshelf/testing/contracts/presign-repository/samples';
import {
  addFolder,
  addWorkspace,
  NOW,
  newId,
  sampleCover,
  sampleFolder,
  sampleImage,
  samplePerson,
  sampleProcessing,
  sampleToken,
  sampleVideo,
} from '@postshelf/testing/contracts/samples';
import {
  addDelivery,
  addWebhook,
  claim as claimDelivery,
  OK,
  outcome,
} from '@postshelf/testing/contracts/webhooks/samples';
import type { Database } from '../../src/index.ts';

/** Number of concurrent inserts. Concurrent writes to SQLite share a commit. */
const BATCH = 10;

const UNUSUAL = 'Ünï "quoted"\\ \t\n 猫 🐈 % _ \u{10ffff}';

/**
 * Fills every table with rows in every state. There are more folders and media than one batch holds, unless other
 * numbers are given.
 */
export async function fillLibrary(library: Database, media = 620, folders = 600): Promise<void> {
  await library.library.findOrCreate(newId(), NOW);
  await library.library.claimSecret('f1');
  const inbox = sampleFolder(newId(), { name: 'Inbox', isSystem: true });
  const { id } = await addWorkspace(library, [inbox]);
  const other = await addWorkspace(library);
  const bottom = await addFolders(library, inbox, folders);

  const items: MediaItem[] = [];
  for (let n = 0; n < media; n += 1) items.push(sampleImage(id, { name: `${n} ${UNUSUAL}`, label: UNUSUAL }));
  const video = sampleVideo(id, { folderId: bottom.id });
  const lateVideo = { ...sampleVideo(other.id), id: newId() };
  const earlyCover = { ...sampleCover(lateVideo), id: items[0]?.id ?? newId() };
  items[0] = { ...earlyCover, fullName: `${other.id}/${earlyCover.id}/cover.jpg` };
  const failed = fail(sampleProcessing(id), UNUSUAL, NOW);
  await library.media.insert([...items, video, sampleCover(video), lateVideo, failed], [lateVideo.id]);

  const [, undecodable, made] = items;
  const deleted = sampleImage(id);
  await library.media.insert([deleted]);
  await library.media.delete(deleted.id, NOW);
  const [trashed, trashedVideo] = [sampleImage(id, { altText: UNUSUAL, focus: { x: 1 / 3, y: 0.1 } }), sampleVideo(id)];
  await library.media.insert([trashed, trashedVideo, sampleCover(trashedVideo)]);
  await library.media.update(trashed.id, { tags: [UNUSUAL, 'second'] }, NOW);
  for (const item of [trashed, trashedVideo]) await library.trashed.add(item.id, NOW);
  await library.trashed.empty(id, NOW - 1);
  await library.previews.store(undecodable?.id ?? newId(), { hasFailed: true, placeholder: null });
  await library.previews.store(made?.id ?? newId(), { hasFailed: false, placeholder: UNUSUAL });
  const [late, hopeless] = await claim(library, 'preview', 'a worker', { rules: { batch: 2, order: 'oldest' } });
  if (!(late && hopeless)) throw new Error('There are no previews to make.');
  await release(library, late, 'a worker', { dueAt: NOW + 1, attempts: 1, claims: 1, reason: UNUSUAL });
  await library.jobs.fail(hopeless, 'a worker', UNUSUAL);

  await library.media.update(video.id, { altText: UNUSUAL, focus: { x: 0.7, y: 1 }, tags: [UNUSUAL, 'second'] }, NOW);

  await addImport(library, id, { attempts: 2 });
  const running = await addImport(library, other.id, { payload: { url: `https://media.example/?q=${UNUSUAL}` } });
  const lease = { owner: 'a worker', until: NOW + 60_000 };
  await claim(library, 'import', lease.owner, { without: [id] });
  await library.jobs.renew('import', [running.id], lease);

  const uploads = [sampleUpload(id), sampleUpload(other.id)];
  await library.presign.add(uploads);
  await library.presign.claim(uploads[0]?.item.id ?? newId(), lease, NOW);
  const duplicate = sampleUpload(other.id);
  await library.presign.add([duplicate]);
  await library.presign.claim(duplicate.item.id, lease, NOW);
  const { sha256 } = lateVideo.content;
  await library.presign.finish(duplicate.item.id, lease.owner, () => ({
    item: null,
    sha256: `${sha256}`,
    aliasUntil: NOW,
  }));

  for (let n = 0; n < 2; n += 1) await addFit(library, id);
  await claim(library, 'fit', lease.owner);
  await library.objectChecks.schedule(newId(), NOW);

  const profile = await addProfile(library, id);
  const shown = [items[3]?.id ?? newId(), video.id];
  await addPost(library, profile, { text: UNUSUAL, externalId: UNUSUAL, mediaIds: shown });
  await addPost(library, profile, { text: null, publishedAt: NOW + 40 * 60 * 60 * 1000 });
  await addPost(library, await addProfile(library, other.id), { publishedAt: 0 });

  const wishes = { profileId: profile.id, count: 50, exclude: UNUSUAL };
  for (const details of [wishes, {}]) await library.calendars.insert(sampleCalendar(id, details));

  const webhook = await addWebhook(library, id, { url: UNUSUAL, types: ['media.active'] });
  const idle = await addWebhook(library, id, { enabled: false });
  for (let n = 0; n < 3; n += 1) await addDelivery(library, webhook);
  const due = await claimDelivery(library, lease.owner);
  if (due) await library.deliveries.finish(due.delivery, lease.owner, outcome(OK));
  await claimDelivery(library, lease.owner);
  await library.webhooks.rotate(idle.id, Buffer.from([0, 255, 10]), NOW, NOW);

  const gone = await addWorkspace(library);
  await library.workspaces.beginRemoval(gone.id, NOW);
  await library.workspaces.removeBatch(gone.id, 1, NOW);

  const token = sampleToken([other.id, id], { name: UNUSUAL, lastUsedAt: NOW });
  await library.tokens.insert(token);
  await library.tokens.insert(sampleToken([id], { scopes: [], revokedAt: NOW }));

  for (const answer of [null, Buffer.from([0, 255, 10])]) {
    const claim = { id: newId(), callerId: token.id, owner: UNUSUAL };
    await library.idempotency.claim(claim, { owner: UNUSUAL, until: NOW + 1 }, { now: NOW, expiresAt: NOW + 2 });
    if (answer) await library.idempotency.complete({ claim, answer, expiresAt: NOW + 3 });
  }
  const session = {
    id: newId(),
    tokenId: token.id,
    name: UNUSUAL,
    createdAt: NOW,
    expiresAt: NOW + 4,
    lastUsedAt: null,
  };
  await library.sessions.insert(session, {
    hash: UNUSUAL,
    grounds: { kind: 'token', codeHash: null },
    replacedHash: null,
  });
  const person = samplePerson(id, { name: UNUSUAL, email: `${UNUSUAL}@example.com`, role: 'manager' });
  const identity = { issuer: UNUSUAL, subject: UNUSUAL };
  await library.people.insert(person, { hash: 'bound', expiresAt: NOW + 5 });
  await library.people.bind(identity, person.email, NOW);
  await library.people.insert(samplePerson(id), { hash: 'invited', expiresAt: NOW + 5 });
  await library.sessions.insert(
    { ...session, id: newId(), tokenId: null },
    { hash: 'person', grounds: { kind: 'identity', identity }, replacedHash: null },
  );
  await library.sessions.insertCode({ id: newId(), hash: UNUSUAL, tokenId: token.id, expiresAt: NOW + 5 });
  await library.audit.record([sampleEntry({ action: UNUSUAL, counts: COUNTS }), sampleEntry({ tokenId: token.id })]);
}

/**
 * Adds a chain of nested folders, each with a greater id than the folders in it, and many folders in the innermost one.
 * Returns the innermost folder.
 */
async function addFolders(library: Database, inbox: Folder, count: number): Promise<Folder> {
  const chain: Folder[] = [];
  for (let n = 0; n < 8; n += 1) chain.push(await addFolder(library, inbox.workspaceId));
  const parentId = chain[0]?.id ?? null;
  for (let n = 0; n < count; n += BATCH)
    await Promise.all(Array.from({ length: BATCH }, () => addFolder(library, inbox.workspaceId, { parentId })));
  for (let n = 0; n < 4; n += 1) chain.push(await addFolder(library, inbox.workspaceId));
  for (const [index, folder] of chain.entries()) {
    const parentId = chain[index + 1]?.id ?? inbox.id;
    const refusal = await library.folders.update(folder.id, { parentId }, NOW);
    if (typeof refusal === 'string') throw new Error(`A sample folder was not moved: ${refusal}`);
  }
  return chain[0] ?? inbox;
}
