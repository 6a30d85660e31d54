import { expect, test } from 'bun:test';
import { type ActiveMedia, type MediaContent, refuseFolder, storeCover, storeFile } from '../../src/index.ts';
import { uuid } from '../support/arbitraries.ts';

const id = (last: number) => uuid(`00000000-0000-7000-8000-00000000000${last}`);
const [workspaceId, foreign, folderId] = [id(1), id(2), id(3)];

const content: MediaContent = {
  type: 'image/jpeg',
  size: 1,
  sha256: null,
  width: 1,
  height: 1,
  time: null,
  details: null,
};
const details = { id: id(4), workspaceId, folderId, name: 'a.jpg', fullName: 'full/a.jpg', label: null };
const image = storeFile(details, content, 0);
const cover: ActiveMedia = { ...storeCover(details, content, id(5), 0), folderId };

test.each([
  ['may be at the root', { ...image, folderId: null }, null, null],
  ['may be in a folder of its workspace', image, { workspaceId }, null],
  ["can't be in a folder of another workspace", image, { workspaceId: foreign }, 'folder_missing'],
  ["can't be in a folder that doesn't exist", image, null, 'folder_missing'],
  ["can't be in any folder if it is a cover", cover, { workspaceId }, 'folder_missing'],
  ['may be at the root if it is a cover', { ...cover, folderId: null }, null, null],
] as const)('an item %s', (_, item, folder, refusal) => {
  expect(refuseFolder(item, folder)).toBe(refusal);
});
