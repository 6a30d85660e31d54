import { expect, test } from 'bun:test';
import { describeBestTimesRepository } from '@postshelf/testing/contracts/best-times/best-times-repository';
import { describeCoverQueue } from '@postshelf/testing/contracts/covers/cover-queue';
import { describeDuplicateRepository } from '@postshelf/testing/contracts/duplicates/duplicate-repository';
import { describeEventRepository } from '@postshelf/testing/contracts/events/event-repository';
import { describeFitQueue } from '@postshelf/testing/contracts/fit/fit-queue';
import { describeFolderRepository } from '@postshelf/testing/contracts/folders/folder-repository';
import { describeImportQueue } from '@postshelf/testing/contracts/imports/import-queue';
import { describeFenceRepository } from '@postshelf/testing/contracts/library/fence-repository';
import { describeLibraryRepository } from '@postshelf/testing/contracts/library/library-repository';
import { describeMediaRepository } from '@postshelf/testing/contracts/media/media-repository';
import { describePendingMedia } from '@postshelf/testing/contracts/pending/pending-media';
import { describePostRepository } from '@postshelf/testing/contracts/posts/post-repository';
import { describeProfileRepository } from '@postshelf/testing/contracts/posts/profile-repository';
import { describePresignRepository } from '@postshelf/testing/contracts/presign-repository/presign-repository';
import { describePreviewRepository } from '@postshelf/testing/contracts/previews/preview-repository';
import { describeRepeatRepository } from '@postshelf/testing/contracts/repeats/repeat-repository';
import { describeSessionRepository } from '@postshelf/testing/contracts/sessions/session-repository';
import { describeTokenRepository } from '@postshelf/testing/contracts/tokens/token-repository';
import { describeObjectChecks } from '@postshelf/testing/contracts/verify/object-checks';
import { describeWorkspaceRemoval } from '@postshelf/testing/contracts/workspaces/removal';
import { describeWorkspaceRepository } from '@postshelf/testing/contracts/workspaces/workspace-repository';
import { sql } from 'kysely';
import { dialects, openerOf } from './support/dialects.ts';

for (const dialect of dialects) {
  const { name } = dialect;
  const open = openerOf(dialect);
  describeLibraryRepository(name, open);
  describeFenceRepository(name, open);
  describeObjectChecks(name, open);
  describeWorkspaceRepository(name, open);
  describeWorkspaceRemoval(name, open);
  describeFolderRepository(name, open);
  describeEventRepository(name, open);
  describeMediaRepository(name, open);
  describeCoverQueue(name, open);
  describePreviewRepository(name, open);
  describeFitQueue(name, open);
  describePendingMedia(name, open);
  describeDuplicateRepository(name, open);
  describePresignRepository(name, open);
  describeTokenRepository(name, open);
  describeRepeatRepository(name, open);
  describeSessionRepository(name, open);
  describeImportQueue(name, open);
  describeProfileRepository(name, open);
  describePostRepository(name, open);
  describeBestTimesRepository(name, open);

  const { deadlocks } = dialect;
  if (deadlocks === null) continue;
  test(`${name}: no deadlock occurred in the whole suite`, async () => {
    const { store } = await open();
    const { rows } = await sql`${sql.raw(deadlocks)}`.execute(store.reads);
    expect(rows).toEqual([{ deadlocks: 0 }]);
  });
}
