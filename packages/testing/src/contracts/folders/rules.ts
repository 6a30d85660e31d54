import { describe, expect, test } from 'bun:test';
import { type Folder, type FolderRefusal, MAX_FOLDER_DEPTH, type Uuid } from '@postshelf/domain';
import { addChain, addFolder, addWorkspace, NOW, newId, sampleFolder, sampleImage } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';

/** Checks which changes are refused, with one caller at a time. */
export function describeFolderRules(open: OpenStores): void {
  describe('whether a parent is allowed', () => {
    const stores = storesOfEachTest(open);

    test('is checked without changing anything', async () => {
      const { id } = await addWorkspace(stores.one);
      const top = await addFolder(stores.one, id, {});
      const child = await addFolder(stores.one, id, { parentId: top.id });
      const elsewhere = await addFolder(stores.one, (await addWorkspace(stores.one)).id, {});
      const { folders } = stores.two;
      expect(await folders.refuseParent(id, null, child.id)).toBeNull();
      expect(await folders.refuseParent(id, child.id, top.id)).toBeNull();
      expect(await folders.refuseParent(id, top.id, top.id)).toBe('cycle');
      expect(await folders.refuseParent(id, top.id, child.id)).toBe('cycle');
      expect(await folders.refuseParent(id, null, newId())).toBe('parent_missing');
      expect(await folders.refuseParent(id, null, elsewhere.id)).toBe('parent_missing');
      expect(await folders.find(top.id)).toEqual(top);
    });
  });

  describe('siblings', () => {
    const stores = storesOfEachTest(open);

    test('differ in more than case and normal form', async () => {
      const { id } = await addWorkspace(stores.one);
      const parent = await addFolder(stores.one, id, { name: '\u00c9t\u00e9' });
      for (const parentId of [null, parent.id]) {
        if (parentId !== null) await addFolder(stores.one, id, { name: parent.name, parentId });
        const twin = sampleFolder(id, { name: 'e\u0301te\u0301', parentId });
        expect(await stores.two.folders.insert(twin)).toBe('name_taken');
        expect(await stores.one.folders.find(twin.id)).toBeNull();
        const other = await addFolder(stores.one, id, { parentId, name: 'Ete' });
        expect(await stores.one.folders.update(other.id, { name: twin.name }, NOW + 1)).toBe('name_taken');
        expect(await stores.two.folders.find(other.id)).toEqual(other);
      }
    });

    test('different folders and workspaces may have folders of the same name', async () => {
      const { id } = await addWorkspace(stores.one);
      const other = await addWorkspace(stores.one);
      const name = 'Summer';
      const top = await addFolder(stores.one, id, { name });
      expect(await stores.one.folders.insert(sampleFolder(id, { name, parentId: top.id }))).toBeNull();
      expect(await stores.one.folders.insert(sampleFolder(other.id, { name }))).toBeNull();
    });

    test('a move to a parent where the name is taken is refused', async () => {
      const { id } = await addWorkspace(stores.one);
      const parent = await addFolder(stores.one, id);
      await addFolder(stores.one, id, { name: 'Taken', parentId: parent.id });
      const folder = await addFolder(stores.one, id, { name: 'TAKEN' });
      expect(await stores.one.folders.update(folder.id, { parentId: parent.id }, NOW + 1)).toBe('name_taken');
      expect(await stores.two.folders.find(folder.id)).toEqual(folder);
      expect(await stores.one.folders.update(folder.id, { parentId: parent.id, name: 'Free' }, NOW + 1)).toMatchObject({
        parentId: parent.id,
        name: 'Free',
      });
    });

    test('a folder may be renamed to another spelling of its own name', async () => {
      const { id } = await addWorkspace(stores.one);
      const folder = await addFolder(stores.one, id, { name: 'summer' });
      const renamed = { ...folder, name: 'Summer', version: 2, updatedAt: NOW + 1 };
      expect(await stores.one.folders.update(folder.id, { name: 'Summer' }, NOW + 1)).toEqual(renamed);
    });
  });

  describe('parents', () => {
    const stores = storesOfEachTest(open);

    test('a parent is a folder of the same workspace', async () => {
      const { id } = await addWorkspace(stores.one);
      const theirs = await addFolder(stores.one, (await addWorkspace(stores.one)).id);
      const folder = await addFolder(stores.one, id);
      for (const parentId of [newId(), theirs.id]) {
        const child = sampleFolder(id, { parentId });
        expect(await stores.two.folders.insert(child)).toBe('parent_missing');
        expect(await stores.one.folders.find(child.id)).toBeNull();
        expect(await stores.two.folders.update(folder.id, { parentId }, NOW + 1)).toBe('parent_missing');
        expect(await stores.one.folders.find(folder.id)).toEqual(folder);
      }
    });

    test('the depth limit includes the levels below a moved folder', async () => {
      const { id } = await addWorkspace(stores.one);
      const { bottom: thirteenth } = await addChain(stores.one, id, MAX_FOLDER_DEPTH - 3);
      const fourteenth = await addFolder(stores.one, id, { parentId: thirteenth.id });
      const { top } = await addChain(stores.one, id, 3);
      await addFolder(stores.one, id, { parentId: top.id });
      expect(await stores.two.folders.update(top.id, { parentId: fourteenth.id }, NOW + 1)).toBe('too_deep');
      expect(await stores.one.folders.find(top.id)).toEqual(top);
      const moved = { ...top, parentId: thirteenth.id, version: 2, updatedAt: NOW + 1 };
      expect(await stores.two.folders.update(top.id, { parentId: thirteenth.id }, NOW + 1)).toEqual(moved);
    });

    test('the depth limit includes a single deep folder among hundreds', async () => {
      const { id } = await addWorkspace(stores.one);
      const { bottom: fourteenth } = await addChain(stores.one, id, MAX_FOLDER_DEPTH - 2);
      const top = await addFolder(stores.one, id);
      // This folder comes last in lists, because it is the oldest.
      const last = await addFolder(stores.one, id, { parentId: top.id, updatedAt: NOW - 1 });
      await addFolder(stores.one, id, { parentId: last.id });
      await Promise.all(Array.from({ length: 510 }, () => addFolder(stores.one, id, { parentId: top.id })));
      expect(await stores.two.folders.update(top.id, { parentId: fourteenth.id }, NOW + 1)).toBe('too_deep');
    });
  });

  describe('system folders', () => {
    const stores = storesOfEachTest(open);

    test('accept folders and media, and cannot be changed', async () => {
      const system = sampleFolder(newId(), { isSystem: true });
      const { id } = await addWorkspace(stores.one, [system]);
      const other = await addFolder(stores.one, id);
      expect(await stores.two.folders.update(system.id, { name: 'Renamed' }, NOW + 1)).toBe('system');
      expect(await stores.two.folders.update(system.id, { parentId: other.id }, NOW + 1)).toBe('system');
      expect(await stores.two.folders.delete(system.id)).toBe('system');
      await addFolder(stores.one, id, { parentId: system.id });
      expect(await stores.one.media.insert([sampleImage(id, { folderId: system.id })])).toBe('kept');
      expect(await stores.two.folders.delete(system.id)).toBe('system');
      expect(await stores.one.folders.find(system.id)).toEqual(system);
    });
  });

  describe('if several rules are violated', () => {
    const stores = storesOfEachTest(open);

    test('the first of system, parent_missing, cycle, too_deep and name_taken is returned', async () => {
      const system = sampleFolder(newId(), { isSystem: true });
      const { id } = await addWorkspace(stores.one, [system]);
      await addFolder(stores.one, id, { name: 'Taken' });
      const { top, bottom } = await addChain(stores.one, id, MAX_FOLDER_DEPTH);
      const folder = await addFolder(stores.one, id);
      await addFolder(stores.one, id, { parentId: folder.id, name: 'Taken' });
      const refusalOf = async (of: Folder, parentId: Uuid | null): Promise<unknown> =>
        stores.two.folders.update(of.id, { name: 'taken', parentId }, NOW + 1);
      const expected: readonly FolderRefusal[] = [
        'system',
        'parent_missing',
        'cycle',
        'cycle',
        'too_deep',
        'name_taken',
      ];
      expect<unknown[]>([
        await refusalOf(system, newId()),
        await refusalOf(folder, newId()),
        await refusalOf(folder, folder.id),
        await refusalOf(top, bottom.id),
        await refusalOf(folder, bottom.id),
        await refusalOf(folder, null),
      ]).toEqual([...expected]);
    });
  });
}
