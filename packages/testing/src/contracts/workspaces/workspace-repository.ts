import { describe, expect, test } from 'bun:test';
import { NO_QUOTA } from '@postshelf/domain';
import { outcomeOf } from '../../outcomes.ts';
import { addFolder, addWorkspace, NOW, newId, sampleFolder, sampleWorkspace } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';

/** The contract of {@link WorkspaceRepository}. */
export function describeWorkspaceRepository(name: string, open: OpenStores): void {
  describe(`${name}: workspace repository`, () => {
    const stores = storesOfEachTest(open);

    test('keeps a workspace as it was given, for every instance', async () => {
      const details = { name: 'Straße 😀 "%\'', timezone: 'Asia/Kathmandu', stripLocation: true, ...NO_QUOTA };
      const links = { links: 'signed', linkKey: newId() } as const;
      const workspace = { id: newId(), ...details, ...links, createdAt: NOW };
      await stores.one.workspaces.insert(workspace, []);
      expect(await stores.one.workspaces.find(workspace.id)).toEqual(workspace);
      expect(await stores.two.workspaces.find(workspace.id)).toEqual(workspace);
    });

    test('returns null for an unknown workspace', async () => {
      expect(await stores.one.workspaces.find(newId())).toBeNull();
    });

    test('keeps the system folders with it', async () => {
      const workspaceId = newId();
      const posts = sampleFolder(workspaceId, { name: 'Posts', isSystem: true });
      const stories = sampleFolder(workspaceId, { name: 'Stories', isSystem: true });
      await addWorkspace(stores.one, [posts, stories]);
      expect(await stores.two.folders.find(posts.id)).toEqual(posts);
      expect(await stores.two.folders.find(stories.id)).toEqual(stories);
    });

    test('throws when two system folders have the same name, and keeps nothing', async () => {
      const workspaceId = newId();
      const upper = sampleFolder(workspaceId, { name: 'ÉTÉ', isSystem: true });
      const lower = sampleFolder(workspaceId, { name: 'e\u0301te\u0301', isSystem: true });
      expect(await outcomeOf(addWorkspace(stores.one, [upper, lower]))).toThrow();
      expect(await stores.one.workspaces.find(workspaceId)).toBeNull();
      expect(await stores.one.folders.find(upper.id)).toBeNull();
      expect(await stores.two.workspaces.list()).toEqual([]);
    });

    test('throws when the id is taken, and changes nothing', async () => {
      const workspace = await addWorkspace(stores.one);
      const folder = sampleFolder(workspace.id, { isSystem: true });
      expect(await outcomeOf(stores.two.workspaces.insert({ ...workspace, name: 'Another' }, [folder]))).toThrow();
      expect(await stores.one.workspaces.find(workspace.id)).toEqual(workspace);
      expect(await stores.one.folders.find(folder.id)).toBeNull();
    });

    test('lists all, oldest first', async () => {
      const made = (createdAt: number) => sampleWorkspace({ createdAt });
      const [second, third, first] = [made(2), made(3), made(1)];
      for (const workspace of [second, third, first]) await stores.one.workspaces.insert(workspace, []);
      expect(await stores.two.workspaces.list()).toEqual([first, second, third]);
    });

    test('lists pages of all but those being removed, newest first', async () => {
      const made = await Promise.all([1, 2, 3, 4].map((n) => addWorkspace(stores.one, [], { createdAt: n })));
      const [first, second, third, gone] = made;
      await stores.one.workspaces.beginRemoval(gone?.id ?? newId(), NOW);
      const page = (offset: number) => stores.two.workspaces.page({ offset, limit: 2 });
      expect(await page(0)).toEqual({ items: [third, second], total: 3 } as never);
      expect(await page(2)).toEqual({ items: [first], total: 3 } as never);
    });

    test('replaces system folders: old ones become ordinary, and folders with the new names become system folders', async () => {
      const workspaceId = newId();
      const system = (name: string) => sampleFolder(workspaceId, { name, isSystem: true });
      const [posts, stories] = [system('Posts'), system('Stories')];
      const { id } = await addWorkspace(stores.one, [posts, stories]);
      const logos = await addFolder(stores.one, id, { name: 'LOGOS' });
      const folders = [system('stories'), system('Logos'), system('New')];
      await stores.two.workspaces.update(id, { name: 'Other' }, { folders, now: NOW + 7 });
      expect((await stores.one.workspaces.systemFolders([id, newId()])).get(id)?.toSorted()).toEqual([
        'LOGOS',
        'New',
        'Stories',
      ]);
      expect(await stores.one.folders.find(posts.id)).toEqual({
        ...posts,
        isSystem: false,
        version: 2,
        updatedAt: NOW + 7,
      });
      expect(await stores.one.folders.find(stories.id)).toEqual(stories);
      expect(await stores.one.folders.find(logos.id)).toEqual({
        ...logos,
        isSystem: true,
        version: 2,
        updatedAt: NOW + 7,
      });
      await stores.two.workspaces.update(id, {}, { folders: [], now: NOW + 8 });
      expect((await stores.one.workspaces.systemFolders([id])).get(id)).toEqual([]);
    });

    test('changes the given fields, and returns null for an unknown workspace', async () => {
      const workspace = await addWorkspace(stores.one);
      const renamed = { ...workspace, name: 'Other' };
      expect(await stores.two.workspaces.update(workspace.id, { name: 'Other' })).toEqual(renamed);
      expect(await stores.one.workspaces.update(workspace.id, {})).toEqual(renamed);
      const moved = { ...renamed, timezone: 'Asia/Kathmandu' };
      expect(await stores.one.workspaces.update(workspace.id, { timezone: 'Asia/Kathmandu' })).toEqual(moved);
      expect(await stores.two.workspaces.find(workspace.id)).toEqual(moved);
      for (const stripLocation of [true, false, null]) {
        const updated = await stores.one.workspaces.update(workspace.id, { stripLocation });
        expect(updated).toEqual({ ...moved, stripLocation });
      }
      const signed = await stores.one.workspaces.update(workspace.id, { links: 'signed', stripLocation: null });
      expect(signed).toEqual({ ...moved, links: 'signed' });
      expect(await stores.one.workspaces.update(newId(), { name: 'Nobody' })).toBeNull();
    });

    test('replaces the link key, once for a repeated request', async () => {
      const workspace = await addWorkspace(stores.one);
      const [linkKey, other] = [newId(), newId()];
      expect(await stores.one.workspaces.rotateLinkKey(workspace.id, linkKey)).toBe(true);
      expect(await stores.two.workspaces.find(workspace.id)).toEqual({ ...workspace, linkKey });
      const claim = { id: newId(), callerId: newId(), owner: 'another' };
      const completion = { claim, answer: new Uint8Array([1]), expiresAt: NOW };
      expect(await outcomeOf(stores.one.workspaces.rotateLinkKey(workspace.id, other, completion))).toThrow();
      expect(await stores.two.workspaces.find(workspace.id)).toEqual({ ...workspace, linkKey });
      expect(await stores.one.workspaces.rotateLinkKey(newId(), other)).toBe(false);
      await stores.one.workspaces.beginRemoval(workspace.id, NOW);
      expect(await stores.one.workspaces.rotateLinkKey(workspace.id, other)).toBe(false);
    });
  });
}
