import { describe, expect, test } from 'bun:test';
import { type Folder, type FolderRefusal, MAX_FOLDER_DEPTH, type Uuid } from '@postshelf/domain';
import { addChain, addFolder, addWorkspace, NOW, newId, sampleFolder, sampleImage } from '../samples.ts';
import { type OpenStores, storesOfEachTest } from '../stores.ts';

/** Names that are the same to a person who ignores case, and some that aren't. */
const TWINS = [
  ['Summer', 'sUMMER'],
  ['\u00c9t\u00e9', 'e\u0301te\u0301'],
  ['STRASSE', 'Stra\u00dfe'],
  ['\u039f\u0394\u039f\u03a3', '\u03bf\u03b4\u03bf\u03c2'],
  ['Summer', '  summer\t'],
  ['\u041b\u0435\u0442\u043e', '\u041b\u0415\u0422\u041e'],
] as const;
const NO_TWINS = [
  ['Summer', 'Summer 2'],
  ['Ete', '\u00c9t\u00e9'],
  ['100%', '100_'],
  ['a b', 'a  b'],
] as const;

/** The rules that refuse, one caller at a time. */
export function describeFolderRules(open: OpenStores): void {
  describe('whether a parent would do', () => {
    const stores = storesOfEachTest(open);

    test('is told without changing anything', async () => {
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

    test('also by the depth that it leads to', async () => {
      const { id } = await addWorkspace(stores.one);
      const { top, bottom } = await addChain(stores.one, id, MAX_FOLDER_DEPTH);
      const tree = await addChain(stores.one, id, 2);
      expect(await stores.one.folders.refuseParent(id, null, bottom.id)).toBe('too_deep');
      expect(await stores.one.folders.refuseParent(id, tree.top.id, bottom.id)).toBe('too_deep');
      expect(await stores.one.folders.refuseParent(id, tree.top.id, top.id)).toBeNull();
    });
  });

  describe('siblings', () => {
    const stores = storesOfEachTest(open);

    for (const [first, second] of TWINS) {
      test(`${JSON.stringify(first)} and ${JSON.stringify(second)} are the same name`, async () => {
        const { id } = await addWorkspace(stores.one);
        const parent = await addFolder(stores.one, id, { name: first });
        for (const parentId of [null, parent.id]) {
          if (parentId !== null) await addFolder(stores.one, id, { name: first, parentId });
          const twin = sampleFolder(id, { name: second, parentId });
          expect(await stores.two.folders.insert(twin)).toBe('name_taken');
          expect(await stores.one.folders.find(twin.id)).toBeNull();
          const other = await addFolder(stores.one, id, { parentId });
          expect(await stores.one.folders.update(other.id, { name: second }, NOW + 1)).toBe('name_taken');
          expect(await stores.two.folders.find(other.id)).toEqual(other);
        }
      });
    }

    for (const [first, second] of NO_TWINS) {
      test(`${JSON.stringify(first)} and ${JSON.stringify(second)} are two names`, async () => {
        const { id } = await addWorkspace(stores.one);
        await addFolder(stores.one, id, { name: first });
        expect(await stores.two.folders.insert(sampleFolder(id, { name: second }))).toBeNull();
      });
    }

    test('one name may stand in several folders and workspaces', async () => {
      const { id } = await addWorkspace(stores.one);
      const other = await addWorkspace(stores.one);
      const name = 'Summer';
      const top = await addFolder(stores.one, id, { name });
      expect(await stores.one.folders.insert(sampleFolder(id, { name, parentId: top.id }))).toBeNull();
      expect(await stores.one.folders.insert(sampleFolder(other.id, { name }))).toBeNull();
    });

    test('a move to where the name is taken is refused', async () => {
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

    test('a folder may take another spelling of its own name', async () => {
      const { id } = await addWorkspace(stores.one);
      const folder = await addFolder(stores.one, id, { name: 'summer' });
      const renamed = { ...folder, name: 'Summer', updatedAt: NOW + 1 };
      expect(await stores.one.folders.update(folder.id, { name: 'Summer' }, NOW + 1)).toEqual(renamed);
    });
  });

  describe('places', () => {
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

    test('a new folder can not be its own parent', async () => {
      const { id } = await addWorkspace(stores.one);
      const folder = sampleFolder(id);
      expect(await stores.one.folders.insert({ ...folder, parentId: folder.id })).toBe('parent_missing');
    });

    test('no folder moves into itself or below', async () => {
      const { id } = await addWorkspace(stores.one);
      const top = await addFolder(stores.one, id);
      const child = await addFolder(stores.one, id, { parentId: top.id });
      const grandchild = await addFolder(stores.one, id, { parentId: child.id });
      for (const parentId of [top.id, child.id, grandchild.id]) {
        expect(await stores.two.folders.update(top.id, { parentId }, NOW + 1)).toBe('cycle');
      }
      expect(await stores.one.folders.find(top.id)).toEqual(top);
      expect(await stores.one.folders.update(grandchild.id, { parentId: top.id }, NOW + 1)).toMatchObject({
        parentId: top.id,
      });
    });

    test(`${MAX_FOLDER_DEPTH} levels and no more`, async () => {
      const { id } = await addWorkspace(stores.one);
      const { bottom } = await addChain(stores.one, id, MAX_FOLDER_DEPTH);
      const below = sampleFolder(id, { parentId: bottom.id });
      expect(await stores.two.folders.insert(below)).toBe('too_deep');
      expect(await stores.one.folders.find(below.id)).toBeNull();
      const beside = await addFolder(stores.one, id);
      expect(await stores.two.folders.update(beside.id, { parentId: bottom.id }, NOW + 1)).toBe('too_deep');
    });

    test('a moved folder brings the levels below it', async () => {
      const { id } = await addWorkspace(stores.one);
      const { bottom: thirteenth } = await addChain(stores.one, id, MAX_FOLDER_DEPTH - 3);
      const fourteenth = await addFolder(stores.one, id, { parentId: thirteenth.id });
      const { top } = await addChain(stores.one, id, 3);
      await addFolder(stores.one, id, { parentId: top.id });
      expect(await stores.two.folders.update(top.id, { parentId: fourteenth.id }, NOW + 1)).toBe('too_deep');
      expect(await stores.one.folders.find(top.id)).toEqual(top);
      const moved = { ...top, parentId: thirteenth.id, updatedAt: NOW + 1 };
      expect(await stores.two.folders.update(top.id, { parentId: thirteenth.id }, NOW + 1)).toEqual(moved);
    });
  });

  describe('system folders', () => {
    const stores = storesOfEachTest(open);

    test('take folders and media, and stay as they are', async () => {
      const system = sampleFolder(newId(), { isSystem: true });
      const { id } = await addWorkspace(stores.one, [system]);
      const other = await addFolder(stores.one, id);
      expect(await stores.two.folders.update(system.id, { name: 'Renamed' }, NOW + 1)).toBe('system');
      expect(await stores.two.folders.update(system.id, { parentId: other.id }, NOW + 1)).toBe('system');
      expect(await stores.two.folders.remove(system.id)).toBe('system');
      await addFolder(stores.one, id, { parentId: system.id });
      expect(await stores.one.media.insert([sampleImage(id, { folderId: system.id })])).toBe('kept');
      expect(await stores.two.folders.remove(system.id)).toBe('system');
      expect(await stores.one.folders.find(system.id)).toEqual(system);
    });
  });

  describe('where several rules would break', () => {
    const stores = storesOfEachTest(open);

    test('the answer is the first of system, parent_missing, cycle, too_deep, name_taken', async () => {
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
