import { describeBestTimesRepository } from '../src/contracts/best-times/best-times-repository.ts';
import { describeFolderRepository } from '../src/contracts/folders/folder-repository.ts';
import { describeImportQueue } from '../src/contracts/imports/import-queue.ts';
import { describeLibraryRepository } from '../src/contracts/library/library-repository.ts';
import { describeMediaRepository } from '../src/contracts/media/media-repository.ts';
import { describePostRepository } from '../src/contracts/posts/post-repository.ts';
import { describeProfileRepository } from '../src/contracts/posts/profile-repository.ts';
import { describePresignRepository } from '../src/contracts/presign-repository/presign-repository.ts';
import type { OpenedStores } from '../src/contracts/stores.ts';
import { describeTokenRepository } from '../src/contracts/tokens/token-repository.ts';
import { describeObjectChecks } from '../src/contracts/verify/object-checks.ts';
import { describeWorkspaceRemoval } from '../src/contracts/workspaces/removal.ts';
import { describeWorkspaceRepository } from '../src/contracts/workspaces/workspace-repository.ts';
import { memoryStores } from '../src/fakes/memory-stores.ts';
import { emptyTables } from '../src/fakes/memory-tables.ts';

async function open(): Promise<OpenedStores> {
  const tables = emptyTables();
  return { one: memoryStores(tables), two: memoryStores(tables), close: async () => {} };
}

describeLibraryRepository('memory', open);
describeObjectChecks('memory', open);
describeWorkspaceRepository('memory', open);
describeWorkspaceRemoval('memory', open);
describeFolderRepository('memory', open);
describeMediaRepository('memory', open);
describePresignRepository('memory', open);
describeTokenRepository('memory', open);
describeImportQueue('memory', open);
describeProfileRepository('memory', open);
describePostRepository('memory', open);
describeBestTimesRepository('memory', open);
