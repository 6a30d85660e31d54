import { join } from 'node:path';
import {
  describeEngagementLog,
  describeFolderRepository,
  describeImportQueue,
  describeMediaRepository,
  describePostRepository,
  describePresignedUploads,
  describeProfileRepository,
  describeTokenRepository,
  describeWorkspaceRepository,
  type OpenedStores,
} from '@postshelf/testing';
import { openSqlite } from '../src/index.ts';
import { scratchFolder } from './scratch.ts';

async function open(): Promise<OpenedStores> {
  const folder = await scratchFolder();
  const file = join(folder.path, 'postshelf.db');
  const one = await openSqlite(file);
  await one.migrate();
  const two = await openSqlite(file);
  return {
    one,
    two,
    async close() {
      await one.close();
      await two.close();
      await folder.remove();
    },
  };
}

describeWorkspaceRepository('SQLite', open);
describeFolderRepository('SQLite', open);
describeMediaRepository('SQLite', open);
describePresignedUploads('SQLite', open);
describeTokenRepository('SQLite', open);
describeImportQueue('SQLite', open);
describeProfileRepository('SQLite', open);
describePostRepository('SQLite', open);
describeEngagementLog('SQLite', open);
