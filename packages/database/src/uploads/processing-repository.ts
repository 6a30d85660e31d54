import { JOB_RULES, type ProcessingRepository } from '@postshelf/domain';
import { completeWithin } from '../idempotency/complete.ts';
import { addJob } from '../jobs/jobs.ts';
import { insertItems } from '../media/write-items.ts';
import { countOf } from '../store/count.ts';
import type { Store } from '../store/store.ts';
import { finishPending } from './finish-pending.ts';

/** Stores `processing` items. They must be inserted only here, because otherwise they have no job. */
export function processingRepository(store: Store): ProcessingRepository {
  return {
    begin: (item, { kind, payload, ...tried }, start, completion) =>
      store.write(async (transaction) => {
        const { id, workspaceId, createdAt } = item;
        const { max } = JOB_RULES[kind];
        if (max !== null) {
          await store.dialect.lock(transaction, 'jobs', [workspaceId]);
          const jobs = transaction.selectFrom('jobs').where('kind', '=', kind).where('workspace_id', '=', workspaceId);
          if ((await countOf(jobs.where('due_at', 'is not', null))) >= max) return 'full';
        }
        if ((await insertItems(transaction, [item])) === 'folder_missing') return 'folder_missing';
        await addJob(transaction, { kind, subjectId: id, workspaceId, payload }, start, createdAt, tried);
        if (completion) await completeWithin(transaction, completion);
        return 'kept';
      }),

    finish: (key, owner, decide) =>
      store.write((transaction) => finishPending(transaction, store.dialect, { ...key, owner }, decide)),
  };
}
