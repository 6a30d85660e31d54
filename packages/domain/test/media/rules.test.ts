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
  ['at the root', { ...image, folderId: null }, null, null],
  ['in a folder of its workspace', image, { workspaceId }, null],
  ['in a folder of another workspace', image, { workspaceId: foreign }, 'folder_missing'],
  ['in a folder that is not there', image, null, 'folder_missing'],
  ['in any folder, as a cover', cover, { workspaceId }, 'folder_missing'],
  ['at the root, as a cover', { ...cover, folderId: null }, null, null],
] as const)('an item stands %s', (_, item, folder, refusal) => {
  expect(refuseFolder(item, folder)).toBe(refusal);
});
