import { describeObjectStorage } from '@postshelf/testing/contracts/objects/object-storage';
import { openFileStorage } from '../../../src/index.ts';
import { crash } from '../../support/processes.ts';
import { makeScratch } from '../../support/scratch.ts';
import { tellsWhoLives } from '../../support/staging.ts';

describeObjectStorage('the file system', { tellsWhoLives }, async () => {
  const { directory, remove } = await makeScratch();
  return {
    one: await openFileStorage(directory),
    two: await openFileStorage(directory),
    crash: (bytes, key) => crash(directory, bytes, key),
    close: remove,
  };
});
