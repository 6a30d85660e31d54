import { Refusal } from '@postshelf/domain';
import { archiveRepository } from './archives/archive-repository.ts';
import { auditRepository } from './audit/audit-repository.ts';
import { bestTimesRepository } from './best-times/best-times-repository.ts';
import { calendarRepository } from './calendars/calendar-repository.ts';
import { dueWork } from './doctor/due-work.ts';
import { duplicateRepository } from './duplicates/duplicate-repository.ts';
import { endWrite } from './events/end-write.ts';
import { eventRepository } from './events/event-repository.ts';
import { folderRepository } from './folders/folder-repository.ts';
import { idempotencyRepository } from './idempotency/idempotency-repository.ts';
import { jobQueue } from './jobs/job-queue.ts';
import { deletionRepository } from './library/deletion-repository.ts';
import { fenceRepository } from './library/fence-repository.ts';
import { libraryRepository } from './library/library-repository.ts';
import { mediaRepository } from './media/media-repository.ts';
import { personRepository } from './people/person-repository.ts';
import { postRepository } from './posts/post-repository.ts';
import { profileRepository } from './posts/profile-repository.ts';
import { presignRepository } from './presign/presign-repository.ts';
import { previewRepository } from './previews/preview-repository.ts';
import { resumableRepository } from './resumable/resumable-repository.ts';
import { sessionRepository } from './sessions/session-repository.ts';
import type { Repositories } from './store/database.ts';
import type { Store } from './store/store.ts';
import { tokenRepository } from './tokens/token-repository.ts';
import { trashRepository } from './trash/trash-repository.ts';
import { processingRepository } from './uploads/processing-repository.ts';
import { uploadRepository } from './uploads/upload-repository.ts';
import { objectChecks } from './verify/object-checks.ts';
import { deliveryRepository } from './webhooks/delivery-repository.ts';
import { webhookRepository } from './webhooks/webhook-repository.ts';
import { workspaceRepository } from './workspaces/workspace-repository.ts';

/**
 * Returns the repositories of a store. All repositories except the library's own refuse to write while the database is
 * read-only, or once it has been moved.
 */
export function repositories(ungated: Store): Repositories {
  let refusal: string | null = null;
  const store = guarded(ungated, () => {
    if (refusal !== null) throw new Refusal({ code: 'unavailable', message: refusal });
  });
  const events = eventRepository(store, ungated.write);
  return {
    refuseWrites(message) {
      refusal = message;
    },
    ...repositoriesOf(store),
    library: libraryRepository(ungated),
    fence: fenceRepository(ungated),
    events,
    webhooks: webhookRepository(store),
    deliveries: deliveryRepository(store, events),
  };
}

/** Returns a store whose writes emit events for their changes, and are undone once the database has been moved. */
export const guarded = (ungated: Store, requireWrites: () => void): Store => ({
  ...ungated,
  async write(work) {
    requireWrites();
    return ungated.write(async (transaction) => {
      const result = await work(transaction);
      await endWrite(transaction, ungated.dialect);
      return result;
    });
  },
});

const repositoriesOf = (store: Store) => ({
  deletions: deletionRepository(store),
  workspaces: workspaceRepository(store),
  folders: folderRepository(store),
  media: mediaRepository(store),
  trashed: trashRepository(store),
  presign: presignRepository(store),
  resumable: resumableRepository(store),
  uploads: uploadRepository(store),
  processing: processingRepository(store),
  jobs: jobQueue(store),
  duplicates: duplicateRepository(store),
  previews: previewRepository(store),
  profiles: profileRepository(store),
  posts: postRepository(store),
  bestTimes: bestTimesRepository(store),
  calendars: calendarRepository(store),
  archives: archiveRepository(store),
  objectChecks: objectChecks(store),
  dueWork: dueWork(store),
  tokens: tokenRepository(store),
  people: personRepository(store),
  idempotency: idempotencyRepository(store),
  sessions: sessionRepository(store),
  audit: auditRepository(store),
});
