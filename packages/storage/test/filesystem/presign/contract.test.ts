import { describePresignStorage } from '@postshelf/testing/contracts/presign-storage/presign-storage';
import { serveUploads } from '@postshelf/testing/fakes';
import { openFilePresignStorage, openFileStorage } from '../../../src/index.ts';
import { makeScratch } from '../../support/scratch.ts';
import { SECRET } from '../../support/uploads.ts';

describePresignStorage('the file system', async () => {
  const { directory, remove } = await makeScratch();
  const clock = { now: Date.now };
  const served = await serveUploads((urlOf) => openFilePresignStorage(directory, { secret: SECRET, urlOf, clock }));
  return {
    presign: served.uploads,
    storage: await openFileStorage(directory),
    close: async () => {
      await served.close();
      await remove();
    },
  };
});
