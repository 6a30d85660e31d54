import { describeArchiveRepository } from '@postshelf/testing/contracts/archives/archive-repository';
import { describeAuditRepository } from '@postshelf/testing/contracts/audit/audit-repository';
import { describeBestTimesRepository } from '@postshelf/testing/contracts/best-times/best-times-repository';
import { describeCalendarRepository } from '@postshelf/testing/contracts/calendars/calendar-repository';
import { describeDueWork } from '@postshelf/testing/contracts/doctor/due-work';
import { describeDuplicateRepository } from '@postshelf/testing/contracts/duplicates/duplicate-repository';
import { describeEventRepository } from '@postshelf/testing/contracts/events/event-repository';
import { describeFolderRepository } from '@postshelf/testing/contracts/folders/folder-repository';
import { describeIdempotencyRepository } from '@postshelf/testing/contracts/idempotency/idempotency-repository';
import { describeJobQueue } from '@postshelf/testing/contracts/jobs/job-queue';
import { describeFenceRepository } from '@postshelf/testing/contracts/library/fence-repository';
import { describeLibraryRepository } from '@postshelf/testing/contracts/library/library-repository';
import { describeMediaRepository } from '@postshelf/testing/contracts/media/media-repository';
import { describePendingMedia } from '@postshelf/testing/contracts/pending/pending-media';
import { describeProcessingRepository } from '@postshelf/testing/contracts/pending/processing-repository';
import { describePersonRepository } from '@postshelf/testing/contracts/people/person-repository';
import { describePostRepository } from '@postshelf/testing/contracts/posts/post-repository';
import { describeProfileRepository } from '@postshelf/testing/contracts/posts/profile-repository';
import { describePresignRepository } from '@postshelf/testing/contracts/presign-repository/presign-repository';
import { describePreviewRepository } from '@postshelf/testing/contracts/previews/preview-repository';
import { describeResumableRepository } from '@postshelf/testing/contracts/resumable/resumable-repository';
import { describeSessionRepository } from '@postshelf/testing/contracts/sessions/session-repository';
import { describeTokenRepository } from '@postshelf/testing/contracts/tokens/token-repository';
import { describeTrashRepository } from '@postshelf/testing/contracts/trash/trash-repository';
import { describeObjectChecks } from '@postshelf/testing/contracts/verify/object-checks';
import { describeVersions } from '@postshelf/testing/contracts/versions/versions';
import { describeDeliveryRepository } from '@postshelf/testing/contracts/webhooks/delivery-repository';
import { describeFanOut } from '@postshelf/testing/contracts/webhooks/fan-out';
import { describeWebhookRepository } from '@postshelf/testing/contracts/webhooks/webhook-repository';
import { describeQuotas } from '@postshelf/testing/contracts/workspaces/quotas';
import { describeWorkspaceRemoval } from '@postshelf/testing/contracts/workspaces/removal';
import { describeWorkspaceRepository } from '@postshelf/testing/contracts/workspaces/workspace-repository';
import { type Opened, openerOf, type TestDialect } from './dialects.ts';

/**
 * Declares the contract tests of all repositories over a kind of database. Each kind has a test file of its own, because
 * the tests of one file run one after the other.
 *
 * @returns a function that opens the database of these tests and empties it
 */
export function describeContracts(dialect: TestDialect): () => Promise<Opened> {
  const { name } = dialect;
  const open = openerOf(dialect);
  describeLibraryRepository(name, open);
  describeFenceRepository(name, open);
  describeObjectChecks(name, open);
  describeWorkspaceRepository(name, open);
  describeQuotas(name, open);
  describeWorkspaceRemoval(name, open);
  describeFolderRepository(name, open);
  describeEventRepository(name, open);
  describeMediaRepository(name, open);
  describeTrashRepository(name, open);
  describePreviewRepository(name, open);
  describePendingMedia(name, open);
  describeProcessingRepository(name, open);
  describeDuplicateRepository(name, open);
  describePresignRepository(name, open);
  describeResumableRepository(name, open);
  describeTokenRepository(name, open);
  describeIdempotencyRepository(name, open);
  describePersonRepository(name, open);
  describeSessionRepository(name, open);
  describeAuditRepository(name, open);
  describeArchiveRepository(name, open);
  describeJobQueue(name, open);
  describeProfileRepository(name, open);
  describePostRepository(name, open);
  describeBestTimesRepository(name, open);
  describeCalendarRepository(name, open);
  describeWebhookRepository(name, open);
  describeDeliveryRepository(name, open);
  describeFanOut(name, open);
  describeDueWork(name, open);
  describeVersions(name, open);
  return open;
}
