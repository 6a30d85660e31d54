import { describeObjectStorage } from '@postshelf/testing';
import { openFileStorage } from '../../src/index.ts';
import { makeScratch } from '../support/scratch.ts';

describeObjectStorage('the file system', async () => {
  const { directory, remove } = await makeScratch();
  return { one: await openFileStorage(directory), two: await openFileStorage(directory), close: remove };
});
