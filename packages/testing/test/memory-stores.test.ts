import { emptyTables } from '../src/fakes/memory-tables.ts';
import {
  describeBestTimesRepository,
  describeFolderRepository,
  describeImportQueue,
  describeLibraryRepository,
  describeMediaRepository,
  describeObjectChecks,
  describePostRepository,
  describePresignRepository,
  describeProfileRepository,
  describeTokenRepository,
  describeWorkspaceRemoval,
  describeWorkspaceRepository,
  memoryStores,
  type OpenedStores,
} from '../src/index.ts';

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
