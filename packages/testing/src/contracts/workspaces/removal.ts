import { describe, expect, test } from 'bun:test';
import { type AccessToken, NO_TERMS, type Uuid, type Workspace } from '@postshelf/domain';
import { addImport } from '../job-samples.ts';
import { PENDING_KINDS } from '../pending/kinds.ts';
import { addPost, addProfile, samplePost, sampleProfile } from '../posts/samples.ts';
import { refusalOf } from '../refusals.ts';
import {
  addChain,
  addFolder,
  addWorkspace,
  NOW,
  newId,
  sampleCover,
  sampleFolder,
  sampleImage,
  sampleTemporary,
  sampleToken,
  sampleVideo,
} from '../samples.ts';
import { type OpenStores, type Stores, storesOfEachTest } from '../stores.ts';
import { addWebhook } from '../webhooks/samples.ts';

async function addToken(stores: Stores, workspaceIds: readonly Uuid[]): Promise<AccessToken> {
  const token = sampleToken(workspaceIds);
  await stores.tokens.insert(token);
  return token;
}

/** Creates a workspace that contains every kind of row, and returns its contents. */
async function fill(stores: Stores) {
  const workspace = await addWorkspace(stores);
  const { id } = workspace;
  const { bottom } = await addChain(stores, id, 3);
  const video = sampleVideo(id, { folderId: bottom.id });
  const cover = sampleCover(video);
  const shown = sampleImage(id);
  await stores.media.insert([video, cover, shown]);
  await stores.media.update(shown.id, { tags: ['tag'] }, NOW);
  const processing = await addImport(stores, id);
  const temporary = sampleTemporary(id);
  const expiresAt = Math.ceil(NOW / 1000) * 1000;
  const upload = {
    kind: 'presigned',
    id: temporary.id,
    size: 5,
    type: 'image/jpeg',
    expiresAt,
    terms: NO_TERMS,
  } as const;
  await stores.presign.add([{ item: temporary, upload }]);
  const profile = await addProfile(stores, id);
  const post = await addPost(stores, profile, { mediaIds: [shown.id] });
  const token = await addToken(stores, [id]);
  return { workspace, items: [video, cover, shown, processing, temporary], temporary, profile, post, token };
}

/** Removes the workspace completely, a few rows at a time. Returns the files that were reported. */
async function removeAll(stores: Stores, id: Uuid) {
  const fullNames: string[] = [];
  const uploads: Uuid[] = [];
  for (let steps = 0; steps < 100; steps += 1) {
    const remains = await stores.workspaces.removeBatch(id, 2, NOW);
    if (remains === null) return { fullNames: fullNames.sort(), uploads };
    fullNames.push(...remains.fullNames);
    uploads.push(...remains.uploads);
  }
  throw new Error('A removal does not end');
}

const NOTHING = { media: 0, bytes: 0, trash: 0, trashBytes: 0, folders: 0, profiles: 0, posts: 0, tokens: 0 };

