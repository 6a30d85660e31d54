import { describeTrash } from '@postshelf/testing/contracts/garbage/trash';
import { fileTrash, openFileStorage } from '../../../src/index.ts';
import { makeScratch } from '../../support/scratch.ts';

describeTrash('the file system', async () => {
  const { directory, remove } = await makeScratch();
  const storage = await openFileStorage(directory);
  return { storage, one: fileTrash(directory), two: fileTrash(directory), close: remove };
});
