import {
  describeFolderRepository,
  describeImportQueue,
  describeMediaRepository,
  describePresignedUploads,
  describeTokenRepository,
  describeWorkspaceRepository,
} from '@postshelf/testing';
import { dialects, openerOf } from './dialects.ts';

for (const dialect of dialects) {
  const { name } = dialect;
  const open = openerOf(dialect);
  describeWorkspaceRepository(name, open);
  describeFolderRepository(name, open);
  describeMediaRepository(name, open);
  describePresignedUploads(name, open);
  describeTokenRepository(name, open);
  describeImportQueue(name, open);
}
