import { expect, test } from 'bun:test';
import type { PostshelfClient } from '@postshelf/client';
import { folderNameKey } from '@postshelf/domain/folders/folder-name';
import { FolderPaths } from '../src/uploads/folder-paths.ts';

interface Known {
  readonly id: string;
  readonly name: string;
  readonly parent_id: string | null;
}

/** Returns a service that has these folders, and refuses a second folder with the same name. */
function serviceWith(...folders: readonly Known[]) {
  const known = [...folders];
  const create = {
    mutate: async ({ name, parent_id }: Omit<Known, 'id'>) => {
      const isSame = (each: Known) => each.parent_id === parent_id && folderNameKey(each.name) === folderNameKey(name);
      if (known.some(isSame)) throw new Error('The name has already been taken.');
      const made = { id: `${known.length + 1}`, name, parent_id };
      known.push(made);
      return { data: made };
    },
  };
  const pages = async function* (_: unknown, { parent_id }: { readonly parent_id: string }) {
    yield { data: known.filter((each) => (each.parent_id ?? 'root') === parent_id) };
  };
  const client = { trpc: { folders: { create, list: {} } }, pages } as unknown as PostshelfClient;
  return { paths: new FolderPaths(client), known };
}

const at = { workspace: 'w', folder: null };

test.each([
  ['Masse', 'Maße'],
  ['Maße', 'MASSE'],
  ['ﬁlm', 'film'],
  ['İzmir', 'i\u0307zmir'],
  ['ΟΔΟΣ', 'οδος'],
  ['Café', 'CAFE\u0301 '],
])(
  'a dropped folder %p is merged into the existing folder %p because the service treats the names as equal',
  async (dropped, there) => {
    const { paths, known } = serviceWith({ id: '1', name: there, parent_id: null });
    expect(await paths.find(at, [dropped])).toBe('1');
    expect(known).toHaveLength(1);
  },
);

test('dropped folders of the same name are merged, and others stay separate', async () => {
  const { paths, known } = serviceWith();
  const found = await Promise.all(
    [['Maße', 'ﬁlm'], ['MASSE', 'FILM'], ['Masse'], ['Mase']].map((path) => paths.find(at, path)),
  );
  expect(found[0]).toBe(found[1]);
  expect(known.map(({ name }) => name)).toEqual(['Maße', 'Mase', 'ﬁlm']);
});
