import { cancelJob, findJob, listJobs, retryJob } from '@postshelf/application';
import type { ListedJob } from '@postshelf/domain';
import * as v from 'valibot';
import { baseUrl } from '../../service.ts';
import { dataAndMessageOf } from '../envelopes.ts';
import { given } from '../fields/values.ts';
import { operation, within } from '../operation.ts';
import { pageEnvelope, pageOf, readPage } from '../pagination.ts';
import { job, jobId, jobQuery, showJob } from './schema.ts';

const tag = 'Jobs';

const oneJob = within('id', (ports, _, id) => findJob(ports, id), jobId);

export const jobs = {
  list: operation({
    method: 'GET',
    path: '/jobs',
    summary: 'List jobs',
    description:
      'Lists background jobs that are waiting, running or have failed, by kind, and within each kind oldest first.',
    tag,
    scope: 'operator',
    status: 200,
    extension: true,
    input: jobQuery,
    output: pageOf(job, 'JobPage'),
    async run({ service, input }) {
      const { kind, state, workspace: workspaceId } = input;
      const rows = await listJobs(service.ports, given({ kind, state, workspaceId }), readPage(input));
      return pageEnvelope(`${baseUrl(service)}/jobs`, input, rows, showJob);
    },
  }),

  retry: operation({
    method: 'POST',
    path: '/jobs/{id}/retry',
    summary: 'Retry job',
    description: 'Runs the job as soon as possible, even if it is due later. A failed job starts over.',
    tag,
    scope: 'operator',
    status: 202,
    extension: true,
    statuses: { 422: 'On `job`: the job is running.' },
    examples: { 422: { job: ['The job is running.'] } },
    within: oneJob,
    output: dataAndMessageOf(job, 'RetriedJob'),
    async run({ service, within: found, completes }) {
      const answer = (retried: ListedJob) => ({
        data: showJob(retried),
        message: 'The job will be tried immediately.',
      });
      return answer(await retryJob(service.ports, found, completes(answer)));
    },
  }),

  cancel: operation({
    method: 'DELETE',
    path: '/jobs/{id}',
    summary: 'Cancel job',
    description:
      'A running job can be cancelled as well. The item of a cancelled import or fit becomes `failed`, a video gets no cover, and previews are made when they are first requested.',
    tag,
    scope: 'operator',
    status: 204,
    extension: true,
    statuses: { 422: 'On `job`: jobs of its kind cannot be cancelled.' },
    examples: { 422: { job: ['Disable or delete the webhook instead.'] } },
    within: oneJob,
    output: v.null(),
    async run({ service, within: found }) {
      await cancelJob(service.ports, found);
      return null;
    },
  }),
};