/** The part of {@link WorkspaceRepository}'s contract that concerns removal. */
export function describeWorkspaceRemoval(name: string, open: OpenStores): void {
  describe(`${name}: workspace removal`, () => {
    const stores = storesOfEachTest(open);

    const isUnknown = async ({ id }: Workspace): Promise<void> => {
      for (const each of [stores.one, stores.two]) {
        expect(await each.workspaces.find(id)).toBeNull();
        expect(await each.workspaces.list()).not.toContainEqual(expect.objectContaining({ id }));
        expect(await each.workspaces.update(id, { name: 'X' })).toBeNull();
      }
    };

    test('counts what a workspace holds', async () => {
      const { workspace, items } = await fill(stores.one);
      await fill(stores.one);
      const bytes = items.reduce((sum, item) => sum + (item.status === 'active' ? item.content.size : 0), 0);
      const holdings = { ...NOTHING, media: 4, bytes, folders: 3, profiles: 1, posts: 1, tokens: 1 };
      expect(await stores.two.workspaces.contents(workspace.id)).toEqual(holdings);
      expect(await stores.two.workspaces.contents(newId())).toEqual(NOTHING);
    });

    test('hides the workspace and removes all access of tokens from the beginning', async () => {
      const { workspace, token } = await fill(stores.one);
      const other = await addWorkspace(stores.one);
      const both = await addToken(stores.one, [workspace.id, other.id]);
      // These reads cache the tokens, so the test also proves that the removal invalidates cached tokens.
      for (const each of [token, both]) expect(await stores.two.tokens.find(each.id)).toEqual(each);
      expect(await stores.one.workspaces.pendingRemovals()).toEqual([]);
      expect(await stores.one.workspaces.beginRemoval(workspace.id, NOW)).toBe(true);
      await isUnknown(workspace);
      expect(await stores.two.workspaces.pendingRemovals()).toEqual([workspace.id]);
      for (const each of [stores.one, stores.two]) {
        expect((await each.tokens.find(token.id))?.revokedAt).toBe(NOW);
        expect(await each.tokens.find(both.id)).toEqual({ ...both, workspaceIds: [other.id] });
      }
      expect(await stores.two.workspaces.beginRemoval(workspace.id, NOW)).toBe(false);
      expect(await stores.two.workspaces.beginRemoval(newId(), NOW)).toBe(false);
    });

    test('removes everything of the workspace, reports its objects, and leaves other workspaces unchanged', async () => {
      const { workspace, items, temporary, profile, post } = await fill(stores.one);
      const other = await fill(stores.one);
      await stores.one.workspaces.beginRemoval(workspace.id, NOW);
      const removed = await removeAll(stores.two, workspace.id);
      expect(removed).toEqual({ fullNames: items.map((item) => item.fullName).sort(), uploads: [temporary.id] });
      expect(await stores.one.workspaces.contents(workspace.id)).toEqual(NOTHING);
      expect(await stores.one.workspaces.pendingRemovals()).toEqual([]);
      for (const item of items) expect(await stores.one.media.find(item.id)).toBeNull();
      expect(await stores.one.profiles.find(profile.id)).toBeNull();
      expect(await stores.one.posts.find(post.id)).toBeNull();
      expect(await stores.one.presign.find(temporary.id)).toBeNull();
      expect((await stores.one.jobs.figures()).get('import')).toMatchObject({ waiting: 1 });
      expect(await stores.one.workspaces.find(other.workspace.id)).toEqual(other.workspace);
      expect((await stores.one.workspaces.contents(other.workspace.id)).media).toBe(4);
      expect(await stores.one.posts.find(other.post.id)).toEqual(other.post);
      expect(await stores.two.workspaces.removeBatch(workspace.id, 2, NOW)).toBeNull();
    });

    test('removes tokens without another workspace, and counts what all steps have removed', async () => {
      const { workspace, token } = await fill(stores.one);
      const { id } = workspace;
      const other = await addWorkspace(stores.one);
      await stores.one.events.listen([id], NOW);
      await addFolder(stores.one, id);
      const both = await addToken(stores.one, [id, other.id]);
      const times = { createdAt: NOW, expiresAt: NOW + 1, lastUsedAt: null };
      for (const { id: tokenId } of [token, both]) {
        const session = { id: newId(), tokenId, name: 'Browser', ...times };
        await stores.one.sessions.insert(session, {
          hash: session.id,
          grounds: { kind: 'token', codeHash: null },
          replacedHash: null,
        });
      }
      await addWebhook(stores.one, id);
      const claim = { id: newId(), callerId: token.id, owner: 'one' };
      await stores.one.idempotency.claim(claim, { owner: 'one', until: NOW }, { now: NOW, expiresAt: NOW });
      expect(await stores.one.workspaces.removed(id)).toBeNull();
      await stores.one.workspaces.beginRemoval(id, NOW);
      await removeAll(stores.two, id);
      const left = [token, both].map(({ id: tokenId }) =>
        stores.two.sessions.list({ tokenId }, NOW, { offset: 0, limit: 9 }),
      );
      expect((await Promise.all(left)).map(({ total }) => total)).toEqual([0, 1]);
      expect(await stores.two.tokens.find(token.id)).toBeNull();
      expect(await stores.two.tokens.find(both.id)).toEqual({ ...both, workspaceIds: [other.id] });
      const counts = await stores.one.workspaces.removed(id);
      // 5 items, 4 folders, a profile and a post.
      expect(counts).toMatchObject({ rows: 11, objects: 3, webhooks: 1, tokens: 1, sessions: 1 });
      expect(counts?.events).toBeGreaterThan(0);
      const audited = await stores.one.audit.list({ workspaceId: id, from: 0 }, { offset: 0, limit: 9 });
      expect(audited.items).toMatchObject([{ action: 'workspaces.deleted', subjectId: id, at: NOW, counts }]);
    });

    test('refuses rows that are added after its end, and keeps nothing of them', async () => {
      const { id } = await addWorkspace(stores.one);
      await stores.one.workspaces.beginRemoval(id, NOW);
      await removeAll(stores.two, id);
      const late: readonly ((of: Stores) => Promise<unknown>)[] = [
        (of) => of.media.insert([sampleImage(id)]),
        (of) => of.uploads.insertNew(id, [{ item: sampleImage(id), cover: null }], []),
        (of) => of.resumable.add(sampleTemporary(id), { size: 5, metadata: '', terms: NO_TERMS }, NOW),
        ...PENDING_KINDS.map(
          ({ add, sample }) =>
            (of: Stores) =>
              add(of, [sample(id)]),
        ),
        (of) => of.folders.insert(sampleFolder(id)),
        (of) => of.profiles.insert(sampleProfile(id)),
        (of) => of.tokens.insert(sampleToken([id])),
      ];
      for (const add of late) expect(await refusalOf(add(stores.one))).toEqual({ code: 'not_found' });
      expect(await stores.two.workspaces.contents(id)).toEqual(NOTHING);
    });

    test('removes folders of any shape', async () => {
      const { id } = await addWorkspace(stores.one);
      for (const length of [3, 1, 4, 2, 3]) {
        const { top } = await addChain(stores.one, id, length);
        await addFolder(stores.one, id, { parentId: top.id });
      }
      await stores.one.workspaces.beginRemoval(id, NOW);
      await removeAll(stores.two, id);
      expect(await stores.one.workspaces.contents(id)).toEqual(NOTHING);
    });

    test('removes nothing of a workspace whose removal has not begun', async () => {
      const { workspace, items } = await fill(stores.one);
      expect(await stores.one.workspaces.removeBatch(workspace.id, 100, NOW)).toBeNull();
      expect(await stores.one.workspaces.find(workspace.id)).toEqual(workspace);
      for (const item of items) expect(await stores.one.media.find(item.id)).not.toBeNull();
    });

    test('may run concurrently, while requests that started earlier still add rows', async () => {
      const { workspace, profile } = await fill(stores.one);
      await stores.one.workspaces.beginRemoval(workspace.id, NOW);
      const late = async (): Promise<void> => {
        for (let count = 0; count < 10; count += 1) {
          await stores.one.media.insert([sampleImage(workspace.id)]);
          await stores.one.posts.insert(samplePost(profile));
          await addFolder(stores.one, workspace.id);
        }
      };
      // A caller that arrives after the removal gets an error, which doesn't matter here.
      const adding = late().catch(() => undefined);
      await Promise.all([removeAll(stores.one, workspace.id), removeAll(stores.two, workspace.id), adding]);
      expect(await stores.one.workspaces.pendingRemovals()).toEqual([]);
      expect(await stores.one.workspaces.contents(workspace.id)).toEqual(NOTHING);
      await isUnknown(workspace);
    });
  });
}
