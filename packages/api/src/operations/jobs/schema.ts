import { jobIdOf } from '@postshelf/application';
import { JOB_KINDS, JOB_STATES, type ListedJob } from '@postshelf/domain';
import * as v from 'valibot';
import { documented } from '../fields/documented.ts';
import { dateTime, integer, showTime, uuidOf } from '../fields/values.ts';
import { pageQuery } from '../pagination.ts';

const KINDS =
  '`import`: a file from a URL; `fit`: a version for a target; `cover`: the cover of a video; `preview`: the preview of an image, before it is first requested; `delivery`: pending events for a webhook; `check`: a check of all objects; `removal`: the removal of a workspace.';

const STATES = '`waiting` for a slot or until it is due, `running`, or `failed`: it isn’t tried again.';

/** The id of a job in a path. */
export const jobId = documented(v.string(), {
  description: 'The id of the job as listed: its kind and its subject, such as `import:UUID`.',
});

export const jobQuery = v.object({
  kind: v.optional(documented(v.picklist(JOB_KINDS), { description: 'Only jobs of this kind.' })),
  state: v.optional(documented(v.picklist(JOB_STATES), { description: 'Only jobs in this state.' })),
  workspace: v.optional(uuidOf('Only jobs of this workspace.')),
  ...pageQuery,
});

export const job = documented(
  v.object({
    id: documented(v.string(), { description: 'Kind and subject.' }),
    kind: documented(v.picklist(JOB_KINDS), { description: KINDS }),
    state: documented(v.picklist(JOB_STATES), { description: STATES }),
    subject: documented(v.string(), {
      format: 'uuid',
      description: 'The id of a media item, a webhook (`delivery`), a workspace (`removal`), or the library (`check`).',
    }),
    workspace: v.nullable(
      documented(v.string(), { format: 'uuid', description: 'The workspace of the subject; null for the library.' }),
    ),
    added_at: dateTime('When it was added.'),
    due_at: v.nullable(dateTime('When the job may be tried; if it is running, when another process may take it over.')),
    attempts: documented(integer(), { description: 'Number of attempts that failed because of another server.' }),
    starts: documented(integer(), { description: 'How often the job was started but did not end normally.' }),
    reason: v.nullable(documented(v.string(), { description: 'Why the job is tried again or has failed.' })),
  }),
  {
    title: 'Job',
    description: 'A background job.',
    examples: [
      {
        id: 'import:019e7b1c-52a1-7d3a-a0de-1b3f9ad2c111',
        kind: 'import',
        state: 'waiting',
        subject: '019e7b1c-52a1-7d3a-a0de-1b3f9ad2c111',
        workspace: '019e7b1a-8c11-7e52-b8aa-0a4c3d9e7f10',
        added_at: '2026-11-29T09:00:00.000Z',
        due_at: '2026-11-29T09:01:00.000Z',
        attempts: 1,
        starts: 0,
        reason: 'The server at the URL answered with status 503.',
      },
    ],
  },
);

export const showJob = (listed: ListedJob): v.InferOutput<typeof job> => ({
  id: jobIdOf(listed),
  kind: listed.kind,
  state: listed.state,
  subject: listed.subjectId,
  workspace: listed.workspaceId,
  added_at: showTime(listed.addedAt),
  due_at: listed.dueAt === null ? null : showTime(listed.dueAt),
  attempts: listed.attempts,
  starts: listed.claims,
  reason: listed.reason,
});
